// First prints in bytes: runs of neighbouring months that one release brought of one place.
// Invariant: a run gives back value, level and backfill of every month as they were decided.
import { invariant } from "#base/invariant.ts";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import {
  type ChainLevel,
  chainLevelOf,
  firstLevel,
  type PrintValue,
  printValue,
} from "#base/print-value.ts";
import type { NewPrint } from "./first-prints.ts";
import { noneWide, type PackedRow } from "./packed-row.ts";
import { BLANK_WORD, valueIn, WIDE_WORD } from "./print-word.ts";

/**
 * Little-endian: place u32, first month i32, months u16, flags u16, data bytes u32; then the data:
 * a word of 8 bytes for every month (24, low word first, in a wide run), then the levels.
 */
const HEADER_BYTES = 16;
const WORD_BYTES = 8;
const WIDE_BYTES = 24;
/** Blank months inside a run cost a word each; a header costs two, and both must be read. */
export const LONGEST_BLANK_MONTHS = 12;

const NO_LEVELS = 0;
/** A byte each: what the chain's roundings added to value/first value. */
const NEAR_LEVELS = 1;
const EXACT_LEVELS = 2;
const LEVELS_MASK = 3;
const BACKFILL = 4;
const WIDE = 8;
const NO_LEVEL = 0n;
/** A place nine million times its first value: no provider has one, and no run can say it. */
export const HIGHEST_LEVEL = chainLevelOf(2n ** 63n - 1n);

type DecidedPrint = Pick<NewPrint, "month" | "valueE15" | "levelE12" | "backfill">;

export class PrintRun {
  readonly #bytes: DataView;
  readonly #at: number;

