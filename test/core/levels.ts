// The books as somebody sees them who is told of nothing but the levels that changed.
// Invariant: no order is looked at; a level that holds nothing is forgotten.
import assert from "node:assert/strict";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";

export class Levels {
  readonly #levels = new Map<string, string>();

  fold({ outcome }: Entry): void {
    const seen = new Set<string>();
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type !== "LevelChanged") continue;
      const { marketId, side, tick, openLots, orders } = event.level;
      const name = `${marketId} ${side} ${tick}`;
      assert.ok(!seen.has(name), `${name} is told once an entry`);
      seen.add(name);
      if (orders === 0) this.#levels.delete(name);
      else this.#levels.set(name, `${openLots} in ${orders}`);
    }
  }

  compare(state: State): void {
    const drawn = new Map<string, string>();
    for (const marketId of state.markets.keys()) {
      const book = state.book(marketId);
      for (const { tick, lots, orders } of book.bids()) {
        drawn.set(`${marketId} bid ${tick}`, `${lots} in ${orders}`);
      }
      for (const { tick, lots, orders } of book.asks()) {
        drawn.set(`${marketId} ask ${tick}`, `${lots} in ${orders}`);
      }
    }
    assert.deepEqual([...this.#levels].sort(), [...drawn].sort(), "the levels told are the books");
  }
}
