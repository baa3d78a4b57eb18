// Decimal text in bytes read straight into words: a file of every zip has eight million values.
// Invariant: a word that is read is the one that the value of the text packs into.
import { PRINT_PLACES } from "#base/print-value.ts";
import { BLANK_WORD } from "./print-word.ts";

const ZERO = 48;
const POINT_FROM_ZERO = -2;
/** Of two numbers, both far below 2^53: the first digits and the others. */
const DIGITS_A_PART = 9;
const powers = Array.from({ length: DIGITS_A_PART + 1 }, (_, exponent) => Number(`1e${exponent}`));
const TWO_E32 = 4_294_967_296;
/** A word's high half is positive. */
const HIGH_LIMIT = 2_147_483_648;

export class WordScanner {
  readonly words: BigInt64Array;
  readonly #bytes: Uint8Array;
  /** Every machine that Node is built for keeps the low half first. */
  readonly #halves: Uint32Array;

  /** All months are blank until they are read. */
  constructor(bytes: Uint8Array, months: number) {
    this.#bytes = bytes;
    this.words = new BigInt64Array(months).fill(BLANK_WORD);
    this.#halves = new Uint32Array(this.words.buffer);
  }

  /**
   * Reads the value that starts at `at` into a month and says where it ends; -1 where it is no
   * positive number of at most 18 digits, or has no word: somebody slower must look at it.
   */
  read(month: number, at: number): number {
    const bytes = this.#bytes;
    let high = 0;
    let low = 0;
    let digits = 0;
    let point = -1;
    let end = at;
    for (; ; end += 1) {
      const digit = (bytes[end] ?? 0) - ZERO;
      if (digit >= 0 && digit <= 9) {
        if (digits < DIGITS_A_PART) high = high * 10 + digit;
        else low = low * 10 + digit;
        digits += 1;
        if (digits > 2 * DIGITS_A_PART) return -1;
      } else if (digit === POINT_FROM_ZERO && point < 0) {
        point = end;
      } else break;
    }
    const whole = (point < 0 ? end : point) - at;
    if (whole === 0 || (whole > 1 && bytes[at] === ZERO) || (high === 0 && low === 0)) return -1;
    let places = point < 0 ? 0 : end - point - 1;
    if ((point >= 0 && places === 0) || places > PRINT_PLACES) return -1;
    // One value has one word: zeros at the end of a fraction are no part of it.
    for (; places > 0 && (digits > DIGITS_A_PART ? low : high) % 10 === 0; places -= 1) {
      if (digits > DIGITS_A_PART) low /= 10;
      else high /= 10;
      digits -= 1;
    }
    const shift = powers[Math.max(0, digits - DIGITS_A_PART)] ?? 0;
    return this.#put(month, high, shift, low, places) ? end : -1;
  }

  /** (high·shift + low)·16 + places, in two halves of 32 bits; false where it has no word. */
  #put(month: number, high: number, shift: number, low: number, places: number): boolean {
    const above = (high >>> 15) * shift;
    const below = (high & 32_767) * shift + low;
    const aboveHigh = Math.floor(above / 8_192);
    const sum = below * 16 + places + (above - aboveHigh * 8_192) * 524_288;
    const carry = Math.floor(sum / TWO_E32);
    if (aboveHigh + carry >= HIGH_LIMIT) return false;
    this.#halves[2 * month] = sum - carry * TWO_E32;
    this.#halves[2 * month + 1] = aboveHigh + carry;
    return true;
  }
}
