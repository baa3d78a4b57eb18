// The orders that quotes for requests would become: limits count an open quote as these.
// Invariant: they are never open; an account without an open quote has none.
import type { MarketId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import type { Marked } from "../margin/risk.ts";
import { draft } from "../order/draft.ts";
import type { Account, Order, Side } from "../records.ts";
import type { State } from "../state.ts";
import type { Moment } from "../step.ts";
import { makerSide, type Rfq, type RfqQuote } from "./record.ts";

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

/** Of all open quotes of an account, or all but one. */
export function promisedBy(
  moment: Pick<Moment, "state" | "nowMillis">,
  account: Account,
  without?: RfqQuote["id"],
): { readonly orders: readonly Order[]; readonly fresh: ReadonlyMap<string, Marked> } {
  const { rfqs, rfqQuotes, rfqQuotesOf } = moment.state;
  const orders: Order[] = [];
  const fresh = new Map<string, Marked>();
  for (const quoteId of rfqQuotesOf.get(account.id) ?? []) {
    const quote = rfqQuotes.get(quoteId);
    const rfq = quote === undefined ? undefined : rfqs.get(quote.rfqId);
    if (quote === undefined || rfq === undefined || quoteId === without) continue;
    orders.push(...ordersOf(moment, account, makerSide(rfq), rfq, quote.ticks));
    for (const [id, marked] of freshIn(moment, rfq)) fresh.set(id, marked);
  }
  return { orders, fresh };
}

/** Of its open quotes, in one market. */
export function promisedIn(
  moment: Pick<Moment, "state" | "nowMillis">,
  account: Account,
  marketId: MarketId,
): readonly Order[] {
  const { rfqs, rfqQuotes, rfqQuotesOf } = moment.state;
  return [...(rfqQuotesOf.get(account.id) ?? [])].flatMap((quoteId) => {
    const quote = rfqQuotes.get(quoteId);
    const rfq = quote === undefined ? undefined : rfqs.get(quote.rfqId);
    if (quote === undefined || rfq === undefined) return [];
    const at = rfq.legs.findIndex(({ listing }) => listing.marketId === marketId);
    const [leg, tick] = [rfq.legs[at], quote.ticks[at]];
    if (leg === undefined || tick === undefined) return [];
    return ordersOf(moment, account, makerSide(rfq), { ...rfq, legs: [leg] }, [tick]);
  });
}
