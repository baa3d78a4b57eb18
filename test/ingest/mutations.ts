// Ways to damage a state file, drawn from a seed, each with the refusal it must meet.
// Invariant: every mutation changes the bytes, and no honest file could look like its result.
import type { RefusalCode } from "#prints/refusal.ts";
import { between } from "./wide-file.ts";

type Random = () => number;
/** The file as its lines' cells; no cell of a state file holds a comma or a quotation mark. */
type Table = string[][];

interface Damaged {
  readonly bytes: Buffer;
  readonly code: RefusalCode;
  /** Null where the file as a whole is refused. */
  readonly line: number | null;
  readonly column: string | null;
}

type Mutation = (table: Table, random: Random) => Damaged;

/** Columns before the months in the new state layout. */
const MONTHS_AT = 5;

const textOf = (table: Table): string => `${table.map((cells) => cells.join(",")).join("\n")}\n`;
const damaged = (
  content: string | Buffer,
  code: RefusalCode,
  line: number | null,
  column: string | null = null,
): Damaged => ({ bytes: Buffer.from(content), code, line, column });

/** The place of a row that is not the header; its line number is one more. */
const someRow = (table: Table, random: Random): number => between(random, 1, table.length);
const someMonth = (table: Table, random: Random): number =>
  between(random, MONTHS_AT, nameCount(table));
const nameCount = (table: Table): number => table[0]?.length ?? 0;
const nameAt = (table: Table, column: number): string => table[0]?.[column] ?? "";
const cellAt = (table: Table, row: number, column: number): string => table[row]?.[column] ?? "";
const put = (table: Table, row: number, column: number, text: string): void => {
  table[row]?.splice(column, 1, text);
};
/** A month's cell that holds a value, so that damage to it is damage. */
function someValue(table: Table, random: Random): { row: number; column: number; text: string } {
  for (;;) {
    const row = someRow(table, random);
    const column = someMonth(table, random);
    const text = cellAt(table, row, column);
    if (text !== "") return { row, column, text };
  }
}

/** A mutation that puts another text in one cell of the months. */
const valueBecomes =
  (code: RefusalCode, change: (text: string, random: Random) => string): Mutation =>
  (table, random) => {
    const { row, column, text } = someValue(table, random);
    put(table, row, column, change(text, random));
    return damaged(textOf(table), code, row + 1, nameAt(table, column));
  };

/** A mutation that puts another text in one column before the months. */
const cellBecomes =
  (code: RefusalCode, column: number, text: string): Mutation =>
  (table, random) => {
    const row = someRow(table, random);
    put(table, row, column, text);
    return damaged(textOf(table), code, row + 1, nameAt(table, column));
  };

