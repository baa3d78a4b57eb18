// A held place as an operator reads it: why it is held, its prints, and what they would settle.
// Invariant: what a place would settle is foretold by the rule that settles; nothing is shown of a
// held print anywhere else.
import { type Static, Type } from "typebox";
import type { IndexKind } from "#base/index-kind.ts";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { Observation, OperatorName } from "#core/records.ts";
import type { HeldPlace } from "#core/settlement/held-place.ts";
import { wouldSettle } from "#core/settlement/would-settle.ts";
import { placeSubject } from "#core/words/word.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";

const FULL_MILLIONTHS = 1_000_000;

export const WouldSettle = Type.Array(
  Type.Object({
    marketId: Type.String(),
    frontendId: Type.String(),
    nodeId: Type.String(),
    month: Type.String(),
    payoutFraction: Type.Union([Type.Number(), Type.Null()], {
      description: "of the coverage, to longs; null: no chain leads to the print, and it waits on",
    }),
  }),
  { description: "markets that wait for these prints, and what each would pay by them" },
);

export const showWouldSettle = (
  { markets }: Pick<ExchangeView, "markets">,
  index: IndexKind,
  prints: readonly Observation[],
): Static<typeof WouldSettle> =>
  wouldSettle(markets, index, prints).map(({ market, settlement }) => ({
    marketId: market.id,
    frontendId: market.frontendId,
    nodeId: market.terms.nodeId,
    month: formatMonth(market.terms.measurementMonth),
    payoutFraction:
      settlement === undefined ? null : Number(settlement.payoutMillionths) / FULL_MILLIONTHS,
  }));

export const HeldPlaceRecord = Type.Object(
  {
    nodeId: Type.String(),
    regionId: Type.String({ description: "the provider's" }),
    renamedFrom: Type.Union([Type.String(), Type.Null()], {
      description: "not held: the provider's id before, in a map that waits for its second word",
    }),
    releaseId: Type.String({ description: "the earliest release undecided for the place" }),
    index: Type.String(),
    level: Type.String(),
    variable: Type.Union([Type.String(), Type.Null()]),
    status: Type.Enum(["held", "released", "rejected"]),
    heldAt: Type.String(),
    reasons: Type.Array(Type.String()),
    approvedBy: Type.Array(Type.String()),
    prints: Type.Array(
      Type.Object({ month: Type.String(), value: Type.String(), backfill: Type.Boolean() }),
      { description: "what the release carries of the place and nobody is shown" },
    ),
    wouldSettle: WouldSettle,
    attribution: Type.String(),
  },
  { title: "HeldPlace" },
);

export type HeldPlacePorts = AttributionPorts & { readonly exchange: ExchangeView };

export const heldPlaceRecord = (
  ports: HeldPlacePorts,
  place: HeldPlace,
  status: "held" | "released" | "rejected" = "held",
  approvedBy: readonly OperatorName[] = ports.exchange
    .wordsAbout(placeSubject(place.releaseId, place.nodeId))
    .map(({ by }) => by),
): Static<typeof HeldPlaceRecord> => ({
  nodeId: place.nodeId,
  regionId: place.regionId,
  renamedFrom: place.renamed?.from ?? null,
  releaseId: place.releaseId,
  index: place.index,
  level: place.level,
  variable: place.variable ?? null,
  status,
  heldAt: new Date(place.heldAtMillis).toISOString(),
  reasons: place.reasons.map(({ code, message }) => `${code}: ${message}`),
  approvedBy: [...approvedBy],
  prints: place.observations.map(({ month, valueE15, backfill }) => ({
    month: formatMonth(month),
    value: formatPrintValue(valueE15),
    backfill,
  })),
  wouldSettle:
    status === "held" ? showWouldSettle(ports.exchange, place.index, place.observations) : [],
  attribution: attributionOfRelease(ports, place.releaseId),
});
