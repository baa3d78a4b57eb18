// Reading again, in the background of a node: begun when places come and at every start.
// Invariant: the exchange itself gives the command; what an end broke off is still due at a start.
import type { Command } from "#core/command.ts";
import type { Engine } from "#engine/engine.ts";
import type { IngestDesk } from "./desk.ts";

export class Rereading {
  readonly #engine: Pick<Engine, "submit">;
  readonly #releases: IngestDesk;
  readonly #tell: (sentence: string) => void;
  readonly #onFault: (error: unknown) => void;
  readonly #end = new AbortController();
  #last: Promise<void> = Promise.resolve();

  /** `tell`: a sentence for the log. */
  constructor(
    engine: Pick<Engine, "submit">,
    releases: IngestDesk,
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
    this.#last = this.#releases.reread(submit, signal, this.#tell).catch((error: unknown) => {
      if (!signal.aborted) this.#onFault(error);
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#last;
  }
}
