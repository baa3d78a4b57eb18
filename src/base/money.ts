// Money: bigint micro-dollars (1e-6 USD), the only unit of the ledger.
// Invariant: a Micros never passes through a float.
import { formatDecimal, parseDecimal } from "./decimal.ts";

export type Micros = bigint & { readonly micros: unique symbol };

export const micros = (value: bigint): Micros => value as Micros;
export const noMoney: Micros = micros(0n);
export const atLeastZero = (amount: bigint): Micros => (amount < 0n ? noMoney : micros(amount));
/** A million million USD: an amount that a request names beyond it is a slip of the hand. */
export const MOST_MICROS = 1_000_000_000_000_000_000n;

export const parseMicros = (text: string): Micros | undefined =>
  parseDecimal(text, 6) as Micros | undefined;
export const formatMicros = (value: Micros): string => formatDecimal(value, 6);

/** USD as a JSON number, unrounded (exact below about 9 billion USD). */
export const usdNumber = (value: Micros): number => Number(formatMicros(value));
