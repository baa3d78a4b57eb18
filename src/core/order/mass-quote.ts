// A mass quote: two-sided quotes of many markets in one command, in place of what rests there.
// Invariant: what the account rested in a named market is gone, whatever becomes of its new quote;
// each quote is judged on what the ones before it have left, and enters with both sides or none.
import { invariant } from "#base/invariant.ts";
import type { CommandOf, OrderInput } from "../command.ts";
import { cancelAs } from "../market/cancel.ts";
import type { Listing } from "../market/listing-record.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import { enterOrders, judgeOrders } from "./place.ts";
import { type MarketQuote, type QuoteSide, sidesOf } from "./quoted.ts";

/** Every old quote goes before the first new one is judged: none holds back another's cash. */
export function massQuote(step: Step, { quotes, listings }: CommandOf<"MassQuote">): undefined {
  const account = actingAccount(step);
  const markets = new Set(quotes.map(({ marketId }) => marketId));
  for (const id of [...(step.state.openOrders.get(account) ?? [])]) {
    const order = step.state.order(id);
    if (markets.has(order.marketId)) cancelAs(step, order, "REQUESTED");
  }
  for (const [index, quote] of quotes.entries()) enterQuote(step, quote, index, listings);
}

function enterQuote(
  step: Step,
  quote: MarketQuote,
  index: number,
  listings: readonly Listing[],
): void {
  const sides = sidesOf(quote);
  if (sides.length === 0) {
    if (step.state.markets.has(quote.marketId)) return;
    const rejection = reject("MARKET_NOT_FOUND", undefined, "marketId");
    emit(step, { type: "QuoteRefused", index, side: null, rejection });
    return;
  }
  const inputs = sides.map((side) => orderOf(quote, side));
  const judged = judgeOrders(step, inputs, listings, { isBatch: true });
  if (!("code" in judged)) {
    enterOrders(step, judged);
    return;
  }
  const { index: at = 0, ...details } = judged.details ?? {};
  const rejection: Rejection = { ...judged, details };
  emit(step, { type: "QuoteRefused", index, side: sides[at] ?? null, rejection });
}

function orderOf(
  { marketId, expirySeconds, cancelOnRelease, group, ...quote }: MarketQuote,
  side: QuoteSide,
): OrderInput {
  const priced = quote[side];
  invariant(priced !== null, "an order is made of a side that is quoted");
  return {
    marketId,
    outcomeIndex: 0,
    side: side === "bid" ? "BUY" : "SELL",
    ...priced,
    expirySeconds,
    timeInForce: expirySeconds === 0 ? "GTC" : "GTD",
    postOnly: true,
    reduceOnly: false,
    clientOrderId: null,
    selfTradePrevention: "cancel_incoming",
    ...(cancelOnRelease ? { cancelOnRelease } : {}),
    ...(group === undefined ? {} : { group }),
  };
}
