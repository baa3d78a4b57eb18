// GET /api/quotes, POST /api/quotes/bulk: reference prices, and the series they name.
// Invariant: what cannot be priced is refused with its reason; a price is never a firm offer.
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { type Static, Type } from "typebox";
import type { MarketId } from "#base/ids.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { least } from "#base/least.ts";
import { formatMonth, type Month, monthAt, monthEndMillis } from "#base/month.ts";
import { tickPrice } from "#base/price.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { formatLots, type Lots, lots } from "#base/quantity.ts";
import { measureOf } from "#contract/measure.ts";
import {
  formatSeriesId,
  isNegotiable,
  isSeries,
  isStandardSeries,
  type Series,
} from "#contract/series.ts";
import type { Baseline, Payoff } from "#contract/terms.ts";
import type { OfferedMarket } from "#core/mandate/offer.ts";
import type { Market } from "#core/records.ts";
import type { Engine } from "#engine/engine.ts";
import type { Asked } from "#quoting/asked.ts";
import { Cached } from "#quoting/cached.ts";
import { listingFor } from "#quoting/listing.ts";
import type { MarkedTerms } from "#quoting/marks.ts";
import { isIndicative, type Priced, priceOf, type Unpriced } from "#quoting/quote-price.ts";
import type { ReferenceData } from "#quoting/reference.ts";
import { type SellerMarginsUsd, sellerMarginsUsd } from "#quoting/seller-margin.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { errorTable, invalidField, type Refused, refuse } from "../route/errors.ts";
import { closed, nothing, publicData, type Response, type Route } from "../route/route.ts";
import { written } from "../server/written.ts";
import { askedOf, QuoteQuery } from "./quote-query.ts";

export interface QuotePorts extends ReferenceData, AttributionPorts {
  readonly engine: Pick<Engine, "status">;
}

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

const SellerMargins = Type.Object({
  basic: Type.Number(),
  standard: Type.Number(),
  institutional: Type.Number(),
});

const QuoteAnswer = Type.Object(
  {
    node: Type.String(),
    nodeName: Type.String(),
    index: Type.Enum([...indexKinds]),
    expiry: Type.String(),
    seriesMarketId: TextOrNull,
    rfq: Type.Boolean({
      description:
        "true where this is no standard series and no market yet: makers are asked for it with " +
        "POST /api/trading/rfqs, and an account's orders list only few such series",
    }),
    asOfMonth: Type.String(),
    payoutKind: Type.Enum(["layered", "binary"]),
    attachBps: NumberOrNull,
    exhaustBps: NumberOrNull,
    attachPct: NumberOrNull,
    exhaustPct: NumberOrNull,
    strikeBps: NumberOrNull,
    strikePct: NumberOrNull,
    comparator: Type.Union([Type.Enum(["gte", "lte"]), Type.Null()]),
    threshold: TextOrNull,
    unit: TextOrNull,
    definition: TextOrNull,
    horizonMonths: Type.Integer(),
    fairValue: Type.Number(),
    anyClaimProb: Type.Number(),
    fullLimitProb: Type.Number(),
    spreadBps: Type.Integer(),
    price: Type.Number(),
    limitPrice: Type.Number(),
    firm: Type.Union(
      [
        Type.Object({
          price: Type.Number({ description: "the highest price that any of it costs" }),
          amount: Type.String({ description: "contracts, at most those asked for; a decimal" }),
          asOfSequence: Type.Integer({ description: "the journal entry after which it is so" }),
        }),
        Type.Null(),
      ],
      { description: "what an order of this size would buy now; null where nobody sells" },
    ),
    contracts: Type.Number(),
    premiumUsd: Type.Number(),
    maxPayoutUsd: Type.Number(),
    sellerCollateralUsd: Type.Number(),
    sellerInitialMarginUsd: Type.Union([SellerMargins, Type.Null()]),
    deductibleUsd: NumberOrNull,
    impliedExposureUsd: NumberOrNull,
    usedDefaultVol: Type.Boolean(),
    indicative: Type.Boolean({
      description: "true beyond 36 months, which no record scores: quoted, and not listed",
    }),
    priceParts: Type.Object(
      {
        fairValue: Type.Number(),
        riskLoad: Type.Number(),
        carry: Type.Number(),
        bustLoad: Type.Number(),
        flatLoad: Type.Number(),
        dataQuality: Type.Number(),
      },
      { description: "per 1 of coverage; they add up to price, unless it is cut off at 1" },
    ),
    priceBasis: Type.Literal("reference-model"),
    note: Type.String(),
    attribution: Type.String(),
  },
  { title: "Quote" },
);

type QuoteData = Static<typeof QuoteAnswer>;

