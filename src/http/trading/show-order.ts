// GET /api/trading/orders/:orderId: one order of the account.
// Invariant: somebody else's order is answered like an absent one.
import { Type } from "typebox";
import { orderId } from "#base/ids.ts";
import { refuse } from "../route/errors.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import { OrderRecord, orderRecord } from "./order-record.ts";
import { ownOrder } from "./own-orders.ts";
import type { TradingPorts } from "./ports.ts";

export const showOrder = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/orders/:orderId",
    access: "read:portfolio",
    summary: "One order of the account",
    refusals: ["ORDER_NOT_FOUND", "OVERLOADED"],
    params: Type.Object({ orderId: Type.String({ maxLength: 64 }) }),
    query: nothing,
    data: OrderRecord,
    read: async ({ caller, params }) => {
      const id = orderId(params.orderId.toLowerCase());
      const order = await ownOrder(ports, caller.account.id, id);
      if (order === undefined) return refuse("ORDER_NOT_FOUND");
      return { data: orderRecord(order, caller.account) };
    },
  });
