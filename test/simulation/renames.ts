// Places that went on under another id: the auditor's own rules of a map and its two words.
// Invariant: nothing of the core is called; a map rests on 24 months of equal growth, takes two
// people, holds nothing back, and loses its ground with the next print of the old id.
import assert from "node:assert/strict";
import type { CommandOf, Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { State } from "#core/state.ts";

const MONTHS = 24;

interface Waiting {
  readonly to: string;
  /** Of the place, when the map was made. */
  readonly newest: number;
}

type Place = { readonly index: string; readonly nodeId: string };
const nameOf = ({ index, nodeId }: Place): string => `${index} ${nodeId}`;

export class Renames {
  readonly #newest = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();
  /** The region of each place by its last map. */
  readonly #accepted = new Map<string, string>();

  follow(envelope: Envelope, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "HeldPlaceChanged") this.#change(event, envelope);
      if (event.type === "FrontierMoved") {
        this.#newest.set(nameOf(event.frontier), event.frontier.month);
      }
    }
  }

  compareAll({ heldPlaces, renames }: State): void {
    const maps = [...heldPlaces.values()].filter(({ renamed }) => renamed !== undefined);
    assert.deepEqual(maps.map(nameOf).sort(), [...this.#waiting.keys()].sort(), "maps that wait");
    const shown = [...renames.values()].map((one) => [nameOf(one), one.to]);
    assert.deepEqual(shown.sort(), [...this.#accepted].sort(), "maps that were accepted");
  }

  #change({ place, status }: EventOf<"HeldPlaceChanged">, { command }: Envelope): void {
    if (place.renamed === undefined) return;
    const name = nameOf(place);
    const newest = this.#newest.get(name) ?? assert.fail(`${name} was printed`);
    if (command.type === "RenamePlace") {
      assert.ok(!this.#waiting.has(name), `one map of ${name} at a time`);
      assertEqualGrowth(command, place.index, newest);
      this.#waiting.set(name, { to: command.to, newest });
      return;
    }
    const map = this.#waiting.get(name) ?? assert.fail(`a map of ${name} waits`);
    this.#waiting.delete(name);
    if (status === "rejected") return;
    assert.equal(newest, map.newest, `the old id of ${name} has not printed since`);
    this.#accepted.set(name, map.to);
  }
}

/** Up to the newest print of the place; of vacancy every quarter is the same. */
function assertEqualGrowth({ shared }: CommandOf<"RenamePlace">, index: string, newest: number) {
  const period = index === "vacancy" ? 3 : 1;
  const months = shared.map((one) => newest - one.month);
  const wanted = Array.from({ length: MONTHS / period + 1 }, (_, at) => MONTHS - period * at);
  assert.deepEqual(months, wanted, "two years, up to the newest print");
  for (const one of shared) {
    for (const other of shared) {
      const [less, more] = [
        one.givenE15 * other.knownE15 * 10_001n,
        other.givenE15 * one.knownE15 * 10_000n,
      ];
      assert.ok(more <= less, `${one.month} and ${other.month} have grown alike`);
    }
    if (index === "vacancy") assert.equal(one.givenE15, one.knownE15, "a rate is equal");
  }
}
