// POST /api/admin/markets/:id/dispute-decision: two different operators, one decision.
// Invariant: an amendment names the value the provider first published, never a revision.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { amendedLevel } from "#core/settlement/resolve.ts";
import type { AttributionPorts } from "../attribution.ts";
import { invalidField, refuse } from "../errors.ts";
import { ResolutionShape, showResolution } from "../public/market-shape.ts";
import { admin, closed, type Route } from "../route.ts";

export const decideDispute = (ports: AttributionPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/markets/:id/dispute-decision",
    access: "operator",
    summary: "Proposes a decision on a dispute, or agrees to one",
    refusals: ["MARKET_NOT_FOUND", "DISPUTE_NONE", "DISPUTE_SAME_OPERATOR", "DISPUTE_DISAGREES"],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      decision: Type.Enum(["uphold", "amend"], { description: "uphold or amend" }),
      value: Type.Optional(Type.String({ maxLength: 40, description: "a decimal string" })),
      evidence: Type.Optional(
        Type.String({ maxLength: 2000, description: "text of at most 2000 characters" }),
      ),
    }),
    data: ResolutionShape,
    toCommand: ({ params, body }) => {
      const { decision, value, evidence = null } = body;
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      if (decision === "uphold" && value !== undefined) {
        return invalidField("value", "belongs to decision amend only");
      }
      const valueE15 = value === undefined ? undefined : parsePrintValue(value);
      if (decision === "amend" && (valueE15 === undefined || valueE15 <= 0n)) {
        return invalidField("value", 'must be a decimal string above 0, such as "301234.56"');
      }
      const { resolution } = market;
      if (valueE15 !== undefined && resolution !== null) {
        const isNone = amendedLevel(resolution, valueE15) === 0n;
        if (isNone) return invalidField("value", "is so small that its level in the chain is 0");
      }
      return {
        command: {
          type: "DecideDispute",
          marketId: market.id,
          decision,
          valueE15: valueE15 ?? null,
          evidence,
        },
      };
    },
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "MarketChanged");
      invariant(changed !== undefined, "a decision changes its market");
      return { data: showResolution(ports, changed.market) };
    },
  });
