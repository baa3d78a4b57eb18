// An order as the trading surface shows it, and which of a command's events it is read from.
// Invariant: an answer shows an order as it stood after its own command, however late it is read.
import { type Static, Type } from "typebox";
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import type { Event } from "#core/event.ts";
import { ordersIn } from "#core/order/orders-in-events.ts";
import type { Account, Order } from "#core/records.ts";
import { GroupName } from "./order-input.ts";

export const OrderRecord = Type.Object(
  {
    id: Type.String(),
    maker: Type.String(),
    marketId: Type.String(),
    outcomeIndex: Type.Integer(),
    side: Type.Enum(["BUY", "SELL"]),
    amount: Type.String(),
    price: Type.Number(),
    status: Type.Enum(["OPEN", "FILLED", "PARTIALLY_FILLED", "CANCELLED"]),
    filledAmount: Type.String(),
    expiry: Type.Integer(),
    createdAt: Type.Integer(),
    timeInForce: Type.Enum(["GTC", "GTD", "IOC", "FOK"]),
    postOnly: Type.Boolean(),
    reduceOnly: Type.Boolean(),
    selfTradePrevention: Type.Enum(["cancel_incoming", "cancel_resting", "cancel_both"]),
    cancelOnRelease: Type.Optional(Type.Boolean()),
    group: Type.Optional(GroupName),
    clientOrderId: Type.Optional(Type.String()),
    cancelReason: Type.Optional(Type.String()),
  },
  { title: "Order" },
);

export const orderRecord = (
  order: Order,
  { address }: Pick<Account, "address">,
): Static<typeof OrderRecord> => ({
  id: order.id,
  maker: address,
  marketId: order.marketId,
  outcomeIndex: order.outcomeIndex,
  side: order.side,
  amount: formatLots(order.amountLots),
  price: tickPrice(order.priceTick),
  status: order.status,
  filledAmount: formatLots(order.filledLots),
  expiry: order.expirySeconds,
  createdAt: Math.floor(order.createdAtMillis / 1000),
  timeInForce: order.timeInForce,
  postOnly: order.postOnly,
  reduceOnly: order.reduceOnly,
  selfTradePrevention: order.selfTradePrevention,
  ...(order.cancelOnRelease ? { cancelOnRelease: true } : {}),
  ...(order.group === undefined ? {} : { group: order.group }),
  ...(order.clientOrderId === null ? {} : { clientOrderId: order.clientOrderId }),
  ...(order.cancelReason === null ? {} : { cancelReason: order.cancelReason }),
});

/**
 * The orders a command placed, in the order they were sent, each as the command left it. Orders it
 * met are among the events too, but a new order's rank is above that of every order before it.
 */
export function placedOrders(
  events: readonly Event[],
  owner: AccountId,
  count: number,
): readonly Order[] {
  const placed = ordersIn(events).slice(-count);
  invariant(
    placed.length === count && placed.every((order) => order.accountId === owner),
    `a command that places ${count} orders has an event for each`,
  );
  return placed;
}
