// Orders of one owner that would meet each other in an auction: the later one's rule decides.
// Invariant: of an owner no two orders stay that would trade with each other.
import { accountsOfOwner, ownerOf } from "../account/owner.ts";
import type { Order } from "../records.ts";
import { emit, type Step } from "../step.ts";
import { buysYes, cancelled, crosses } from "./order.ts";

/** The order, which may be in the book, meets those that its owner had before it. */
export function preventOwn(step: Step, order: Order): Order {
  const own = ownBefore(step, order);
  if (own.length === 0) return order;
  const rule = order.selfTradePrevention;
  for (const resting of rule === "cancel_incoming" ? [] : own) {
    emit(step, { type: "OrderChanged", order: cancelled(resting, "SELF_TRADE") });
  }
  if (rule === "cancel_resting") return order;
  const stopped = cancelled(order, "SELF_TRADE");
  if (step.state.orders.has(order.id)) emit(step, { type: "OrderChanged", order: stopped });
  return stopped;
}

function ownBefore({ state }: Step, order: Order): readonly Order[] {
  const accounts = accountsOfOwner(state, ownerOf(state, order.accountId));
  return accounts
    .flatMap((account) => [...(state.openOrders.get(account) ?? [])])
    .map((id) => state.order(id))
    .filter(
      (one) =>
        one.marketId === order.marketId &&
        one.rank < order.rank &&
        buysYes(one) !== buysYes(order) &&
        crosses(order, one),
    )
    .sort((a, b) => a.rank - b.rank);
}
