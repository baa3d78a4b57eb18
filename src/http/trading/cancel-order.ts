// DELETE /api/trading/orders/:orderId: takes an open order off the book.
// Invariant: accepted even while trading is halted; somebody else's order is like an absent one.
import { Type } from "typebox";
import { orderId } from "#base/ids.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import { Done, done } from "./done.ts";

export const cancelOrder = (): Route =>
  trading.write({
    method: "DELETE",
    url: "/api/trading/orders/:orderId",
    access: "cancel:orders",
    isHot: true,
    summary: "Cancels an open order",
    refusals: ["ORDER_NOT_FOUND", "ORDER_DONE"],
    params: Type.Object({ orderId: Type.String({ maxLength: 64 }) }),
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({
      command: { type: "CancelOrder", orderId: orderId(params.orderId.toLowerCase()) },
    }),
    render: () => done,
  });
