// The input of the reference model for a place: its own series, its level, its state, the nation.
// Invariant: a function of the prints known now; what is kept between calls dies with new prints.
import type { NodeId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import { type GeoLevel, type GeoNode, geoLevels, nation } from "#geo/node.ts";
import type { GeoTree } from "#geo/tree.ts";
import type { HorizonTable, PricedIndex, PriceModel } from "#pricing/constants.ts";
import { type FeatureInput, growthOf, type RegionGrowth } from "#pricing/features.ts";
import {
  MIN_NATION_PLACES,
  MIN_STATE_PLACES,
  nationGrowthOf,
  stateGrowthOf,
} from "#pricing/region.ts";
import { type MonthlySeries, medianVolatility, seriesOf } from "#pricing/series.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { SeriesView } from "#views/series.ts";
import { Cached } from "./cached.ts";
import { LevelReference } from "./level-reference.ts";

/** Volatility is taken over 24 growths; what is older is not read. */
const VOLATILITY_MONTHS = 25;
/** Five years of growth are the longest look back of the model. */
const FEATURE_MONTHS = 61;
/** The finest level with enough places tells of a nation and of a state. */
const finestFirst = geoLevels.toReversed();

/** The first prints as a reference reads them: all there are, or those up to a month. */
export type Prints = Pick<SeriesView, "version" | "nodes" | "newest" | "points" | "chain">;

/** Listings and marks are made from it: the known places and prints, and the models over them. */
export interface MarketData {
  readonly exchange: Pick<ExchangeView, "geo" | "markets" | "releases">;
  readonly series: SeriesView;
  readonly reference: Reference;
}

/** The same beside all that a node shows. */
export interface ReferenceData extends MarketData {
  readonly exchange: ExchangeView;
}

interface Place {
  readonly node: GeoNode;
  readonly series: MonthlySeries;
  readonly growth: RegionGrowth | undefined;
}

export class Reference {
  readonly #series: Prints;
  readonly #geo: () => GeoTree;
  readonly #volatilities: Cached<number>;
  readonly #regions: Cached<RegionGrowth | undefined>;
  readonly #places: Cached<readonly Place[]>;
  readonly #nodes: Cached<readonly GeoNode[]>;
  /** Of each place that was asked for since the newest prints: its markets share one. */
  readonly #inputs: Cached<FeatureInput | undefined>;
  /** Vacancy and weather, whose models look at other things. */
  readonly levels: LevelReference;
  /** The model of declines. */
  readonly model: PriceModel;
  readonly #known: ((asOf: Month) => HorizonTable) | undefined;

  /** `known`: the model's constants as of a month, for a replay; production's where left out. */
  constructor(
    series: Prints,
    geo: () => GeoTree,
    model: PriceModel,
    known?: (asOf: Month) => HorizonTable,
  ) {
    this.model = model;
    this.#known = known;
    this.#series = series;
    this.#geo = geo;
    this.#volatilities = new Cached(series);
    this.#regions = new Cached(series);
    this.#places = new Cached(series);
    this.#nodes = new Cached(series);
    this.#inputs = new Cached(series);
    this.levels = new LevelReference(series, geo);
  }

  /** Undefined where the place has no prints, or its newest stands outside the chain. */
  inputOf(index: PricedIndex, node: GeoNode): FeatureInput | undefined {
    return this.#inputs.of(`${index}|${node.id}|${node.stateCode}`, () =>
      this.#inputNow(index, node),
    );
  }

  #inputNow(index: PricedIndex, node: GeoNode): FeatureInput | undefined {
    const series = this.#monthly(index, node.id, FEATURE_MONTHS);
    if (series === undefined) return undefined;
    const state = node.level === "state" ? undefined : this.#geo().stateOf(node);
    return {
      ...series,
      model: this.model,
      constants: this.#known?.(series.asOfMonth),
      index,
      level: node.level,
      vRef: this.#usualVolatility(index, node, series.asOfMonth),
      nation: this.#nationGrowth(index),
      state: state && this.#stateGrowth(index, state),
    };
  }

  #monthly(index: PricedIndex, node: NodeId, months: number): MonthlySeries | undefined {
    const newest = this.#series.newest(index, node);
    if (newest === undefined) return undefined;
    const series = seriesOf(this.#series.chain(index, node, addMonths(newest.month, 1 - months)));
    return series?.asOfMonth === newest.month ? series : undefined;
  }

  /** The median place's of the finest level with enough of them, else the nation's own row. */
  #nationGrowth(index: PricedIndex): RegionGrowth | undefined {
    return this.#regions.of(`${index}|${nation.id}`, () => {
      const places = finestFirst
        .map((level) => this.#placesOf(index, level))
        .find(({ length }) => length >= MIN_NATION_PLACES);
      return places === undefined
        ? this.#ownGrowth(index, nation.id)
        : nationGrowthOf(
            index,
            places.map(({ series }) => series),
          );
    });
  }

  /** Likewise of the levels below the state, else its own row, else of the few places there are. */
  #stateGrowth(index: PricedIndex, { id, stateCode }: GeoNode): RegionGrowth | undefined {
    return this.#regions.of(`${index}|${id}`, () => {
      const byLevel = finestFirst
        .filter((level) => level !== "state")
        .map((level) =>
          this.#placesOf(index, level).flatMap(({ node, growth }) =>
            node.stateCode === stateCode && growth !== undefined ? growth : [],
          ),
        );
      const enough = byLevel.find(({ length }) => length >= MIN_STATE_PLACES);
      if (enough !== undefined) return stateGrowthOf(enough);
      const few = byLevel.find(({ length }) => length > 0);
      return this.#ownGrowth(index, id) ?? (few && stateGrowthOf(few));
    });
  }

  #ownGrowth(index: PricedIndex, node: NodeId): RegionGrowth | undefined {
    const series = this.#monthly(index, node, FEATURE_MONTHS);
    return series && growthOf(index, series);
  }

  /** The places of a level with prints, each with its own growth. */
  #placesOf(index: PricedIndex, level: GeoLevel): readonly Place[] {
    return this.#places.of(`${index}|${level}`, () =>
      this.#nodesOfLevel(index, level).flatMap((node) => this.#placeNow(index, node) ?? []),
    );
  }

  #placeNow(index: PricedIndex, node: GeoNode): Place | undefined {
    const series = this.#monthly(index, node.id, FEATURE_MONTHS);
    return series && { node, series, growth: growthOf(index, series) };
  }

  /**
   * Prices of a level share what is taken over all of its places: of 3,142 counties half a second.
   * It is made here a place a step, before a price asks for it. New prints end it.
   */
  *sharedSteps(index: PricedIndex, level: GeoLevel): Generator<undefined> {
    const { version } = this.#series;
    for (const one of finestFirst) {
      if (this.#places.has(`${index}|${one}`)) continue;
      const places: Place[] = [];
      for (const node of this.#nodesOfLevel(index, one)) {
        const place = this.#placeNow(index, node);
        if (place !== undefined) places.push(place);
        yield undefined;
        if (this.#series.version !== version) return;
      }
      this.#places.of(`${index}|${one}`, () => places);
    }
    yield* this.#volatilitySteps(index, level, version);
  }

  *#volatilitySteps(index: PricedIndex, level: GeoLevel, version: number): Generator<undefined> {
    const nodes = this.#nodesOfLevel(index, level);
    const months = new Set(nodes.flatMap(({ id }) => this.#series.newest(index, id)?.month ?? []));
    for (const month of months) {
      const name = volatilityName(index, level, month);
      if (this.#volatilities.has(name)) continue;
      const peers: MonthlySeries[] = [];
      for (const node of nodes) {
        const peer = this.#peerOf(index, node, month);
        if (peer !== undefined) peers.push(peer);
        yield undefined;
        if (this.#series.version !== version) return;
      }
      this.#volatilities.of(name, () => medianVolatility(index, level, peers));
    }
  }

  /** The median over the places of its level that have a print of the same month. */
  #usualVolatility(index: PricedIndex, { level }: GeoNode, asOfMonth: Month): number {
    return this.#volatilities.of(volatilityName(index, level, asOfMonth), () => {
      const nodes = this.#nodesOfLevel(index, level);
      const peers = nodes.flatMap((peer) => this.#peerOf(index, peer, asOfMonth) ?? []);
      return medianVolatility(index, level, peers);
    });
  }

  /** Undefined where it has no print of the month. */
  #peerOf(index: PricedIndex, { id }: GeoNode, asOfMonth: Month): MonthlySeries | undefined {
    const from = addMonths(asOfMonth, 1 - VOLATILITY_MONTHS);
    const months = this.#series.chain(index, id, from);
    const series = seriesOf(months.filter(({ month }) => month <= asOfMonth));
    return series?.asOfMonth === asOfMonth ? series : undefined;
  }

  #nodesOfLevel(index: PricedIndex, level: GeoLevel): readonly GeoNode[] {
    return this.#nodes.of(`${index}|${level}`, () => {
      const geo = this.#geo();
      return [...this.#series.nodes(index)].flatMap((id) => {
        const node = geo.get(id);
        return node?.level === level ? node : [];
      });
    });
  }
}

const volatilityName = (index: PricedIndex, level: GeoLevel, asOfMonth: Month): string =>
  `${index}|${level}|${asOfMonth}`;
