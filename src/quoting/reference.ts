// The input of the reference model for a place: its own series, its level, its state, the nation.
// Invariant: a function of the prints known now; what is kept between calls dies with new prints.
import type { NodeId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import { type GeoLevel, type GeoNode, geoLevels, nation } from "#geo/node.ts";
import type { GeoTree } from "#geo/tree.ts";
import type { PricedIndex } from "#pricing/constants.ts";
import { type FeatureInput, featuresOf, meanMomentumOf, momentumOf } from "#pricing/features.ts";
import { type MonthlySeries, medianVolatility, seriesOf } from "#pricing/series.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { SeriesView } from "#views/series.ts";
import { Cached } from "./cached.ts";
import { LevelReference } from "./level-reference.ts";

/** Volatility is taken over 24 growths; what is older is not read. */
const VOLATILITY_MONTHS = 25;
/** Five years of growth are the longest look back of the model. */
const FEATURE_MONTHS = 61;
/** A year's growth is the longest of momentum. */
const MOMENTUM_MONTHS = 13;

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

export class Reference {
  readonly #series: SeriesView;
  readonly #geo: () => GeoTree;
  readonly #volatilities: Cached<number>;
  readonly #momenta: Cached<number | undefined>;
  readonly #nodes: Cached<readonly GeoNode[]>;
  /** Of each place that was asked for since the newest prints: its markets share one. */
  readonly #inputs: Cached<FeatureInput | undefined>;
  /** Vacancy and weather, whose models look at other things. */
  readonly levels: LevelReference;

  constructor(series: SeriesView, geo: () => GeoTree) {
    this.#series = series;
    this.#geo = geo;
    this.#volatilities = new Cached(series);
    this.#momenta = new Cached(series);
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
      index,
      level: node.level,
      vRef: this.#usualVolatility(index, node, series.asOfMonth),
      nationMomentum: this.#nationMomentum(index),
      stateMomentum: state === undefined ? undefined : this.#stateMomentum(index, state),
      // Stands in only where there is no growth to measure yet.
      parentG60:
        state === undefined || series.logLevels.length > 1
          ? undefined
          : this.#longGrowth(index, state),
    };
  }

  #monthly(index: PricedIndex, node: NodeId, months: number): MonthlySeries | undefined {
    const newest = this.#series.newest(index, node);
    if (newest === undefined) return undefined;
    const series = seriesOf(this.#series.chain(index, node, addMonths(newest.month, 1 - months)));
    return series?.asOfMonth === newest.month ? series : undefined;
  }

  #longGrowth(index: PricedIndex, state: GeoNode): number | undefined {
    const input = this.inputOf(index, state);
    return input === undefined ? undefined : featuresOf(input).g60;
  }

  #nationMomentum(index: PricedIndex): number | undefined {
    return this.#momenta.of(
      `${index}|${nation.id}`,
      () => this.#ownMomentum(index, nation.id) ?? this.#momentumBelow(index, geoLevels),
    );
  }

  #stateMomentum(index: PricedIndex, { id, stateCode }: GeoNode): number | undefined {
    return this.#momenta.of(
      `${index}|${id}`,
      () =>
        this.#ownMomentum(index, id) ?? this.#momentumBelow(index, geoLevels.slice(1), stateCode),
    );
  }

  #ownMomentum(index: PricedIndex, node: NodeId): number | undefined {
    const series = this.#monthly(index, node, MOMENTUM_MONTHS);
    return series === undefined ? undefined : momentumOf(index, series);
  }

  /** The mean over the nearest of these levels that has data, of the nation or of one state. */
  #momentumBelow(
    index: PricedIndex,
    levels: readonly GeoLevel[],
    stateCode?: string,
  ): number | undefined {
    for (const level of levels) {
      const places = this.#nodesOfLevel(index, level).flatMap((node) => {
        if (stateCode !== undefined && node.stateCode !== stateCode) return [];
        const momentum = this.#ownMomentum(index, node.id);
        const housingUnits = node.housingUnits === 0 ? undefined : node.housingUnits;
        return momentum === undefined ? [] : { momentum, housingUnits };
      });
      if (places.length > 0) return meanMomentumOf(places);
    }
    return undefined;
  }

  /** The median over the places of its level that have a print of the same month. */
  #usualVolatility(index: PricedIndex, { level }: GeoNode, asOfMonth: Month): number {
    return this.#volatilities.of(`${index}|${level}|${asOfMonth}`, () => {
      const from = addMonths(asOfMonth, 1 - VOLATILITY_MONTHS);
      const peers = this.#nodesOfLevel(index, level).flatMap((peer) => {
        const months = this.#series.chain(index, peer.id, from);
        const series = seriesOf(months.filter(({ month }) => month <= asOfMonth));
        return series?.asOfMonth === asOfMonth ? series : [];
      });
      return medianVolatility(index, level, peers);
    });
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
