// POST /api/trading/orders/batch: 1 to 100 orders in one command, all or none, or each for itself.
// Invariant: a refusal names the order at fault by its index; answers come as sent.
import { Type } from "typebox";
import { ordersRefusedIn } from "#core/order/orders-in-events.ts";
import { errorTable, problemOf } from "../route/errors.ts";
import { itemsIn } from "../route/items-in.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { MOST_ORDERS, Orders, readBatch } from "./batch-input.ts";
import { explainPrice, orderRefusals } from "./order-input.ts";
import { OrderRecord, orderRecord, placedOrders } from "./order-record.ts";
import type { TradingPorts } from "./ports.ts";

const Mode = Type.Optional(
  Type.Enum(["atomic", "each"], {
    description: "atomic (the default): all or none; each: every order is judged alone",
  }),
);

const RefusedOrder = Type.Object(
  {
    index: Type.Integer({ description: "its place in the batch, from 0" }),
    code: Type.String(),
    message: Type.String(),
    field: Type.Union([Type.String(), Type.Null()]),
  },
  { title: "RefusedOrder" },
);

export const placeBatch = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/orders/batch",
    access: "create:orders",
    summary: "Places 1 to 100 orders, all or none, or each for itself",
    refusals: orderRefusals,
    costOf: itemsIn(MOST_ORDERS, "orders"),
    params: nothing,
    body: closed({ orders: Orders, mode: Mode }),
    data: Type.Array(OrderRecord),
    siblings: {
      refused: Type.Optional(
        Type.Array(RefusedOrder, {
          description: "with mode each: the orders that were not placed; `data` has the others",
        }),
      ),
    },
    toCommand: ({ body }) => {
      const read = readBatch(body.orders, ports);
      if ("refused" in read || body.mode !== "each") return read;
      return { command: { ...read.command, each: true } };
    },
    render: ({ events }, { caller, body }) => {
      const refused = ordersRefusedIn(events).map(({ index, rejection }) => {
        const { code, message = errorTable[code].message, field = null } = problemOf(rejection);
        return { index, code, message, field };
      });
      const count = body.orders.length - refused.length;
      const placed = count === 0 ? [] : placedOrders(events, caller.account.id, count);
      return {
        data: placed.map((order) => orderRecord(order, caller.account)),
        ...(body.mode === "each" ? { siblings: { refused } } : {}),
      };
    },
    explain: (rejection, { body }) =>
      explainPrice(rejection, body.orders[rejection.details?.index ?? -1]),
  });
