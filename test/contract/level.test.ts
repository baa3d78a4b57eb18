// Levels of vacancy and weather: the months they end in, strikes as thresholds, what is listed.
// Invariant: thresholds are checked against sums done by hand, exact to the last digit.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Month, monthOf } from "#base/month.ts";
import {
  formatPrintValue,
  type PrintValue,
  parsePrintValue,
  printValue,
} from "#base/print-value.ts";
import {
  hasPrintIn,
  isStandardThreshold,
  vacancyStrikeBps,
  vacancyThreshold,
  weatherNormal,
  weatherThreshold,
} from "#contract/level.ts";
import { measureOf } from "#contract/measure.ts";

const value = (text: string): PrintValue => {
  const parsed = parsePrintValue(text);
  assert.ok(parsed !== undefined, `${text} is a value`);
  return parsed;
};

const monthsOfYear = (isIn: (month: Month) => boolean): number[] =>
  Array.from({ length: 12 }, (_, at) => at + 1).filter((inYear) => isIn(monthOf(2026, inYear)));

test("quarters and windows are printed in their last month, prices in every month", () => {
  assert.deepEqual(
    monthsOfYear((month) => hasPrintIn("vacancy", month)),
    [3, 6, 9, 12],
  );
  assert.deepEqual(
    monthsOfYear((month) => hasPrintIn("weather", month)),
    [3, 7, 8, 12],
  );
  assert.equal(monthsOfYear((month) => hasPrintIn("zhvi", month)).length, 12);
});

test("a vacancy strike is the rate itself, both ways", () => {
  assert.equal(formatPrintValue(vacancyThreshold(800)), "8");
  assert.equal(formatPrintValue(vacancyThreshold(1)), "0.01");
  assert.equal(vacancyStrikeBps(value("8.25")), 825);
  assert.equal(vacancyStrikeBps(value("8.255")), undefined);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9_999 }), (bps) => {
      assert.equal(vacancyStrikeBps(vacancyThreshold(bps)), bps);
    }),
  );
});

const july = monthOf(2026, 7);
const august = monthOf(2026, 8);
const december = monthOf(2026, 12);

test("a weather strike is so much of the thirty-year mean, to the provider's last digit", () => {
  const years = [...Array.from({ length: 9 }, () => "9999"), ...ofTwo("412", "412.6", 30)].map(
    value,
  );
  const threshold = (measurementMonth: Month, comparator: "gte" | "lte", strikeBps: number) => {
    const named = weatherThreshold({ measurementMonth, comparator, strikeBps, years });
    return named === undefined ? undefined : formatPrintValue(named);
  };
  assert.equal(formatPrintValue(weatherNormal(years)), "412.3", "older years do not count");
  assert.equal(threshold(july, "gte", 1_000), "454", "453.53 degree days");
  assert.equal(threshold(july, "lte", 1_000), "371", "371.07 degree days");
  assert.equal(threshold(august, "gte", 1_000), "453.53", "hundredths of an inch");
  assert.equal(threshold(december, "gte", 1_000), "453.5", "tenths of a degree");
  assert.equal(threshold(monthOf(2026, 5), "gte", 1_000), undefined, "no window ends in May");

  const half = { measurementMonth: july, comparator: "gte", strikeBps: 2_500 } as const;
  const exact = weatherThreshold({ ...half, years: [value("2")] });
  assert.equal(exact === undefined ? "" : formatPrintValue(exact), "3", "2.5 goes up");
  assert.equal(weatherThreshold({ ...half, years: [] }), undefined);
});

const ofTwo = (one: string, other: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? one : other));

test("whatever a weather strike names is listed, but for nothing and the absurd", () => {
  const strikes = fc.record({
    measurementMonth: fc.constantFrom(monthOf(2026, 3), july, august, december),
    comparator: fc.constantFrom("gte" as const, "lte" as const),
    strikeBps: fc.integer({ min: 1, max: 9_999 }),
    years: fc.array(fc.bigInt({ min: 0n, max: 4_000n * 10n ** 15n }).map(printValue), {
      minLength: 1,
      maxLength: 70,
    }),
  });
  fc.assert(
    fc.property(strikes, (strike) => {
      const threshold = weatherThreshold(strike);
      assert.ok(threshold !== undefined);
      const isListed = isStandardThreshold("weather", strike.measurementMonth, threshold);
      assert.equal(isListed, threshold > 0n);
    }),
  );
  assert.ok(!isStandardThreshold("weather", july, value("441.5")));
  assert.ok(isStandardThreshold("weather", july, value("9999")));
  assert.ok(!isStandardThreshold("weather", july, value("10000")));
  assert.ok(!isStandardThreshold("weather", monthOf(2026, 5), value("441")));
});

test("what is measured is said of levels, and needs no saying of dollars", () => {
  assert.equal(measureOf("vacancy", monthOf(2026, 6))?.unit, "percent");
  assert.equal(measureOf("weather", july)?.series, "cdd-jul");
  assert.equal(measureOf("weather", monthOf(2026, 5)), undefined);
  assert.equal(measureOf("zhvi", july), undefined);
});
