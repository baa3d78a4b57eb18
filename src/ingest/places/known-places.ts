// The places of one series of files: numbered as releases brought them, and what is known of each.
// Invariant: a number, once given, is the same region and node for ever.
import { type NodeId, nodeId, type ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { addMonths, type Month } from "#base/month.ts";
import type { ChainLevel } from "#base/print-value.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { Rename } from "#core/settlement/held-place.ts";
import type { KnownNode, MonthRow } from "#prints/first-prints.ts";
import { type PackedRow, unpackRow } from "#prints/packed-row.ts";
import type { PrintRun } from "#prints/print-run.ts";
import type { DeliveredLatest } from "../latest.ts";
import type { ProviderRow } from "../sources/provider-file.ts";

/** The first prints of one place, wherever they are kept. */
interface NodePrints {
  take(run: PrintRun, release: ReleaseId): void;
  levelAt(month: Month): ChainLevel | null;
  /** The oldest month inside the chain. */
  chainStart(): Month | undefined;
}

/** Where first prints are shown from. */
export interface SeriesSink {
  open(index: IndexKind, node: NodeId): NodePrints;
  changed(): void;
  /** Another, of which nothing is shown. */
  apart(): SeriesSink;
}

/** Files that follow each other: each brings what the one before it did, and more. */
export interface SeriesOfFiles {
  readonly index: IndexKind;
  readonly level: string;
  readonly variable?: WeatherVariable | undefined;
}

export class KnownPlaces {
  readonly index: IndexKind;
  readonly level: string;
  readonly variable: WeatherVariable | undefined;
  readonly #sink: SeriesSink;
  readonly #nodes: NodeId[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #regionOf = new Map<NodeId, string>();
  readonly #prints: (NodePrints | undefined)[] = [];
  readonly #first: number;
  readonly #deliveries: DeliveredLatest[] = [];

  /** `first`: the number of the first place, where others come before these. */
  constructor({ index, level, variable }: SeriesOfFiles, sink: SeriesSink, first = 0) {
    this.index = index;
    this.level = level;
    this.variable = variable;
    this.#sink = sink;
    this.#first = first;
  }

  /** The number that the next place gets. */
  get count(): number {
    return this.#first + this.#nodes.length;
  }

  /** The deliveries that brought these places and their prints, oldest first. */
  get deliveries(): readonly DeliveredLatest[] {
    return this.#deliveries;
  }

  /** Adds the places of a block, as `placesText` wrote them. */
  add(places: string): void {
    for (const line of places === "" ? [] : places.split("\n")) {
      const [region = "", node = ""] = line.split("\t");
      this.#numbers.set(region, this.count);
      this.#nodes.push(nodeId(node));
      this.#regionOf.set(nodeId(node), region);
    }
  }

  /** From here on the place's region is `to`; the region before is no place's any more. */
  rename({ nodeId: node, from, to }: Pick<Rename, "nodeId" | "from" | "to">): void {
    const number = this.#numbers.get(from);
    if (number === undefined) return;
    this.#numbers.set(to, number);
    this.#regionOf.set(node, to);
  }

  /** After the last block of a delivery. */
  close(delivery: DeliveredLatest): void {
    this.#deliveries.push(delivery);
  }

  numberOf(region: string): number | undefined {
    return this.#numbers.get(region);
  }

  /** The row by the id that a release before had it under, where the provider has several. */
  named(row: ProviderRow): ProviderRow {
    if (row.otherIds === undefined || this.#numbers.has(row.regionId)) return row;
    const regionId = row.otherIds.find((id) => this.#numbers.has(id));
    return regionId === undefined ? row : { ...row, regionId };
  }

  nodeOf(place: number): NodeId | undefined {
    return this.#nodes[place - this.#first];
  }

  regionOf(node: NodeId): string | undefined {
    return this.#regionOf.get(node);
  }

  /** Where the first prints of a place are; it is shown from then on. */
  printsOf(place: number): NodePrints {
    const known = this.#prints[place];
    if (known !== undefined) return known;
    const node = this.nodeOf(place);
    if (node === undefined) throw new Error(`${this.index} has no place ${place}`);
    const prints = this.#sink.open(this.index, node);
    this.#prints[place] = prints;
    return prints;
  }

  /**
   * The input of `decideNode` for a place before it reads `row`. Levels are given where it reads:
   * at the chain's start, and from the last known chained month before the row's first new one.
   */
  known(place: number, latest: PackedRow, row: MonthRow): KnownNode {
    const { firstMonth, values } = unpackRow(latest);
    const prints = this.printsOf(place);
    const levels = new Array<ChainLevel | null>(values.length).fill(null);
    const start = prints.chainStart();
    // It lies before them where only the end of what is known is asked for.
    if (start !== undefined && start >= firstMonth) {
      levels[start - firstMonth] = prints.levelAt(start);
    }
    let isLinked = false;
    const firstNew = row.values.findIndex(
      (value, at) => value !== null && (values[row.firstMonth + at - firstMonth] ?? null) === null,
    );
    if (firstNew >= 0) {
      for (let at = values.length - 1; at >= 0; at -= 1) {
        const month = addMonths(firstMonth, at);
        if (isLinked && month < row.firstMonth + firstNew) break;
        if (values[at] === null) continue;
        const level = prints.levelAt(month);
        levels[at] = level;
        const isCarried = (row.values[month - row.firstMonth] ?? null) !== null;
        isLinked = month < row.firstMonth + firstNew && isCarried && level !== null;
      }
    }
    // A decision looks at the newest values only; first prints stay where they are.
    return { firstMonth, values, levels, latest: values };
  }

  /** All that is known of a place: to read it in several releases, one after the other. */
  wholeOf(place: number, latest: PackedRow): KnownNode {
    const { firstMonth, values } = unpackRow(latest);
    const prints = this.printsOf(place);
    const levels = values.map((value, at) =>
      value === null ? null : prints.levelAt(addMonths(firstMonth, at)),
    );
    return { firstMonth, values, levels, latest: values };
  }
}

/** Region and node, a line each. */
export const placesText = (places: readonly (readonly [string, NodeId])[]): string =>
  places.map(([region, node]) => `${region}\t${node}`).join("\n");
