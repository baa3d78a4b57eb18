// The newest first print of each series, and of each place whichever series it is of.
// Invariant: of a place with several series, the newest month wins.
import type { NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import { chainPointName } from "#core/names.ts";
import type { ChainPoint } from "#core/records.ts";

export class ChainPointsView {
  readonly #bySeries = new Map<string, ChainPoint>();
  readonly #byPlace = new Map<string, ChainPoint>();

  put(point: ChainPoint): void {
    const { index, nodeId, month } = point;
    this.#bySeries.set(chainPointName(index, nodeId, month), point);
    const name = `${index}|${nodeId}`;
    if ((this.#byPlace.get(name)?.month ?? month) <= month) this.#byPlace.set(name, point);
  }

  ofSeries(index: IndexKind, node: NodeId, month: Month): ChainPoint | undefined {
    return this.#bySeries.get(chainPointName(index, node, month));
  }

  ofPlace(index: string, node: NodeId): ChainPoint | undefined {
    return this.#byPlace.get(`${index}|${node}`);
  }
}
