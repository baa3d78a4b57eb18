// The table of an HVS workbook's sheet, row by row: title, headings, regions, footnotes.
// Invariant: every cell of the sheet was understood, or the sheet is refused where one was not.
import { type PrintValue, parsePrintValue, printValue } from "#base/print-value.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import {
  columnTexts,
  type HvsLevel,
  type HvsRegion,
  type HvsTitle,
  isNumberedNote,
  layoutOf,
  markedName,
  plainText,
  regionOf,
  renameNoteIn,
  type SheetPlaces,
  shiftOfHeading,
  titleIn,
  yearOfHeading,
} from "./census-hvs-layout.ts";
import type { Cell, Sheet, SheetRow } from "./workbook.ts";
import { shown } from "./zillow-layout.ts";

/** A rate, none published yet, or one that was not to be had and is marked so. */
export type HvsRate = PrintValue | null | "none";

export interface RegionYear {
  readonly row: number;
  readonly region: HvsRegion;
  readonly rates: readonly HvsRate[];
  /** The number of its footnote. */
  readonly note: string | undefined;
}

export interface HvsBlock {
  /** Its first. */
  readonly row: number;
  readonly year: number;
  /** By region id. */
  readonly regions: Map<string, RegionYear>;
}

export interface HvsTable {
  readonly title: HvsTitle;
  readonly blocks: readonly HvsBlock[];
  /** Names that regions had before, by the number of the footnote that says it. */
  readonly formerNames: ReadonlyMap<string, string>;
  /** Forms that no published table of the provider had, a sentence each. */
  readonly changes: ReadonlySet<string>;
  readonly nameColumn: string;
  readonly rateColumns: readonly string[];
}

/** @throws ReleaseRefusal naming sheet, row and column where there is one */
export const readHvsTable = (sheet: Sheet, level: HvsLevel, at: SheetPlaces): HvsTable =>
  new TableReader(level, at).read(sheet);

/** Goes down the sheet; what a row is depends on the rows above it. */
class TableReader {
  readonly #level: HvsLevel;
  readonly #at: SheetPlaces;
  readonly #blocks: HvsBlock[] = [];
  readonly #formerNames = new Map<string, string>();
  readonly #changes = new Set<string>();
  #title: HvsTitle | undefined;
  #heading: SheetRow[] = [];
  #shift = 0;
  /** Columns with a heading beside those of the published tables, in this block. */
  #added: readonly string[] = [];
  #isAtNotes = false;

  constructor(level: HvsLevel, at: SheetPlaces) {
    this.#level = level;
    this.#at = at;
  }

  read({ rows, name }: Sheet): HvsTable {
    for (const row of rows) this.#take(row);
    if (this.#title === undefined) {
      throw new ReleaseRefusal(
        "OTHER_PROVIDER",
        {},
        `Sheet ${shown(name)} has no title "Table …. Rental Vacancy Rates …": ` +
          "check what was downloaded.",
      );
    }
    if (this.#isAtNotes && this.#heading.length === 0) {
      const { nameColumn, quarterColumns } = this.#layout;
      return {
        title: this.#title,
        blocks: this.#blocks,
        formerNames: this.#formerNames,
        changes: this.#changes,
        nameColumn,
        rateColumns: quarterColumns.map(([rate]) => rate),
      };
    }
    throw new ReleaseRefusal(
      "TRUNCATED",
      { line: rows.at(-1)?.row ?? 1 },
      `sheet ${shown(name)} stops here, without the footnotes the table ends with: ` +
        "download it again",
    );
  }

  get #layout() {
    return layoutOf(this.#level, this.#shift);
  }

