// Reading again, in the background of a node: begun when places come and at every start.
// Invariant: the exchange itself gives the command; what an end broke off is still due at a start.
import type { Command } from "#core/command.ts";
import type { Engine } from "#engine/engine.ts";
import type { IngestDesk } from "./desk.ts";

interface Listener {
  /** A sentence for the log. */
  tell(sentence: string): void;
  onFault(error: unknown): void;
}

export class Rereading {
  readonly #engine: Pick<Engine, "submit">;
  readonly #releases: IngestDesk;
  readonly #listener: Listener;
  readonly #end = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(engine: Pick<Engine, "submit">, releases: IngestDesk, listener: Listener) {
    this.#engine = engine;
    this.#releases = releases;
    this.#listener = listener;
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
    this.#last = this.#releases
      .reread(submit, signal, (sentence) => this.#listener.tell(sentence))
      .catch((error: unknown) => {
        if (!signal.aborted) this.#listener.onFault(error);
      });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#last;
  }
}
