// A hundred and more damaged versions of made-up workbooks, each refused with its reason and place.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { HvsLevel } from "#ingest/sources/census-hvs-layout.ts";
import type { RefusalCode } from "#prints/refusal.ts";
import { firstYear, hvsGrid, hvsRefusal, lastYear, nameAt, namesOf, readHvs } from "./hvs-file.ts";
import { between, randomFrom } from "./wide-file.ts";
import { columnName, type Grid, type GridCell, workbookOf } from "./workbook-file.ts";

type Random = () => number;

interface Damaged {
  readonly grid: Grid;
  readonly code: RefusalCode;
  /** Null where the table as a whole is refused. */
  readonly row: number | null;
  readonly column: string | null;
}

interface Subject {
  readonly grid: Grid;
  readonly level: HvsLevel;
  readonly random: Random;
  /** The first row (as the sheet counts) of each block's title; newest first. */
  readonly titleRows: readonly number[];
}

type Mutation = (subject: Subject) => Damaged;

const damaged = (grid: Grid, code: RefusalCode, row: number | null, column?: string): Damaged => ({
  grid,
  code,
  row,
  column: column ?? null,
});

const HEADING_AFTER_TITLE = 2;
const NAMES_AFTER_TITLE = 7;

const rowsOfBlock = ({ level }: Subject): number => namesOf(level).length;

/** A region's row in some block, counted as the sheet counts. */
function someRegion(subject: Subject): number {
  const title = subject.titleRows[between(subject.random, 0, subject.titleRows.length)] ?? 0;
  return title + NAMES_AFTER_TITLE + between(subject.random, 0, rowsOfBlock(subject));
}

const cellAt = (grid: Grid, row: number, column: number): GridCell =>
  grid[row - 1]?.[column] ?? null;
const put = (grid: Grid, row: number, column: number, cell: GridCell): void => {
  grid[row - 1]?.splice(column, 1, cell);
};

/** The column (from A = 0) of the rate of one of the first two quarters, which every block has. */
const someRate = ({ level, random }: Subject): number =>
  nameAt(level) + 1 + 2 * between(random, 0, 2);

const rateBecomes =
  (code: RefusalCode, change: (rate: GridCell) => GridCell): Mutation =>
  (subject) => {
    const row = someRegion(subject);
    const column = someRate(subject);
    put(subject.grid, row, column, change(cellAt(subject.grid, row, column)));
    return damaged(subject.grid, code, row, columnName(column));
  };

const marginBecomes =
  (code: RefusalCode, margin: GridCell): Mutation =>
  (subject) => {
    const row = someRegion(subject);
    const column = someRate(subject) + 1;
    put(subject.grid, row, column, margin);
    return damaged(subject.grid, code, row, columnName(column));
  };

/** In the second quarter's columns, for the first quarter's year is the block's own. */
const headingBecomes =
  (change: (text: string) => string, isMargin: boolean): Mutation =>
  (subject) => {
    const [newest = 0] = subject.titleRows;
    const row = newest + HEADING_AFTER_TITLE;
    const column = nameAt(subject.level) + (isMargin ? 4 : 3);
    put(subject.grid, row, column, change(String(cellAt(subject.grid, row, column))));
    return damaged(subject.grid, "COLUMN_NAMES", row, columnName(column));
  };

const cellDamage: Readonly<Record<string, Mutation>> = {
  "rate below zero": rateBecomes("BAD_NUMBER", (rate) => -Number(rate) - 1),
  "rate with two decimals": rateBecomes("BAD_NUMBER", (rate) => Number(rate) + 0.05),
  "rate above a hundred": rateBecomes("OUT_OF_RANGE", () => 100.1),
  "rate as a text": rateBecomes("BAD_NUMBER", (rate) => String(rate)),
  "rate as a share": rateBecomes("BAD_NUMBER", () => 0.069),
  "rate as a formula": rateBecomes("BAD_NUMBER", (rate) => ({ formula: Number(rate) })),
  "rate as a truth": rateBecomes("BAD_NUMBER", () => true),
  "rate in words": rateBecomes("BAD_NUMBER", () => "none"),
  "rate missing": rateBecomes("BAD_CELL", () => null),
  "margin missing": marginBecomes("BAD_CELL", null),
  "margin in words": marginBecomes("BAD_NUMBER", "n/a"),
  "margin below zero": marginBecomes("BAD_NUMBER", -1.2),
  "rate and margin missing": (subject) => {
    const row = someRegion(subject);
    const column = someRate(subject);
    put(subject.grid, row, column, null);
    put(subject.grid, row, column + 1, null);
    return damaged(subject.grid, "BAD_CELL", row, columnName(column));
  },
  "column added": (subject) => {
    const row = someRegion(subject);
    const column = nameAt(subject.level) + 9;
    const cells = subject.grid[row - 1] ?? [];
    while (cells.length < column) cells.push(null);
    cells.push(3.2);
    return damaged(subject.grid, "ADDED_COLUMN", row, columnName(column));
  },
};

