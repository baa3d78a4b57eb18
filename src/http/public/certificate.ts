// GET /api/trading/certificates/:marketId: what settled a market, with all it takes to check it.
// Invariant: a certificate is a reading of durable records; its entry is the one that decided, and
// its checkpoint is signed over a journal that holds the entry.
import { type Static, Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import type { MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { Payoff } from "#contract/terms.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { AcceptedRelease, Market, Resolution } from "#core/records.ts";
import { fallbackShown } from "#core/settlement/fallback-step.ts";
import type { History } from "#engine/engine.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { InclusionProof, inclusionOf } from "../records/inclusion.ts";
import { refuse } from "../route/errors.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import { FallbackShape, marketStatuses } from "./market-shape.ts";

export interface CertificatePorts extends AttributionPorts {
  readonly history: Pick<History, "touching" | "entry" | "checkpoint" | "log">;
}

/** A first print, exactly, and its level in the chain. */
const Print = Type.Object({
  month: Type.String(),
  value: Type.String({ description: "as published, a decimal" }),
  level: Type.Union([Type.String(), Type.Null()], {
    description: "of the chained first print, 12 decimals; null outside the chain",
  }),
});

/** Where a decline is counted from: a first print, and the release that carried it. */
const Baseline = Type.Object({
  ...Print.properties,
  releaseId: Type.String({ description: "the release that first carried it" }),
});

const Certificate = Type.Object(
  {
    marketId: Type.String(),
    frontendId: Type.String(),
    status: Type.Enum([...marketStatuses]),
    terms: Type.Object({
      hash: Type.String({ description: "SHA-256 over the terms" }),
      index: Type.String(),
      geoNodeId: Type.String(),
      measurementMonth: Type.String(),
      payoff: Type.Record(Type.String(), Type.Unknown()),
      baseline: Type.Union([Baseline, Type.Null()]),
      methodologyVersion: Type.String(),
      rounding: Type.String(),
      fallback: Type.String(),
      successor: Type.Union([Type.String(), Type.Null()]),
      expectedAtMillis: Type.Integer({
        description: "when the print was expected, milliseconds since 1970",
      }),
    }),
    outcome: Type.Enum(["YES", "NO"]),
    payoutFraction: Type.Number(),
    settled: Type.Object({ month: Type.String(), value: Type.String() }),
    comparisonValue: Type.String(),
    link: Type.Union([Print, Type.Null()], {
      description: "where the settling print hangs, as its own release gives it",
    }),
    fallback: Type.Union([FallbackShape, Type.Null()]),
    release: Type.Object({
      id: Type.String(),
      provider: Type.String(),
      sha256: Type.String({ description: "of the provider's file, unpacked" }),
      publishedAt: Type.Integer(),
      ingestedAt: Type.Integer(),
      methodologyVersion: Type.String(),
    }),
    resolvedAt: Type.Integer(),
    disputeWindowEndsAt: Type.Integer(),
    finalizedAt: Type.Union([Type.Integer(), Type.Null()]),
    entry: Type.Object({
      sequence: Type.Integer({ description: "the journal entry that decided" }),
      hash: Type.String(),
      inclusion: Type.Union([InclusionProof, Type.Null()], {
        description: "of its hash in the transparency log; null for a moment after the decision",
      }),
    }),
    checkpoint: Type.Union([
      Type.Object({ note: Type.String(), verifierKey: Type.String() }),
      Type.Null(),
    ]),
    attribution: Type.String(),
  },
  { title: "Certificate" },
);

export const showCertificate = (ports: CertificatePorts): Route =>
  trading.read({
    url: "/api/trading/certificates/:marketId",
    access: "read:oracle",
    summary: "Shows how a market settled, with everything needed to check it",
    refusals: ["MARKET_NOT_FOUND", "MARKET_STATE", "OVERLOADED"],
    params: Type.Object({ marketId: Type.String({ maxLength: 200 }) }),
    query: nothing,
    data: Certificate,
    read: async ({ params }) => {
      const market = ports.exchange.marketByAnyId(params.marketId);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      const { resolution } = market;
      if (resolution === null) {
        return refuse("MARKET_STATE", {
          message: "The market is not resolved yet; its certificate exists once it is",
        });
      }
      return { data: await certificateOf(ports, market, resolution) };
    },
  });

async function certificateOf(
  ports: CertificatePorts,
  market: Market,
  resolution: Resolution,
): Promise<Static<typeof Certificate>> {
  const { terms } = market;
  const { link } = resolution;
  const release = ports.exchange.releases.get(resolution.releaseId);
  invariant(release !== undefined, `release ${resolution.releaseId} settled a market`);
  return {
    marketId: market.id,
    frontendId: market.frontendId,
    status: market.status,
    terms: {
      hash: market.termsHash,
      index: terms.index,
      geoNodeId: terms.nodeId,
      measurementMonth: formatMonth(terms.measurementMonth),
      payoff: payoffShown(terms.payoff),
      baseline: terms.baseline === null ? null : baselineShown(terms.baseline),
      methodologyVersion: terms.methodologyVersion,
      rounding: terms.rounding,
      fallback: terms.fallback,
      successor: terms.successor,
      expectedAtMillis: terms.expectedAtMillis,
    },
    outcome: resolution.outcome,
    payoutFraction: resolution.payoutMillionths / 1_000_000,
    settled: {
      month: formatMonth(terms.measurementMonth),
      value: formatPrintValue(resolution.settledValueE15),
    },
    comparisonValue: formatPrintValue(resolution.comparisonValueE15),
    link: link === null ? null : printShown(link),
    fallback: resolution.fallback === undefined ? null : fallbackShown(resolution.fallback),
    release: releaseShown(release),
    resolvedAt: seconds(resolution.resolvedAtMillis),
    disputeWindowEndsAt: seconds(resolution.disputeWindowEndsAtMillis),
    finalizedAt:
      resolution.finalizedAtMillis === null ? null : seconds(resolution.finalizedAtMillis),
    entry: await decidingEntry(ports, market.id, resolution),
    checkpoint: ports.history.checkpoint() ?? null,
    attribution: attributionOfRelease(ports, resolution.releaseId),
  };
}

function payoffShown(payoff: Payoff): Record<string, unknown> {
  if (payoff.kind !== "level") return { ...payoff };
  const { kind, comparator, thresholdE15 } = payoff;
  return { kind, comparator, threshold: formatPrintValue(thresholdE15) };
}

type TermsBaseline = NonNullable<Market["terms"]["baseline"]>;
type ShownPrint = Pick<TermsBaseline, "month" | "valueE15" | "levelE12">;

const printShown = ({ month, valueE15, levelE12 }: ShownPrint): Static<typeof Print> => ({
  month: formatMonth(month),
  value: formatPrintValue(valueE15),
  level: formatDecimal(levelE12, 12),
});

const baselineShown = (baseline: TermsBaseline): Static<typeof Baseline> => ({
  ...printShown(baseline),
  releaseId: baseline.releaseId,
});

const releaseShown = (release: AcceptedRelease) => ({
  id: release.id,
  provider: release.provider,
  sha256: release.sha256,
  publishedAt: seconds(release.publishedAtMillis),
  ingestedAt: seconds(release.ingestedAtMillis),
  methodologyVersion: release.methodologyVersion,
});

const seconds = (millis: number): number => Math.floor(millis / 1000);

const SLICE = 20;

/** The entry that gave the market this resolution: its release's, or that of an amendment. */
async function decidingEntry(
  { history }: CertificatePorts,
  market: MarketId,
  resolution: Resolution,
): Promise<Static<typeof Certificate>["entry"]> {
  let before = Number.MAX_SAFE_INTEGER;
  let decided: Entry | undefined;
  for (;;) {
    const range = { subjects: [market], after: 0, before, order: "newest" } as const;
    const entries = await history.touching(range, SLICE);
    for (const entry of entries) {
      const after = resolutionAfter(entry, market);
      if (after === undefined) continue;
      // Newest first: the oldest in an unbroken row is the one that decided.
      if (after?.settledValueE15 === resolution.settledValueE15) decided = entry;
      else if (decided !== undefined) return linked(history, decided);
    }
    const last = entries.at(-1);
    invariant(last !== undefined, `an entry resolved ${market}`);
    before = last.sequence;
  }
}

/** Undefined where the entry did not change the market. */
function resolutionAfter({ outcome }: Entry, market: MarketId): Resolution | null | undefined {
  if (isRejected(outcome)) return undefined;
  for (const event of outcome.events.toReversed()) {
    if (event.type === "MarketChanged" && event.market.id === market) {
      return event.market.resolution;
    }
    // Nobody trades in a market that is resolved.
    if (event.type === "MarketTraded" && event.marketId === market) return null;
  }
  return undefined;
}

async function linked(history: CertificatePorts["history"], { sequence }: Entry) {
  const chained = await history.entry(sequence);
  invariant(chained !== undefined, `entry ${sequence} is durable`);
  const inclusion = await inclusionOf(history.log(), sequence);
  return { sequence, hash: chained.hash, inclusion };
}
