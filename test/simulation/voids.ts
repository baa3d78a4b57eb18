// Markets that two people void: the auditor's own rules.
// Invariant: nothing of the core is called; a first word moves no money and stands for ten days.
import assert from "node:assert/strict";
import type { Envelope } from "#core/command.ts";
import { actorOf, type People, TEN_DAYS_MILLIS } from "./people.ts";

export class Voids {
  readonly #people: People;
  /** By market. */
  readonly #words = new Map<string, { readonly by: string; readonly atMillis: number }>();

  constructor(people: People) {
    this.#people = people;
  }

  isProposed(id: string): boolean {
    return this.#words.has(id);
  }

  /** Whether this was the second word, of somebody else. */
  isAgreed({ actor, timeMillis }: Envelope, id: string): boolean {
    const by = actorOf(actor);
    const word = this.#words.get(id);
    if (word === undefined) {
      this.#words.set(id, { by, atMillis: timeMillis });
      return false;
    }
    assert.ok(this.#people.areTwo(by, word.by), `two people void ${id}: ${word.by} and ${by}`);
    assert.ok(timeMillis <= word.atMillis + TEN_DAYS_MILLIS, `${id}: the first word stands`);
    this.#words.delete(id);
    return true;
  }

  /** Withdrawn, or nothing to void any more. */
  drop(id: string): void {
    this.#words.delete(id);
  }

  lapse(id: string, nowMillis: number): void {
    const word = this.#words.get(id);
    assert.ok(word !== undefined, `a void of ${id} was proposed`);
    assert.ok(nowMillis >= word.atMillis + TEN_DAYS_MILLIS, `${id}: ten days are over`);
    this.#words.delete(id);
  }
}
