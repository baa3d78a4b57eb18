// Chance from a seed, for what tests draw.
// Invariant: one seed is one sequence, the same on every machine.

export class Dice {
  #word: number;

  constructor(seed: number) {
    this.#word = seed;
  }

  /** From 0 to `bound` − 1. */
  below(bound: number): number {
    // A 32-bit mixing generator: enough to wander, and the same everywhere.
    this.#word = (this.#word + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#word ^ (this.#word >>> 15), 1 | this.#word);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    const chosen = from[this.below(from.length)];
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  }
}
