// The index value: the newest first print, and a history on its scale.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeId, releaseId } from "#base/ids.ts";
import { addMonths, formatMonth, type Month, parseMonth } from "#base/month.ts";
import {
  type ChainLevel,
  chainLevel,
  chainLevelOf,
  firstLevel,
  type PrintValue,
  parsePrintValue,
  printNumber,
} from "#base/print-value.ts";
import { PrintsOfNode, type SeriesPoint } from "#views/prints-of-node.ts";
import { SeriesView } from "#views/series.ts";

const tx = nodeId("state:tx");

const month = (text: string): Month => {
  const parsed = parseMonth(text);
  assert.ok(parsed !== undefined, `${text} is a month`);
  return parsed;
};

const print = (text: string): PrintValue => {
  const parsed = parsePrintValue(text);
  assert.ok(parsed !== undefined, `${text} is a print`);
  return parsed;
};

function point(
  at: Month,
  value: string,
  levelE12: ChainLevel | null,
  release = "rel-1",
): SeriesPoint {
  return {
    month: at,
    valueE15: print(value),
    levelE12,
    releaseId: releaseId(release),
    backfill: false,
  };
}

/** `count` months from 2023-01 that rise by 1 % of the first each, printed as they are. */
function rising(count: number): SeriesPoint[] {
  const first = print("100000");
  return Array.from({ length: count }, (_, at) => {
    const value = String(100_000 + 1_000 * at);
    const level = at === 0 ? firstLevel : chainLevel(firstLevel, print(value), first);
    return point(addMonths(month("2023-01"), at), value, level);
  });
}

test("without prints there is no value", () => {
  const view = new SeriesView();
  assert.equal(view.indexValue("zhvi", tx), undefined);
  view.extend("zhvi", tx, []);
  assert.equal(view.indexValue("zhvi", tx), undefined);
  assert.deepEqual([...view.nodes("zhvi")], []);
});

test("value and asOfMonth are the newest print's; the series has at most 24 months", () => {
  const view = new SeriesView();
  view.extend("zhvi", tx, rising(30));
  const shown = view.indexValue("zhvi", tx);
  assert.ok(shown !== undefined);
  assert.equal(shown.value, 129_000);
  assert.equal(shown.asOfMonth, "2025-06");
  assert.equal(shown.series.length, 24);
  assert.deepEqual(shown.series[0], { month: "2023-07", value: 106_000 });
  assert.deepEqual(shown.series.at(-1), { month: "2025-06", value: 129_000 });
  // 129/117 − 1 = 10.2564 %
  assert.equal(shown.yoy, 10.26);
});

test("a rescale moves the level of the whole series and none of its growth", () => {
  const view = new SeriesView();
  view.extend("zhvi", tx, rising(13));
  const before = view.indexValue("zhvi", tx);
  // The next release writes every value 2 % lower; the index itself stands still.
  const flat = chainLevelOf(1_120_000_000_000n);
  view.extend("zhvi", tx, [point(month("2024-02"), "109760", flat, "rel-2")]);
  const after = view.indexValue("zhvi", tx);
  assert.ok(before !== undefined && after !== undefined);
  assert.equal(before.yoy, 12);
  assert.equal(after.value, 109_760);
  assert.equal(after.releaseId, "rel-2");
  assert.deepEqual(after.series.at(-1), { month: "2024-02", value: 109_760 });
  assert.deepEqual(after.series.at(-2), { month: "2024-01", value: 109_760 });
  assert.deepEqual(after.series[0], { month: "2023-01", value: 98_000 });
  // Against 2023-02 in the chain 1.12/1.01 − 1; between raw prints it would be 8.67 %.
  assert.equal(after.yoy, 10.89);
});

test("yoy compares the same month a year before, or is null", () => {
  const view = new SeriesView();
  view.extend("zhvi", tx, rising(12));
  assert.equal(view.indexValue("zhvi", tx)?.yoy, null);
  view.extend("zhvi", nodeId("state:ny"), rising(13));
  assert.equal(view.indexValue("zhvi", nodeId("state:ny"))?.yoy, 12);
  const gap = rising(14).filter((_, at) => at !== 1);
  view.extend("zhvi", nodeId("state:ca"), gap);
  const shown = view.indexValue("zhvi", nodeId("state:ca"));
  assert.equal(shown?.yoy, null, "the month a year before was never printed");
  assert.equal(shown?.series.length, 13);
});

test("a falling index has a negative yoy, rounded half away from zero", () => {
  const view = new SeriesView();
  const start = month("2024-01");
  view.extend("zhvi", tx, [
    point(start, "80000", firstLevel),
    point(addMonths(start, 12), "79996", chainLevelOf(999_950_000_000n)),
  ]);
  assert.equal(view.indexValue("zhvi", tx)?.yoy, -0.01);
});

test("a newest print outside the chain stands alone", () => {
  const view = new SeriesView();
  view.extend("zhvi", tx, rising(13));
  view.extend("zhvi", tx, [point(month("2024-02"), "500000", null)]);
  const shown = view.indexValue("zhvi", tx);
  assert.deepEqual(shown?.series, [{ month: "2024-02", value: 500_000 }]);
  assert.equal(shown?.yoy, null);
  assert.equal(view.chain("zhvi", tx).length, 13);
});

