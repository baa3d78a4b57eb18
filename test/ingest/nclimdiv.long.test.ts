// The reader of nClimDiv files: places, windows, missing months, displaced values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, formatMonth, monthOf } from "#base/month.ts";
import { formatPrintValue, type PrintValue, parsePrintValue } from "#base/print-value.ts";
import {
  definitionOf,
  unitOf,
  type WeatherVariable,
  weatherSeries,
  weatherSeriesAt,
  weatherSeriesOf,
  weatherVariables,
  windowValue,
} from "#contract/weather-series.ts";
import { builtInStates } from "#geo/states.ts";
import { readNclimdiv } from "#ingest/sources/nclimdiv.ts";
import { stateOfCode } from "#ingest/sources/nclimdiv-codes.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import {
  climateFile,
  climateRefusal,
  type Drawn,
  draw,
  firstYear,
  lastYear,
  lineOf,
  readClimate,
  textOf,
} from "./climate-file.ts";
import { pieces } from "./wide-file.ts";

/** `1990-07` → value, only months with one. */
function printsOf({ history }: ProviderRow): ReadonlyMap<string, string> {
  return new Map(
    history.values.flatMap((value, at) =>
      value === null
        ? []
        : [[formatMonth(addMonths(history.firstMonth, at)), formatPrintValue(value)]],
    ),
  );
}

const rowOf = (rows: readonly ProviderRow[], id: string): ProviderRow =>
  rows.find(({ regionId }) => regionId === id) ?? assert.fail(`no place ${id}`);

/** Long division by hand: 15 decimals of sum/(100·count), rounded to the nearest. */
function meanByHand(sumHundredths: number, count: number): string {
  const digits = (BigInt(Math.abs(sumHundredths)) * 10n ** 14n) / BigInt(count);
  const text = String((digits + 5n) / 10n).padStart(16, "0");
  const decimal = `${text.slice(0, -15)}.${text.slice(-15)}`.replace(/\.?0+$/, "");
  return `${sumHundredths < 0 ? "-" : ""}${decimal}`;
}

function printByHand(variable: WeatherVariable, sum: number): string {
  if (variable === "temperature") return meanByHand(sum, 12);
  return String(variable === "precipitation" ? sum / 100 : sum);
}

test("every series has its yearly values, made of the file's own decimals", async () => {
  for (const { variable, firstMonth, lastMonth } of weatherSeries) {
    const drawn = draw(variable);
    const { rows } = await readClimate(textOf(variable, drawn));
    for (const row of rows) {
      const prints = printsOf(row);
      for (const [at, months] of (drawn.get(row.regionId) ?? []).entries()) {
        const window = months.slice(firstMonth - 1, lastMonth);
        const sum = window.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);
        const month = `${firstYear + at}-${String(lastMonth).padStart(2, "0")}`;
        const expected = Number.isNaN(sum) ? undefined : printByHand(variable, sum);
        assert.equal(prints.get(month), expected, `${variable} ${month}`);
      }
      assert.ok(prints.size >= lastYear - firstYear);
    }
  }
});

test("a mean is exact to 15 decimals, a sum to every digit", () => {
  const [temperature] = weatherSeriesOf("temperature");
  const [precipitation] = weatherSeriesOf("precipitation");
  const year = (texts: readonly string[]): (PrintValue | null)[] =>
    texts.map((text) => parsePrintValue(text) ?? null);
  const windowOf = (series: typeof temperature, texts: readonly string[]): string | undefined => {
    const value = series === undefined ? null : windowValue(series, year(texts));
    return value === null ? undefined : formatPrintValue(value);
  };
  const twelve = (first: string, other: string): string[] => [
    first,
    ...new Array<string>(11).fill(other),
  ];
  assert.equal(windowOf(temperature, twelve("1.00", "0.00")), "0.083333333333333");
  assert.equal(windowOf(temperature, twelve("2.00", "0.00")), "0.166666666666667");
  assert.equal(windowOf(temperature, twelve("-2.00", "0.00")), "-0.166666666666667");
  assert.equal(windowOf(temperature, twelve("-14.10", "0.10")), "-1.083333333333333");
  assert.equal(windowOf(temperature, twelve("0.30", "0.30")), "0.3");
  assert.equal(windowOf(precipitation, twelve("9.00", "0.10")), "0.3");
  assert.equal(windowOf(temperature, twelve("1.00", "missing")), undefined);
});

test("what the intake is told of each file", async () => {
  for (const variable of weatherVariables) {
    const { file } = await readClimate(climateFile(variable));
    const { firstMonth, lastMonth, calendarMonths, series } = file;
    assert.equal(file.variable, variable);
    assert.deepEqual(
      [formatMonth(firstMonth), formatMonth(lastMonth)],
      [`${firstYear}-01`, `${lastYear}-08`],
    );
    assert.deepEqual(
      calendarMonths,
      series.map((one) => one.lastMonth),
    );
  }
});

