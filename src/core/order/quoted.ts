// Quotes as they are sent: the prices at which an account would buy and sell in many markets.
// Invariant: prices and amounts are in terms of YES.
import type { MarketId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";

export type QuoteSide = "bid" | "ask";

export interface QuotedSide {
  /** Null when the price sent is no valid price. */
  readonly priceTick: Tick | null;
  readonly amountLots: Lots;
}

/** It takes the place of all that the account rests in the market; a side that is null is none. */
export interface MarketQuote extends Readonly<Record<QuoteSide, QuotedSide | null>> {
  readonly marketId: MarketId;
  readonly expirySeconds: number;
  /** Both sides are cancelled when a release of their index is awaited; absent = they stay. */
  readonly cancelOnRelease?: true;
  /** Of both sides. */
  readonly group?: string;
}

/** Each quote is judged alone, and an old one goes whatever becomes of the new one. */
export interface SentQuotes {
  readonly type: "MassQuote";
  readonly quotes: readonly MarketQuote[];
}

/** The sides that are quoted, the bid first; none: the quote only takes back what rests. */
export const sidesOf = (quote: Readonly<Record<QuoteSide, object | null>>): readonly QuoteSide[] =>
  (["bid", "ask"] as const).filter((side) => quote[side] !== null);
