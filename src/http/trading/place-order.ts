// POST /api/trading/orders: one order; the answer shows it after it has met the book.
// Invariant: the answer is read from the order's own events, so a replay shows the same.
import { invariant } from "#base/invariant.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import { explainPrice, OrderBody, orderRefusals, readOrder } from "./order-input.ts";
import { OrderRecord, orderRecord, placedOrders } from "./order-record.ts";
import type { TradingPorts } from "./ports.ts";

export const placeOrder = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/orders",
    access: "create:orders",
    isHot: true,
    summary: "Places an order",
    refusals: orderRefusals,
    params: nothing,
    body: OrderBody,
    data: OrderRecord,
    toCommand: ({ body }) => readOrder(body, ports),
    render: ({ events }, { caller }) => {
      const [order] = placedOrders(events, caller.account.id, 1);
      invariant(order !== undefined, "an accepted order is an event");
      return { data: orderRecord(order, caller.account) };
    },
    explain: (rejection, { body }) => explainPrice(rejection, body),
  });
