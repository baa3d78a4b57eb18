// How the models' old forecasts stand against the first prints that came since: drawn from the
// prints alone, of the newest months that came as releases.
// Invariant: a forecast reads no print of a later month than its origin; the record is a function
// of the prints, so every node with the same prints shows the same one.
import type { NodeId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import { type GeoLevel, type GeoNode, geoLevels } from "#geo/node.ts";
import { horizons } from "#pricing/backtest/run.ts";
import { type Scores, scoredLayers, Tally } from "#pricing/backtest/score.ts";
import {
  type PricedIndex,
  type PriceModel,
  priceModels,
  RECORDED_CARRY,
} from "#pricing/constants.ts";
import { distributionOf } from "#pricing/distribution.ts";
import type { FeatureInput } from "#pricing/features.ts";
import { loadsOf } from "#pricing/loads.ts";
import { outlookOf } from "#pricing/mark.ts";
import { quoteFrom } from "#pricing/quote.ts";
import type { SeriesView } from "#views/series.ts";
import { type MarketData, type Prints, Reference } from "./reference.ts";

/** A model at a horizon, over the outcomes of the months scored. */
export interface LiveScores {
  readonly index: PricedIndex;
  readonly level: GeoLevel;
  readonly model: PriceModel;
  readonly horizonMonths: number;
  /** The months whose prints were foretold. */
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  /** Of the pairs, those whose origin was itself a first print; the others' history was revised. */
  readonly knownThen: number;
  readonly scores: Scores;
}

const indices: readonly PricedIndex[] = ["zhvi", "zori"];
/** The newest months that are scored, and the places of a level: the record stays this large. */
export const LIVE_MONTHS = 12;
export const LIVE_PLACES = 200;

interface Tallied extends Omit<LiveScores, "scores" | "firstMonth" | "lastMonth" | "knownThen"> {
  readonly tally: Tally;
  readonly months: Month[];
  known: number;
}

export class LiveRecord {
  readonly #data: Pick<MarketData, "exchange" | "series">;

  constructor(data: Pick<MarketData, "exchange" | "series">) {
    this.#data = data;
  }

  /** Drawn in steps of a month and a horizon, so that other things can be done between them. */
  *drawn(): Generator<undefined, readonly LiveScores[]> {
    const tallied = new Map<string, Tallied>();
    for (const index of indices) {
      const places = this.#places(index);
      const newest = this.#newestOf(index, places);
      for (const [month, horizon] of outcomesUpTo(newest)) {
        this.#score(tallied, index, places, month, horizon);
        yield;
      }
    }
    return [...tallied.values()].flatMap(shown);
  }

  /** Spread evenly over each level, in the order of the ids. */
  #places(index: PricedIndex): readonly GeoNode[] {
    const { exchange, series } = this.#data;
    const nodes = [...series.nodes(index)].toSorted().flatMap((id) => exchange.geo.get(id) ?? []);
    return geoLevels.flatMap((level) => {
      const ofLevel = nodes.filter((node) => node.level === level);
      const step = Math.max(1, ofLevel.length / LIVE_PLACES);
      const count = Math.min(ofLevel.length, LIVE_PLACES);
      return Array.from({ length: count }, (_, at) => ofLevel[Math.floor(at * step)] ?? []).flat();
    });
  }

  #newestOf(index: PricedIndex, places: readonly GeoNode[]): Month | undefined {
    const months = places.flatMap(({ id }) => this.#data.series.newest(index, id)?.month ?? []);
    return months.reduce<Month | undefined>(
      (newest, month) => (newest === undefined || month > newest ? month : newest),
      undefined,
    );
  }

  #score(
    tallied: Map<string, Tallied>,
    index: PricedIndex,
    places: readonly GeoNode[],
    month: Month,
    horizonMonths: number,
  ): void {
    const { exchange, series } = this.#data;
    const origin = addMonths(month, -horizonMonths);
    const reference = new Reference(upTo(series, origin), () => exchange.geo, "hmr-t4r");
    for (const node of places) {
      const outcome = this.#outcome(index, node.id, origin, month);
      if (outcome === undefined) continue;
      const input = reference.inputOf(index, node);
      if (input?.asOfMonth !== origin) continue;
      for (const model of priceModels) {
        const one = talliedOf(tallied, { index, level: node.level, model, horizonMonths });
        if (one.months.at(-1) !== month) one.months.push(month);
        one.tally.add(foretold({ ...input, model }, node, horizonMonths), outcome.logChange);
        one.known += outcome.knownThen ? 1 : 0;
      }
    }
  }

  /** Undefined where one of the prints is not in the chain, or the later came with a history. */
  #outcome(index: PricedIndex, id: NodeId, origin: Month, month: Month) {
    const [from, to] = [
      this.#data.series.at(index, id, origin),
      this.#data.series.at(index, id, month),
    ];
    if (from === undefined || from.levelE12 === null) return undefined;
    if (to === undefined || to.levelE12 === null || to.backfill) return undefined;
    const logChange = Math.log(Number(to.levelE12)) - Math.log(Number(from.levelE12));
    return { logChange, knownThen: !from.backfill };
  }
}

/** The newest months, oldest first, each at every horizon. */
const outcomesUpTo = (newest: Month | undefined): readonly (readonly [Month, number])[] =>
  newest === undefined
    ? []
    : Array.from({ length: LIVE_MONTHS }, (_, at) =>
        addMonths(newest, at + 1 - LIVE_MONTHS),
      ).flatMap((month) => horizons.map((horizon) => [month, horizon] as const));

/** The prints as they were when `month` was the newest. */
const upTo = (series: SeriesView, month: Month): Prints => ({
  version: 0,
  nodes: (index) => series.nodes(index),
  newest: (index, id) => series.newest(index, id, month),
  points: (index, id, from) => series.points(index, id, from).filter((one) => one.month <= month),
  chain: (index, id, from) => series.chain(index, id, from).filter((one) => one.month <= month),
});

function talliedOf(
  tallied: Map<string, Tallied>,
  of: Omit<Tallied, "tally" | "months" | "known">,
): Tallied {
  const name = `${of.index}|${of.level}|${of.model}|${of.horizonMonths}`;
  const one = tallied.get(name) ?? { ...of, tally: new Tally(), months: [], known: 0 };
  tallied.set(name, one);
  return one;
}

/** The quote of that month without add-ons. */
function foretold(input: FeatureInput, { stateCode }: GeoNode, horizonMonths: number) {
  const distribution = distributionOf(outlookOf(input, horizonMonths));
  const prices = scoredLayers.map((payoff) => {
    const contract = { node: input, horizonMonths, accruedLogChange: 0, payoff };
    const size = {
      coverageUsd: 1,
      dataQualityBps: 0,
      loads: loadsOf(contract, stateCode, RECORDED_CARRY),
    };
    return quoteFrom(distribution, horizonMonths / 12, payoff, size).price;
  });
  return { family: "model", distribution, prices } as const;
}

function shown({ tally, months, known, ...of }: Tallied): LiveScores | [] {
  const [firstMonth, lastMonth] = [months.at(0), months.at(-1)];
  if (firstMonth === undefined || lastMonth === undefined) return [];
  return { ...of, firstMonth, lastMonth, knownThen: known, scores: tally.scores() };
}
