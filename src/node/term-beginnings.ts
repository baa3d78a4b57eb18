// Work that falls to the node that leads: done anew when a node that stood by begins a term.
// Invariant: nothing of it is done before every part of the node is open.
import { fail, log } from "./faults.ts";

export class TermBeginnings {
  readonly #parts: (() => Promise<void>)[] = [];
  #isOpen = false;

  add(...begin: readonly (() => Promise<void>)[]): void {
    this.#parts.push(...begin);
  }

  /** `isDue`: a term began while the parts were being opened, too early for them to see it. */
  open(isDue: boolean): void {
    this.#isOpen = true;
    if (isDue) this.begin();
  }

  begin(): void {
    if (this.#isOpen) Promise.all(this.#parts.map((begin) => begin())).catch(outOfReach);
  }
}

/** A database that is lost again right after the lead was taken: the next term begins anew. */
function outOfReach(error: unknown): void {
  if (error instanceof Error && "code" in error) log.warn({ error }, "a term could not begin");
  else fail(error);
}
