// Requests for quotes and their quotes as the reference model keeps them, and all that open quotes
// hold back.
// Invariant: nothing of src/core is called; reserves and promised lots are added up anew.
import { type AccountId, orderId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import type { Side } from "#core/records.ts";
import type { Rfq, RfqQuote } from "#core/rfq/record.ts";
import { found, sum } from "./model-ledger.ts";
import { FACE_MICROS, type ModelOrder } from "./model-order.ts";

export type ModelRequest = Omit<Rfq, "doneMillis" | "openedAtMillis"> & {
  readonly doneMillis: number | null;
};
export type ModelQuote = Omit<RfqQuote, "reservedMicros">;

/** All that requests for quotes are told of an account; the address in small letters. */
export interface Person {
  readonly owner: AccountId;
  readonly address: string;
}

export interface WithRequests {
  readonly requests: readonly ModelRequest[];
  readonly quotes: readonly ModelQuote[];
}

/** The cash that open quotes of an account hold back: the most that their fills could cost. */
export const reserved = (model: WithRequests, account: AccountId): bigint =>
  sum(openOf(model, account), (one) => reserveOf(model, one));

export function reserveOf(model: WithRequests, { rfqId: asked, ticks }: ModelQuote): bigint {
  const { legs, side } = found(model.requests.find(({ id }) => id === asked));
  const costs = ticks.map((tick) => (side === "BUY" ? FACE_MICROS - BigInt(tick) : BigInt(tick)));
  return legs.reduce((all, { amountLots }, at) => all + amountLots * found(costs[at]), 0n);
}

/** Its open quotes as the orders that they would become. */
export const quotedOrders = (model: WithRequests, account: AccountId): readonly ModelOrder[] =>
  openOf(model, account).flatMap((one) => ordersOf(requestOf(model, one), one, account));

/** Lots that they have promised, which count in its day as if they were traded. */
export const promised = (model: WithRequests, account: AccountId): bigint =>
  sum(quotedOrders(model, account), ({ amountLots }) => amountLots);

export const openOf = ({ quotes }: WithRequests, account: AccountId): readonly ModelQuote[] =>
  quotes.filter((one) => one.accountId === account && one.status === "open");

export const requestOf = ({ requests }: WithRequests, { rfqId: asked }: ModelQuote): ModelRequest =>
  found(requests.find(({ id }) => id === asked));

/** A maker stands on the other side of the request. */
export function ordersOf(
  { accountId: requester, legs, side }: ModelRequest,
  { ticks }: ModelQuote,
  accountId: AccountId,
): readonly ModelOrder[] {
  const other: Side = side === "BUY" ? "SELL" : "BUY";
  const own = accountId === requester ? side : other;
  return legs.map(({ listing, amountLots }, at) => ({
    ...{ id: orderId("ord-0"), accountId, marketId: listing.marketId, side: own, amountLots },
    ...{ priceTick: found(ticks[at]), filledLots: lots(0n), status: "OPEN", cancelReason: null },
    ...{ outcomeIndex: 0, timeInForce: "FOK", postOnly: false, reduceOnly: false },
    ...{ expirySeconds: 0, selfTradePrevention: "cancel_incoming" },
  }));
}
