// What the reference model is told of a place: its own series, its level, its state, the nation.
// Invariant: a function of the prints known now; what is kept between calls dies with new prints.
import type { NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { addMonths, type Month } from "#base/month.ts";
import { type GeoNode, nation } from "#geo/node.ts";
import type { GeoTree } from "#geo/tree.ts";
import type { PricedIndex } from "#pricing/constants.ts";
import { type FeatureInput, featuresOf, momentumOf, nationMomentumOf } from "#pricing/features.ts";
import { type MonthlySeries, medianVolatility, seriesOf } from "#pricing/series.ts";
import type { SeriesView } from "#views/series.ts";

/** Volatility is taken over 24 growths; what is older is not read. */
const VOLATILITY_MONTHS = 25;

export const isPriced = (index: IndexKind): index is PricedIndex =>
  index === "zhvi" || index === "zori";

export class Reference {
  readonly #series: SeriesView;
  readonly #geo: () => GeoTree;
  #version = -1;
  readonly #volatilities = new Map<string, number>();
  readonly #nationMomenta = new Map<PricedIndex, number | undefined>();

  constructor(series: SeriesView, geo: () => GeoTree) {
    this.#series = series;
    this.#geo = geo;
  }

  /** Undefined where the place has no prints, or its newest stands outside the chain. */
  inputOf(index: PricedIndex, node: GeoNode): FeatureInput | undefined {
    this.#forgetStale();
    const series = this.#monthly(index, node.id);
    if (series === undefined) return undefined;
    const state = node.level === "state" ? undefined : this.#geo().stateOf(node);
    return {
      ...series,
      index,
      level: node.level,
      vRef: this.#usualVolatility(index, node, series.asOfMonth),
      nationMomentum: this.#nationMomentum(index),
      stateMomentum: state === undefined ? undefined : this.#momentum(index, state.id),
      // Stands in only where there is no growth to measure yet.
      parentG60:
        state === undefined || series.logLevels.length > 1
          ? undefined
          : this.#longGrowth(index, state),
    };
  }

  #forgetStale(): void {
    if (this.#version === this.#series.version) return;
    this.#version = this.#series.version;
    this.#volatilities.clear();
    this.#nationMomenta.clear();
  }

  #monthly(index: PricedIndex, node: NodeId): MonthlySeries | undefined {
    const series = seriesOf(this.#series.chain(index, node));
    return series?.asOfMonth === this.#series.newest(index, node)?.month ? series : undefined;
  }

  #momentum(index: PricedIndex, node: NodeId): number | undefined {
    const series = this.#monthly(index, node);
    return series === undefined ? undefined : momentumOf(index, series);
  }

  #longGrowth(index: PricedIndex, state: GeoNode): number | undefined {
    const input = this.inputOf(index, state);
    return input === undefined ? undefined : featuresOf(input).g60;
  }

  /** Its own series where one is ingested, else the mean over the states with data. */
  #nationMomentum(index: PricedIndex): number | undefined {
    if (this.#nationMomenta.has(index)) return this.#nationMomenta.get(index);
    const momentum = this.#momentum(index, nation.id) ?? nationMomentumOf(this.#states(index));
    this.#nationMomenta.set(index, momentum);
    return momentum;
  }

  #states(index: PricedIndex): { momentum: number; housingUnits: number | undefined }[] {
    return this.#nodesOfLevel(index, "state").flatMap((state) => {
      const momentum = this.#momentum(index, state.id);
      const housingUnits = state.housingUnits === 0 ? undefined : state.housingUnits;
      return momentum === undefined ? [] : { momentum, housingUnits };
    });
  }

  /** The median over the places of its level that have a print of the same month. */
  #usualVolatility(index: PricedIndex, node: GeoNode, asOfMonth: Month): number {
    const name = `${index}|${node.level}|${asOfMonth}`;
    const known = this.#volatilities.get(name);
    if (known !== undefined) return known;
    const from = addMonths(asOfMonth, 1 - VOLATILITY_MONTHS);
    const peers = this.#nodesOfLevel(index, node.level).flatMap((peer) => {
      const months = this.#series.chain(index, peer.id, from);
      const series = seriesOf(months.filter(({ month }) => month <= asOfMonth));
      return series?.asOfMonth === asOfMonth ? series : [];
    });
    const volatility = medianVolatility(index, node.level, peers);
    this.#volatilities.set(name, volatility);
    return volatility;
  }

  #nodesOfLevel(index: PricedIndex, level: GeoNode["level"]): GeoNode[] {
    const geo = this.#geo();
    const nodes: GeoNode[] = [];
    for (const id of this.#series.nodes(index)) {
      const node = geo.get(id);
      if (node?.level === level) nodes.push(node);
    }
    return nodes;
  }
}