  readonly #tell = (sentence: string): void => {
    this.#changes.add(sentence);
  };

  #take(row: SheetRow): void {
    const text = plainText(row.cells.get("A"));
    // Above the title stands a sentence for screen readers; the numbers of rows in it are stale.
    if (this.#title === undefined && text.startsWith("Table with row headings")) return;
    if (this.#isAtNotes) {
      this.#takeNote(row);
      return;
    }
    const title = titleIn(row, this.#level, this.#at);
    if (title !== undefined) this.#takeTitle(row, title);
    else if (this.#isStartOfNotes(text)) this.#isAtNotes = true;
    else if (this.#title !== undefined) this.#takeTableRow(row);
    else throw this.#stray(row);
  }

  #isStartOfNotes(text: string): boolean {
    if (text === "Footnotes:") return true;
    if (this.#title === undefined || !/^(foot)?notes?( and sources?)?:?$/i.test(text)) return false;
    this.#tell(`The notes' heading is "${shown(text)}".`);
    return true;
  }

  #takeNote(row: SheetRow): void {
    // A table of another kind that was put below is no note.
    if (/^Table [0-9]/i.test(plainText(row.cells.get("A")))) titleIn(row, this.#level, this.#at);
    if (!isNumberedNote(row)) this.#refuseNumbers(row);
    const rename = renameNoteIn(row);
    if (rename !== undefined) this.#formerNames.set(rename.note, rename.former);
  }

  #takeTitle(row: SheetRow, title: HvsTitle): void {
    const isDue = title.isContinued === (this.#title !== undefined);
    if (!isDue || title.text !== (this.#title?.text ?? title.text) || this.#heading.length > 0) {
      throw this.#at.refusal(
        "BAD_CELL",
        row.row,
        "A",
        "is not the title that is due here; tables were joined: send the file as downloaded",
      );
    }
    if (title.unknown !== undefined) this.#tell(`The title is "${title.unknown}".`);
    this.#title ??= title;
  }

  #takeTableRow(row: SheetRow): void {
    const shift = shiftOfHeading(row, this.#level);
    const isInHeading = this.#heading.length > 0;
    const name = plainText(row.cells.get(this.#layout.nameColumn));
    if (shift !== undefined || (isInHeading && name === "")) {
      if (shift !== undefined && !isInHeading) this.#shift = shift;
      this.#heading.push(row);
      return;
    }
    if (isInHeading) this.#openBlock();
    const block = this.#blocks.at(-1);
    if (block === undefined || name === "") throw this.#stray(row);
    this.#takeRegion(block, row, name);
  }

  #openBlock(): void {
    const layout = this.#layout;
    const { nameColumn, noteColumn, quarterColumns } = layout;
    if (this.#shift !== 0) this.#tell(`The names stand in column ${nameColumn}.`);
    const { only } = this.#title ?? {};
    const year = yearOfHeading(this.#heading, layout, only, this.#at, this.#tell);
    const known = [nameColumn, noteColumn, ...quarterColumns.flat()];
    const headings = columnTexts(this.#heading);
    this.#added = [...headings.keys()].filter((column) => !known.includes(column));
    for (const column of this.#added) {
      const heading = (headings.get(column) ?? "").replace(String(year), "").trim();
      this.#tell(`Column ${column} has the heading "${shown(heading)}".`);
    }
    this.#blocks.push({ row: this.#heading[0]?.row ?? 1, year, regions: new Map() });
    this.#heading = [];
  }

  #takeRegion({ regions }: HvsBlock, row: SheetRow, text: string): void {
    const { nameColumn } = this.#layout;
    const { name, note } = markedName(text);
    const region = regionOf(name, this.#level);
    if (region === undefined) {
      throw this.#at.refusal(
        "BAD_REGION_ID",
        row.row,
        nameColumn,
        `"${shown(name)}" is no ${this.#level} by the provider's names`,
      );
    }
    const before = regions.get(region.regionId);
    if (before !== undefined) {
      throw this.#at.refusal(
        "DUPLICATE_REGION",
        row.row,
        nameColumn,
        `${region.regionName} stands in row ${before.row} of the block already`,
      );
    }
    regions.set(region.regionId, { row: row.row, region, rates: this.#ratesIn(row), note });
  }

  #ratesIn(row: SheetRow): readonly HvsRate[] {
    const { nameColumn, noteColumn, quarterColumns } = this.#layout;
    const known = [nameColumn, noteColumn, ...quarterColumns.flat(), ...this.#added];
    const added = [...row.cells.keys()].find((column) => !known.includes(column));
    if (added !== undefined) {
      throw this.#at.refusal(
        "ADDED_COLUMN",
        row.row,
        added,
        "holds something beside the table's columns",
      );
    }
    return quarterColumns.map(([rate, margin]) => {
      const value = this.#markedRate(row, rate) ?? rateIn(row, rate, this.#at);
      if (value === "none") {
        this.#tell("A rate that was not to be had is marked in words.");
        return value;
      }
      const hasMargin = isMargin(row, margin, this.#at);
      if ((value === null) === !hasMargin) return value;
      throw this.#at.refusal(
        "BAD_CELL",
        row.row,
        hasMargin ? rate : margin,
        "is empty, though a rate and its margin of error are only published together",
      );
    });
  }

  /** A rate with the mark of a note behind it, which makes a text of the number. */
  #markedRate(row: SheetRow, column: string): PrintValue | undefined {
    const cell = row.cells.get(column);
    const [, number = "", mark = ""] =
      /^([0-9]{1,2}(?:\.[0-9])?) ?(r|p|\*{1,3}|\((?:r|p|[0-9]{1,2})\))$/i.exec(plainText(cell)) ??
      [];
    if (cell?.kind !== "text" || mark === "") return undefined;
    this.#tell(`A rate is marked "${mark}".`);
    return parsePrintValue(number);
  }

  #refuseNumbers(row: SheetRow): void {
    const stray = [...row.cells.values()].find(({ kind }) => kind !== "text");
    if (stray !== undefined) throw this.#stray(row);
  }

  #stray({ row, cells }: SheetRow): ReleaseRefusal {
    const [cell] = cells.values();
    return this.#at.refusal(
      this.#title === undefined ? "OTHER_PROVIDER" : "BAD_CELL",
      row,
      cell?.column ?? "A",
      `"${shown(plainText(cell))}" has no place in this table here; the file is another or was ` +
        "changed: send it as downloaded",
    );
  }
}

const NO_MORE_THAN_0_05 = "(z)";
const NOT_AVAILABLE = "none";
const notAvailable = /^\(?(na|n\/a|x)\)?$/i;
const HUNDRED_PERCENT = 100_000_000_000_000_000n;

/** A percentage with one decimal. A rate published as less than 0.05 is 0.0, as it rounds. */
function rateIn(row: SheetRow, column: string, at: SheetPlaces): HvsRate {
  const cell = row.cells.get(column);
  if (cell === undefined) return null;
  if (isMark(cell)) return printValue(0n);
  if (cell.kind === "text" && notAvailable.test(plainText(cell))) return NOT_AVAILABLE;
  const text = storedNumber(cell);
  const value = /^[0-9]+(\.[0-9])?$/.test(text) ? parsePrintValue(text) : undefined;
  if (value === undefined) {
    throw at.refusal(
      "BAD_NUMBER",
      row.row,
      column,
      `"${shown(cell.text)}" is not a percentage with one decimal, nor ${NO_MORE_THAN_0_05}; ` +
        "change nothing by hand: send the file as downloaded",
    );
  }
  if (value <= HUNDRED_PERCENT) return value;
  throw at.refusal("OUT_OF_RANGE", row.row, column, `${text} % of units cannot be vacant`);
}

function isMargin(row: SheetRow, column: string, at: SheetPlaces): boolean {
  const cell = row.cells.get(column);
  if (cell === undefined) return false;
  if (isMark(cell) || /^[0-9]+(\.[0-9]+)?$/.test(storedNumber(cell))) return true;
  throw at.refusal(
    "BAD_NUMBER",
    row.row,
    column,
    `"${shown(cell.text)}" is not a margin of error in points, nor ${NO_MORE_THAN_0_05}`,
  );
}

const isMark = ({ kind, text }: Cell): boolean =>
  kind === "text" && text.trim().toLowerCase() === NO_MORE_THAN_0_05;

/** Workbooks store doubles (5.0999999999999996); the shortest decimal naming one is shown. */
function storedNumber({ kind, text, isFormula }: Cell): string {
  const isPlain = kind === "number" && !isFormula && /^[0-9.]+(E-?[0-9]+)?$/.test(text);
  return isPlain ? String(Number(text)) : "";
}
