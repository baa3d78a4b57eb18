// The reader of rental vacancy workbooks: months, blanks, and refusals by sheet, row and column.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { readCensusHvs } from "#ingest/sources/census-hvs.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import { firstYear, hvsGrid, hvsRefusal, lastYear, nameAt, readHvs } from "./hvs-file.ts";
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

test("months, and what the intake is told of the file", async () => {
  const file = await readCensusHvs(pieces(workbookOf(hvsGrid("state"))), "state");
  const { firstMonth, lastMonth, calendarMonths, variable } = file;
  assert.deepEqual(
    [formatMonth(firstMonth), formatMonth(lastMonth), calendarMonths, variable],
    [`${firstYear}-03`, `${lastYear}-06`, [3, 6, 9, 12], null],
  );
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
    ["Table 1. Vacancy Rates by State", "WRONG_SERIES"],
    ["Rental and Homeowner Vacancy Rates", "WRONG_SERIES"],
    ["Vacancy Rates", "OTHER_PROVIDER"],
  ] as const;
  for (const [title, code] of cases) {
    const refusal = await hvsRefusal(titled(title), "state");
    assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], [code, 2, "Sheet1!A"], title);
  }
  const other = await hvsRefusal(workbookOf(hvsGrid("metro")), "state");
  assert.deepEqual([other?.code, other?.line], ["WRONG_LEVEL", 2]);
  assert.equal((await hvsRefusal(workbookOf(hvsGrid("state")), "metro"))?.code, "WRONG_LEVEL");
});
