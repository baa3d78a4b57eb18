// A price as it was written: a tick, a decimal that is none, or no decimal at all.
// Invariant: no float; 0.30000000000000004 is off the grid and 0.3000 is on it.
import { formatDecimal } from "#base/decimal.ts";
import { MAX_TICK, MIN_TICK, parseTick, type Tick } from "#base/price.ts";
import { isPlainDecimal } from "../server/json-source.ts";

export const TICK_TEXT = "0.0001";

export interface ReadPrice {
  readonly text: string;
  /** Null when the decimal is off the grid or out of range. */
  readonly tick: Tick | null;
}

/** Undefined for what is no plain decimal: exponents, minus zero, blanks, words. */
export function readPrice(text: string): ReadPrice | undefined {
  if (!isPlainDecimal(text)) return undefined;
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return { text, tick: parseTick(short) ?? null };
}

/** The two valid prices nearest to a plain decimal, the lower one first. */
export function nearestPrices(text: string): readonly [string, string] {
  const below = Math.min(MAX_TICK - 1, Math.max(MIN_TICK, ticksBelow(text)));
  return [priceText(below), priceText(below + 1)];
}

/** Whole ticks in the decimal, rounded down; far outside the range it only has to be outside. */
function ticksBelow(text: string): number {
  if (text.startsWith("-")) return 0;
  const [whole = "0", fraction = ""] = text.split(".");
  const ticks = BigInt(whole + fraction.padEnd(4, "0").slice(0, 4));
  return ticks > BigInt(MAX_TICK) ? MAX_TICK : Number(ticks);
}

const priceText = (ticks: number): string => formatDecimal(BigInt(ticks), 4);
