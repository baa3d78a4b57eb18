// The reader of rental vacancy workbooks: quarters, names, headings, marks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { readCensusHvs } from "#ingest/sources/census-hvs.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import {
  bareMetroNames,
  firstYear,
  hvsGrid,
  hvsRefusal,
  lastYear,
  nameAt,
  ratesOf,
  readHvs,
} from "./hvs-file.ts";
import { pieces } from "./wide-file.ts";
import { type Grid, workbookOf } from "./workbook-file.ts";

/** `2013-03` → `6.9`, only months with a value. */
const printsOf = ({ history }: ProviderRow): ReadonlyMap<string, string> =>
  new Map(
    history.values.flatMap((value, at) =>
      value === null
        ? []
        : [[formatMonth(addMonths(history.firstMonth, at)), formatPrintValue(value)]],
    ),
  );

/** Places a cell, row as the sheet counts and column from A on. */
const put = (grid: Grid, row: number, column: number, cell: Grid[number][number]): Grid => {
  grid[row - 1]?.splice(column, 1, cell);
  return grid;
};

for (const level of ["state", "metro"] as const) {
  test(`every rate of a ${level} table stands in the last month of its quarter`, async () => {
    const rows = await readHvs(workbookOf(hvsGrid(level)), level);
    const rates = ratesOf(level);

    assert.equal(rows.length, rates[0]?.length);
    for (const [at, row] of rows.entries()) {
      const expected = rates.map((quarter, index): [string, string] => [
        `${firstYear + Math.floor(index / 4)}-${["03", "06", "09", "12"][index % 4]}`,
        String(quarter[at]),
      ]);
      assert.deepEqual([...printsOf(row)], expected, row.regionName);
    }
  });
}

test("months, and what the intake is told of the file", async () => {
  const file = await readCensusHvs(pieces(workbookOf(hvsGrid("state"))), "state");
  const { firstMonth, lastMonth, calendarMonths, variable } = file;
  assert.deepEqual(
    [formatMonth(firstMonth), formatMonth(lastMonth), calendarMonths, variable],
    [`${firstYear}-03`, `${lastYear}-06`, [3, 6, 9, 12], null],
  );
});

test("states go by their FIPS, the capital too", async () => {
  const rows = await readHvs(workbookOf(hvsGrid("state")), "state");
  const told = rows.map(({ regionId, regionName, stateCode }) => [regionId, regionName, stateCode]);
  assert.equal(rows.length, 51);
  assert.ok(told.some(([id, name, code]) => id === "48" && name === "Texas" && code === "TX"));
  assert.ok(told.some(([id, name]) => id === "11" && name === "District of Columbia"));
  assert.ok(rows.every(({ level }) => level === "state"));
});

test("metros lose dots and footnote numbers, and their name makes their id", async () => {
  const rows = await readHvs(workbookOf(hvsGrid("metro")), "metro");
  assert.deepEqual(
    rows.map(({ regionName }) => regionName),
    bareMetroNames,
  );
  assert.deepEqual(
    rows.map(({ regionId, stateCode }) => [regionId, stateCode]),
    [
      ["alderton-birch-falls-tx", "TX"],
      ["cedar-hollow-oh-ky", "OH"],
      ["dogwood-elm-county-ky-in", "KY"],
      ["ft-fir-la", "LA"],
      ["gum-springs-ca", "CA"],
      ["st-hazel-ivy-mo-il", "MO"],
    ],
  );
  assert.ok(rows.every(({ regionId }) => /^[A-Za-z0-9._-]{1,64}$/.test(regionId)));
});

test("less than 0.05 is 0, with or without a margin of its own", async () => {
  const grid = hvsGrid("metro");
  put(grid, 9, 2, "(z)");
  put(grid, 9, 3, "(z)");
  put(grid, 10, 3, "(z)");
  const rows = await readHvs(workbookOf(grid), "metro");
  const prints = rows.slice(0, 2).map((row) => printsOf(row).get(`${lastYear}-03`));
  assert.deepEqual(prints, ["0", String(ratesOf("metro").at(-2)?.[1])]);
});

test("a quarter nobody has a rate for is to come; one some have is a hole", async () => {
  const grid = hvsGrid("state");
  for (let row = 9; row < 9 + 51; row += 1) {
    put(grid, row, 3, null);
    put(grid, row, 4, null);
  }
  const [first] = await readHvs(workbookOf(grid), "state");
  assert.equal([...printsOf(first ?? assert.fail("no rows"))].at(-1)?.[0], `${lastYear}-03`);

  put(grid, 20, 3, 5.5);
  put(grid, 20, 4, 1.5);
  const refusal = await hvsRefusal(workbookOf(grid), "state");
  assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], ["BAD_CELL", 9, "Sheet1!D"]);
});

test("a refusal names sheet, row and column", async () => {
  const grid = put(hvsGrid("metro"), 11, nameAt("metro") + 3, "7.1");
  const refusal = await hvsRefusal(workbookOf(grid), "metro");
  assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], ["BAD_NUMBER", 11, "Sheet1!E"]);
  assert.match(refusal?.message ?? "", /^Line 11, column Sheet1!E: "7.1" is not a percentage/);
});

test("a table of homeowners, of owners, or of the other level is refused", async () => {
  const titled = (title: string): Buffer => {
    const grid = hvsGrid("state");
    return workbookOf(put(grid, 2, 0, title));
  };
  const years = `${firstYear} to ${lastYear}`;
  const cases = [
    [`Table 2. Homeowner Vacancy Rates by State: ${years}`, "WRONG_SERIES"],
    [`Table 3. Homeownership Rates by State: ${years}`, "WRONG_SERIES"],
    ["Table 1. Rental Vacancy Rates by State", "WRONG_SERIES"],
    ["Rental Vacancy Rates", "OTHER_PROVIDER"],
  ] as const;
  for (const [title, code] of cases) {
    const refusal = await hvsRefusal(titled(title), "state");
    assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], [code, 2, "Sheet1!A"], title);
  }
  const other = await hvsRefusal(workbookOf(hvsGrid("metro")), "state");
  assert.deepEqual([other?.code, other?.line], ["WRONG_LEVEL", 2]);
  assert.equal((await hvsRefusal(workbookOf(hvsGrid("state")), "metro"))?.code, "WRONG_LEVEL");
});
