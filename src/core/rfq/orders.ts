// The orders that quotes for requests would become: every guard judges them as these.
// Invariant: they are never open.
import type { Tick } from "#base/price.ts";
import type { Marked } from "../margin/risk.ts";
import { draft } from "../order/draft.ts";
import type { Account, Order, Side } from "../records.ts";
import type { State } from "../state.ts";
import type { Moment } from "../step.ts";
import type { Rfq } from "./record.ts";

/** One whole order a leg, at the price of the leg; they are never open. */
export function ordersOf(
  step: Pick<Moment, "state" | "nowMillis">,
  account: Account,
  side: Side,
  { legs, id }: Pick<Rfq, "legs" | "id">,
  ticks: readonly Tick[],
): readonly Order[] {
  return legs.flatMap(({ listing, amountLots }, at) => {
    const tick = ticks[at];
    if (tick === undefined) return [];
    const input = {
      marketId: listing.marketId,
      outcomeIndex: 0,
      side,
      priceTick: tick,
      amountLots,
      expirySeconds: 0,
      timeInForce: "FOK",
      postOnly: false,
      reduceOnly: false,
      clientOrderId: null,
      selfTradePrevention: "cancel_incoming",
    } as const;
    return { ...draft(step, account, input, tick, 0), rank: 0, rfqId: id };
  });
}

/** First marks of the legs that nobody has listed. */
export const freshIn = (
  { state }: { readonly state: Pick<State, "markets"> },
  { legs }: Pick<Rfq, "legs">,
): ReadonlyMap<string, Marked> =>
  new Map(
    legs.flatMap(({ listing }) =>
      state.markets.has(listing.marketId) ? [] : [[listing.marketId, listing] as const],
    ),
  );
