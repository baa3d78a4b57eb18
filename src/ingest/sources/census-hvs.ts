// The Census Bureau's rental vacancy workbooks (HVS): one block a year, newest first.
// Invariant: every block has the same regions and every region a rate in every published quarter.
import { invariant } from "#base/invariant.ts";
import type { PrintValue } from "#base/print-value.ts";
import { builtInStates } from "#geo/states.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import {
  type HvsLevel,
  type HvsRegion,
  monthOfQuarter,
  plainText,
  regionOf,
  SheetPlaces,
} from "./census-hvs-layout.ts";
import {
  type HvsBlock,
  type HvsRate,
  type HvsTable,
  type RegionYear,
  readHvsTable,
} from "./census-hvs-table.ts";
import { type ProviderFile, type ProviderRow, quarterEnds, rowsOf } from "./provider-file.ts";
import { readWorkbook, type Sheet } from "./workbook.ts";
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
  const sheet = tableSheet(sheets);
  const at = new SheetPlaces(sheet.name);
  const read = readHvsTable(sheet, level, at);
  if (read.blocks.length === 0) {
    throw new ReleaseRefusal("NO_ROWS", {}, "The table has no block of a year.");
  }
  const table = { ...read, blocks: joinRenamed(read, level) };
  refuseOtherYears(table, at);
  refuseOtherRegions(table, level, at);
  const added = sheets.length === 1 ? [] : ["The workbook has more sheets than the table's."];
  return { ...fileOf(table, level, at), changes: [...table.changes, ...added] };
}

/** The provider's workbooks have one sheet; of several one alone may have the table. */
function tableSheet(sheets: readonly Sheet[]): Sheet {
  const [first] = sheets;
  if (sheets.length === 1 && first !== undefined) return first;
  const [sheet, other] = sheets.filter(hasTable);
  if (sheet !== undefined && other === undefined) return sheet;
  throw new ReleaseRefusal(
    "BAD_WORKBOOK",
    {},
    `The workbook has ${sheets.length} sheets and the provider's has one; send it as downloaded.`,
  );
}

const hasTable = ({ rows }: Sheet): boolean =>
  rows.slice(0, 5).some(({ cells }) => /\bvacanc/i.test(plainText(cells.get("A"))));

/** A region that one block has under its new name and another under its former one is one region. */
function joinRenamed({ blocks, formerNames }: HvsTable, level: HvsLevel): readonly HvsBlock[] {
  const ids = new Map<string, HvsRegion>();
  for (const { regions } of blocks) {
    for (const { region, note } of regions.values()) {
      const former = formerRegion(formerNames, note, level);
      if (former !== undefined) ids.set(former.regionId, region);
    }
  }
  return blocks.map((block) => {
    const regions = new Map<string, RegionYear>();
    for (const [regionId, one] of block.regions) {
      const region = ids.get(regionId);
      const isJoined = region !== undefined && !block.regions.has(region.regionId);
      if (isJoined) regions.set(region.regionId, { ...one, region });
      else regions.set(regionId, one);
    }
    return { ...block, regions };
  });
}

/** By the note on a name, where it is none that the table of names has. */
function formerRegion(
  formerNames: HvsTable["formerNames"],
  note: string | undefined,
  level: HvsLevel,
): HvsRegion | undefined {
  const former = note === undefined ? undefined : formerNames.get(note);
  return former === undefined ? undefined : regionOf(former, level);
}

function refuseOtherYears({ title, blocks }: HvsTable, at: SheetPlaces): void {
  const seen = new Set<number>();
  const { years } = title;
  let due = years?.last ?? blocks[0]?.year ?? 0;
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
  if (years === undefined || due === years.first - 1) return;
  throw at.refusal(
    "MONTH_GAP",
    blocks.at(-1)?.row ?? 1,
    "A",
    `the last block is of ${due + 1}, and the table's title says ${years.first}`,
  );
}

function refuseOtherRegions(
  { blocks, nameColumn }: HvsTable,
  level: HvsLevel,
  at: SheetPlaces,
): void {
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
      nameColumn,
      `the block of ${year} has no ${due.get(absent)}; every block has every region`,
    );
  }
}

function fileOf(table: HvsTable, level: HvsLevel, at: SheetPlaces): ProviderFile {
  const { blocks, formerNames } = table;
  const [newest] = blocks;
  invariant(newest !== undefined, "a table without blocks was refused");
  const oldestFirst = [...blocks].reverse();
  const published = publishedQuarters(newest);
  refuseHoles(oldestFirst, published, table, at);
  const firstMonth = monthOfQuarter(newest.year - blocks.length + 1, 0);
  const count = QUARTERS * (blocks.length - 1) + published;
  const rows = [...newest.regions].map(([regionId, { row, region, note }]): ProviderRow => {
    const rates = oldestFirst.flatMap(({ regions }) => regions.get(regionId)?.rates ?? []);
    const former = formerRegion(formerNames, note, level)?.regionId;
    return {
      line: row,
      ...region,
      ...(former === undefined || former === regionId ? {} : { formerId: former }),
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
  const filled = [...regions.values()].map(({ rates }) => rates.findLastIndex(isRate));
  return Math.max(...filled) + 1;
}

const isRate = (rate: HvsRate): boolean => rate !== null && rate !== "none";

function refuseHoles(
  oldestFirst: readonly HvsBlock[],
  newestCount: number,
  { rateColumns }: HvsTable,
  at: SheetPlaces,
): void {
  const newest = oldestFirst.at(-1);
  for (const block of oldestFirst) {
    const due = block === newest ? newestCount : QUARTERS;
    for (const { row, rates, region } of block.regions.values()) {
      const hole = rates.slice(0, due).indexOf(null);
      if (hole < 0 && due > 0) continue;
      throw at.refusal(
        "BAD_CELL",
        row,
        rateColumns[Math.max(hole, 0)] ?? "",
        `${region.regionName} has no rate of a quarter of ${block.year} that is published`,
      );
    }
  }
}

/** Two blank months between quarters. */
const spread = (rates: readonly HvsRate[]): (PrintValue | null)[] =>
  rates
    .map((rate) => (rate === "none" ? null : rate))
    .flatMap((rate, index) => (index === 0 ? [rate] : [null, null, rate]));
