// Mandates by the places they name, so that an order meets those of its own place and no others.
// Invariant: drawn from the records; of one place they are told in order of price, then rank.
import type { MandateId, NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { Layerable, layerOf } from "#base/layer.ts";
import type { Side } from "../records.ts";
import type { Mandate } from "./record.ts";
import { spreadOf } from "./scope.ts";

const nameOf = (index: IndexKind, side: Side, place: NodeId): string => `${index}|${side}|${place}`;

/** Those that name one place, and their order for each number of months that was asked for. */
interface AtPlace {
  readonly mandates: ReadonlyMap<MandateId, Mandate>;
  readonly sorted: Map<number, readonly Mandate[]>;
}

/**
 * An order's look-up takes as many steps as its place lies in others, and sorting happens once
 * after a change, not at an order: with mandates over many places it stays flat.
 */
export class MandatesByPlace extends Layerable {
  readonly #named: Map<string, AtPlace>;

  constructor(named = new Map<string, AtPlace>()) {
    super();
    this.#named = named;
  }

  /** The mandates of a name are replaced, never changed, so both may share them. */
  override layer(): MandatesByPlace {
    return new MandatesByPlace(layerOf(this.#named));
  }

  put(mandate: Mandate): void {
    this.#change(mandate, (mandates) => mandates.set(mandate.id, mandate));
  }

  remove(mandate: Mandate): void {
    this.#change(mandate, (mandates) => mandates.delete(mandate.id));
  }

  /** Those of one side that name the place, the nearest to the mark first. */
  at(index: IndexKind, side: Side, place: NodeId, months: number): readonly Mandate[] {
    const named = this.#named.get(nameOf(index, side, place));
    if (named === undefined) return [];
    const known = named.sorted.get(months);
    if (known !== undefined) return known;
    const sorted = [...named.mandates.values()].sort(nearerFirst(months));
    named.sorted.set(months, sorted);
    return sorted;
  }

  #change({ scope, side }: Mandate, change: (of: Map<MandateId, Mandate>) => unknown): void {
    for (const place of scope.places) {
      const name = nameOf(scope.index, side, place);
      const mandates = new Map(this.#named.get(name)?.mandates);
      change(mandates);
      if (mandates.size === 0) this.#named.delete(name);
      else this.#named.set(name, { mandates, sorted: new Map() });
    }
  }
}

export const nearerFirst =
  (months: number) =>
  (a: Mandate, b: Mandate): number =>
    spreadOf(a, months) - spreadOf(b, months) || a.rank - b.rank;
