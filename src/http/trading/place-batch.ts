// POST /api/trading/orders/batch: 1 to 100 orders in one command, all or none.
// Invariant: a refusal names the first order at fault by its index; answers come as sent.
import { Type } from "typebox";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { MOST_ORDERS, Orders, readBatch } from "./batch-input.ts";
import { explainPrice, orderRefusals } from "./order-input.ts";
import { OrderRecord, orderRecord, placedOrders } from "./order-record.ts";
import type { TradingPorts } from "./ports.ts";

export const placeBatch = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/orders/batch",
    access: "create:orders",
    summary: "Places 1 to 100 orders, all or none",
    refusals: orderRefusals,
    costOf: (body) => ordersIn(body),
    params: nothing,
    body: closed({ orders: Orders }),
    data: Type.Array(OrderRecord),
    toCommand: ({ body }) => readBatch(body.orders, ports),
    render: ({ events }, { caller, body }) => ({
      data: placedOrders(events, caller.account.id, body.orders.length).map((order) =>
        orderRecord(order, caller.account),
      ),
    }),
    explain: (rejection, { body }) =>
      explainPrice(rejection, body.orders[rejection.details?.index ?? -1]),
  });

/** Before its shape is known: as many as there are in the list, and no more than may be. */
function ordersIn(body: unknown): number {
  const orders: unknown = typeof body === "object" && body !== null && Reflect.get(body, "orders");
  return Array.isArray(orders) ? Math.min(orders.length, MOST_ORDERS) : 1;
}
