// Mandates by the places they name, so that an order meets those of its own place and no others.
// Invariant: drawn from the records; of one place they are told in order of price, then rank.
import type { NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { Layerable, layerOf } from "#base/layer.ts";
import type { Side } from "../records.ts";
import { type InOrder, inOrder, withItem, withoutItem } from "./in-order.ts";
import type { Mandate } from "./record.ts";
import { spreadOf } from "./scope.ts";

const nameOf = (index: IndexKind, side: Side, place: NodeId): string => `${index}|${side}|${place}`;

/** Those that name one place: by rank, and by price for each number of months asked for. */
interface AtPlace {
  readonly mandates: InOrder<Mandate>;
  readonly sorted: Map<number, InOrder<Mandate>>;
}

/**
 * An order's look-up takes as many steps as its place lies in others, and a change copies a part
 * of each list it stands in: with mandates over many places, or many on one, both stay flat.
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
    this.#change(mandate, withItem);
  }

  remove(mandate: Mandate): void {
    this.#change(mandate, withoutItem);
  }

  /** Those of one side that name the place, the nearest to the mark first. */
  at(index: IndexKind, side: Side, place: NodeId, months: number): InOrder<Mandate> {
    const named = this.#named.get(nameOf(index, side, place));
    if (named === undefined) return [];
    const known = named.sorted.get(months);
    if (known !== undefined) return known;
    const sorted = inOrder(named.mandates.flat(), nearerFirst(months));
    named.sorted.set(months, sorted);
    return sorted;
  }

  #change(mandate: Mandate, change: typeof withItem<Mandate>): void {
    const { index, places } = mandate.scope;
    for (const place of new Set(places)) {
      const name = nameOf(index, mandate.side, place);
      const before = this.#named.get(name);
      const mandates = change(before?.mandates ?? [], mandate, byRank);
      if (mandates.length === 0) {
        this.#named.delete(name);
        continue;
      }
      const sorted = new Map<number, InOrder<Mandate>>();
      for (const [months, list] of before?.sorted ?? []) {
        sorted.set(months, change(list, mandate, nearerFirst(months)));
      }
      this.#named.set(name, { mandates, sorted });
    }
  }
}

/** Each is set by an entry of its own. */
const byRank = (a: Mandate, b: Mandate): number => a.rank - b.rank;

export const nearerFirst =
  (months: number) =>
  (a: Mandate, b: Mandate): number =>
    spreadOf(a, months) - spreadOf(b, months) || byRank(a, b);
