// Places that validation held alone: the auditor's own rules.
// Invariant: nothing of the core is called; a place that is held gets no print and settles nothing,
// but by the entry in which two operators release it or one rejects it.
import assert from "node:assert/strict";
import type { Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import { actorOf, type People } from "./people.ts";

interface Held {
  readonly releaseId: string;
  readonly firstWord: string | null;
}

const nameOf = ({ index, nodeId }: { readonly index: string; readonly nodeId: string }): string =>
  `${index} ${nodeId}`;

export class HeldPlaces {
  readonly #people: People;
  readonly #held = new Map<string, Held>();
  readonly #resolved = new Set<string>();
  /** Releases that an operator rejected for a place. */
  readonly #rejected = new Set<string>();

  constructor(people: People) {
    this.#people = people;
  }

  follow(envelope: Envelope, events: readonly Event[]): void {
    // A place may be let go and held anew in one entry: what came of it stands in between.
    for (const event of events) {
      if (event.type === "HeldPlaceChanged") this.#change(event, envelope);
      if (event.type === "FrontierMoved") this.#seePrint(event.frontier);
      if (event.type === "MarketChanged") this.#seeMarket(event.market);
    }
  }

  #change({ place, status }: EventOf<"HeldPlaceChanged">, { actor, command }: Envelope): void {
    // A map to a new id holds nothing.
    if (place.renamed !== undefined) return;
    const name = nameOf(place);
    const { releaseId, approvedBy } = place;
    const before = this.#held.get(name);
    const by = actorOf(actor);
    if (status !== "held") {
      assert.equal(before?.releaseId, releaseId, `${name} is held from ${releaseId} on`);
      const isReleased = status === "released";
      assert.equal(command.type, isReleased ? "ReleasePlace" : "RejectPlace");
      const first = before?.firstWord ?? by;
      assert.ok(!isReleased || this.#people.areTwo(first, by), `two people free ${name}`);
      if (!isReleased) this.#rejected.add(`${name} ${releaseId}`);
      this.#held.delete(name);
      return;
    }
    if (command.type === "ApprovePlace") {
      assert.deepEqual(before, { releaseId, firstWord: null }, `${name} waits for a first word`);
      assert.equal(approvedBy, by, `the first word for ${name}`);
    } else {
      assert.equal(before, undefined, `${name} is held once`);
      assert.equal(approvedBy, null, `${name} is held without a word`);
    }
    this.#held.set(name, { releaseId, firstWord: approvedBy });
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
