// The input of the vacancy and weather models for a place: its own record, and those of its level.
// Invariant: a function of the prints known now; a record has no hole, and ends at a first print.
import type { NodeId } from "#base/ids.ts";
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { addMonths, calendarMonth, type Month } from "#base/month.ts";
import { printNumber } from "#base/print-value.ts";
import { weatherSeriesAt } from "#contract/weather-series.ts";
import { climateRegionOf } from "#geo/climate-regions.ts";
import type { GeoNode } from "#geo/node.ts";
import type { GeoTree } from "#geo/tree.ts";
import { RAIN_YEARS } from "#pricing/constants.ts";
import { type QuarterlyRates, type VacancyGroup, vacancyGroupOf } from "#pricing/vacancy.ts";
import type { WeatherInput } from "#pricing/weather.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { SeriesView } from "#views/series.ts";
import { Cached } from "./cached.ts";

interface VacancyRecord {
  /** The newest first print. */
  readonly print: SeriesPoint;
  readonly rates: QuarterlyRates;
  /** The distribution over the places of its level. */
  readonly group: VacancyGroup | undefined;
}

interface WeatherRecord {
  /** The newest first print of the series that the month asked for belongs to. */
  readonly print: SeriesPoint;
  /** One print a year of that series, oldest first. */
  readonly years: readonly SeriesPoint[];
  readonly season: Omit<WeatherInput, "seasonsAhead">;
}

type LevelPrints = Pick<SeriesView, "version" | "nodes" | "newest" | "points">;

export class LevelReference {
  readonly #series: LevelPrints;
  readonly #geo: () => GeoTree;
  readonly #groups: Cached<VacancyGroup | undefined>;
  readonly #years: Cached<readonly SeriesPoint[]>;

  constructor(series: LevelPrints, geo: () => GeoTree) {
    this.#series = series;
    this.#geo = geo;
    this.#groups = new Cached(series);
    this.#years = new Cached(series);
  }

  /** The newest first print of what a month's contract settles on. */
  newest(index: IndexKind, node: NodeId, month: Month): SeriesPoint | undefined {
    return index === "weather"
      ? this.#yearsOf(node, month).at(-1)
      : this.#series.newest(index, node);
  }

  /** Undefined where the place has no prints. */
  vacancyOf(node: GeoNode): VacancyRecord | undefined {
    const quarters = this.#quarters(node.id);
    const print = quarters.at(-1);
    if (print === undefined) return undefined;
    const group = this.#groups.of(node.level, () => this.#groupOf(node.level));
    return { print, rates: valuesOf(quarters), group };
  }

  #groupOf(level: GeoNode["level"]): VacancyGroup | undefined {
    const geo = this.#geo();
    const peers = [...this.#series.nodes("vacancy")].filter((id) => geo.get(id)?.level === level);
    return vacancyGroupOf(peers.map((id) => valuesOf(this.#quarters(id))));
  }

  #quarters(node: NodeId): SeriesPoint[] {
    return unbroken(this.#series.points("vacancy", node), periodMonths.vacancy);
  }

  /** Undefined where no series ends in that month of the year, or the place has no prints of it. */
  weatherOf(node: GeoNode, month: Month): WeatherRecord | undefined {
    const series = weatherSeriesAt(month);
    const years = this.#yearsOf(node.id, month);
    const print = years.at(-1);
    if (series === undefined || print === undefined) return undefined;
    const geo = this.#geo();
    const others = climateRegionOf(node.stateCode).flatMap((code) => {
      const state = geo.get(`state:${code}`);
      if (state === undefined || state.id === node.id) return [];
      const known = this.#yearsOf(state.id, month).filter((year) => year.month <= print.month);
      return known.at(-1)?.month === print.month ? [known] : [];
    });
    const season = {
      kind: series.variable === "precipitation" ? "precipitation" : "temperature",
      values: valuesOf(years),
      region: [years, ...others].map(valuesOf),
    } as const;
    return { print, years, season };
  }

  /** As many as the longest of the models looks back. */
  #yearsOf(node: NodeId, month: Month): readonly SeriesPoint[] {
    const inYear = calendarMonth(month);
    return this.#years.of(`${node}|${inYear}`, () => {
      const newest = this.#series.newest("weather", node);
      if (newest === undefined) return [];
      const from = addMonths(newest.month, -periodMonths.weather * RAIN_YEARS);
      const points = this.#series.points("weather", node, from);
      const ofSeries = points.filter((point) => calendarMonth(point.month) === inYear);
      return unbroken(ofSeries, periodMonths.weather).slice(-RAIN_YEARS);
    });
  }
}

const valuesOf = (points: readonly SeriesPoint[]): number[] =>
  points.map(({ valueE15 }) => printNumber(valueE15));

/** The run that ends at the newest; what lies before a hole is left out rather than filled in. */
function unbroken(points: readonly SeriesPoint[], period: number): SeriesPoint[] {
  const newest = points.at(-1);
  if (newest === undefined) return [];
  let start = points.length - 1;
  while (
    start > 0 &&
    points[start - 1]?.month === newest.month - period * (points.length - start)
  ) {
    start -= 1;
  }
  return points.slice(start);
}
