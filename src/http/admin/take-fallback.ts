// POST /api/admin/markets/:id/fallback: the step that settles a market without a print.
// Invariant: the exchange draws the step from the prints; two people say only that it is taken.
import { Type } from "typebox";
import { fallbackOf } from "#quoting/fallback.ts";
import type { ReferenceData } from "#quoting/reference.ts";
import { refuse } from "../route/errors.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";
import { Reason } from "./reason.ts";

export const takeFallback = (ports: ReferenceData): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/markets/:id/fallback",
    access: "admin:settle",
    summary:
      "Proposes the fallback of its terms that applies to a market whose print is 60 days late",
    refusals: [
      "MARKET_NOT_FOUND",
      "MARKET_STATE",
      "FALLBACK_NOT_DUE",
      "FALLBACK_STEP",
      "CONFLICT_OF_INTEREST",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: closed({ reason: Reason }),
    data: Type.Object(Waiting),
    toCommand: ({ params, body: { reason } }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      const drawn = fallbackOf(ports, market);
      if (drawn === undefined) return refuse("FALLBACK_STEP");
      return { command: { type: "SettleByFallback", marketId: market.id, reason, ...drawn } };
    },
    render: ({ events }) => {
      const { proposal, status } = waitingIn(events);
      return { data: proposal, ...status };
    },
  });
