// A provider's value in 64 bits: its digits as an integer and how many of them are decimals.
// Invariant: what a word says is the value to the last digit; one value has one word.
import { PRINT_PLACES, type PrintValue, printValue } from "#base/print-value.ts";

/** A month without a value. */
export const BLANK_WORD = -(2n ** 63n);
/** The value does not fit and stands elsewhere; no provider has written one so far. */
export const WIDE_WORD = BLANK_WORD + 1n;

/** The low bits of a word that say its decimals. */
export const PLACES_MASK = 15;

/** 59 bits hold every 17-digit number, which is all a double needs; four say the decimals. */
const DIGITS_LIMIT = 2n ** 59n;
const powers = Array.from({ length: PRINT_PLACES + 1 }, (_, exponent) => 10n ** BigInt(exponent));
const ONE_E9 = 1_000_000_000n;

export function wordOf(value: PrintValue): bigint {
  const zeros = trailingZeros(value);
  const digits = zeros === 0 ? value : value / powerOf(zeros);
  if (digits >= DIGITS_LIMIT || digits <= -DIGITS_LIMIT) return WIDE_WORD;
  return (digits << 4n) + BigInt(PRINT_PLACES - zeros);
}

/** Of a word that is neither blank nor wide. */
export const valueIn = (word: bigint): PrintValue =>
  printValue((word >> 4n) * powerOf(PRINT_PLACES - Number(word & 15n)));

/** Of a word that is blank, or wide: none. */
export const decimalsOf = (word: bigint): number =>
  word === BLANK_WORD || word === WIDE_WORD ? 0 : Number(word & BigInt(PLACES_MASK));

/** At most 15: the zeros of whole numbers are digits. In numbers, since bigints are slow at it. */
function trailingZeros(value: bigint): number {
  const low = Number(value % ONE_E9);
  if (low !== 0) return zerosOf(low, 9);
  return 9 + zerosOf(Number((value / ONE_E9) % 1_000_000n), 6);
}

function zerosOf(low: number, most: number): number {
  let zeros = 0;
  for (let rest = low; zeros < most && rest % 10 === 0; rest /= 10) zeros += 1;
  return zeros;
}

const powerOf = (exponent: number): bigint => powers[exponent] ?? 1n;
