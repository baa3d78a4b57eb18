// An order before it meets the book.
// Invariant: nothing of it is filled, and its number and rank are the next ones.
import { orderId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import { noLots } from "#base/quantity.ts";
import type { OrderInput } from "../command.ts";
import type { Account, Order } from "../records.ts";
import type { Moment } from "../step.ts";

/** `offset`: of orders that are placed before it. */
export function draft(
  step: Pick<Moment, "state" | "nowMillis">,
  account: Account,
  input: OrderInput,
  priceTick: Tick,
  offset: number,
): Order {
  return {
    id: orderId(`ord-${step.state.orderCount + offset + 1}`),
    accountId: account.id,
    marketId: input.marketId,
    clientOrderId: input.clientOrderId,
    outcomeIndex: input.outcomeIndex,
    side: input.side,
    priceTick,
    amountLots: input.amountLots,
    filledLots: noLots,
    status: "OPEN",
    cancelReason: null,
    timeInForce: input.timeInForce,
    postOnly: input.postOnly,
    reduceOnly: input.reduceOnly,
    selfTradePrevention: input.selfTradePrevention,
    expirySeconds: input.expirySeconds,
    createdAtMillis: step.nowMillis,
    rank: step.state.lastRank + offset + 1,
    ...(input.cancelOnRelease ? { cancelOnRelease: true } : {}),
    ...(input.group === undefined ? {} : { group: input.group }),
  };
}
