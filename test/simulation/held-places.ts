// Places that validation held alone: the auditor's own rules.
// Invariant: nothing of the core is called; a place that is held gets no print and settles nothing,
// but by the entry in which a second operator releases it or one rejects it.
import assert from "node:assert/strict";
import type { Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";

const nameOf = ({ index, nodeId }: { readonly index: string; readonly nodeId: string }): string =>
  `${index} ${nodeId}`;

export class HeldPlaces {
  /** By place, the release that holds it. */
  readonly #held = new Map<string, string>();
  readonly #resolved = new Set<string>();
  /** Releases that an operator rejected for a place. */
  readonly #rejected = new Set<string>();

  follow(envelope: Envelope, events: readonly Event[]): void {
    // A place may be let go and held anew in one entry: what came of it stands in between.
    for (const event of events) {
      if (event.type === "HeldPlaceChanged") this.#change(event, envelope);
      if (event.type === "FrontierMoved") this.#seePrint(event.frontier);
      if (event.type === "MarketChanged") this.#seeMarket(event.market);
    }
  }

  #change({ place, status }: EventOf<"HeldPlaceChanged">, { command }: Envelope): void {
    // A map to a new id holds nothing.
    if (place.renamed !== undefined) return;
    const name = nameOf(place);
    const { releaseId } = place;
    const before = this.#held.get(name);
    if (status !== "held") {
      assert.equal(before, releaseId, `${name} is held from ${releaseId} on`);
      const isReleased = status === "released";
      assert.equal(command.type, isReleased ? "ReleasePlace" : "RejectPlace");
      if (!isReleased) this.#rejected.add(`${name} ${releaseId}`);
      this.#held.delete(name);
      return;
    }
    assert.equal(before, undefined, `${name} is held once`);
    this.#held.set(name, releaseId);
  }

  #seeMarket({ id, terms, resolution }: EventOf<"MarketChanged">["market"]): void {
    if (resolution === null || this.#resolved.has(id)) return;
    this.#resolved.add(id);
    // A fallback is taken where no print of the place is let through for too long.
    const isByPrint = resolution.fallback === undefined;
    assert.ok(!isByPrint || !this.#held.has(nameOf(terms)), `${id} waits for ${terms.nodeId}`);
  }

  #seePrint(point: EventOf<"FrontierMoved">["frontier"]): void {
    const name = nameOf(point);
    assert.ok(!this.#held.has(name), `${name} is held and gets no print`);
    const isRejected = this.#rejected.has(`${name} ${point.releaseId}`);
    assert.ok(!isRejected, `${name} gets none of ${point.releaseId}, which was rejected for it`);
  }
}
