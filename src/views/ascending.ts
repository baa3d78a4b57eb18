// Whole numbers in ascending order, in chunks: one that comes or goes moves its chunk alone.
// Invariant: no chunk is empty, and each number stands once.

const MOST_IN_CHUNK = 256;

export class Ascending {
  readonly #chunks: number[][] = [];

  add(value: number): void {
    const at = Math.max(this.#chunkAt(value), 0);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([value]);
      return;
    }
    const place = countBelow(chunk, value);
    if (chunk[place] === value) return;
    chunk.splice(place, 0, value);
    if (chunk.length <= MOST_IN_CHUNK) return;
    // Most numbers come last: what is full stays full.
    const rest = chunk.splice(place === MOST_IN_CHUNK ? place : MOST_IN_CHUNK / 2);
    this.#chunks.splice(at + 1, 0, rest);
  }

  remove(value: number): void {
    const at = this.#chunkAt(value);
    const chunk = this.#chunks[at] ?? [];
    const place = countBelow(chunk, value);
    if (chunk[place] !== value) return;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** The greatest first. */
  *below(value: number): Generator<number, undefined> {
    for (let at = this.#chunkAt(value - 1); at >= 0; at -= 1) {
      const chunk = this.#chunks[at] ?? [];
      for (let place = countBelow(chunk, value) - 1; place >= 0; place -= 1) {
        const found = chunk[place];
        if (found !== undefined) yield found;
      }
    }
  }

  /** The chunk that holds it, or would: the last that begins at or below it; -1: none does. */
  #chunkAt(value: number): number {
    let [from, to] = [0, this.#chunks.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#chunks[middle]?.[0] ?? value) <= value) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }
}

function countBelow(chunk: readonly number[], value: number): number {
  let [from, to] = [0, chunk.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((chunk[middle] ?? value) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
