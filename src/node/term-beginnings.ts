// Work that falls to the node that leads: done anew when a node that stood by begins a term.
// Invariant: nothing of it is done before every part of the node is open, and all of it is done
// unless the term ends first.
import { untilReached } from "./until-reached.ts";

interface TermPorts {
  /** Of the term this node leads in; undefined while it does not lead. */
  epoch(): number | undefined;
  /** Of a part that is tried again until it is done, as `untilReached` tells it. */
  tell(fault: unknown): void;
  /** Our own mistake. */
  fail(error: unknown): void;
}

export class TermBeginnings {
  readonly #ports: TermPorts;
  readonly #retryMillis: number | undefined;
  readonly #parts: (() => Promise<void>)[] = [];
  #isOpen = false;

  constructor(ports: TermPorts, retryMillis?: number) {
    this.#ports = ports;
    this.#retryMillis = retryMillis;
  }

  add(...begin: readonly (() => Promise<void>)[]): void {
    this.#parts.push(...begin);
  }

  /** `isDue`: a term began while the parts were being opened, too early for them to see it. */
  open(isDue: boolean): void {
    this.#isOpen = true;
    if (isDue) this.begin();
  }

  begin(): void {
    if (!this.#isOpen) return;
    for (const part of this.#parts) this.#untilDone(part).catch((error) => this.#ports.fail(error));
  }

  async #untilDone(part: () => Promise<void>): Promise<void> {
    const { epoch, tell } = this.#ports;
    const term = epoch();
    const isWanted = (): boolean => term !== undefined && epoch() === term;
    await untilReached(part, { isWanted, tell, retryMillis: this.#retryMillis });
  }
}