test("NOAA's numbers of states are not FIPS codes", async () => {
  const contiguous = builtInStates
    .filter(({ stateCode }) => !["AK", "HI", "DC"].includes(stateCode))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const found = contiguous.map((_, at) => stateOfCode(String(at + 1).padStart(3, "0")));
  assert.deepEqual(
    found,
    contiguous.map(({ stateCode }) => stateCode),
  );
  assert.deepEqual([stateOfCode("049"), stateOfCode("050")], ["HI", "AK"]);

  const { rows } = await readClimate(climateFile("precipitation"));
  const texas = rowOf(rows, "041");
  assert.deepEqual(
    [texas.regionName, texas.stateCode, texas.level, texas.line],
    ["Texas", "TX", "state", lineOf("041", firstYear)],
  );
  assert.equal(builtInStates.find(({ fips }) => fips === "41")?.stateCode, "OR");
});

test("the contiguous states are the nation; regions, rivers and crops give no row", async () => {
  const { rows } = await readClimate(climateFile("temperature"));
  assert.equal(rows.length, 48 + 1 + 1);
  assert.deepEqual(
    rows
      .filter(({ level }) => level === "nation")
      .map(({ regionId, stateCode }) => [regionId, stateCode]),
    [["110", null]],
  );
  assert.ok(!rows.some(({ regionId }) => ["101", "109", "111", "365"].includes(regionId)));
});

/** The file with one value of one place, year and month (1…12) replaced. */
function withValue(
  drawn: Drawn,
  place: string,
  year: number,
  month: number,
  value: number | null,
): Drawn {
  const years = drawn.get(place) ?? assert.fail(`no place ${place}`);
  const changed = years.with(
    year - firstYear,
    (years[year - firstYear] ?? []).with(month - 1, value),
  );
  return new Map([...drawn, [place, changed]]);
}

test("minus 9.90 and minus 14.10 are temperatures, minus 99.90 is none", async () => {
  const cold = withValue(draw("temperature"), "050", 1999, 1, -990);
  const colder = withValue(cold, "032", 1999, 1, -1410);
  const { rows } = await readClimate(textOf("temperature", colder));
  for (const place of ["050", "032"]) {
    const months = colder.get(place)?.[1999 - firstYear] ?? [];
    const sum = months.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);
    assert.equal(printsOf(rowOf(rows, place)).get("1999-12"), meanByHand(sum, 12));
  }
});

test("a missing month at the end is no print, and anywhere else a refusal", async () => {
  const drawn = draw("precipitation");
  const { rows } = await readClimate(textOf("precipitation", drawn));
  assert.equal(printsOf(rowOf(rows, "041")).has(`${lastYear}-08`), true);

  // Alaska may lag; a contiguous state may not, nor may a month inside be missing.
  const lagging = withValue(drawn, "050", lastYear, 8, null);
  const alaska = rowOf((await readClimate(textOf("precipitation", lagging))).rows, "050");
  assert.equal([...printsOf(alaska).keys()].at(-1), `${lastYear - 1}-08`);
  for (const [place, year, month, name] of [
    ["041", lastYear, 8, "Aug"],
    ["050", 1999, 7, "Jul"],
    ["111", 1999, 1, "Jan"],
  ] as const) {
    const holed = withValue(drawn, place, year, month, null);
    const refusal = await climateRefusal(textOf("precipitation", holed));
    assert.deepEqual(
      [refusal?.code, refusal?.line, refusal?.column],
      ["BAD_CELL", lineOf(place, year), name],
    );
  }
});

test("a place outside the contiguous states without any value gives no row", async () => {
  const drawn = draw("heatingDegreeDays");
  const blank = (drawn.get("050") ?? []).map((months) => months.map(() => null));
  const { rows } = await readClimate(
    textOf("heatingDegreeDays", new Map([...drawn, ["050", blank]])),
  );
  assert.equal(
    rows.some(({ regionId }) => regionId === "050"),
    false,
  );
  assert.equal(rows.length, 49);
});

/** As NOAA set off values in January 2023: two blanks, whatever their length. */
const setOff = (text: string, which: RegExp): string =>
  text.replaceAll(which, (_, number: string) => `  ${number}`);

const atLeastMinusTen = / +(-[1-9][0-9]\.[0-9]{2})/g;

/** A whole last year, so that no missing value stands aligned. */
const fullYears = (): Drawn =>
  new Map(
    [...draw("temperature")].map(([place, years]) => [
      place,
      years.map((months, at) =>
        at < years.length - 1
          ? months
          : months.map((value, month) => value ?? years[0]?.[month] ?? 0),
      ),
    ]),
  );

test("values set off by two blanks are read where a whole file does it", async () => {
  const drawn = fullYears();
  const aligned = textOf("temperature", drawn);
  const loose = setOff(aligned, atLeastMinusTen);
  assert.notEqual(loose, aligned);
  const [wide, usual] = await Promise.all([readClimate(loose), readClimate(aligned)]);
  assert.deepEqual(wide.rows, usual.rows);

  const half = loose.replace(/ {2}(-[1-9][0-9]\.[0-9]{2})/, " $1");
  const refusal = await climateRefusal(half);
  assert.equal(refusal?.code, "LINE_WIDTH");
});

