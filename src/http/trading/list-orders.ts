// GET /api/trading/orders: the account's orders, newest first, open and done.
// Invariant: the caller's own orders only, each as its newest durable entry left it.
import { Type } from "typebox";
import { orderNumber } from "#base/ids.ts";
import type { Order } from "#core/records.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { OrderBody } from "./order-input.ts";
import { OrderRecord, orderRecord } from "./order-record.ts";
import {
  type Looked,
  listQuery,
  listSiblings,
  marketFilter,
  marketOf,
  ownScope,
  pageOf,
  startOf,
} from "./own-list.ts";
import { openDown, ordersByClientId, ordersDown } from "./own-orders.ts";
import type { TradingPorts } from "./ports.ts";

export const listOrders = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/orders",
    access: "read:portfolio",
    summary: "The account's orders, newest first, open and done",
    refusals: ["MARKET_NOT_FOUND", "OVERLOADED"],
    params: nothing,
    query: closed({
      marketId: marketFilter,
      status: Type.Optional(OrderRecord.properties.status),
      clientOrderId: OrderBody.properties.clientOrderId,
      ...listQuery,
    }),
    data: Type.Array(OrderRecord),
    siblings: listSiblings,
    read: async ({ caller, query }) => {
      const found = marketOf(query, ports);
      if ("refused" in found) return found;
      const { market } = found;
      const { status, clientOrderId } = query;
      const scope = ownScope("orders", caller, market?.id, status, clientOrderId);
      const start = startOf(scope, query);
      if ("refused" in start) return start;
      const below = start.place === undefined ? Number.POSITIVE_INFINITY : Number(start.place);
      const isOpen = status === "OPEN" || status === "PARTIALLY_FILLED";
      const { id } = caller.account;
      const orders =
        clientOrderId !== undefined
          ? ordersByClientId(ports, id, clientOrderId, below)
          : isOpen
            ? openDown(ports, id, below)
            : ordersDown(ports, id, below);
      const isWanted = (order: Order): boolean =>
        (market === undefined || order.marketId === market.id) &&
        (status === undefined || order.status === status);
      const { items, siblings } = await pageOf(scope, query, looked(orders, isWanted));
      return { data: items.map((order) => orderRecord(order, caller.account)), siblings };
    },
  });

async function* looked(
  orders: AsyncIterable<Order> | Iterable<Order>,
  isWanted: (order: Order) => boolean,
): AsyncGenerator<Looked<Order>> {
  for await (const order of orders) {
    yield { place: String(orderNumber(order.id)), ...(isWanted(order) ? { item: order } : {}) };
  }
}
