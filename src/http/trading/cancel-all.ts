// POST /api/trading/orders/cancel-all: every open order of the account, or those of one market.
// Invariant: the count is that of orders this command cancelled, no more.
import { Type } from "typebox";
import { type MarketId, marketId } from "#base/ids.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

export const cancelAll = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/orders/cancel-all",
    access: "cancel:orders",
    summary: "Cancels every open order, or those of one market",
    refusals: ["MARKET_NOT_FOUND"],
    params: nothing,
    body: closed({
      marketId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: "a market's id" }),
      ),
    }),
    data: Type.Object({ cancelledCount: Type.Integer() }),
    toCommand: ({ body }) => ({
      command: {
        type: "CancelAll",
        marketId: body.marketId === undefined ? null : named(body.marketId, ports),
      },
    }),
    render: ({ events }) => {
      const cancelled = events.flatMap((event) =>
        event.type === "OrderChanged" && event.order.status === "CANCELLED" ? event.order.id : [],
      );
      return { data: { cancelledCount: new Set(cancelled).size } };
    },
  });

const named = (text: string, { view }: TradingPorts): MarketId =>
  view.marketByAnyId(text)?.id ?? marketId(text);