/** A mutation that inserts bytes somewhere in one row. */
const bytesInserted =
  (code: RefusalCode, inserted: (random: Random) => readonly number[]): Mutation =>
  (table, random) => {
    const row = someRow(table, random);
    const lines = table.map((cells) => Buffer.from(`${cells.join(",")}\n`));
    const target = lines[row] ?? Buffer.alloc(0);
    const at = between(random, 0, target.length - 1);
    const hit = [target.subarray(0, at), Buffer.from(inserted(random)), target.subarray(at)];
    const before = target.toString("utf8", 0, at).replaceAll(/"[^"]*("|$)/g, "");
    const place = before.split(",").length - 1;
    return damaged(
      Buffer.concat([...lines.slice(0, row), ...hit, ...lines.slice(row + 1)]),
      code,
      row + 1,
      code === "NOT_UTF8" ? nameAt(table, place) : null,
    );
  };

const spreadsheetDate = (name: string): string => {
  const [year = "", month, day] = name.split("-");
  return `${Number(month)}/${Number(day)}/${year.slice(2)}`;
};

const headerDamage: Readonly<Record<string, Mutation>> = {
  "header: two months swapped": (table, random) => {
    const from = between(random, MONTHS_AT, nameCount(table) - 1);
    const to = between(random, from + 1, nameCount(table));
    const [earlier, later] = [nameAt(table, from), nameAt(table, to)];
    put(table, 0, from, later);
    put(table, 0, to, earlier);
    // The first month may be any; the one after it then stands out.
    const column = from === MONTHS_AT ? nameAt(table, from + 1) : later;
    return damaged(textOf(table), "MONTHS_OUT_OF_ORDER", 1, column);
  },
  "header: all months as a spreadsheet writes them": (table) => {
    const [names = [], ...rows] = table;
    const dates = names.map((name, at) => (at < MONTHS_AT ? name : spreadsheetDate(name)));
    return damaged(textOf([dates, ...rows]), "SPREADSHEET_DATES", 1, dates[MONTHS_AT]);
  },
  "header: one month as a spreadsheet writes it": (table, random) => {
    const column = someMonth(table, random);
    const date = spreadsheetDate(nameAt(table, column));
    put(table, 0, column, date);
    return damaged(textOf(table), "SPREADSHEET_DATES", 1, date);
  },
  "header: a month twice": (table, random) => {
    const column = between(random, MONTHS_AT + 1, nameCount(table));
    put(table, 0, column, nameAt(table, column - 1));
    return damaged(textOf(table), "DUPLICATE_MONTH", 1, nameAt(table, column));
  },
  "header: not the month's last day": (table, random) => {
    const column = between(random, MONTHS_AT + 1, nameCount(table));
    put(table, 0, column, `${nameAt(table, column).slice(0, 8)}15`);
    return damaged(textOf(table), "BAD_MONTH", 1, nameAt(table, column));
  },
  "header: a month without its day": (table, random) => {
    const column = between(random, MONTHS_AT + 1, nameCount(table));
    put(table, 0, column, nameAt(table, column).slice(0, 7));
    return damaged(textOf(table), "BAD_MONTH", 1, nameAt(table, column));
  },
  "header: a month blank": (table, random) => {
    const column = between(random, MONTHS_AT + 1, nameCount(table));
    put(table, 0, column, "");
    return damaged(textOf(table), "ADDED_COLUMN", 1, `number ${column + 1} (no name)`);
  },
  "header: renamed column": (table, random) => {
    // The rank is not read, so a file without it is held and not refused.
    const column = [0, 2, 3, 4][between(random, 0, 4)] ?? 0;
    put(table, 0, column, `${nameAt(table, column)}_1`);
    return damaged(textOf(table), "COLUMN_NAMES", 1, nameAt(table, column));
  },
  "header: names of two columns swapped": (table) => {
    const [left, right] = [nameAt(table, 1), nameAt(table, 2)];
    put(table, 0, 1, right);
    put(table, 0, 2, left);
    return damaged(textOf(table), "BAD_CELL", 2, "SizeRank");
  },
  "header: a column twice": (table) => {
    put(table, 0, 4, nameAt(table, 2));
    return damaged(textOf(table), "COLUMN_NAMES", 1, nameAt(table, 2));
  },
  "header removed": (table) => damaged(textOf(table.slice(1)), "HEADER_MISSING", 1),
  "header alone": (table) => damaged(textOf(table.slice(0, 1)), "NO_ROWS", 1),
};

const shapeDamage: Readonly<Record<string, Mutation>> = {
  "cut inside a row": (table, random) => {
    const text = textOf(table);
    const rowsAt = text.indexOf("\n") + 1;
    let length = between(random, rowsAt + 1, text.length);
    while (text[length - 1] === "\n") length -= 1;
    const kept = text.slice(0, length);
    const lines = kept.split("\n");
    const cells = (lines.at(-1) ?? "").split(",").length;
    return damaged(kept, "TRUNCATED", lines.length, nameAt(table, cells - 1));
  },
  "cell dropped": (table, random) => {
    const row = someRow(table, random);
    table[row]?.splice(between(random, 0, nameCount(table)), 1);
    return damaged(textOf(table), "CELL_COUNT", row + 1, nameAt(table, nameCount(table) - 1));
  },
  "cell added": (table, random) => {
    const row = someRow(table, random);
    table[row]?.splice(between(random, 0, nameCount(table)), 0, "123456.78901234567");
    return damaged(textOf(table), "CELL_COUNT", row + 1);
  },
  "row twice": (table, random) => {
    const row = someRow(table, random);
    const at = between(random, row + 1, table.length + 1);
    const copied = [...table.slice(0, at), table[row] ?? [], ...table.slice(at)];
    return damaged(textOf(copied), "DUPLICATE_REGION", at + 1, "RegionID");
  },
  transposed: (table) => {
    const turned = (table[0] ?? []).map((_, column) => table.map((cells) => cells[column] ?? ""));
    return damaged(textOf(turned), "TRANSPOSED", 1);
  },
  "month's column removed": (table, random) => {
    const column = between(random, MONTHS_AT + 1, nameCount(table) - 1);
    const next = nameAt(table, column + 1);
    return damaged(textOf(table.map((it) => it.toSpliced(column, 1))), "MONTH_GAP", 1, next);
  },
  "column added": (table) => {
    const wider = table.map((cells, row) => [...cells, row === 0 ? "Property Tax" : "0.5"]);
    return damaged(textOf(wider), "ADDED_COLUMN", 1, "Property Tax");
  },
  "empty line": (table, random) => {
    const row = someRow(table, random);
    return damaged(textOf(table.toSpliced(row, 0, [])), "CELL_COUNT", row + 1);
  },
  "two rows joined": (table, random) => {
    const row = between(random, 1, table.length - 1);
    const joined = [...(table[row] ?? []), ...(table[row + 1] ?? [])];
    return damaged(textOf(table.toSpliced(row, 2, joined)), "CELL_COUNT", row + 1);
  },
  "row broken in two": (table, random) => {
    const row = someRow(table, random);
    const at = between(random, 1, nameCount(table));
    const cells = table[row] ?? [];
    const broken = table.toSpliced(row, 1, cells.slice(0, at), cells.slice(at));
    return damaged(textOf(broken), "CELL_COUNT", row + 1, nameAt(table, at));
  },
  semicolons: (table) => damaged(textOf(table).replaceAll(",", ";"), "OTHER_PROVIDER", 1),
  "another provider's file": () => damaged("DATE,VALUE\n2022-01-01,5.8\n", "OTHER_PROVIDER", 1),
  "nothing at all": () => damaged("", "EMPTY_FILE", null),
  "all values rounded": (table) => {
    const rounded = table.map((cells, row) =>
      cells.map((cell, at) =>
        row === 0 || at < MONTHS_AT || !cell ? cell : Number(cell).toFixed(4),
      ),
    );
    return damaged(textOf(rounded), "ROUNDED_CELLS", 2, nameAt(table, MONTHS_AT));
  },
  "one row's values rounded": (table, random) => {
    const row = someRow(table, random);
    const cells = table[row] ?? [];
    const first = cells.findIndex((cell, at) => at >= MONTHS_AT && cell !== "");
    const rounded = cells.map((cell, at) =>
      at < MONTHS_AT || cell === "" ? cell : String(Math.round(Number(cell))),
    );
    return damaged(
      textOf(table.toSpliced(row, 1, rounded)),
      "ROUNDED_CELLS",
      row + 1,
      nameAt(table, first),
    );
  },
};

const byteDamage: Readonly<Record<string, Mutation>> = {
  "byte that is not UTF-8": bytesInserted("NOT_UTF8", (random) => [between(random, 0x80, 0x100)]),
  "NUL byte": bytesInserted("NUL_BYTE", () => [0]),
  "quotation mark": bytesInserted("BROKEN_QUOTES", () => [0x22]),
  "carriage return": (table, random) => {
    const row = someRow(table, random);
    table[row]?.push(`${table[row]?.pop() ?? ""}\r`);
    return damaged(textOf(table), "MIXED_LINE_ENDINGS", row + 1);
  },
  "overlong line": bytesInserted("LINE_TOO_LONG", () => new Array<number>(200_000).fill(0x37)),
  "UTF-16": (table) => damaged(Buffer.from(`\u{feff}${textOf(table)}`, "utf16le"), "NOT_UTF8", 1),
  "no last line ending": (table) =>
    damaged(textOf(table).slice(0, -1), "TRUNCATED", table.length, table[0]?.at(-1) ?? null),
};

const cellDamage: Readonly<Record<string, Mutation>> = {
  exponent: valueBecomes("BAD_NUMBER", (text) => Number(text).toExponential()),
  "thousands separator in quotes": valueBecomes(
    "BAD_NUMBER",
    (text) => `"${Number(text).toLocaleString("en-US")}"`,
  ),
  "currency sign": valueBecomes("BAD_NUMBER", (text) => `$${text}`),
  "blanks around": valueBecomes("BAD_NUMBER", (text) => ` ${text} `),
  "plus sign": valueBecomes("BAD_NUMBER", (text) => `+${text}`),
  "two points": valueBecomes("BAD_NUMBER", (text) => `${text}.5`),
  "words for nothing": valueBecomes(
    "BAD_NUMBER",
    (_, random) => ["NaN", "NA", "N/A", "null", "-", ".", "#REF!"][between(random, 0, 7)] ?? "",
  ),
  "too many decimals": valueBecomes("BAD_NUMBER", () => "1.0000000000000001"),
  negative: valueBecomes("NOT_POSITIVE", (text) => `-${text}`),
  zero: valueBecomes("NOT_POSITIVE", () => "0.0"),
  "region without id": cellBecomes("BAD_REGION_ID", 0, ""),
  "region with a spreadsheet's id": cellBecomes("BAD_REGION_ID", 0, "3.94E+05"),
  "rank in words": cellBecomes("BAD_CELL", 1, "first"),
  "region without name": cellBecomes("BAD_CELL", 2, ""),
  "region's name with a tab": cellBecomes("BAD_CELL", 2, "New\tYork"),
  "region of another type": cellBecomes("WRONG_LEVEL", 3, "county"),
  "state's code in words": cellBecomes("BAD_CELL", 4, "Texas"),
};

export const mutations: ReadonlyMap<string, Mutation> = new Map(
  Object.entries({ ...headerDamage, ...shapeDamage, ...byteDamage, ...cellDamage }),
);