test("a short value is read only where its place is that cold and has no aligned one", async () => {
  // Iowa is 18 degrees in one January and 5.20 in another, and has no other value below 10.
  const warm = new Map(
    [...fullYears()].map(([place, years]) => [
      place,
      years.map((months) => months.map((value) => Math.max(value ?? 0, 1500))),
    ]),
  );
  const iowa = withValue(withValue(warm, "013", 1995, 1, 1800), "013", 1996, 1, 520);
  const text = textOf("temperature", iowa);
  const short = setOff(text, / {3}(5\.20)/g);
  assert.equal(short.length, text.length - 1);
  const { rows } = await readClimate(short);
  assert.deepEqual(rows, (await readClimate(text)).rows);

  const otherAligned = withValue(iowa, "013", 1997, 2, 710);
  const notThatCold = new Map([
    ...iowa,
    [
      "013",
      (iowa.get("013") ?? []).map((months) =>
        months.map((value, month) => (month === 0 && value !== 520 ? 2500 : value)),
      ),
    ],
  ]);
  for (const changed of [otherAligned, notThatCold]) {
    const refusal = await climateRefusal(setOff(textOf("temperature", changed), / {3}(5\.20)/g));
    assert.deepEqual(
      [refusal?.code, refusal?.line, refusal?.column],
      ["LINE_WIDTH", lineOf("013", 1996), "Jan"],
    );
  }
});

test("a line of the right width may hold one value too many and one too few blanks", async () => {
  const drawn = withValue(withValue(fullYears(), "032", 1999, 1, -1070), "032", 1999, 2, 860);
  const aligned = textOf("temperature", drawn);
  const loose = setOff(aligned, atLeastMinusTen).replace(/(-10\.70) {3}8\.60/, "$1  8.60");
  assert.deepEqual((await readClimate(loose)).rows, (await readClimate(aligned)).rows);
});

test("precipitation and degree days are never set off", async () => {
  for (const variable of ["precipitation", "heatingDegreeDays", "coolingDegreeDays"] as const) {
    const text = climateFile(variable);
    const loose = text.replace(/ ( +[0-9]+\.)/, "$1");
    assert.deepEqual(
      [(await climateRefusal(loose))?.code, (await climateRefusal(loose))?.line],
      ["LINE_WIDTH", 1],
    );
  }
});

test("other files of NOAA's are refused for what they are", async () => {
  const text = climateFile("temperature");
  const inAll = (from: RegExp, to: string): string => text.replaceAll(from, to);
  const cases = [
    [inAll(/^(...)002/gm, "$1027"), "WRONG_SERIES", 1, "element"],
    [inAll(/^(...)002/gm, "$1102"), "WRONG_LEVEL", 1, null],
    [inAll(/^/gm, "0"), "WRONG_LEVEL", 1, null],
    ["RegionID,SizeRank\n9,0\n", "OTHER_PROVIDER", 1, null],
    ["DATE VALUE\n", "OTHER_PROVIDER", 1, null],
    ["", "EMPTY_FILE", null, null],
  ] as const;
  for (const [bytes, code, line, column] of cases) {
    const refusal = await climateRefusal(bytes);
    assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], [code, line, column]);
  }
});

test("a month names its series, and its definition names what it is made of", () => {
  for (const series of weatherSeries) {
    const month = monthOf(2030, series.lastMonth);
    assert.equal(weatherSeriesAt(month), series);
    const definition = definitionOf(series);
    assert.match(definition, /NOAA publishes/);
    assert.ok(definition.includes(unitOf(series)));
    assert.match(series.id, /^[a-z]+(-[a-z]+)*$/);
    assert.ok(series.firstMonth <= series.lastMonth);
  }
  const named = Array.from({ length: 12 }, (_, at) =>
    weatherSeriesAt(addMonths(monthOf(2030, 1), at)),
  );
  assert.equal(named.filter((series) => series !== undefined).length, weatherSeries.length);
  assert.equal(new Set(weatherSeries.map(({ id }) => id)).size, weatherSeries.length);
  assert.deepEqual(
    weatherVariables.filter((variable) => weatherSeriesOf(variable).length === 0),
    [],
  );
  const [july] = weatherSeriesOf("coolingDegreeDays");
  assert.equal(
    july && definitionOf(july),
    "Cooling degree days, July: the value that NOAA publishes for the state (for the nation: the " +
      "contiguous 48 states) in climdiv-cddcst, in Fahrenheit degree days. One value a year; its " +
      "month is July. No value where a month of the window is missing.",
  );
});

test("the pieces a file comes in do not matter", async () => {
  const bytes = Buffer.from(climateFile("coolingDegreeDays"));
  const whole = await readClimate(bytes);
  for (const size of [101, 4096, bytes.length]) {
    const file = await readNclimdiv(pieces(bytes, size));
    assert.deepEqual(await Array.fromAsync(file.rows), whole.rows, `pieces of ${size}`);
  }
});
