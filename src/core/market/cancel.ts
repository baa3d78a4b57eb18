// Taking open orders off the book, one or many, always for a reason that is kept.
// Invariant: what an order has filled stays; a done order never changes again.
import { type AccountId, type MarketId, type OrderId, orderId, orderNumber } from "#base/ids.ts";
import { cancelled, isOpen } from "../book/order.ts";
import type { CommandOf } from "../command.ts";
import type { CancelReason, Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, emit, type Step } from "../step.ts";

/** Somebody else's order is answered like an absent one. */
export function cancelOrder(
  step: Step,
  { orderId }: CommandOf<"CancelOrder">,
): Rejection | undefined {
  const order = step.state.orders.get(orderId);
  if (order === undefined && hasBeen(step.state, orderId)) return reject("ORDER_DONE");
  if (order === undefined || order.accountId !== actingAccount(step)) {
    return reject("ORDER_NOT_FOUND");
  }
  if (!isOpen(order)) return reject("ORDER_DONE", { status: order.status });

  emit(step, { type: "OrderChanged", order: cancelled(order, "REQUESTED") });
  return undefined;
}

/** Every number up to the newest is an order's; one that is not here is done, and has left. */
export const hasBeen = ({ orderCount }: State, id: OrderId): boolean => {
  const number = orderNumber(id);
  return number >= 1 && number <= orderCount && orderId(`ord-${number}`) === id;
};

export function cancelAll(step: Step, { marketId }: CommandOf<"CancelAll">): Rejection | undefined {
  if (marketId !== null && !step.state.markets.has(marketId)) return reject("MARKET_NOT_FOUND");

  cancelOrdersOf(step, actingAccount(step), marketId, "REQUESTED");
  return undefined;
}

/** Oldest first; null = in every market. */
export function cancelOrdersOf(
  step: Step,
  account: AccountId,
  marketId: MarketId | null,
  reason: CancelReason,
): void {
  for (const id of [...(step.state.openOrders.get(account) ?? [])]) {
    const order = step.state.order(id);
    if (marketId === null || order.marketId === marketId) cancelAs(step, order, reason);
  }
}

/** Everything resting in a market: buyers' side first, each in the order it would have traded. */
export function cancelMarketOrders(step: Step, market: MarketId, reason: CancelReason): void {
  const book = step.state.book(market);
  for (const order of [...book.against(false), ...book.against(true)]) {
    cancelAs(step, order, reason);
  }
}

export function expireOrder(step: Step, { orderId }: CommandOf<"ExpireOrder">): undefined {
  cancelAs(step, step.state.order(orderId), "EXPIRED");
}

export const cancelAs = (step: Step, order: Order, reason: CancelReason): void =>
  emit(step, { type: "OrderChanged", order: cancelled(order, reason) });
