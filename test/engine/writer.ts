// One of the writers of the takeover test, in a process of its own: it leads when it may, deposits
// while it leads, and tells its parent what it was answered and when it lost.
// Invariant: no deposit is asked for twice; what is acknowledged is told before anything later.
import { setTimeout as sleep } from "node:timers/promises";
import { isRejected } from "#core/outcome.ts";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { type Journal, LeadershipTaken } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { type FaultKind, FaultyJournal } from "./faulty-journal.ts";
import { fund, request } from "./requests.ts";

export interface WriterPlan {
  readonly name: string;
  readonly connection: ConstructorParameters<typeof PostgresJournal>[0];
  /** Holds the key that all writers sign with, and this one's own checkpoints. */
  readonly dataDir: string;
  readonly depositors: number;
  readonly snapshotEntries: number;
}

export type Order =
  | { readonly type: "release" }
  | { readonly type: "fail"; readonly kind: FaultKind }
  /** After a loss: it may lead again. */
  | { readonly type: "stand by" }
  | { readonly type: "end" };

export type Told =
  | { readonly type: "leads" }
  | { readonly type: "lost"; readonly reason: string }
  | { readonly type: "acknowledged"; readonly memo: string; readonly sequence: number }
  | { readonly type: "unknown"; readonly memo: string }
  | { readonly type: "fatal"; readonly reason: string };

const PAUSE_MILLIS = 4;

class Writer {
  readonly #plan: WriterPlan;
  readonly #journal: FaultyJournal;
  #engine: OpenEngine | undefined;
  #released = Promise.withResolvers<void>();
  /** The loser stands aside until somebody else has led: else it would win each time. */
  #turn = Promise.withResolvers<void>();
  #isEnding = false;

  constructor(plan: WriterPlan) {
    this.#plan = plan;
    this.#journal = new FaultyJournal(new PostgresJournal(plan.connection));
    this.#turn.resolve();
  }

  take(order: Order): void {
    switch (order.type) {
      case "release":
        this.#released.resolve();
        return;
      case "fail": {
        const call = (this.#journal.calls.get("append") ?? 0) + 1;
        this.#journal.planned.add({ operation: "append", call, kind: order.kind });
        return;
      }
      case "stand by":
        this.#turn.resolve();
        return;
      case "end":
        this.#isEnding = true;
        this.#released.resolve();
        this.#turn.resolve();
    }
  }

  async run(): Promise<void> {
    const deposits = Array.from({ length: this.#plan.depositors }, (_, at) => this.#deposit(at));
    while (!this.#isEnding) {
      this.#released = Promise.withResolvers<void>();
      this.#engine = await this.#open();
      if (this.#engine === undefined) continue;
      tell({ type: "leads" });
      await this.#released.promise;
      const engine = this.#engine;
      await engine.stop();
      this.#lose("it was released");
    }
    await Promise.all(deposits);
  }

  async #open(): Promise<OpenEngine | undefined> {
    const { dataDir, snapshotEntries } = this.#plan;
    try {
      return await openEngine({
        journal: this.#inTurn(),
        dataDir,
        clock: "real",
        snapshotEntries,
        log: (message) => this.#hear(message),
        onFatal: (error) => tell({ type: "fatal", reason: String(error) }),
      });
    } catch (error) {
      if (error instanceof LeadershipTaken) return undefined;
      // Taken from us while we took it: there is nothing to lose yet.
      this.#journal.planned.clear();
      return undefined;
    }
  }

  #inTurn(): Journal {
    const behind = this.#journal;
    return new Proxy<Journal>(behind, {
      get: (_target, name) => {
        if (name !== "lead") return Reflect.get(behind, name);
        return async (onLost: (reason: Error) => void) => {
          await this.#turn.promise;
          return behind.lead(onLost);
        };
      },
    });
  }

  #hear(message: string): void {
    if (message.startsWith("stepping down")) this.#lose(message);
    if (message.startsWith("leading again")) tell({ type: "leads" });
  }

  #lose(reason: string): void {
    if (!this.#isEnding) this.#turn = Promise.withResolvers<void>();
    tell({ type: "lost", reason });
  }

  async #deposit(number: number): Promise<void> {
    const { name } = this.#plan;
    for (let count = 1; !this.#isEnding; ) {
      const memo = `${name}/${number}/${count}`;
      const result = await this.#engine?.submit(request(fund(1, memo)));
      if (result !== undefined && "outcome" in result) {
        const { outcome, sequence } = result;
        if (isRejected(outcome) || sequence === null) throw new Error(`${memo} was refused`);
        tell({ type: "acknowledged", memo, sequence });
        count += 1;
      } else if (result !== undefined && "unknown" in result) {
        tell({ type: "unknown", memo });
        count += 1;
      }
      await sleep(PAUSE_MILLIS);
    }
  }
}

const tell = (told: Told): void => {
  process.send?.(told);
};

const writer = new Writer(JSON.parse(process.argv[2] ?? ""));
process.on("message", (order: Order) => writer.take(order));
// Without its parent nobody would end it.
process.on("disconnect", () => process.exit(1));
await writer.run();
process.exit(0);
