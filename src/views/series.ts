// The first prints of every index and place, and the index value that is drawn from them.
// Invariant: a shown series ends exactly at the newest first print, whatever scales came before.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import {
  type ChainLevel,
  type PrintValue,
  printNumber,
  rescaledBaseline,
} from "#base/print-value.ts";
import { divHalfUp } from "#base/rounding.ts";
import { isChained } from "#prints/release.ts";
import { PrintColumns, PrintsOfNode, type SeriesPoint } from "./prints-of-node.ts";

interface IndexPoint {
  readonly month: string;
  readonly value: number;
}

export interface IndexValue {
  /** The newest first print, as the provider wrote it. */
  readonly value: number;
  /** Percent against the chained first print 12 months before; null where there is none above 0. */
  readonly yoy: number | null;
  readonly asOfMonth: string;
  /**
   * The chained first prints of the last 24 months, on the scale of the newest; of a series that is
   * printed once a year, the last 24 prints.
   */
  readonly series: readonly IndexPoint[];
  readonly releaseId: ReleaseId;
}

/** A month inside the chain; what the reference model reads. */
interface ChainedMonth {
  readonly month: Month;
  readonly levelE12: ChainLevel;
}

const SERIES_POINTS = 24;

/** How far back a series is shown: two years, or, of yearly windows, twenty-four. */
const seriesMonths = (index: IndexKind): number =>
  periodMonths[index] === 12 ? SERIES_POINTS * 12 : SERIES_POINTS;

/** True for releases to be seen: those of a date and before, say. */
type IsSeen = (release: ReleaseId) => boolean;

export class SeriesView {
  readonly #columns = new PrintColumns();
  readonly #prints = new Map<string, PrintsOfNode>();
  readonly #nodes = new Map<IndexKind, Set<NodeId>>();
  /**
   * The shown values of the newest month (47 µs, 2026-11), with the number of prints there were
   * then.
   */
  readonly #shown = new Map<string, { readonly size: number; readonly value: IndexValue }>();
  #version = 0;

  /** Takes the first prints of a durable release; months that are there already must agree. */
  extend(index: IndexKind, node: NodeId, points: Iterable<SeriesPoint>): void {
    let prints: PrintsOfNode | undefined;
    for (const point of points) {
      prints ??= this.open(index, node);
      prints.add(point);
    }
  }

  /** Where the prints of a place are collected; for who has at least one. */
  open(index: IndexKind, node: NodeId): PrintsOfNode {
    this.#version += 1;
    const name = nameOf(index, node);
    const known = this.#prints.get(name);
    if (known !== undefined) return known;
    const prints = new PrintsOfNode(this.#columns);
    this.#prints.set(name, prints);
    const nodes = this.#nodes.get(index) ?? new Set();
    this.#nodes.set(index, nodes.add(node));
    return prints;
  }

  /** To be called when prints were put where `open` said: what was computed is stale. */
  changed(): void {
    this.#version += 1;
  }

  /** An empty one: for prints that are looked at before they may be shown. */
  apart(): SeriesView {
    return new SeriesView();
  }

  /** Changes with every `extend`: whoever keeps what it computed knows when it is stale. */
  get version(): number {
    return this.#version;
  }

  /** Places with at least one print. */
  nodes(index: IndexKind): Iterable<NodeId> {
    return this.#nodes.get(index) ?? [];
  }

  /** All first prints, or those from a month on, oldest first; of all releases, or those seen. */
  points(index: IndexKind, node: NodeId, from?: Month, seen?: IsSeen): SeriesPoint[] {
    const points = this.#prints.get(nameOf(index, node))?.points(from) ?? [];
    return seen === undefined ? points : points.filter(({ releaseId }) => seen(releaseId));
  }

  /** The newest first print, or the newest up to `asOf`. */
  newest(index: IndexKind, node: NodeId, asOf?: Month): SeriesPoint | undefined {
    return this.#prints.get(nameOf(index, node))?.newest(asOf);
  }

  at(index: IndexKind, node: NodeId, month: Month): SeriesPoint | undefined {
    return this.#prints.get(nameOf(index, node))?.at(month);
  }

  /** The months inside the chain, or those from a month on, oldest first; a gap stays a gap. */
  chain(index: IndexKind, node: NodeId, from?: Month): ChainedMonth[] {
    return this.points(index, node, from).flatMap(({ month, levelE12 }) =>
      levelE12 === null ? [] : { month, levelE12 },
    );
  }

  /**
   * As of the newest first print, or of the newest up to the month `asOf`, in the releases `seen`:
   * with those published by a date, exactly what was answered on that date.
   */
  indexValue(index: IndexKind, node: NodeId, asOf?: Month, seen?: IsSeen): IndexValue | undefined {
    const name = nameOf(index, node);
    const size = this.#prints.get(name)?.size ?? 0;
    if (asOf !== undefined || seen !== undefined) {
      const points = this.points(index, node, undefined, seen);
      return drawn(
        index,
        asOf === undefined ? points : points.filter(({ month }) => month <= asOf),
      );
    }
    const shown = this.#shown.get(name);
    if (shown?.size === size) return shown.value;
    const newest = this.newest(index, node);
    if (newest === undefined) return undefined;
    const value = drawn(
      index,
      this.points(index, node, addMonths(newest.month, 1 - seriesMonths(index))),
    );
    if (value !== undefined) this.#shown.set(name, { size, value });
    return value;
  }
}

/** From rising points, of which the last is the value. */
function drawn(index: IndexKind, points: readonly SeriesPoint[]): IndexValue | undefined {
  const newest = points.at(-1);
  if (newest === undefined) return undefined;

  const scaled = points
    .filter(({ month }) => month > newest.month - seriesMonths(index))
    // Of weather, each month of the year is a series of its own.
    .filter(({ month }) => (newest.month - month) % periodMonths[index] === 0)
    .flatMap((point) => onScaleOf(newest, point, isChained(index)) ?? []);
  const yearAgo = addMonths(newest.month, -12);
  const before = scaled.find((point) => point.month === yearAgo)?.basis;
  const now = scaled.at(-1)?.basis;
  return {
    value: printNumber(newest.valueE15),
    yoy: now === undefined || before === undefined ? null : growthPercent(before, now),
    asOfMonth: formatMonth(newest.month),
    series: scaled.map((point) => ({
      month: formatMonth(point.month),
      value: printNumber(point.valueE15),
    })),
    releaseId: newest.releaseId,
  };
}

/** A month on the newest scale, and the exact integer that growth is taken of. */
interface ScaledPoint {
  readonly month: Month;
  readonly valueE15: PrintValue;
  readonly basis: bigint;
}

/** Undefined where no chain joins the two months: a newest print outside it stands alone. */
function onScaleOf(
  newest: SeriesPoint,
  point: SeriesPoint,
  chained: boolean,
): ScaledPoint | undefined {
  const { month, valueE15, levelE12 } = point;
  if (!chained) return { month, valueE15, basis: valueE15 };
  if (month === newest.month) return { month, valueE15, basis: levelE12 ?? valueE15 };
  if (levelE12 === null || newest.levelE12 === null) return undefined;
  return {
    month,
    valueE15: rescaledBaseline(newest.valueE15, levelE12, newest.levelE12),
    basis: levelE12,
  };
}

/** 100·(now/before − 1), two decimals, half away from zero; null where growth has no meaning. */
function growthPercent(before: bigint, now: bigint): number | null {
  if (before <= 0n) return null;
  return Number(divHalfUp((now - before) * 10_000n, before)) / 100;
}

const nameOf = (index: IndexKind, node: NodeId): string => `${index}|${node}`;
