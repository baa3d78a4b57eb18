// GET /api/liquidity/alerts: what the caller's account was warned of.
// Invariant: shows the caller's own account, as the newest durable command left it.
import { Type } from "typebox";
import { ALERTS_KEPT } from "#core/alerts.ts";
import { alertTypes } from "#core/records.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

export const listAlerts = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: "/api/liquidity/alerts",
    access: "read:portfolio",
    summary: "The account's newest alerts, newest first",
    params: nothing,
    query: closed({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ALERTS_KEPT, default: 20 })),
    }),
    data: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          type: Type.Enum([...alertTypes]),
          message: Type.String(),
          timestamp: Type.Integer(),
        },
        { title: "Alert" },
      ),
    ),
    read: ({ caller, query: { limit = 20 } }) => ({
      data: ports.view
        .alertsOf(caller.account.id)
        .slice(-limit)
        .reverse()
        .map(({ id, type, message, atSeconds }) => ({ id, type, message, timestamp: atSeconds })),
    }),
  });