  /** `at`: where in the bytes the run's header starts. */
  constructor(bytes: DataView, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The place's number in its series. */
  get place(): number {
    return this.#bytes.getUint32(this.#at, true);
  }

  get firstMonth(): Month {
    return monthOf(0, this.#bytes.getInt32(this.#at + 4, true) + 1);
  }

  /** Blank ones included; the first and the last have a value. */
  get months(): number {
    return this.#bytes.getUint16(this.#at + 8, true);
  }

  get backfill(): boolean {
    return (this.#flags & BACKFILL) !== 0;
  }

  /** Where the next run's header starts. */
  get end(): number {
    return this.#at + HEADER_BYTES + this.#bytes.getUint32(this.#at + 12, true);
  }

  get #flags(): number {
    return this.#bytes.getUint16(this.#at + 10, true);
  }

  /** Null where the month is blank or outside. */
  valueAt(month: Month): PrintValue | null {
    const at = month - this.firstMonth;
    return at < 0 || at >= this.months ? null : this.#valueOf(at);
  }

  /** Null outside the chain, too. */
  levelAt(month: Month): ChainLevel | null {
    const at = month - this.firstMonth;
    const mode = this.#flags & LEVELS_MASK;
    if (at < 0 || at >= this.months || mode === NO_LEVELS) return null;
    const levelsAt = this.#at + HEADER_BYTES + this.months * this.#wordBytes;
    if (mode === EXACT_LEVELS) {
      const level = this.#bytes.getBigInt64(levelsAt + at * WORD_BYTES, true);
      return level === NO_LEVEL ? null : chainLevelOf(level);
    }
    const value = this.#valueOf(at);
    const first = this.#valueOf(0);
    if (value === null || first === null) return null;
    return chainLevelOf(nearLevel(value, first) + BigInt(this.#bytes.getInt8(levelsAt + at)));
  }

  /** How many months have a value. */
  count(): number {
    let count = 0;
    for (let at = 0; at < this.months; at += 1) {
      if (this.#wordAt(at) !== BLANK_WORD) count += 1;
    }
    return count;
  }

  /** Blank and wide months as such. */
  row(): PackedRow {
    const { firstMonth, months } = this;
    const words = new BigInt64Array(months);
    if ((this.#flags & WIDE) === 0) {
      const { buffer, byteOffset } = this.#bytes;
      const from = byteOffset + this.#at + HEADER_BYTES;
      bytesOf(words).set(new Uint8Array(buffer, from, words.byteLength));
      return { firstMonth, words, wide: noneWide };
    }
    const wide = new Map<Month, PrintValue>();
    for (let at = 0; at < months; at += 1) {
      const value = this.#valueOf(at);
      words[at] = this.#wordAt(at);
      if (value !== null) wide.set(addMonths(firstMonth, at), value);
    }
    return { firstMonth, words, wide };
  }

  get #wordBytes(): number {
    return (this.#flags & WIDE) === 0 ? WORD_BYTES : WIDE_BYTES;
  }

  /** In a wide run every month with a value is wide. */
  #wordAt(at: number): bigint {
    const place = this.#at + HEADER_BYTES + at * this.#wordBytes;
    if ((this.#flags & WIDE) === 0) return this.#bytes.getBigInt64(place, true);
    const isBlank = this.#bytes.getBigInt64(place + 16, true) === BLANK_WORD;
    return isBlank ? BLANK_WORD : WIDE_WORD;
  }

  #valueOf(at: number): PrintValue | null {
    const word = this.#wordAt(at);
    if (word === BLANK_WORD) return null;
    if (word !== WIDE_WORD) return valueIn(word);
    const place = this.#at + HEADER_BYTES + at * WIDE_BYTES;
    const low = this.#bytes.getBigUint64(place, true);
    const middle = this.#bytes.getBigUint64(place + 8, true);
    const high = this.#bytes.getBigInt64(place + 16, true);
    return printValue((high << 128n) + (middle << 64n) + low);
  }
}

/** The runs that stand one after the other in a block. */
export function* runsOf(bytes: Uint8Array): Generator<PrintRun> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; ) {
    const run = new PrintRun(view, at);
    yield run;
    at = run.end;
  }
}

const nearLevel = (value: bigint, first: bigint): bigint => (value * firstLevel) / first;

/** Collects runs until somebody takes them. */
export class RunWriter {
  #bytes: Buffer;
  #view: DataView;
  #length = 0;

  constructor(capacityBytes: number) {
    this.#bytes = Buffer.alloc(capacityBytes);
    this.#view = viewOf(this.#bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** `prints` rise by month; `row` packs the values they have, and perhaps others. */
  add(place: number, prints: readonly DecidedPrint[], row: PackedRow): void {
    let start = 0;
    for (let at = 1; at <= prints.length; at += 1) {
      const before = prints[at - 1];
      const print = prints[at];
      const isSame =
        before !== undefined &&
        print !== undefined &&
        print.backfill === before.backfill &&
        print.month - before.month <= LONGEST_BLANK_MONTHS;
      if (isSame) continue;
      this.#write(place, prints.slice(start, at), row);
      start = at;
    }
  }

  /** A chain that starts with its first print, all of it backfill, as `add` would write it. */
  addFirst(place: number, firstMonth: Month, words: BigInt64Array, near: Int8Array): void {
    this.#header(place, firstMonth, words.length, NEAR_LEVELS | BACKFILL);
    this.#bytes.set(bytesOf(words), this.#length);
    this.#length += words.byteLength;
    this.#bytes.set(near, this.#length);
    this.#length += near.byteLength;
  }

  /** Values without levels, in one run. */
  addRow(place: number, { firstMonth, words, wide }: PackedRow): void {
    const flags = wide.size === 0 ? 0 : WIDE;
    this.#header(place, firstMonth, words.length, flags);
    if (wide.size === 0) {
      // Every machine that Node is built for keeps a word as the block does, low byte first.
      this.#bytes.set(bytesOf(words), this.#length);
      this.#length += words.byteLength;
      return;
    }
    for (const [at, word] of words.entries()) {
      this.#word(flags, word, wide.get(addMonths(firstMonth, at)));
    }
  }

  /** Returns the collected bytes and starts anew. */
  take(): Uint8Array {
    const taken = Uint8Array.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #write(place: number, prints: readonly DecidedPrint[], row: PackedRow): void {
    const first = prints[0];
    const last = prints.at(-1);
    if (first === undefined || last === undefined) return;
    const months = last.month - first.month + 1;
    const isWide = row.wide.size > 0;
    const near = nearnessOf(prints);
    const hasLevels = prints.some(({ levelE12 }) => levelE12 !== null);
    const mode = hasLevels ? (near === undefined ? EXACT_LEVELS : NEAR_LEVELS) : NO_LEVELS;
    const flags = mode | (first.backfill ? BACKFILL : 0) | (isWide ? WIDE : 0);
    this.#header(place, first.month, months, flags);
    const wordsAt = this.#length;
    for (let at = 0; at < months; at += 1) this.#word(flags, BLANK_WORD, undefined);
    const levelsAt = this.#length;
    const levelBytes = mode === NO_LEVELS ? 0 : mode === NEAR_LEVELS ? 1 : WORD_BYTES;
    this.#bytes.fill(0, levelsAt, levelsAt + months * levelBytes);
    for (const [nth, print] of prints.entries()) {
      const at = print.month - first.month;
      this.#length = wordsAt + at * (isWide ? WIDE_BYTES : WORD_BYTES);
      this.#word(flags, row.words[print.month - row.firstMonth] ?? BLANK_WORD, print.valueE15);
      if (mode === NEAR_LEVELS) this.#view.setInt8(levelsAt + at, near?.[nth] ?? 0);
      if (mode === EXACT_LEVELS) {
        const level = print.levelE12 ?? NO_LEVEL;
        invariant(level <= HIGHEST_LEVEL, `level ${level} fits its word`);
        this.#view.setBigInt64(levelsAt + at * WORD_BYTES, level, true);
      }
    }
    this.#length = levelsAt + months * levelBytes;
  }

  #header(place: number, month: Month, months: number, flags: number): void {
    const wordBytes = (flags & WIDE) === 0 ? WORD_BYTES : WIDE_BYTES;
    const mode = flags & LEVELS_MASK;
    const levelBytes = mode === NO_LEVELS ? 0 : mode === NEAR_LEVELS ? 1 : WORD_BYTES;
    const dataBytes = months * (wordBytes + levelBytes);
    this.#reserve(HEADER_BYTES + dataBytes);
    this.#view.setUint32(this.#length, place, true);
    this.#view.setInt32(this.#length + 4, month, true);
    this.#view.setUint16(this.#length + 8, months, true);
    this.#view.setUint16(this.#length + 10, flags, true);
    this.#view.setUint32(this.#length + 12, dataBytes, true);
    this.#length += HEADER_BYTES;
  }

  #word(flags: number, word: bigint, value: PrintValue | undefined): void {
    if ((flags & WIDE) === 0) {
      this.#view.setBigInt64(this.#length, word, true);
      this.#length += WORD_BYTES;
      return;
    }
    const whole = word === BLANK_WORD ? BLANK_WORD << 128n : (value ?? valueIn(word));
    this.#view.setBigUint64(this.#length, BigInt.asUintN(64, whole), true);
    this.#view.setBigUint64(this.#length + 8, BigInt.asUintN(64, whole >> 64n), true);
    this.#view.setBigInt64(this.#length + 16, BigInt.asIntN(64, whole >> 128n), true);
    this.#length += WIDE_BYTES;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: BigInt64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** The byte of every print, where each has a level, the first is 1, and all are near enough. */
function nearnessOf(prints: readonly DecidedPrint[]): readonly number[] | undefined {
  const first = prints[0];
  if (first === undefined || first.levelE12 !== firstLevel || first.valueE15 <= 0n)
    return undefined;
  const bytes: number[] = [];
  for (const { valueE15, levelE12 } of prints) {
    if (levelE12 === null) return undefined;
    const byte = Number(levelE12 - nearLevel(valueE15, first.valueE15));
    if (byte < -128 || byte > 127) return undefined;
    bytes.push(byte);
  }
  return bytes;
}
