// The Census Bureau's own workbooks, against a second reading that knows nothing of the first:
// cells by regular expression, blocks by counting rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { addMonths, formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { HvsLevel } from "#ingest/sources/census-hvs-layout.ts";
import { hvsRefusal, readHvs } from "./hvs-file.ts";
import { genuineOnly, sharedFile } from "./shared-data.ts";

interface Workbook {
  readonly level: HvsLevel;
  readonly path: string;
  readonly regions: number;
  readonly firstMonth: string;
  readonly lastMonth: string;
  /** From the first row of one block to that of the next. */
  readonly blockRows: number;
  readonly rateColumns: string;
  /** Rates published as less than 0.05. */
  readonly marks: number;
}

const workbooks: readonly Workbook[] = [
  {
    level: "state",
    path: "vacancy/hvs-2022q2/tab1_state05_2022_rvr.xlsx.gz",
    regions: 51,
    firstMonth: "2005-03",
    lastMonth: "2022-06",
    blockRows: 61,
    rateColumns: "BDFH",
    marks: 0,
  },
  {
    level: "metro",
    path: "vacancy/hvs-2022q2/tab4_msa_15_22_rvr.xlsx.gz",
    regions: 75,
    firstMonth: "2015-03",
    lastMonth: "2022-06",
    blockRows: 85,
    rateColumns: "CEGI",
    marks: 8,
  },
];

const NEWEST_YEAR = 2022;
const FIRST_ROW = 9;

/** The bytes of a part, found by its name in the container's first mention of it. */
function partText(container: Buffer, name: string): string {
  const at = container.indexOf(name);
  const extraBytes = container.readUInt16LE(at - 2);
  return inflateRawSync(container.subarray(at + name.length + extraBytes)).toString("utf8");
}

/** `place in the block|month` → tenths of a percent. */
function ratesByHand(container: Buffer, book: Workbook): Map<string, number> {
  const sheet = partText(container, "xl/worksheets/sheet1.xml");
  const rates = new Map<string, number>();
  for (const match of sheet.matchAll(/<c r="([A-J])([0-9]+)"([^>]*)><v>([^<]+)<\/v>/g)) {
    const [, column = "", row, attributes = "", value] = match;
    const offset = Number(row) - FIRST_ROW;
    const place = offset % book.blockRows;
    const quarter = book.rateColumns.indexOf(column);
    if (quarter < 0 || place < 0 || place >= book.regions || attributes.includes(' t="')) continue;
    const year = NEWEST_YEAR - Math.floor(offset / book.blockRows);
    const month = `${year}-${["03", "06", "09", "12"][quarter]}`;
    if (month >= book.firstMonth) rates.set(`${place}|${month}`, Math.round(Number(value) * 10));
  }
  return rates;
}

for (const book of workbooks) {
  test(`the ${book.level} workbook of 2022 is read whole`, { skip: genuineOnly }, async () => {
    const bytes = sharedFile(book.path);
    const rows = await readHvs(bytes, book.level);
    assert.equal(rows.length, book.regions);
    const byHand = ratesByHand(bytes, book);

    let marks = 0;
    let compared = 0;
    for (const [place, row] of rows.entries()) {
      const { firstMonth, values } = row.history;
      const lastMonth = addMonths(firstMonth, values.length - 1);
      assert.deepEqual(
        [formatMonth(firstMonth), formatMonth(lastMonth)],
        [book.firstMonth, book.lastMonth],
      );
      for (const [offset, value] of values.entries()) {
        const name = `${place}|${formatMonth(addMonths(firstMonth, offset))}`;
        const expected = byHand.get(name);
        if (value === null) assert.equal(offset % 3 === 0, false, name);
        else if (expected === undefined) marks += Number(value === 0n);
        else {
          assert.equal(formatPrintValue(value), String(expected / 10), name);
          compared += 1;
        }
      }
    }
    assert.deepEqual([marks, compared], [book.marks, byHand.size]);
    const quarters = 4 * (NEWEST_YEAR - Number(book.firstMonth.slice(0, 4))) + 2;
    assert.equal(marks + compared, quarters * book.regions);
  });
}

test("a published workbook sent under the other level is refused", async () => {
  const [states, metros] = workbooks.map(({ path }) => sharedFile(path));
  const asMetros = await hvsRefusal(states ?? assert.fail(), "metro");
  const asStates = await hvsRefusal(metros ?? assert.fail(), "state");
  assert.deepEqual([asMetros?.code, asStates?.code], ["WRONG_LEVEL", "WRONG_LEVEL"]);
  assert.deepEqual([asMetros?.line, asStates?.column], [2, "Sheet1!A"]);
});

test("every metro of the provider's own table has a code, and each another", {
  skip: genuineOnly,
}, async () => {
  const rows = await readHvs(sharedFile(workbooks[1]?.path ?? ""), "metro");
  assert.equal(new Set(rows.map(({ regionId }) => regionId)).size, rows.length);
  for (const { regionId, regionName } of rows) {
    assert.match(regionId, /^[1-4][0-9]{4}$/, `${regionName} stands in the table of names`);
    assert.match(regionName, /^[^0-9…]+, [A-Z]{2}(-[A-Z]{2})*$/);
  }
});
