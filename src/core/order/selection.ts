// Orders as their account names them: one by its id or its own reference, many by what they share.
// Invariant: nobody's but the account's own are ever found.
import { type AccountId, type OrderId, orderId, orderNumber } from "#base/ids.ts";
import { isSpent } from "../leaving.ts";
import { placesOf } from "../mandate/scope.ts";
import { clientOrderName } from "../names.ts";
import type { Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import type { Moment } from "../step.ts";
import type { OrderName, OrderSelection } from "./named.ts";

/** Somebody else's order is answered like an absent one. */
export function orderNamed(
  { state, nowMillis }: Moment,
  account: AccountId,
  name: OrderName,
): Order | Rejection {
  if ("clientOrderId" in name) {
    const own = clientOrderName(account, name.clientOrderId);
    const id = state.clientOrderIds.get(own);
    if (id !== undefined) return state.order(id);
    return reject(isSpent(state, own, nowMillis) ? "ORDER_DONE" : "ORDER_NOT_FOUND");
  }
  const order = state.orders.get(name.orderId);
  if (order === undefined && hasBeen(state, name.orderId)) return reject("ORDER_DONE");
  return order?.accountId === account ? order : reject("ORDER_NOT_FOUND");
}

/** Every number up to the newest is an order's; one that is not here is done, and has left. */
const hasBeen = ({ orderCount }: State, id: OrderId): boolean => {
  const number = orderNumber(id);
  return number >= 1 && number <= orderCount && orderId(`ord-${number}`) === id;
};

/** Tells the orders that are meant. */
export function selector(
  state: State,
  { orderIds, clientOrderIds, placeId, index, side, group }: OrderSelection,
): (order: Order) => boolean {
  const ids = new Set<string>(orderIds);
  const references = new Set<string | null>(clientOrderIds);
  const isAny = orderIds === undefined && clientOrderIds === undefined;
  return (order) => {
    const market = state.market(order.marketId);
    return (
      (isAny || ids.has(order.id) || references.has(order.clientOrderId)) &&
      (placeId === undefined || placesOf(market).includes(placeId)) &&
      (index === undefined || market.terms.index === index) &&
      (side === undefined || order.side === side) &&
      (group === undefined || order.group === group)
    );
  };
}
