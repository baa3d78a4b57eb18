// GET /api/quotes: what protection would cost by the reference model, and the series it names.
// Invariant: what cannot be priced is refused with its reason; a price is never a firm offer.
import { type Static, Type } from "typebox";
import { parseDecimal } from "#base/decimal.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { formatMonth, type Month, monthAt, monthEndMillis, parseMonth } from "#base/month.ts";
import { tickPrice } from "#base/price.ts";
import { type DeclinePayoff, formatSeriesId, isStandard } from "#contract/series.ts";
import type { Engine } from "#engine/engine.ts";
import type { GeoNode } from "#geo/node.ts";
import { type FeatureInput, featuresOf } from "#pricing/features.ts";
import {
  type BinaryQuote,
  dataQualityAddOnBps,
  type LayeredQuote,
  quoteBinary,
  quoteLayered,
  type Refusal,
} from "#pricing/quote.ts";
import { type AttributionPorts, attributionOfPlace } from "../attribution.ts";
import { invalidField, type Refused, refuse } from "../errors.ts";
import type { Knowledge } from "../listing.ts";
import { isPriced } from "../reference.ts";
import { closed, nothing, publicData, type Route } from "../route.ts";

export interface QuotePorts extends Knowledge, AttributionPorts {
  readonly engine: Pick<Engine, "status">;
}

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

const QuoteAnswer = Type.Object(
  {
    node: Type.String(),
    nodeName: Type.String(),
    index: Type.Enum([...indexKinds]),
    expiry: Type.String(),
    seriesMarketId: Type.Union([Type.String(), Type.Null()]),
    asOfMonth: Type.String(),
    payoutKind: Type.Enum(["layered", "binary"]),
    attachBps: NumberOrNull,
    exhaustBps: NumberOrNull,
    attachPct: NumberOrNull,
    exhaustPct: NumberOrNull,
    strikeBps: NumberOrNull,
    strikePct: NumberOrNull,
    horizonMonths: Type.Integer(),
    fairValue: Type.Number(),
    anyClaimProb: Type.Number(),
    fullLimitProb: Type.Number(),
    spreadBps: Type.Integer(),
    price: Type.Number(),
    limitPrice: Type.Number(),
    contracts: Type.Number(),
    premiumUsd: Type.Number(),
    maxPayoutUsd: Type.Number(),
    sellerCollateralUsd: Type.Number(),
    deductibleUsd: NumberOrNull,
    impliedExposureUsd: NumberOrNull,
    usedDefaultVol: Type.Boolean(),
    priceBasis: Type.Literal("reference-model"),
    note: Type.String(),
    attribution: Type.String(),
  },
  { title: "Quote" },
);

const Bps = Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }));

const QuoteQuery = closed({
  node: Type.String(),
  expiry: Type.String(),
  notional: Type.Number({ minimum: 1, maximum: 1_000_000_000 }),
  kind: Type.Optional(Type.Enum(["binary", "layered"])),
  attachBps: Bps,
  exhaustBps: Bps,
  strikeBps: Bps,
  index: Type.Optional(Type.Enum([...indexKinds])),
});

type Query = Static<typeof QuoteQuery>;
type Answer = Static<typeof QuoteAnswer>;

export const showQuote = (ports: QuotePorts): Route =>
  publicData.read({
    url: "/api/quotes",
    access: "public",
    summary: "A reference quote for downside protection",
    refusals: ["NOT_FOUND", "NO_INDEX_DATA", "INVALID_LAYER", "LAYER_NOT_SUPPORTED"],
    cost: 2,
    params: nothing,
    query: QuoteQuery,
    data: QuoteAnswer,
    read: ({ query }) => {
      const asked = askedOf(ports, query);
      if ("refused" in asked) return asked;
      const data = quoteFor(ports, asked);
      return "refused" in data ? data : { data };
    },
  });

/** A request that is well formed; whether there is data and a model for it is another matter. */
interface Asked {
  readonly node: GeoNode;
  readonly index: IndexKind;
  readonly expiry: Month;
  readonly coverageUsd: number;
  readonly payoff: DeclinePayoff;
}

function askedOf({ exchange }: QuotePorts, query: Query): Asked | Refused {
  const expiry = parseMonth(query.expiry);
  if (expiry === undefined) return invalidField("expiry", "must be a month written YYYY-MM");
  if (parseDecimal(String(query.notional), 2) === undefined) {
    return invalidField("notional", "must have at most 2 decimals");
  }
  const index = query.index ?? "zhvi";
  const payoff = query.kind === "layered" ? layerOf(query, index) : strikeOf(query);
  if ("refused" in payoff) return payoff;
  const node = exchange.geo.get(query.node);
  if (node === undefined) return refuse("NOT_FOUND", { message: "No such place", field: "node" });
  return { node, index, expiry, coverageUsd: query.notional, payoff };
}

/** An exhaustion that is not above the attachment is INVALID_LAYER, whatever the two are. */
function layerOf(query: Query, index: IndexKind): DeclinePayoff | Refused {
  const { attachBps, exhaustBps } = query;
  if (!isPriced(index)) return refuse("LAYER_NOT_SUPPORTED", { field: "kind" });
  if (attachBps === undefined) return invalidField("attachBps", "is required for kind=layered");
  if (exhaustBps === undefined) return invalidField("exhaustBps", "is required for kind=layered");
  if (exhaustBps <= attachBps) return refuse("INVALID_LAYER", { field: "exhaustBps" });
  if (attachBps < 0) return invalidField("attachBps", "must be from 0 to 9999");
  if (exhaustBps > 10_000) return invalidField("exhaustBps", "must be at most 10000");
  return { kind: "layered", attachBps, exhaustBps };
}

