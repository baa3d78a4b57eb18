// The Census Bureau's rental vacancy workbooks (HVS): one block a year, newest first.
// Invariant: every block has the same regions and every region a rate in every published quarter.
import { invariant } from "#base/invariant.ts";
import type { PrintValue } from "#base/print-value.ts";
import { builtInStates } from "#geo/states.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { type HvsLevel, layoutOf, monthOfQuarter, SheetPlaces } from "./census-hvs-layout.ts";
import { type HvsBlock, type HvsTable, readHvsTable } from "./census-hvs-table.ts";
import { type ProviderFile, type ProviderRow, quarterEnds, rowsOf } from "./provider-file.ts";
import { readWorkbook } from "./workbook.ts";
import { type WorkbookLimits, workbookLimits } from "./zip-parts.ts";

const QUARTERS = 4;

/**
 * Reads the whole workbook; it is small, and its blocks must agree with each other.
 * @param source the .xlsx file's bytes
 * @throws ReleaseRefusal naming sheet, row and column where there is one
 */
export async function readCensusHvs(
  source: AsyncIterable<Uint8Array>,
  level: HvsLevel,
  limits: WorkbookLimits = workbookLimits,
): Promise<ProviderFile> {
  const sheets = await readWorkbook(source, limits);
  const [sheet, other] = sheets;
  if (sheet === undefined || other !== undefined) {
    throw new ReleaseRefusal(
      "BAD_WORKBOOK",
      {},
      `The workbook has ${sheets.length} sheets and the provider's has one; send it as downloaded.`,
    );
  }
  const at = new SheetPlaces(sheet.name);
  const table = readHvsTable(sheet, level, at);
  if (table.blocks.length === 0) {
    throw new ReleaseRefusal("NO_ROWS", {}, "The table has no block of a year.");
  }
  refuseOtherYears(table, at);
  refuseOtherRegions(table.blocks, level, at);
  return fileOf(table.blocks, level, at);
}

function refuseOtherYears({ title, blocks }: HvsTable, at: SheetPlaces): void {
  const seen = new Set<number>();
  let due = title.lastYear;
  for (const { row, year } of blocks) {
    if (year !== due) {
      const late = year > due ? "MONTHS_OUT_OF_ORDER" : "MONTH_GAP";
      throw at.refusal(
        seen.has(year) ? "DUPLICATE_MONTH" : late,
        row,
        "A",
        `a block of ${year} stands where ${due} is due: one a year, newest first`,
      );
    }
    seen.add(year);
    due -= 1;
  }
  if (due === title.firstYear - 1) return;
  throw at.refusal(
    "MONTH_GAP",
    blocks.at(-1)?.row ?? 1,
    "A",
    `the last block is of ${due + 1}, and the table's title says ${title.firstYear}`,
  );
}

function refuseOtherRegions(blocks: readonly HvsBlock[], level: HvsLevel, at: SheetPlaces): void {
  const due = new Map<string, string>();
  if (level === "state") for (const { fips, name } of builtInStates) due.set(fips ?? "", name);
  for (const { regions } of blocks) {
    for (const { region } of regions.values()) due.set(region.regionId, region.regionName);
  }
  for (const { row, year, regions } of blocks) {
    const absent = [...due.keys()].find((id) => !regions.has(id));
    if (absent === undefined) continue;
    throw at.refusal(
      "MISSING_REGION",
      row,
      layoutOf(level).nameColumn,
      `the block of ${year} has no ${due.get(absent)}; every block has every region`,
    );
  }
}

function fileOf(blocks: readonly HvsBlock[], level: HvsLevel, at: SheetPlaces): ProviderFile {
  const [newest] = blocks;
  invariant(newest !== undefined, "a table without blocks was refused");
  const oldestFirst = [...blocks].reverse();
  const published = publishedQuarters(newest);
  refuseHoles(oldestFirst, published, level, at);
  const firstMonth = monthOfQuarter(newest.year - blocks.length + 1, 0);
  const count = QUARTERS * (blocks.length - 1) + published;
  const rows = [...newest.regions].map(([regionId, { row, region }]): ProviderRow => {
    const rates = oldestFirst.flatMap(({ regions }) => regions.get(regionId)?.rates ?? []);
    return {
      line: row,
      ...region,
      level,
      countyFips: null,
      city: null,
      county: null,
      history: { firstMonth, values: spread(rates.slice(0, count)) },
    };
  });
  return {
    firstMonth,
    lastMonth: monthOfQuarter(newest.year, published - 1),
    calendarMonths: quarterEnds,
    variable: null,
    rows: rowsOf(rows),
  };
}

/** Of the newest year: up to the last quarter that any region has a rate for. */
function publishedQuarters({ regions }: HvsBlock): number {
  const filled = [...regions.values()].map(({ rates }) => rates.findLastIndex((it) => it !== null));
  return Math.max(...filled) + 1;
}

function refuseHoles(
  oldestFirst: readonly HvsBlock[],
  newestCount: number,
  level: HvsLevel,
  at: SheetPlaces,
): void {
  const newest = oldestFirst.at(-1);
  for (const block of oldestFirst) {
    const due = block === newest ? newestCount : QUARTERS;
    for (const { row, rates, region } of block.regions.values()) {
      const hole = rates.slice(0, due).indexOf(null);
      if (hole < 0 && due > 0) continue;
      const [rate = ""] = layoutOf(level).quarterColumns[Math.max(hole, 0)] ?? [];
      throw at.refusal(
        "BAD_CELL",
        row,
        rate,
        `${region.regionName} has no rate of a quarter of ${block.year} that is published`,
      );
    }
  }
}

/** Two blank months between quarters. */
function spread(rates: readonly (PrintValue | null)[]): (PrintValue | null)[] {
  return rates.flatMap((rate, index) => (index === 0 ? [rate] : [null, null, rate]));
}
