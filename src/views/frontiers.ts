// The newest first print of each series, and of each place whichever series it is of.
// Invariant: of a place with several series, the newest month wins.
import type { NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import type { Frontier } from "#core/records.ts";
import { frontierName } from "#core/state.ts";

export class FrontiersView {
  readonly #bySeries = new Map<string, Frontier>();
  readonly #byPlace = new Map<string, Frontier>();

  put(frontier: Frontier): void {
    const { index, nodeId, month } = frontier;
    this.#bySeries.set(frontierName(index, nodeId, month), frontier);
    const name = `${index}|${nodeId}`;
    if ((this.#byPlace.get(name)?.month ?? month) <= month) this.#byPlace.set(name, frontier);
  }

  ofSeries(index: IndexKind, node: NodeId, month: Month): Frontier | undefined {
    return this.#bySeries.get(frontierName(index, node, month));
  }

  ofPlace(index: string, node: NodeId): Frontier | undefined {
    return this.#byPlace.get(`${index}|${node}`);
  }
}
