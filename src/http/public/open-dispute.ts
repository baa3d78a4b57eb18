// POST /api/markets/:id/disputes: somebody with a stake says that the resolution is wrong.
// Invariant: an open dispute stops the clock of the window; nothing pays meanwhile.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import type { AttributionPorts } from "../records/attribution.ts";
import { refuse } from "../route/errors.ts";
import { closed, type Route, trading } from "../route/route.ts";
import { ResolutionShape, showResolution } from "./market-shape.ts";

export const openDispute = (ports: AttributionPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/markets/:id/disputes",
    access: "create:orders",
    summary: "Disputes a resolution, under a bond that an amendment gives back",
    refusals: [
      "MARKET_NOT_FOUND",
      "DISPUTE_WINDOW_CLOSED",
      "DISPUTE_OPEN",
      "DISPUTE_NO_POSITION",
      "DISPUTE_REPEATED",
      "MARGIN_CALL",
      "IN_DEFAULT",
      "INSUFFICIENT_BALANCE",
    ],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        description: "text of 1 to 500 characters",
      }),
      evidence: Type.Optional(
        Type.String({ maxLength: 2000, description: "text of at most 2000 characters" }),
      ),
    }),
    data: ResolutionShape,
    toCommand: ({ params, body: { reason, evidence = null } }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      return { command: { type: "OpenDispute", marketId: market.id, reason, evidence } };
    },
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "MarketChanged");
      invariant(changed !== undefined, "a dispute changes its market");
      return { data: showResolution(ports, changed.market) };
    },
  });
