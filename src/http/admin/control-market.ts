// POST /api/admin/markets/:id/pause, …/resume and …/cancel.
// Invariant: a paused market takes cancels only; a cancelled one has reversed every payment.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { formatMicros } from "#base/money.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { refuse } from "../errors.ts";
import { admin, closed, type Route } from "../route.ts";
import { Reason } from "./reason.ts";

interface ControlPorts {
  readonly exchange: ExchangeView;
}

const controls = {
  pause: "PauseMarket",
  resume: "ResumeMarket",
  cancel: "CancelMarket",
} as const;

const summaries = {
  pause: "Pauses a market: it takes cancels only",
  resume: "Resumes a paused market",
  cancel: "Voids a market: every payment in it is reversed",
} as const;

const controlRoute = (ports: ControlPorts, verb: keyof typeof controls): Route =>
  admin.write({
    method: "POST",
    url: `/api/admin/markets/:id/${verb}`,
    access: "operator",
    summary: summaries[verb],
    refusals: ["MARKET_NOT_FOUND", "MARKET_STATE"],
    params: Type.Object({ id: Type.String() }),
    body: closed({ reason: Reason }),
    data: Type.Object({
      id: Type.String(),
      frontendId: Type.String(),
      status: Type.String(),
      reason: Type.String(),
      shortfall: Type.String(),
      updatedAt: Type.String(),
    }),
    toCommand: ({ params, body: { reason } }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      return { command: { type: controls[verb], marketId: market.id, reason } };
    },
    render: ({ events }, { body }) => {
      const changed = events.findLast((event) => event.type === "MarketChanged");
      invariant(changed !== undefined, `a ${verb} changes its market`);
      const { id, frontendId, status, shortfallMicros, updatedAtMillis } = changed.market;
      return {
        data: {
          id,
          frontendId,
          status,
          reason: body.reason,
          shortfall: formatMicros(shortfallMicros),
          updatedAt: new Date(updatedAtMillis).toISOString(),
        },
      };
    },
  });

export const pauseMarket = (ports: ControlPorts): Route => controlRoute(ports, "pause");
export const resumeMarket = (ports: ControlPorts): Route => controlRoute(ports, "resume");
export const cancelMarket = (ports: ControlPorts): Route => controlRoute(ports, "cancel");
