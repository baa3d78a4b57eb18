// A line of comma-separated text read by its bytes: cells when asked for, months as words.
// Invariant: it says what a parser of quotes would say, or, of months, that it cannot.
import { WordScanner } from "#prints/word-scanner.ts";

const NEWLINE = 10;
const RETURN = 13;
const QUOTE = 34;
const COMMA = 44;

/** Values of a double are written so; see `notePrecision`. */
export const FULL_CELL_LENGTH = 17;

/** The months of a line, none of them damaged. */
interface ScannedMonths {
  readonly words: BigInt64Array;
  /** Cells that hold a value, and those of them that are as long as a double. */
  readonly cells: number;
  readonly fullCells: number;
}

/**
 * Whether quotes stand around whole cells only, and hold neither quotes nor line endings. `lines`
 * end in a newline.
 */
export function isPlain(lines: Buffer): boolean {
  for (let open = lines.indexOf(QUOTE); open >= 0; ) {
    const before = open === 0 ? NEWLINE : lines[open - 1];
    if (before !== COMMA && before !== NEWLINE) return false;
    const close = closingQuote(lines, open);
    if (close < 0) return false;
    const after = lines[close + 1];
    if (after !== COMMA && after !== NEWLINE && after !== RETURN) return false;
    open = lines.indexOf(QUOTE, close + 1);
  }
  return true;
}

/** Below 0 where the line ends first. */
function closingQuote(bytes: Buffer, open: number): number {
  for (let at = open + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === NEWLINE) return -1;
  }
  return -1;
}

export class PlainLine {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  /** `end`: where the line ending starts. */
  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  cells(): string[] {
    const cells: string[] = [];
    this.#walk(Number.POSITIVE_INFINITY, cells);
    return cells;
  }

  /**
   * The cells before the months, and the months; undefined where the line has other cells than
   * these, or a month that is no positive number as providers write them.
   */
  row(
    monthsAt: number,
    months: number,
  ): { readonly head: readonly string[]; readonly scanned: ScannedMonths } | undefined {
    const head: string[] = [];
    const from = this.#walk(monthsAt, head);
    const scanned = head.length < monthsAt ? undefined : this.#months(from, months);
    return scanned && { head, scanned };
  }

  /** Adds cells from the first on; says where the one after them starts. */
  #walk(most: number, cells: string[]): number {
    const bytes = this.#bytes;
    let at = this.#start;
    for (; cells.length < most && at <= this.#end; at += 1) {
      const isQuoted = bytes[at] === QUOTE && at < this.#end;
      const from = isQuoted ? at + 1 : at;
      if (isQuoted) {
        at = closingQuote(bytes, at);
        cells.push(bytes.toString("utf8", from, at));
        at += 1;
        continue;
      }
      while (at < this.#end && bytes[at] !== COMMA) at += 1;
      cells.push(bytes.toString("utf8", from, at));
    }
    return at;
  }

  #months(from: number, months: number): ScannedMonths | undefined {
    const scanner = new WordScanner(this.#bytes, months);
    let at = from;
    let cells = 0;
    let fullCells = 0;
    for (let month = 0; month < months; month += 1) {
      const isLast = month === months - 1;
      const end = this.#bytes[at] === COMMA || at >= this.#end ? at : scanner.read(month, at);
      if (end < 0 || (isLast ? end !== this.#end : this.#bytes[end] !== COMMA)) return undefined;
      if (end > at) cells += 1;
      if (end - at >= FULL_CELL_LENGTH) fullCells += 1;
      at = end + 1;
    }
    return { words: scanner.words, cells, fullCells };
  }
}
