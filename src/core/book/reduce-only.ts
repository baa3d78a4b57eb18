// Orders that may only bring a position nearer to flat: what they may fill, and what is cut away.
// Invariant: between two commands an account's open reduce-only orders in a market are together no
// larger than the position they reduce, and all on its far side.
import type { AccountId, MarketId, OrderId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { positionName } from "../names.ts";
import type { Order } from "../records.ts";
import { emit, positionOf, type Step } from "../step.ts";
import { buysYes, cancelled, remaining } from "./order.ts";

/** How much an order on this side of the YES book could take off a position. */
export function reducible(heldLots: bigint, buying: boolean): bigint {
  const against = buying ? -heldLots : heldLots;
  return against > 0n ? against : 0n;
}

/** The order with no more left to fill than `room`: a smaller amount, or none and cancelled. */
export function cutTo(order: Order, room: bigint): Order {
  if (remaining(order) <= room) return order;
  if (room <= 0n) return cancelled(order, "REDUCE_ONLY");
  return { ...order, amountLots: lots(order.filledLots + room) };
}

/** A reduce-only order cut to the position as it stands; any other order as it is. */
export function cutToPosition(step: Step, order: Order): Order {
  if (!order.reduceOnly) return order;
  const { heldLots } = positionOf(step.state, order.accountId, order.marketId);
  return cutTo(order, reducible(heldLots, buysYes(order)));
}

/**
 * Cuts the account's open reduce-only orders to what its position has become, the newest first;
 * gives what the ones that stay claim of it. `except`: an order that is still
 * being matched.
 */
export function fitReduceOnly(
  step: Step,
  account: AccountId,
  market: MarketId,
  except: OrderId | null,
): bigint {
  const { state } = step;
  if (state.reduceOnlyOrders.size === 0) return 0n;
  const ids = state.reduceOnlyOrders.get(positionName(account, market));
  if (ids === undefined) return 0n;
  const oldestFirst = [...ids].map((id) => state.order(id)).sort((a, b) => a.rank - b.rank);
  const { heldLots } = positionOf(state, account, market);
  let claimed = 0n;
  for (const order of oldestFirst) {
    if (order.id === except) continue;
    const fitting = cutTo(order, reducible(heldLots, buysYes(order)) - claimed);
    if (fitting !== order) emit(step, { type: "OrderChanged", order: fitting });
    // One that was cut has taken all there was: then nothing is left for those behind it.
    claimed += remaining(order);
  }
  return claimed;
}