function strikeOf({ strikeBps }: Query): DeclinePayoff | Refused {
  if (strikeBps === undefined) return invalidField("strikeBps", "is required unless kind=layered");
  if (strikeBps < 1 || strikeBps > 9_999) {
    return invalidField("strikeBps", "must be from 1 to 9999");
  }
  return { kind: "binary", strikeBps };
}

function quoteFor(ports: QuotePorts, asked: Asked): Answer | Refused {
  const { node, index, expiry, payoff, coverageUsd } = asked;
  const input = isPriced(index) ? ports.reference.inputOf(index, node) : undefined;
  if (input === undefined) return refuse("NO_INDEX_DATA");
  const { asOfMonth, level } = input;
  if (expiry <= asOfMonth) {
    return invalidField("expiry", `must be after ${formatMonth(asOfMonth)}, the newest print`);
  }

  const features = featuresOf(input);
  const horizonMonths = expiry - asOfMonth;
  const { usedDefaultVol } = features;
  const asOfAgeMonths = monthAt(ports.engine.status().engineTimeMillis) - asOfMonth;
  const quality = { index: input.index, level, usedDefaultVol, payoff, asOfAgeMonths };
  const size = { coverageUsd, dataQualityBps: dataQualityAddOnBps(quality) };
  const outlook = { index: input.index, level, features, asOfMonth, horizonMonths };
  const result =
    payoff.kind === "layered"
      ? quoteLayered(outlook, payoff, size)
      : quoteBinary(outlook, payoff.strikeBps, size);
  if (result.status === "refused") return unpriced(result.refusal);
  return answerOf(ports, asked, input, { ...result.quote, horizonMonths, usedDefaultVol });
}

function unpriced(refusal: Refusal): Refused {
  switch (refusal.code) {
    case "HORIZON_OUT_OF_RANGE": {
      const { minMonths, maxMonths } = refusal;
      return invalidField(
        "expiry",
        `must be ${minMonths} to ${maxMonths} months after the newest print`,
      );
    }
    case "INVALID_LAYER":
      return refuse("INVALID_LAYER");
    case "INVALID_STRIKE":
      return invalidField("strikeBps", "must be from 1 to 9999");
  }
}

type Priced = (BinaryQuote | LayeredQuote) & {
  readonly horizonMonths: number;
  readonly usedDefaultVol: boolean;
};

function answerOf(ports: QuotePorts, asked: Asked, input: FeatureInput, quote: Priced): Answer {
  const { node, index, expiry, payoff } = asked;
  const seriesMarketId = seriesOf(ports, asked, input.asOfMonth);
  return {
    node: node.id,
    nodeName: node.name,
    index,
    expiry: formatMonth(expiry),
    seriesMarketId,
    asOfMonth: formatMonth(input.asOfMonth),
    payoutKind: payoff.kind,
    ...payoffFields(payoff),
    horizonMonths: quote.horizonMonths,
    fairValue: quote.fairValue,
    anyClaimProb: quote.anyClaimProb,
    fullLimitProb: quote.fullLimitProb,
    spreadBps: quote.spreadBps,
    price: quote.price,
    limitPrice: tickPrice(quote.limitTick),
    contracts: quote.maxPayoutUsd,
    premiumUsd: cents(quote.premiumUsd) / 100,
    maxPayoutUsd: quote.maxPayoutUsd,
    sellerCollateralUsd: (cents(quote.maxPayoutUsd) - cents(quote.premiumUsd)) / 100,
    deductibleUsd: "deductibleUsd" in quote ? cents(quote.deductibleUsd) / 100 : null,
    impliedExposureUsd:
      "impliedExposureUsd" in quote ? cents(quote.impliedExposureUsd) / 100 : null,
    usedDefaultVol: quote.usedDefaultVol,
    priceBasis: "reference-model",
    note: noteOf(seriesMarketId, payoff),
    attribution: attributionOfPlace(ports, index, node.id),
  };
}

function payoffFields(payoff: DeclinePayoff) {
  const none = { attachBps: null, exhaustBps: null, attachPct: null, exhaustPct: null };
  if (payoff.kind === "binary") {
    return { ...none, strikeBps: payoff.strikeBps, strikePct: payoff.strikeBps / 100 };
  }
  const { attachBps, exhaustBps } = payoff;
  return {
    attachBps,
    exhaustBps,
    attachPct: attachBps / 100,
    exhaustPct: exhaustBps / 100,
    strikeBps: null,
    strikePct: null,
  };
}

/** The series an order may name now: standard, and listed or still to be listed. */
function seriesOf(
  { exchange, engine }: QuotePorts,
  { index, node, expiry, payoff }: Asked,
  asOfMonth: Month,
): string | null {
  if (!isStandard(payoff)) return null;
  const id = formatSeriesId({
    index,
    nodeId: node.id,
    baselineMonth: asOfMonth,
    measurementMonth: expiry,
    payoff,
  });
  return exchange.markets.has(id) || monthEndMillis(expiry) > engine.status().engineTimeMillis
    ? id
    : null;
}

function noteOf(seriesMarketId: string | null, payoff: DeclinePayoff): string {
  const basis = "A reference price of the model, not a firm quote.";
  if (seriesMarketId !== null) {
    return `${basis} To accept, buy outcome 0 of ${seriesMarketId} at limitPrice or better.`;
  }
  return isStandard(payoff)
    ? `${basis} The measurement month is over, so no series can be listed for it.`
    : `${basis} Indicative: series exist for 2-10, 5-15, 8-20 % and whole-percent strikes.`;
}

/** Whole cents, half up; the sums of the quote are taken in cents, so that they add up. */
const cents = (usd: number): number => Math.round(usd * 100);