export function showQuote(ports: QuotePorts): Route {
  const quotes = new CachedQuotes(ports);
  return publicData.read({
    url: "/api/quotes",
    access: "public",
    isHot: true,
    summary: "A reference quote for downside protection",
    refusals: ["NOT_FOUND", "NO_INDEX_DATA", "INVALID_LAYER", "LAYER_NOT_SUPPORTED"],
    cost: 2,
    params: nothing,
    query: QuoteQuery,
    data: QuoteAnswer,
    read: ({ query }) => {
      const cached = quotes.of(query, textOf(query));
      return "refused" in cached ? cached : shown(ports, cached);
    },
  });
}

const MOST_QUOTES = 200;
const SLICE_MILLIS = 5;

const BulkQuote = Type.Object(
  {
    quote: Type.Union([QuoteAnswer, Type.Null()]),
    error: Type.Union([
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        field: Type.Union([Type.String(), Type.Null()]),
      }),
      Type.Null(),
    ]),
  },
  { title: "BulkQuote" },
);

/** Each is answered for itself: one that cannot be priced leaves the others as they are. */
export function quoteInBulk(ports: QuotePorts): Route {
  const quotes = new CachedQuotes(ports);
  return publicData.perform({
    method: "POST",
    isRead: true,
    url: "/api/quotes/bulk",
    access: "public",
    summary: "Reference quotes for up to 200 questions, each answered for itself, in their order",
    costOf: unitsOf,
    params: nothing,
    body: closed({ quotes: Type.Array(QuoteQuery, { minItems: 1, maxItems: MOST_QUOTES }) }),
    data: Type.Array(BulkQuote),
    perform: async ({ body }) => {
      const data: Static<typeof BulkQuote>[] = [];
      let began = performance.now();
      for (const query of body.quotes) {
        data.push(bulkQuote(ports, quotes.of(query)));
        if (performance.now() - began < SLICE_MILLIS) continue;
        await yieldToLoop();
        began = performance.now();
      }
      return { data };
    },
  });
}

/** A unit a quote; a body of another form is refused, and costs one. */
function unitsOf(body: unknown): number {
  if (typeof body !== "object" || body === null || !("quotes" in body)) return 1;
  const { quotes } = body;
  return Array.isArray(quotes) ? Math.min(Math.max(quotes.length, 1), MOST_QUOTES) : 1;
}

function bulkQuote(ports: QuotePorts, quoted: CachedQuote | Refused): Static<typeof BulkQuote> {
  if (!("refused" in quoted)) {
    const market = marketOf(ports, quoted);
    return { quote: answerOf(ports, quoted, market, firmOf(ports, quoted, market)), error: null };
  }
  const { code, message = errorTable[code].message, field = null, errors } = quoted.refused;
  const [first] = errors ?? [];
  return { quote: null, error: { code, message, field: field ?? first?.field ?? null } };
}

/** The part of a quote that follows from prints, places, rules and the month alone. */
interface CachedQuote {
  readonly asked: Asked;
  readonly priced: Priced;
  readonly series: Series;
  /** Null where there can be none. */
  readonly seriesId: MarketId | null;
  /** Contracts that makers are asked for, rather than waited for in a book of their own. */
  readonly isForMakers: boolean;
  readonly terms: MarkedTerms;
  /** With so many contracts open at the last marks. */
  margins: { readonly openLots: Lots | undefined; readonly usd: SellerMarginsUsd } | undefined;
  /** The answer while nobody sells: it is the same until its market changes. */
  written: { readonly market: string; readonly text: string; readonly tag: string } | undefined;
}

const MOST_CACHED = 4_096;

class CachedQuotes {
  readonly #ports: QuotePorts;
  readonly #quotes: Cached<CachedQuote | Refused>;
  #rules: unknown;

  constructor(ports: QuotePorts) {
    this.#ports = ports;
    this.#quotes = new Cached(ports.series, MOST_CACHED);
  }

