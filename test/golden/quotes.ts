// Reference quotes and marks to their last digit, of made-up prints of every index.
// Invariant: a function of the code and of the Math of the Node it runs on; the prints are whole
// numbers drawn from a seed, so that nothing else can differ.
import assert from "node:assert/strict";
import { nodeId, releaseId } from "#base/ids.ts";
import { type IndexKind, indexKinds, periodMonths } from "#base/index-kind.ts";
import { addMonths, formatMonth } from "#base/month.ts";
import { type ChainLevel, chainLevel, firstLevel, printValue } from "#base/print-value.ts";
import type { Payoff, Terms } from "#contract/terms.ts";
import { State } from "#core/state.ts";
import type { GeoNode } from "#geo/node.ts";
import { builtInStates } from "#geo/states.ts";
import { askedOf } from "#http/public/quote-query.ts";
import { DEFAULT_PRICE_MODEL } from "#pricing/constants.ts";
import { marksFor } from "#quoting/marks.ts";
import { priceOf } from "#quoting/quote-price.ts";
import { Reference, type ReferenceData } from "#quoting/reference.ts";
import { Dice } from "#test/core/dice.ts";
import { month } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";

const NEWEST = month("2024-09");
const NOW = month("2024-12");
const horizons = [1, 6, 10, 21, 22, 36];
const states = builtInStates.slice(0, 10);

/** The prints of a state: how much of it, how often, from where, by steps of at most. */
const printed: Readonly<
  Record<IndexKind, { count: number; every: number; unitE15: bigint; start: number; step: number }>
> = {
  zhvi: { count: 75, every: periodMonths.zhvi, unitE15: 10n ** 15n, start: 250_000, step: 3_500 },
  zori: { count: 40, every: periodMonths.zori, unitE15: 10n ** 15n, start: 1_500, step: 18 },
  vacancy: { count: 30, every: periodMonths.vacancy, unitE15: 10n ** 14n, start: 72, step: 9 },
  weather: { count: 12 * 35, every: 1, unitE15: 10n ** 15n, start: 300, step: 40 },
};

const smaller = (id: string, level: "county" | "zip"): GeoNode => ({
  id: nodeId(id),
  level,
  name: id,
  stateCode: states[0]?.stateCode ?? "",
  fips: null,
  aliases: [],
  parentIds: [],
  housingUnits: 10_000,
  active: true,
  providerIds: [],
});

/** The zip is young: the model falls back on its level and its state. */
const places = [smaller("county:01001", "county"), smaller("zip:35004", "zip")];

function print(series: SeriesView, index: IndexKind, node: GeoNode, seed: number): void {
  const dice = new Dice(seed);
  const { every, unitE15, start, step } = printed[index];
  const count = node.level === "zip" ? 7 : printed[index].count;
  const isChained = index === "zhvi" || index === "zori";
  let whole = start;
  let before = printValue(BigInt(start) * unitE15);
  let level: ChainLevel = firstLevel;
  const points = Array.from({ length: count }, (_, at) => {
    whole = Math.max(1, whole + dice.below(2 * step + 1) - step);
    const valueE15 = printValue(BigInt(whole) * unitE15);
    level = chainLevel(level, valueE15, before);
    before = valueE15;
    return {
      month: addMonths(NEWEST, every * (at + 1 - count)),
      valueE15,
      levelE12: isChained ? level : null,
      releaseId: releaseId("rel-1"),
      backfill: true,
    };
  });
  series.extend(index, node.id, points);
}

function known(): ReferenceData {
  const exchange = ExchangeView.from(new State());
  const series = new SeriesView();
  for (const node of places) exchange.geo.put(node);
  for (const [kind, index] of indexKinds.entries()) {
    for (const [at, node] of [...states, ...places].entries()) {
      print(series, index, node, 1_000 * kind + at);
    }
  }
  const reference = new Reference(series, () => exchange.geo, DEFAULT_PRICE_MODEL);
  return { exchange, series, reference };
}

const layered = (attachBps: number, exhaustBps: number): Payoff => ({
  kind: "layered",
  attachBps,
  exhaustBps,
});
const binary = (strikeBps: number): Payoff => ({ kind: "binary", strikeBps });
const level = (comparator: "gte" | "lte", whole: number): Payoff => ({
  kind: "level",
  comparator,
  thresholdE15: printValue(BigInt(whole) * 10n ** 15n),
});

const payoffs: Readonly<Record<IndexKind, readonly Payoff[]>> = {
  zhvi: [layered(200, 1_000), layered(750, 2_000), binary(500), level("lte", 240_000)],
  zori: [layered(500, 1_500), binary(100), level("gte", 1_510)],
  vacancy: [level("gte", 8), level("lte", 6)],
  weather: [level("gte", 310), level("lte", 270)],
};

/** The answer to a client who asks, without what is not of the model. */
function quoteOf(referenceData: ReferenceData, { index, payoff, nodeId, measurementMonth }: Terms) {
  // Of a chained index a level has a mark and no quote.
  if (payoff.kind === "level" && (index === "zhvi" || index === "zori")) return null;
  const expiry = formatMonth(measurementMonth);
  const common = { node: nodeId, notional: 12_345.67, index, expiry };
  const asked = askedOf(
    referenceData.exchange.geo,
    payoff.kind === "level"
      ? {
          ...common,
          comparator: payoff.comparator,
          threshold: String(payoff.thresholdE15 / 10n ** 15n),
        }
      : { ...common, ...payoff },
  );
  assert.ok(!("refused" in asked), `${nodeId} ${expiry} may be asked for`);
  const priced = priceOf(referenceData, asked, NOW);
  return "unpriced" in priced ? priced.unpriced.code : priced.quote;
}

/** A line a question: what is asked, the quote and the marks; every digit that JSON has. */
export function* quoteLines(): Generator<string> {
  const referenceData = known();
  for (const { id: nodeId } of [...states.slice(0, 3), ...places]) {
    for (const index of indexKinds) {
      const newest = referenceData.series.newest(index, nodeId);
      assert.ok(newest !== undefined);
      const { levelE12 } = newest;
      for (const months of horizons) {
        const measurementMonth = addMonths(NEWEST, months);
        for (const payoff of payoffs[index]) {
          const isLevel = payoff.kind === "level";
          const terms: Terms = {
            index,
            nodeId,
            measurementMonth,
            payoff,
            baseline: isLevel || levelE12 === null ? null : { ...newest, levelE12 },
            rounding: "payout-millionths-down",
            fallback: "fallbacks-1",
            successor: null,
            methodologyVersion: "1",
            expectedAtMillis: 0,
          };
          const told = [quoteOf(referenceData, terms), marksFor(referenceData, terms) ?? null];
          const how = Object.values(payoff).join(" ");
          yield `${index} ${nodeId} ${months} ${how} ${JSON.stringify(told)}`;
        }
      }
    }
  }
}
