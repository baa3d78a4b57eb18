// The parts of a node that are open, and how they end.
// Invariant: a part that was opened is ended, also where the start breaks off.

/** Its parts end in the reverse order of their opening; each waits until it is open. */
export class Lifetime {
  readonly #endings: (() => Promise<void>)[] = [];
  #isEnding = false;

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Opens one part of the node, and has it ended with the others even if it is not open yet. */
  opened<T>(opening: Promise<T>, end: (part: T) => Promise<void>): Promise<T> {
    // A part that did not open is reported where it is awaited, and needs no end.
    this.#endings.push(() => opening.then(end, () => undefined));
    return opening;
  }

  /** Has something ended that is open already. */
  ends(end: () => Promise<void>): void {
    this.#endings.push(end);
  }

  /** The last opened ends first. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const end of this.#endings.splice(0).reverse()) await end();
  }
}
