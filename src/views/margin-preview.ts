// What-if of margin: positions and orders put beside what an account has, summed by the core.
// Invariant: they are written into a layer over the records, so the figures are those the core has
// once they are there, and nothing is kept.
import type { AccountId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import { costOf, lots } from "#base/quantity.ts";
import { charged, traded } from "#core/account/position.ts";
import { buysYes, yesTick } from "#core/book/order.ts";
import type { OrderInput } from "#core/command.ts";
import { putBalance, putMarket, putPosition } from "#core/fold.ts";
import { accountTerms } from "#core/kyc/tiers.ts";
import { feeBase, feeOn } from "#core/margin/fee.ts";
import type { ColumnNeed, ShortTotals } from "#core/margin/sums.ts";
import { freshMarket, refuseSeries } from "#core/market/listing.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { refuseClosed } from "#core/order/checks.ts";
import { draft } from "#core/order/draft.ts";
import { putOrder } from "#core/order/put-order.ts";
import type { Order } from "#core/records.ts";
import { type Rejection, reject } from "#core/rejection.ts";
import type { State } from "#core/state.ts";
import { cashOf, positionOf } from "#core/step.ts";

interface WhatIf {
  /** Filled whole at their prices by orders of the account that came in, with the fee of those. */
  readonly positions: readonly OrderInput[];
  /** Resting in the book, as if nothing met them. */
  readonly orders: readonly OrderInput[];
  /** Of series that are not listed yet. */
  readonly listings: readonly Listing[];
}

export interface MarginPreview {
  readonly cashMicros: Micros;
  readonly lockedMicros: Micros;
  readonly totals: ShortTotals;
  readonly columns: readonly ColumnNeed[];
}

/** `state` is a layer, and written to; positions come first. */
export function previewMargin(
  state: State,
  accountId: AccountId,
  { positions, orders, listings }: WhatIf,
  nowMillis: number,
): MarginPreview | { readonly rejection: Rejection; readonly at: number } {
  for (const [at, input] of [...positions, ...orders].entries()) {
    const listing = listings.find(({ marketId }) => marketId === input.marketId);
    const order = orderOf(state, accountId, { input, listing, nowMillis });
    if ("code" in order) return { rejection: order, at };
    if (at < positions.length) fill(state, order);
    else putOrder(state, order);
  }
  return {
    cashMicros: state.balance(cashOf(accountId)),
    lockedMicros: state.exposures.locked(accountId),
    totals: state.exposures.shortTotals(accountId),
    columns: state.exposures.byColumn(accountId),
  };
}

interface AskedLine {
  readonly input: OrderInput;
  readonly listing: Listing | undefined;
  readonly nowMillis: number;
}

function orderOf(
  state: State,
  accountId: AccountId,
  { input, listing, nowMillis }: AskedLine,
): Order | Rejection {
  const market = state.markets.get(input.marketId);
  if (market === undefined && listing === undefined) {
    return reject("MARKET_NOT_FOUND", undefined, "marketId");
  }
  const refused =
    market === undefined
      ? listing && refuseSeries(state, listing, nowMillis)
      : refuseClosed(market);
  if (refused !== undefined) return refused;
  if (input.priceTick === null) return reject("INVALID_PRICE", undefined, "price");
  if (market === undefined && listing !== undefined) {
    putMarket(state, freshMarket(listing, listing.marketId, nowMillis));
  }
  const step = { state, nowMillis };
  return draft(step, state.account(accountId), input, input.priceTick, 0);
}

function fill(state: State, order: Order): void {
  const { accountId, marketId, amountLots } = order;
  const tick = yesTick(order);
  const by = buysYes(order) ? amountLots : lots(-amountLots);
  const { feeBps } = accountTerms(state.rules, state.account(accountId));
  const fee = feeOn(feeBase(amountLots, tick), feeBps);
  const cost = costOf(amountLots, tick);
  const paid = buysYes(order) ? cost : -cost;
  const cash = cashOf(accountId);
  putBalance(state, cash, micros(state.balance(cash) - paid - fee));
  putPosition(state, charged(traded(positionOf(state, accountId, marketId), by, tick), fee));
}
