// POST /api/admin/markets/:id/dispute-decision: two different people, one decision.
// Invariant: an amendment names the value the provider first published, never a revision.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { type PrintValue, parsePrintValue } from "#base/print-value.ts";
import { weatherSeriesAt } from "#contract/weather-series.ts";
import type { Market } from "#core/records.ts";
import { amendedLevel } from "#core/settlement/dispute.ts";
import { wordIn } from "#core/words/told.ts";
import type { ReleaseIntakePort } from "../ports.ts";
import { ResolutionShape, showResolution } from "../public/market-shape.ts";
import type { AttributionPorts } from "../records/attribution.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { revisionOf } from "./revision.ts";

type DecisionPorts = AttributionPorts & { readonly releases: ReleaseIntakePort };

export const decideDispute = (ports: DecisionPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/markets/:id/dispute-decision",
    access: "admin:settle",
    summary: "Says how a dispute is decided; two people who say the same decide it",
    refusals: [
      "CONFLICT_OF_INTEREST",
      "MARKET_NOT_FOUND",
      "DISPUTE_NONE",
      "DISPUTE_AMEND_REVISION",
      "DISPUTE_AMEND_FALLBACK",
      "DISPUTE_SAME_OPERATOR",
    ],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      decision: Type.Enum(["uphold", "amend"], { description: "uphold or amend" }),
      value: Type.Optional(
        Type.String({
          maxLength: 40,
          description: "a decimal string; none where a fallback settled the market",
        }),
      ),
      evidence: Type.Optional(
        Type.String({ maxLength: 2000, description: "text of at most 2000 characters" }),
      ),
    }),
    data: ResolutionShape,
    toCommand: async ({ params, body }) => {
      const { decision, value: text, evidence = null } = body;
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      if (decision === "uphold" && text !== undefined) {
        return invalidField("value", "belongs to decision amend only");
      }
      const undoes = market.resolution?.fallback !== undefined && text === undefined;
      const value = decision === "amend" && !undoes ? readValue(market, text) : null;
      if (value !== null && typeof value === "object") return value;
      const revisedIn = value === null ? undefined : await revisionOf(ports, market, value);
      const revision = revisedIn === undefined ? {} : { revisedIn };
      const { id: marketId } = market;
      const command = { type: "DecideDispute", marketId, decision, valueE15: value } as const;
      return { command: { ...command, evidence, ...revision } };
    },
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "MarketChanged");
      const word = wordIn("open", events)?.command;
      const waiting =
        word?.type === "DecideDispute" ? ports.exchange.markets.get(word.marketId) : undefined;
      const market = changed?.market ?? waiting;
      invariant(market !== undefined, "a decision is a word, or changes its market");
      return { data: showResolution(ports, market) };
    },
  });

/**
 * The values an index can have: no home value or rent is 0, rainfall is 0 or more, a temperature
 * may be below 0.
 */
function readValue(market: Market, text: string | undefined): PrintValue | Refused {
  const value = text === undefined ? undefined : parsePrintValue(text);
  const { index, measurementMonth } = market.terms;
  const isPrice = index === "zhvi" || index === "zori";
  const isTemperature =
    index === "weather" && weatherSeriesAt(measurementMonth)?.variable === "temperature";
  if (value === undefined || (isPrice && value <= 0n)) {
    const least = isPrice ? "a decimal string above 0" : "a decimal string";
    return invalidField("value", `must be ${least}, such as "301234.56"`);
  }
  if (value < 0n && !isTemperature) return invalidField("value", "must not be below 0");
  const { resolution } = market;
  const isNone = resolution !== null && amendedLevel(resolution, value) === 0n;
  return isNone ? invalidField("value", "is so small that its level in the chain is 0") : value;
}
