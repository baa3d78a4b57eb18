// Taking open orders off the book, one or many, always for a reason that is kept.
// Invariant: what an order has filled stays; a done order never changes again.
import type { AccountId, MarketId } from "#base/ids.ts";
import { cancelled, isOpen } from "../book/order.ts";
import type { CommandOf } from "../command.ts";
import { orderNamed, selector } from "../order/selection.ts";
import type { CancelReason, Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";

export function cancelOrder(step: Step, command: CommandOf<"CancelOrder">): Rejection | undefined {
  const order = orderNamed(step, actingAccount(step), command);
  if ("code" in order) return order;
  if (!isOpen(order)) return reject("ORDER_DONE", { status: order.status });

  emit(step, { type: "OrderChanged", order: cancelled(order, "REQUESTED") });
  return undefined;
}

export function cancelAll(
  step: Step,
  { marketId, only }: CommandOf<"CancelAll">,
): Rejection | undefined {
  if (marketId !== null && !step.state.markets.has(marketId)) return reject("MARKET_NOT_FOUND");

  const isMeant = only === undefined ? undefined : selector(step.state, only);
  cancelOrdersOf(step, actingAccount(step), marketId, "REQUESTED", isMeant);
  return undefined;
}

/** Oldest first; null = in every market. */
export function cancelOrdersOf(
  step: Step,
  account: AccountId,
  marketId: MarketId | null,
  reason: CancelReason,
  isMeant: (order: Order) => boolean = () => true,
): void {
  for (const id of [...(step.state.openOrders.get(account) ?? [])]) {
    const order = step.state.order(id);
    if ((marketId === null || order.marketId === marketId) && isMeant(order)) {
      cancelAs(step, order, reason);
    }
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
