// POST /api/trading/orders/batch: 1 to 100 orders in one command, all or none.
// Invariant: a refusal names the first order at fault by its index; answers come as sent.
import { Type } from "typebox";
import type { Listing, OrderInput } from "#core/command.ts";
import type { Problem, Refused } from "../errors.ts";
import { closed, nothing, type Route, trading } from "../route.ts";
import { explainPrice, OrderBody, orderRefusals, readOrder } from "./order-input.ts";
import { OrderRecord, orderRecord, placedOrders } from "./order-record.ts";
import type { TradingPorts } from "./ports.ts";

export const MOST_ORDERS = 100;

export const placeBatch = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/orders/batch",
    access: "create:orders",
    summary: "Places 1 to 100 orders, all or none",
    refusals: orderRefusals,
    params: nothing,
    body: closed({
      orders: Type.Array(OrderBody, {
        minItems: 1,
        maxItems: MOST_ORDERS,
        description: `a list of 1 to ${MOST_ORDERS} orders`,
      }),
    }),
    data: Type.Array(OrderRecord),
    toCommand: ({ body }) => {
      const orders: OrderInput[] = [];
      const listings = new Map<string, Listing>();
      for (const [index, sent] of body.orders.entries()) {
        const read = readOrder(sent, ports);
        if ("refused" in read) return atIndex(read.refused, index);
        orders.push(read.order);
        if (read.listing !== undefined) listings.set(read.listing.marketId, read.listing);
      }
      return { command: { type: "PlaceBatch", orders, listings: [...listings.values()] } };
    },
    render: ({ events }, { caller, body }) => ({
      data: placedOrders(events, caller.account.id, body.orders.length).map((order) =>
        orderRecord(order, caller.account),
      ),
    }),
    explain: (rejection, { body }) =>
      explainPrice(rejection, body.orders[rejection.details?.index ?? -1]),
  });

const atIndex = (problem: Problem, index: number): Refused => ({
  refused: {
    ...problem,
    message: `orders[${index}].${problem.message ?? ""}`,
    details: { ...problem.details, index },
    errors: (problem.errors ?? []).map(({ field, message }) => ({
      field: `orders[${index}].${field}`,
      message,
    })),
  },
});
