// Reading again, in the background of a node: begun when places come and at every start.
// Invariant: the exchange itself gives the command; what an end broke off is still due at a start,
// and what a lost lead broke off when this node leads again.
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "#core/command.ts";
import type { Engine, Submit } from "#engine/engine.ts";
import { TermOver } from "../store.ts";
import type { ReleaseIntake } from "./intake.ts";

/** How long a node waits that does not lead, or whose command the exchange could not take now. */
const RETRY_MILLIS = 1_000;

export class Rereading {
  readonly #engine: Pick<Engine, "submit">;
  readonly #releases: ReleaseIntake;
  readonly #tell: (sentence: string) => void;
  readonly #onFault: (error: unknown) => void;
  readonly #end = new AbortController();
  #last: Promise<void> = Promise.resolve();

  /** `tell`: a sentence for the log. */
  constructor(
    engine: Pick<Engine, "submit">,
    releases: ReleaseIntake,
    tell: (sentence: string) => void,
    onFault: (error: unknown) => void,
  ) {
    this.#engine = engine;
    this.#releases = releases;
    this.#tell = tell;
    this.#onFault = onFault;
  }

  /** While this is done, no file is read. */
  whileIdle<T>(work: () => Promise<T>): Promise<T> {
    return this.#releases.whileIdle(work);
  }

  /** Takes its turn behind the file that is being read, and before any that comes later. */
  reread(): void {
    const submit = (command: Command) =>
      this.#engine.submit({
        actor: { type: "system" },
        command,
        requestId: "reread",
        idempotency: null,
      });
    const { signal } = this.#end;
    this.#last = this.#untilDone(submit, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#onFault(error);
    });
  }

  async #untilDone(submit: Submit, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.#releases.reread(submit, signal, this.#tell);
      } catch (error) {
        if (!(error instanceof TermOver)) throw error;
      }
      await sleep(RETRY_MILLIS, undefined, { signal });
    }
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#last;
  }
}
