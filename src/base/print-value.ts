// The value of a print and the level of the chain, as exact scaled integers.
// Invariant: a print keeps every digit its provider wrote; a level has 12 decimals, half-even.
import { formatDecimal, parseDecimal } from "./decimal.ts";
import { divHalfEven } from "./rounding.ts";

/** A provider's value in units of 1e-15. */
export type PrintValue = bigint & { readonly print: unique symbol };
/** A chained first-print level in units of 1e-12; 1 at a node's first month. */
export type ChainLevel = bigint & { readonly level: unique symbol };

export const PRINT_PLACES = 15;

export const printValue = (scaled: bigint): PrintValue => scaled as PrintValue;
/** 1 of whatever the provider counts in. */
export const wholePrint: PrintValue = printValue(1_000_000_000_000_000n);
export const chainLevelOf = (scaled: bigint): ChainLevel => scaled as ChainLevel;
export const firstLevel: ChainLevel = chainLevelOf(1_000_000_000_000n);

export const parsePrintValue = (text: string): PrintValue | undefined =>
  parseDecimal(text, PRINT_PLACES) as PrintValue | undefined;
export const formatPrintValue = (value: PrintValue): string => formatDecimal(value, PRINT_PLACES);
/** The value as a JSON number (the shortest text that names the same double). */
export const printNumber = (value: PrintValue): number => Number(formatPrintValue(value));

/** I(m) = I(k)·P(m)/P(k), both values from the release that first carries m. */
export const chainLevel = (
  levelAtLink: ChainLevel,
  value: PrintValue,
  valueAtLink: PrintValue,
): ChainLevel => divHalfEven(levelAtLink * value, valueAtLink) as ChainLevel;

/** The baseline restated on the settling release's scale: settled·I(B)/I(E). */
export const rescaledBaseline = (
  settled: PrintValue,
  baselineLevel: ChainLevel,
  settledLevel: ChainLevel,
): PrintValue => divHalfEven(settled * baselineLevel, settledLevel) as PrintValue;
