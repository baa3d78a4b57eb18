// One life of the engine's process: a sequencer on a journal that can be killed, and its views.
// Invariant: what it held in memory ends with it; what it had shown was durable.
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Entry } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import type { Result } from "#engine/engine.ts";
import { Sequencer } from "#engine/sequencer.ts";
import type { MemoryJournal } from "#journal/memory.ts";
import type { SigningKey } from "#journal/note.ts";
import { ShownExchange } from "#node/shown-exchange.ts";
import type { Request } from "#test/engine/requests.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { MortalJournal } from "./mortal-journal.ts";
import type { Swarm } from "./swarm.ts";

/** More turns than any recovery takes; the timers of retries pass meanwhile. */
const PATIENCE_TURNS = 500;

interface Surroundings {
  readonly disk: MemoryJournal;
  readonly key: SigningKey;
  readonly swarm: Swarm;
  readonly now: () => number;
  readonly onDurable: (entry: Entry) => void;
  /** Told of each entry once this life shows it. */
  readonly onShown: (entry: Entry, by: Incarnation) => void;
}

export class Incarnation {
  readonly journal: MortalJournal;
  readonly #sequencer: Sequencer;
  /** The engine's own state, ahead of the journal; undefined once it has forgotten it. */
  state: State | undefined;
  readonly #shown: ShownExchange;
  #broken: { readonly error: unknown } | undefined;

  constructor({ disk, key, swarm, now, onDurable, onShown }: Surroundings) {
    this.journal = new MortalJournal(disk);
    this.#shown = new ShownExchange({
      tell: (entry) => {
        onShown(entry, this);
        return undefined;
      },
      // It would be repaired by itself: what had to be repaired is a fault all the same.
      failed: ({ error }) => {
        this.#broken ??= { error };
      },
    });
    this.#sequencer = new Sequencer({
      memoryShare: () => 0,
      journal: this.journal,
      key,
      file: undefined,
      logFile: undefined,
      onLogSigned: () => undefined,
      clock: swarm.clock,
      now,
      chainId: () => "simulation",
      log: () => undefined,
      checkpoints: { entries: swarm.checkpointEntries, millis: 1_000 },
      snapshotEntries: swarm.snapshotEntries,
      waitingLimit: 10_000,
      standsBy: false,
      onLeading: () => undefined,
      onRecovered: (state) => {
        this.state = state;
        this.#shown.recover(state);
      },
      shown: this.#shown,
      onDurable: (entry) => {
        if (!this.journal.projects()) throw new Error("nobody lives to show it");
        onDurable(entry);
        this.#shown.take(entry);
      },
      onFatal: (error) => {
        if (!this.journal.isDead) this.#broken ??= { error };
      },
    });
  }

  get view(): ExchangeView {
    return this.#shown.view;
  }

  get engine(): Sequencer {
    return this.#sequencer;
  }

  /** True when it serves; false when it was killed while it recovered. */
  async start(): Promise<boolean> {
    await Promise.race([this.#sequencer.start(), this.journal.died]);
    return !this.journal.isDead;
  }

  submit(request: Request): Promise<Result> {
    return this.#sequencer.submit(request);
  }

  /** Until everything asked is answered, durable, and the engine serves; false when killed. */
  async settle(asked: readonly Promise<void>[]): Promise<boolean> {
    await Promise.race([Promise.all(asked), this.journal.died]);
    for (let turns = 0; ; turns += 1) {
      await turn();
      this.assertWhole();
      if (this.journal.isDead) return false;
      // A fault that struck and did not kill has ended the term, and its state with it.
      if (this.journal.struck.length > 0) this.state = undefined;
      const { mode, sequence, durableSequence } = this.#sequencer.status();
      // A command that fell due by itself may be on its way still.
      if (mode !== "starting" && sequence === durableSequence) return true;
      if (turns > PATIENCE_TURNS) throw new Error("it never serves again");
      if (turns % 10 === 9) mock.timers.tick(2_000);
    }
  }

  /** Throws what broke it: an engine that broke answers nothing, which alone says little. */
  assertWhole(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  stop(): Promise<void> {
    return this.#sequencer.stop();
  }
}