test("an index that is not chained shows its first prints as they are", () => {
  const view = new SeriesView();
  const start = month("2024-03");
  const quarters = ["6.6", "0", "3.3", "2", "6.93"];
  view.extend(
    "vacancy",
    tx,
    quarters.map((value, at) => point(addMonths(start, 3 * at), value, null)),
  );
  const shown = view.indexValue("vacancy", tx);
  assert.deepEqual(
    shown?.series.map(({ value }) => value),
    [6.6, 0, 3.3, 2, 6.93],
  );
  assert.equal(shown?.yoy, 5);
  assert.equal(view.indexValue("zhvi", tx), undefined, "indices do not mix");
  view.extend("vacancy", tx, [point(month("2025-06"), "1", null)]);
  assert.equal(view.indexValue("vacancy", tx)?.yoy, null, "no growth from 0");
  const nineQuarters = Array.from({ length: 9 }, (_, at) =>
    point(addMonths(month("2025-09"), 3 * at), "5", null),
  );
  view.extend("vacancy", tx, nineQuarters);
  assert.equal(view.indexValue("vacancy", tx)?.series.length, 8, "two years of quarters");
});

test("of weather the value is the newest print, its series those of the same window", () => {
  const view = new SeriesView();
  const yearly = (first: string, values: readonly string[]): SeriesPoint[] =>
    values.map((value, at) => point(addMonths(month(first), 12 * at), value, null));
  view.extend("weather", tx, yearly("2000-12", ["-2", "50"]));
  assert.equal(view.indexValue("weather", tx)?.yoy, null, "no growth from below 0");
  const summers = Array.from({ length: 30 }, (_, at) => String(at + 10));
  view.extend("weather", tx, yearly("1972-08", summers));
  assert.equal(view.indexValue("weather", tx)?.asOfMonth, "2001-12", "older than the newest");
  assert.deepEqual(view.indexValue("weather", tx)?.series, [
    { month: "2000-12", value: -2 },
    { month: "2001-12", value: 50 },
  ]);
  view.extend("weather", tx, yearly("2002-08", ["44"]));
  const shown = view.indexValue("weather", tx);
  assert.equal(shown?.value, 44);
  assert.equal(shown?.yoy, 12.82, "44 against 39 of the August before");
  assert.equal(shown?.series.length, 24);
  assert.deepEqual(shown?.series[0], { month: "1979-08", value: 17 });
  const winter = view.indexValue("weather", tx, month("2002-07"));
  assert.equal(winter?.asOfMonth, "2001-12");
  assert.equal(winter?.series.length, 2);
});

test("as of an earlier month the series ends there", () => {
  const view = new SeriesView();
  view.extend("zhvi", tx, rising(30));
  const shown = view.indexValue("zhvi", tx, month("2024-01"));
  assert.equal(shown?.value, 112_000);
  assert.equal(shown?.series.length, 13);
  assert.equal(view.indexValue("zhvi", tx, month("2022-12")), undefined);
  assert.equal(view.indexValue("zhvi", tx, month("2030-01"))?.value, 129_000);
});

test("a first print is immutable: the same again is nothing, another value is a breach", () => {
  const view = new SeriesView();
  view.extend("zhvi", tx, rising(3));
  view.extend("zhvi", tx, rising(3));
  assert.equal(view.points("zhvi", tx).length, 3);
  const other = point(month("2023-02"), "101000.000000000000001", firstLevel);
  assert.throws(() => view.extend("zhvi", tx, [other]), /2023-02 is immutable/);
});

test("a gap that is printed late takes its place", () => {
  const view = new SeriesView();
  const all = rising(20);
  view.extend(
    "zhvi",
    tx,
    all.filter((_, at) => at !== 7),
  );
  assert.equal(view.at("zhvi", tx, month("2023-08")), undefined);
  const before = view.version;
  view.extend("zhvi", tx, all.slice(7, 8));
  assert.deepEqual(view.points("zhvi", tx), all);
  assert.ok(view.version > before, "what was computed before is known to be stale");
  assert.deepEqual(view.points("zhvi", tx, month("2024-06")), all.slice(17));
});

test("packed prints give back what was put in, in any order (property)", () => {
  const arbitrary = fc.uniqueArray(
    fc.record({
      month: fc.integer({ min: 2000 * 12, max: 2030 * 12 }),
      value: fc.bigInt({ min: -(10n ** 22n), max: 10n ** 24n }),
      level: fc.option(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })),
      backfill: fc.boolean(),
    }),
    { selector: ({ month: at }) => at, maxLength: 80 },
  );
  fc.assert(
    fc.property(arbitrary, (records) => {
      const points = records.map(({ month: at, value, level, backfill }) => ({
        month: addMonths(month("1800-01"), at - 1800 * 12),
        valueE15: parsed(value),
        levelE12: level === null ? null : chainLevelOf(level),
        releaseId: releaseId(`rel-${at % 3}`),
        backfill,
      }));
      const packed = new PrintsOfNode();
      for (const each of points) packed.add(each);
      const sorted = points.toSorted((a, b) => a.month - b.month);
      assert.equal(packed.size, sorted.length);
      assert.deepEqual(packed.points(), sorted);
      for (const expected of sorted) {
        assert.deepEqual(packed.at(expected.month), expected, formatMonth(expected.month));
        const before = sorted.filter(({ month }) => month < expected.month);
        assert.deepEqual(packed.newest(expected.month - 1), before.at(-1));
        assert.deepEqual(packed.points(expected.month), sorted.slice(before.length));
      }
      assert.deepEqual(packed.newest(), sorted.at(-1));
    }),
  );
});

/** A print of so many units of 1e-15. */
function parsed(scaled: bigint): PrintValue {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(16, "0");
  const text = `${digits.slice(0, -15)}.${digits.slice(-15)}`;
  const value = print(scaled < 0n ? `-${text}` : text);
  assert.ok(Number.isFinite(printNumber(value)));
  return value;
}
