// How liquid a market is, from its book and what the rules require of its index kind.
// Invariant: only resting orders count; a market whose trading is over has none and is not liquid.

import type { Micros } from "#base/money.ts";
import { faceOf, lots } from "#base/quantity.ts";
import type { Book } from "#core/book/book.ts";
import { remaining } from "#core/book/order.ts";
import type { LiquidityRules } from "#core/rules.ts";

export interface Liquidity {
  /** Coverage resting on both sides. */
  readonly restingMicros: Micros;
  /** Accounts with an order in the book. */
  readonly providers: number;
  /** Best ask less best bid; null where one side is empty. */
  readonly spreadTicks: number | null;
  /** All three as the rules require. */
  readonly sufficient: boolean;
}

export function liquidityOf(book: Book, rules: LiquidityRules): Liquidity {
  const accounts = new Set<string>();
  let resting = 0n;
  for (const side of [book.against(true), book.against(false)]) {
    for (const order of side) {
      accounts.add(order.accountId);
      resting += remaining(order);
    }
  }
  const [bid, ask] = [book.bestBid(), book.bestAsk()];
  const spreadTicks = bid === undefined || ask === undefined ? null : ask - bid;
  const restingMicros = faceOf(lots(resting));
  return {
    restingMicros,
    providers: accounts.size,
    spreadTicks,
    sufficient:
      restingMicros >= rules.minLiquidityMicros &&
      accounts.size >= rules.minProviders &&
      spreadTicks !== null &&
      spreadTicks <= rules.spreadMaxTicks,
  };
}