  of(query: Static<typeof QuoteQuery>, text = JSON.stringify(query)): CachedQuote | Refused {
    const { exchange, engine } = this.#ports;
    const now = monthAt(engine.status().engineTimeMillis);
    if (this.#rules !== exchange.rules) this.#quotes.forget();
    this.#rules = exchange.rules;
    const name = `${now}|${exchange.geo.version}|${text}`;
    return this.#quotes.of(name, () => quotedNow(this.#ports, query, now));
  }
}

/** A query of an address that was asked before is the same object again. */
const texts = new WeakMap<object, string>();

function textOf(query: object): string {
  const known = texts.get(query);
  if (known !== undefined) return known;
  const text = JSON.stringify(query);
  texts.set(query, text);
  return text;
}

function quotedNow(
  ports: QuotePorts,
  query: Static<typeof QuoteQuery>,
  now: Month,
): CachedQuote | Refused {
  const asked = askedOf(ports.exchange.geo, query);
  if ("refused" in asked) return asked;
  const priced = priceOf(ports, asked, now);
  if ("unpriced" in priced) return refusalOf(priced);
  const { node, index, expiry: measurementMonth } = asked;
  const { print, payoff } = priced;
  const isLevel = payoff.kind === "level";
  const about = { index, nodeId: node.id, measurementMonth, payoff };
  const series = { ...about, baselineMonth: isLevel ? null : print.month };
  const isBeyondRecords = isIndicative(index, measurementMonth - print.month);
  return {
    asked,
    priced,
    series,
    seriesId: isSeries(series) ? formatSeriesId(series) : null,
    isForMakers: !isStandardSeries(series) && isNegotiable(series) && !isBeyondRecords,
    terms: { ...about, baseline: isLevel ? null : baselineOf(print) },
    margins: undefined,
    written: undefined,
  };
}

/** The market of the series that is quoted: it changes with orders and with time. */
interface MarketOfQuote {
  readonly id: MarketId | null;
  readonly listed: Market | undefined;
  /** Its makers are asked for it. */
  readonly isAskedFor: boolean;
}

function marketOf(ports: QuotePorts, cached: CachedQuote): MarketOfQuote {
  const { series, isForMakers } = cached;
  const id = listable(ports, cached);
  const listed = id === null ? undefined : ports.exchange.markets.get(id);
  return { id, listed, isAskedFor: isForMakers && isAhead(ports.engine, series) };
}

function shown(ports: QuotePorts, cached: CachedQuote): Response<QuoteData> {
  const market = marketOf(ports, cached);
  const firm = firmOf(ports, cached, market);
  if (firm !== null) return { data: answerOf(ports, cached, market, firm) };
  const { id, listed } = market;
  const name = [id, listed !== undefined, listed?.markedOpenLots, market.isAskedFor].join(" ");
  if (cached.written?.market !== name) {
    cached.written = { market: name, ...written(answerOf(ports, cached, market, null)) };
  }
  const { text, tag } = cached.written;
  return { text, tag, headers: {} };
}

/** Kept until other contracts are open: it takes longer than all else of a quote. */
function marginsOf(ports: QuotePorts, cached: CachedQuote, listed: Market | undefined) {
  const openLots = listed?.markedOpenLots;
  if (cached.margins === undefined || cached.margins.openLots !== openLots) {
    const { terms, priced } = cached;
    const usd = sellerMarginsUsd(ports, terms, priced.quote.maxPayoutUsd, listed);
    cached.margins = { openLots, usd };
  }
  return cached.margins.usd;
}

const refusalOf = ({ unpriced }: Unpriced): Refused =>
  unpriced.code === "INVALID_REQUEST"
    ? invalidField(unpriced.field, unpriced.message)
    : refuse(unpriced.code, { field: unpriced.field });

const baselineOf = ({ month, valueE15, levelE12, releaseId }: SeriesPoint): Baseline | null =>
  levelE12 === null ? null : { month, valueE15, levelE12, releaseId };

function answerOf(
  ports: QuotePorts,
  cached: CachedQuote,
  market: MarketOfQuote,
  firm: QuoteData["firm"],
): QuoteData {
  const { asked, priced } = cached;
  const { node, index, expiry } = asked;
  const { quote, print, payoff } = priced;
  const { id: seriesMarketId, listed } = market;
  return {
    node: node.id,
    nodeName: node.name,
    index,
    expiry: formatMonth(expiry),
    seriesMarketId,
    rfq: listed === undefined && market.isAskedFor,
    asOfMonth: formatMonth(print.month),
    payoutKind: payoff.kind === "layered" ? "layered" : "binary",
    ...layerFields(payoff),
    strikeBps: priced.strikeBps,
    strikePct: priced.strikeBps === null ? null : priced.strikeBps / 100,
    ...levelFields(asked, payoff),
    horizonMonths: expiry - print.month,
    fairValue: quote.fairValue,
    anyClaimProb: quote.anyClaimProb,
    fullLimitProb: quote.fullLimitProb,
    spreadBps: quote.spreadBps,
    price: quote.price,
    limitPrice: tickPrice(quote.limitTick),
    firm,
    contracts: quote.maxPayoutUsd,
    premiumUsd: cents(quote.premiumUsd) / 100,
    maxPayoutUsd: quote.maxPayoutUsd,
    sellerCollateralUsd: (cents(quote.maxPayoutUsd) - cents(quote.premiumUsd)) / 100,
    sellerInitialMarginUsd: marginsOf(ports, cached, listed) ?? null,
    deductibleUsd: "deductibleUsd" in quote ? cents(quote.deductibleUsd) / 100 : null,
    impliedExposureUsd:
      "impliedExposureUsd" in quote ? cents(quote.impliedExposureUsd) / 100 : null,
    usedDefaultVol: priced.usedDefaultVol,
    indicative: isIndicative(index, expiry - print.month),
    priceParts: quote.parts,
    priceBasis: "reference-model",
    note: noteOf(cached, market),
    attribution: attributionOfRelease(ports, print.releaseId),
  };
}

/** Nobody reads from a quote how much a maker could carry beyond it. */
const MOST_FIRM_LOTS = lots(100_000_000n);

/** Resting orders and mandates, as an order of so many contracts would meet them. */
function firmOf(
  ports: QuotePorts,
  { priced }: CachedQuote,
  { id: seriesMarketId }: MarketOfQuote,
): QuoteData["firm"] {
  if (seriesMarketId === null) return null;
  const { exchange, engine } = ports;
  const known = exchange.marketByAnyId(seriesMarketId);
  if (known === undefined && !exchange.hasMandates) return null;
  const contracts = priced.quote.maxPayoutUsd;
  const { engineTimeMillis, durableSequence } = engine.status();
  const market = known ?? listedAs(ports, seriesMarketId);
  if (market === undefined) return null;
  const wanted = least(lots(BigInt(Math.round(contracts * 100))), MOST_FIRM_LOTS);
  const bought = exchange.buys(market, wanted, engineTimeMillis);
  return bought === undefined
    ? null
    : {
        price: tickPrice(bought.tick),
        amount: formatLots(bought.lots),
        asOfSequence: durableSequence,
      };
}

function listedAs(ports: QuotePorts, id: string): OfferedMarket | undefined {
  const listing = listingFor(ports, id);
  return listing === undefined ? undefined : { ...listing, id: listing.marketId };
}

function layerFields(payoff: Payoff) {
  if (payoff.kind !== "layered") {
    return { attachBps: null, exhaustBps: null, attachPct: null, exhaustPct: null };
  }
  const { attachBps, exhaustBps } = payoff;
  return { attachBps, exhaustBps, attachPct: attachBps / 100, exhaustPct: exhaustBps / 100 };
}

/** The base that the month's first print is compared with, where it is a level. */
function levelFields(asked: Asked, payoff: Payoff) {
  const measure = measureOf(asked.index, asked.expiry);
  if (payoff.kind !== "level" || measure === undefined) {
    return { comparator: null, threshold: null, unit: null, definition: null };
  }
  const { comparator, thresholdE15 } = payoff;
  const { unit, definition } = measure;
  return { comparator, threshold: formatPrintValue(thresholdE15), unit, definition };
}

/** The series an order may name now: standard, and listed or still to be listed. */
function listable(
  { exchange, engine }: QuotePorts,
  { seriesId, series, priced }: CachedQuote,
): MarketId | null {
  if (seriesId === null || exchange.markets.has(seriesId)) return seriesId;
  const { index, measurementMonth } = series;
  if (isIndicative(index, measurementMonth - priced.print.month)) return null;
  return isAhead(engine, series) ? seriesId : null;
}

const isAhead = (engine: QuotePorts["engine"], { measurementMonth }: Series): boolean =>
  monthEndMillis(measurementMonth) > engine.status().engineTimeMillis;

function noteOf({ priced, series }: CachedQuote, market: MarketOfQuote): string {
  const { id: seriesMarketId } = market;
  const basis = [priced.remark, "A reference price of the model, not a firm quote."];
  const told = basis.filter((part) => part !== null).join(" ");
  if (seriesMarketId !== null) {
    return `${told} To accept, buy outcome 0 of ${seriesMarketId} at limitPrice or better.`;
  }
  if (isIndicative(series.index, series.measurementMonth - priced.print.month)) {
    return `${told} Indicative: no record scores more than 36 months ahead, and none is listed.`;
  }
  if (isSeries(series)) {
    return `${told} The measurement month is over, so no series can be listed for it.`;
  }
  const asked = market.isAskedFor ? " Ask makers with POST /api/trading/rfqs." : "";
  return `${told} Indicative: ${listedFor[series.index]}.${asked}`;
}

const declines = "series exist for 2-10, 5-15, 8-20 % and whole-percent strikes";
const listedFor: Readonly<Record<IndexKind, string>> = {
  zhvi: declines,
  zori: declines,
  vacancy: "series exist for whole-percent rates",
  weather: "series exist for thresholds the provider could print, below 10000",
};

/** Whole cents, half up; the sums of the quote are taken in cents, so that they add up. */
const cents = (usd: number): number => Math.round(usd * 100);
