// One region's values, a word a month: twenty-six thousand histories are kept and compared so.
// Invariant: unpacking gives the values that were packed, blanks and every digit included.
import { addMonths, type Month } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import type { MonthRow } from "./first-prints.ts";
import { BLANK_WORD, valueIn, WIDE_WORD, wordOf } from "./print-word.ts";

export interface PackedRow {
  readonly firstMonth: Month;
  readonly words: BigInt64Array;
  /** Values whose word is wide. */
  readonly wide: ReadonlyMap<Month, PrintValue>;
}

export const noneWide: ReadonlyMap<Month, PrintValue> = new Map();

/** A row that was read as words; its values are made when somebody asks for them. */
export class WordRow implements MonthRow {
  readonly packed: PackedRow;
  #values: MonthRow["values"] | undefined;

  constructor(packed: PackedRow) {
    this.packed = packed;
  }

  get firstMonth(): Month {
    return this.packed.firstMonth;
  }

  get values(): MonthRow["values"] {
    this.#values ??= unpackRow(this.packed).values;
    return this.#values;
  }
}

export function packRow(row: MonthRow): PackedRow {
  if (row instanceof WordRow) return row.packed;
  const { firstMonth, values } = row;
  const words = new BigInt64Array(values.length);
  let wide: Map<Month, PrintValue> | undefined;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? null;
    const word = value === null ? BLANK_WORD : wordOf(value);
    words[at] = word;
    if (value === null || word !== WIDE_WORD) continue;
    wide ??= new Map();
    wide.set(addMonths(firstMonth, at), value);
  }
  return { firstMonth, words, wide: wide ?? noneWide };
}

export const hasValueAt = ({ firstMonth, words }: PackedRow, month: Month): boolean =>
  (words[month - firstMonth] ?? BLANK_WORD) !== BLANK_WORD;

export const unpackRow = (row: PackedRow): MonthRow => ({
  firstMonth: row.firstMonth,
  values: Array.from(row.words, (word, at) => unpacked(row, word, addMonths(row.firstMonth, at))),
});

const unpacked = ({ wide }: PackedRow, word: bigint, month: Month): PrintValue | null => {
  if (word === BLANK_WORD) return null;
  return word === WIDE_WORD ? (wide.get(month) ?? null) : valueIn(word);
};

/**
 * The newest value of every month: the later row's where it has one. Undefined while there is no
 * value at all: a place that only ever had blanks is not known yet.
 */
export function mergeRows(before: PackedRow | undefined, later: PackedRow): PackedRow | undefined {
  const trimmed = trim(later);
  if (before === undefined || trimmed === undefined) return trimmed ?? before;
  const firstMonth = addMonths(
    before.firstMonth,
    Math.min(0, trimmed.firstMonth - before.firstMonth),
  );
  const end = Math.max(endOf(before), endOf(trimmed));
  const words = new BigInt64Array(end - firstMonth).fill(BLANK_WORD);
  words.set(before.words, before.firstMonth - firstMonth);
  const shift = trimmed.firstMonth - firstMonth;
  for (let at = 0; at < trimmed.words.length; at += 1) {
    const word = trimmed.words[at] ?? BLANK_WORD;
    if (word !== BLANK_WORD) words[at + shift] = word;
  }
  const isNarrow = before.wide.size === 0 && trimmed.wide.size === 0;
  const wide = isNarrow ? noneWide : new Map([...before.wide, ...trimmed.wide]);
  return { firstMonth, words, wide };
}

/** From the `from`th month on. */
export const cutRow = ({ firstMonth, words, wide }: PackedRow, from: number): PackedRow =>
  from <= 0
    ? { firstMonth, words, wide }
    : { firstMonth: addMonths(firstMonth, from), words: words.subarray(from), wide };

/** Without the blanks before the first value and after the last; undefined where there is none. */
function trim(row: PackedRow): PackedRow | undefined {
  const { words, firstMonth, wide } = row;
  let start = 0;
  while (start < words.length && words[start] === BLANK_WORD) start += 1;
  let end = words.length;
  while (end > start && words[end - 1] === BLANK_WORD) end -= 1;
  if (start === end) return undefined;
  if (start === 0 && end === words.length) return row;
  return { firstMonth: addMonths(firstMonth, start), words: words.subarray(start, end), wide };
}

/** Its last value's, where it was trimmed, as merged rows are. */
export const lastMonthOf = (row: PackedRow): Month =>
  addMonths(row.firstMonth, row.words.length - 1);

const endOf = ({ firstMonth, words }: PackedRow): number => firstMonth + words.length;
