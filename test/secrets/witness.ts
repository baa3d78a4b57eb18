// The texts seen while an exchange ran, by where each was seen, and the secrets they must not hold.
// Invariant: an answer is evidence whole, headers and all, unless it is the one that issues.
import assert from "node:assert/strict";
import type { Json } from "#test/support/exchange.ts";
import { type Canary, Finder } from "./finder.ts";

/** The answers that show a new key, once. */
const issuing: ReadonlySet<string> = new Set([
  "POST /api/admin/accounts",
  "POST /api/trading/keys",
  "POST /api/dev/api-keys",
]);

const SHOWN_OF_A_KEY = 12;
const BREACHES_TOLD = 20;
const SHOWN_OF_A_BREACH = 600;
const keyForm = /fp_(?:live|test|pub)_[0-9A-Za-z]{36}/g;

interface Piece {
  readonly about: string;
  readonly bytes: Uint8Array;
}

export class Witness {
  readonly canaries: Canary[] = [];
  readonly #seen = new Map<string, Piece[]>();

  /** Text or bytes from a place; `about` says more, for whoever reads a failure. */
  saw(place: string, what: string | Uint8Array, about = ""): void {
    const pieces = this.#seen.get(place) ?? [];
    pieces.push({ about, bytes: typeof what === "string" ? Buffer.from(what) : what });
    this.#seen.set(place, pieces);
  }

  /** An answer; keys are taken down where they are issued, and are evidence anywhere else. */
  heard(place: string, answer: Json, about = place): void {
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    if (issuing.has(place)) {
      for (const [secret] of text.matchAll(keyForm)) {
        const name = `key ${this.canaries.length} of ${place}`;
        this.canaries.push({ name, secret, shown: SHOWN_OF_A_KEY });
      }
    }
    this.saw("answers", issuing.has(place) ? text.replaceAll(keyForm, "") : text, about);
  }

  get issued(): readonly string[] {
    return this.canaries.flatMap(({ secret }) => (typeof secret === "string" ? [secret] : []));
  }

  /** How many bytes each place held; none of them may hold a secret, all of `controls` must. */
  judge(controls: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
    assert.deepEqual([...this.#seen.keys()].toSorted(), [...controls.keys()].toSorted());
    const finder = new Finder(this.canaries);
    const sizes = new Map<string, number>();
    const breaches: string[] = [];
    for (const [place, secret] of controls) {
      const control = new Finder([{ name: "control", secret }]);
      const pieces = this.#seen.get(place) ?? [];
      for (const { about, bytes } of pieces) {
        const found = [...finder.in(bytes)];
        if (found.length === 0) continue;
        const shown = Buffer.from(bytes.subarray(0, SHOWN_OF_A_BREACH)).toString("latin1");
        breaches.push(`${found.join()} in ${place}, ${about}: ${shown}`);
      }
      const isSearched = pieces.some(({ bytes }) => control.in(bytes).size > 0);
      assert.ok(isSearched, `in ${place} not even ${secret} is found, which was put there`);
      sizes.set(
        place,
        pieces.reduce((sum, { bytes }) => sum + bytes.length, 0),
      );
    }
    const some = breaches.slice(0, BREACHES_TOLD).join("\n\n");
    assert.equal(breaches.length, 0, `${breaches.length} pieces hold secrets:\n${some}`);
    return sizes;
  }
}