const rowDamage: Readonly<Record<string, Mutation>> = {
  "region renamed": (subject) => {
    const row = someRegion(subject);
    put(subject.grid, row, nameAt(subject.level), "Atlantis......");
    return damaged(subject.grid, "BAD_REGION_ID", row, columnName(nameAt(subject.level)));
  },
  "region without name": (subject) => {
    const row = someRegion(subject);
    put(subject.grid, row, nameAt(subject.level), null);
    if (subject.level === "metro") put(subject.grid, row, 0, null);
    const first = columnName(nameAt(subject.level) + 1);
    // A row without a name right under a heading reads as one more row of that heading.
    return subject.titleRows.includes(row - NAMES_AFTER_TITLE)
      ? damaged(subject.grid, "COLUMN_NAMES", row - 5, first)
      : damaged(subject.grid, "BAD_CELL", row, first);
  },
  "region twice": (subject) => {
    const row = someRegion(subject);
    subject.grid.splice(row, 0, [...(subject.grid[row - 1] ?? [])]);
    return damaged(subject.grid, "DUPLICATE_REGION", row + 1, columnName(nameAt(subject.level)));
  },
  "region left out": (subject) => {
    const row = someRegion(subject);
    const title = subject.titleRows.findLast((one) => one < row) ?? 0;
    subject.grid.splice(row - 1, 1);
    return damaged(
      subject.grid,
      "MISSING_REGION",
      title + HEADING_AFTER_TITLE,
      columnName(nameAt(subject.level)),
    );
  },
  "row of another table": (subject) => {
    const row = someRegion(subject);
    subject.grid.splice(row, 0, ["United States", 6.1, 0.2]);
    return subject.level === "state"
      ? damaged(subject.grid, "BAD_REGION_ID", row + 1, "A")
      : damaged(subject.grid, "BAD_REGION_ID", row + 1, "B");
  },
  "number below the footnotes": (subject) => {
    subject.grid.push([7.7]);
    return damaged(subject.grid, "BAD_CELL", subject.grid.length, "A");
  },
};

const blockDamage: Readonly<Record<string, Mutation>> = {
  "year of a quarter changed": headingBecomes((text) => text.replace(/[0-9]{4}/, "1999"), false),
  "quarter renamed": headingBecomes((text) => text.replace("Quarter", "Half"), false),
  "margin's heading changed": headingBecomes(() => "Standard Error", true),
  "block left out": (subject) => {
    const at = between(subject.random, 1, subject.titleRows.length - 1);
    const [from = 0, to = 0] = [subject.titleRows[at], subject.titleRows[at + 1]];
    subject.grid.splice(from - 1, to - from);
    return damaged(subject.grid, "MONTH_GAP", from + HEADING_AFTER_TITLE, "A");
  },
  "last block left out": (subject) => {
    const from = subject.titleRows.at(-1) ?? 0;
    const notes = subject.grid.findIndex(([cell]) => cell === "Footnotes:");
    subject.grid.splice(from - 1, notes - from + 1);
    const before = subject.titleRows.at(-2) ?? 0;
    return damaged(subject.grid, "MONTH_GAP", before + HEADING_AFTER_TITLE, "A");
  },
  "block twice": (subject) => {
    const [, from = 0, to = 0] = subject.titleRows;
    subject.grid.splice(to - 1, 0, ...subject.grid.slice(from - 1, to - 1));
    return damaged(subject.grid, "DUPLICATE_MONTH", to + HEADING_AFTER_TITLE, "A");
  },
  "cut off": (subject) => {
    const row = someRegion(subject);
    return damaged(subject.grid.slice(0, row), "TRUNCATED", row);
  },
  "title of another span": (subject) => {
    const at = between(subject.random, 1, subject.titleRows.length);
    const row = subject.titleRows[at] ?? 0;
    const title = String(cellAt(subject.grid, row, 0));
    put(subject.grid, row, 0, title.replace(`${firstYear} to`, `${firstYear - 1} to`));
    return damaged(subject.grid, "BAD_CELL", row, "A");
  },
  "second table below": (subject) => {
    const row = subject.titleRows.at(-1) ?? 0;
    const years = `${firstYear} to ${lastYear}`;
    put(subject.grid, row, 0, `Table 2. Homeowner Vacancy Rates by State: ${years}`);
    return damaged(subject.grid, "WRONG_SERIES", row, "A");
  },
  "no title": (subject) => {
    put(subject.grid, 2, 0, null);
    const column = columnName(nameAt(subject.level));
    return damaged(subject.grid, "OTHER_PROVIDER", 4, column);
  },
  "nothing but a note": (subject) => damaged(subject.grid.slice(0, 1), "OTHER_PROVIDER", null),
  "title and footnotes only": (subject) =>
    damaged([...subject.grid.slice(0, 3), ...subject.grid.slice(-3)], "NO_ROWS", null),
};

const mutations = Object.entries({ ...cellDamage, ...rowDamage, ...blockDamage });
const VERSIONS = 150;

const isTitle = ([cell]: readonly GridCell[]): boolean =>
  typeof cell === "string" && /^Table [0-9]/.test(cell);

async function refusesEveryVersion(context: TestContext, level: HvsLevel): Promise<void> {
  for (let seed = 0; seed < VERSIONS; seed += 1) {
    const [name, mutate] = mutations[seed % mutations.length] ?? assert.fail("no mutations");
    const grid = hvsGrid(level);
    const titleRows = grid.flatMap((cells, index) => (isTitle(cells) ? [index + 1] : []));
    const expected = mutate({ grid, level, random: randomFrom(seed), titleRows });
    const refusal = await hvsRefusal(workbookOf(expected.grid), level);

    assert.deepEqual(
      [refusal?.code, refusal?.line, refusal?.column],
      [expected.code, expected.row, expected.column && `Sheet1!${expected.column}`],
      `seed ${seed}, ${name}: ${refusal?.message}`,
    );
  }
  context.diagnostic(`${VERSIONS} versions, ${mutations.length} kinds of damage`);
}

for (const level of ["state", "metro"] as const) {
  test(`the undamaged ${level} workbook is read`, async () => {
    assert.equal((await readHvs(workbookOf(hvsGrid(level)), level)).length, namesOf(level).length);
  });

  test(`150 damaged versions of a ${level} workbook are refused`, async (context) => {
    await refusesEveryVersion(context, level);
  });
}
