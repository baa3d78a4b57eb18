// Work that falls to the node that leads: done anew when a node that stood by begins a term.
// Invariant: nothing of it is done before every part of the node is open, and all of it is done
// unless the term ends first.
import { setTimeout as sleep } from "node:timers/promises";
import { isStorageFault } from "#base/storage-fault.ts";

/** A database that was out of reach for a moment. */
const RETRY_MILLIS = 1_000;

interface TermPorts {
  /** Of the term this node leads in; undefined while it does not lead. */
  epoch(): number | undefined;
  /** A part that could not be done, and is tried again. */
  warn(error: Error): void;
  /** Our own mistake. */
  fail(error: unknown): void;
}

export class TermBeginnings {
  readonly #ports: TermPorts;
  readonly #retryMillis: number;
  readonly #parts: (() => Promise<void>)[] = [];
  #isOpen = false;

  constructor(ports: TermPorts, retryMillis = RETRY_MILLIS) {
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
    const { epoch, warn } = this.#ports;
    for (const term = epoch(); term !== undefined && epoch() === term; ) {
      try {
        return await part();
      } catch (error) {
        // The database gives its faults a code; the driver, speaking of the way to it, does not.
        const isOutside = isStorageFault(error) || (error instanceof Error && "code" in error);
        if (!isOutside || !(error instanceof Error)) throw error;
        warn(error);
      }
      await sleep(this.#retryMillis, undefined, { ref: false });
    }
  }
}
