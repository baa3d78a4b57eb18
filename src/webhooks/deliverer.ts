// Delivers durable events to webhooks: as many runs as there are webhooks that are not suspended.
// Invariant: which webhooks there are, and from which entry on, is the journal's word; neither a
// delivery nor a row that is refused holds up an entry or another webhook.
import type { WebhookId } from "#base/ids.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Webhook } from "#core/webhook/record.ts";
import { Lanes } from "./lanes.ts";
import { DeliveryRun, type DeliveryRunPorts } from "./run.ts";
import {
  type Cursor,
  type DeliveryStore,
  type LoggedAttempt,
  NotLeading,
  type RefusedRow,
} from "./store.ts";
import { Tail, type TailSource } from "./tail.ts";

interface DelivererPorts
  extends TailSource,
    Omit<DeliveryRunPorts, "tail" | "lanes" | "leads" | "changed"> {
  readonly store: DeliveryStore;
  /** Durable ones. */
  readonly webhooks: ReadonlyMap<WebhookId, Webhook>;
  /** Of the term this node leads in; undefined while it does not lead. */
  epoch(): number | undefined;
  onFault(error: unknown): void;
  onRefused(row: RefusedRow): void;
}

/** So far behind a webhook with nothing to deliver is noted, so that a start reads little. */
const MOST_BEHIND = 1_000;
const LOOK_MILLIS = 5_000;
/** After a write that failed. */
const PAUSE_MILLIS = 1_000;
/** Attempts that wait to be written; beyond it the oldest are not logged. */
const MOST_UNWRITTEN = 10_000;

export class Deliverer {
  readonly #ports: DelivererPorts;
  readonly #tail: Tail;
  readonly #lanes = new Lanes();
  readonly #runs = new Map<WebhookId, DeliveryRun>();
  /** As they are stored, of webhooks without a run too. */
  readonly #stored: Map<WebhookId, Cursor>;
  readonly #dirty = new Set<DeliveryRun>();
  /** Their rows were refused a moment ago, and are not written now. */
  readonly #held = new Set<WebhookId>();
  readonly #gone = new Set<WebhookId>();
  #unwritten: LoggedAttempt[] = [];
  #fresh: Entry[] = [];
  #writing: Promise<void> | undefined;
  #isStopped = false;
  /** The term whose beginning the cursors were read at; in no other is anything delivered. */
  #begun: number | undefined;
  readonly #looking: NodeJS.Timeout;

  /** `cursors`: as `store` has them; from here on each durable entry has to be taken. */
  constructor(ports: DelivererPorts, cursors: readonly Cursor[]) {
    this.#ports = ports;
    this.#begun = ports.epoch();
    this.#tail = new Tail(ports, (error) => ports.onFault(error));
    this.#stored = new Map(cursors.map((cursor) => [cursor.id, cursor]));
    for (const { id } of cursors) if (!ports.webhooks.has(id)) this.#gone.add(id);
    for (const webhook of ports.webhooks.values()) this.#put(webhook);
    this.#looking = setInterval(() => this.#lookAtIdle(), LOOK_MILLIS).unref();
    if (this.#gone.size > 0) this.#write();
  }

  /**
   * A term of this node begins: another node may have delivered since, and wrote down how far.
   * Where this one is further, its own word is not written yet, and counts.
   */
  async begin(): Promise<void> {
    const epoch = this.#ports.epoch();
    if (epoch === undefined || epoch === this.#begun) return;
    for (const cursor of await this.#ports.store.cursors()) {
      const webhook = this.#ports.webhooks.get(cursor.id);
      const run = this.#runs.get(cursor.id);
      if (webhook === undefined || isAsFar(run?.cursor, cursor)) continue;
      run?.end();
      this.#runs.delete(cursor.id);
      this.#stored.set(cursor.id, cursor);
      this.#put(webhook);
    }
    this.#begun = epoch;
  }

  #leads(): boolean {
    const epoch = this.#ports.epoch();
    return epoch !== undefined && epoch === this.#begun;
  }

  /** Each durable entry, in order; webhooks are told once the engine has gone on. */
  take(entry: Entry): void {
    if (this.#fresh.push(entry) === 1) setImmediate(() => this.#tell());
  }

  /** How far a webhook is; undefined where it has never begun. */
  cursorOf(id: WebhookId): Cursor | undefined {
    return this.#runs.get(id)?.cursor ?? this.#stored.get(id);
  }

  /** Its attempts that are written down, newest first. */
  attempts(
    id: WebhookId,
    before: number | undefined,
    limit: number,
  ): Promise<readonly LoggedAttempt[]> {
    return this.#ports.store.attempts(id, before, limit);
  }

  /** Breaks off what is under way, and writes down what has arrived. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#looking);
    for (const run of this.#runs.values()) {
      this.#dirty.add(run);
      run.end();
    }
    await this.#writing;
    this.#held.clear();
    await this.#writeOnce().catch((error) => this.#told(error));
    await this.#ports.store.close();
  }

  #tell(): void {
    const entries = this.#fresh;
    this.#fresh = [];
    if (this.#isStopped) return;
    for (const entry of entries) {
      try {
        this.#takeIn(entry);
      } catch (error) {
        this.#ports.onFault(error);
      }
    }
  }

  #takeIn(entry: Entry): void {
    this.#tail.take([entry]);
    for (const event of isRejected(entry.outcome) ? [] : entry.outcome.events) {
      if (event.type !== "WebhookChanged") continue;
      if (event.status === "set") this.#put(event.webhook);
      else this.#forget(event.webhook.id);
    }
  }

  #put(webhook: Webhook): void {
    const { id } = webhook;
    const before = this.#runs.get(id);
    if (before?.webhook.run === webhook.run && webhook.suspended === null) {
      before.update(webhook);
      return;
    }
    const cursor = before?.cursor ?? this.#stored.get(id);
    if (before !== undefined) {
      before.end();
      this.#changed(before, undefined);
      this.#stored.set(id, before.cursor);
      this.#runs.delete(id);
    }
    if (webhook.suspended !== null) return;
    const run = new DeliveryRun(this.#runPorts(), webhook, cursor);
    this.#runs.set(id, run);
    run.deliver().catch((error) => this.#ports.onFault(error));
  }

  #forget(id: WebhookId): void {
    const run = this.#runs.get(id);
    run?.end();
    for (const one of this.#dirty) if (one.webhook.id === id) this.#dirty.delete(one);
    this.#runs.delete(id);
    this.#stored.delete(id);
    this.#unwritten = this.#unwritten.filter((attempt) => attempt.id !== id);
    this.#gone.add(id);
    this.#write();
  }

  #runPorts(): DeliveryRunPorts {
    return {
      ...this.#ports,
      tail: this.#tail,
      lanes: this.#lanes,
      leads: () => this.#leads(),
      changed: (run, attempt) => this.#changed(run, attempt),
    };
  }

  #changed(run: DeliveryRun, attempt: LoggedAttempt | undefined): void {
    this.#dirty.add(run);
    if (attempt !== undefined && this.#unwritten.push(attempt) > MOST_UNWRITTEN) {
      this.#unwritten.shift();
    }
    this.#write();
  }

  #lookAtIdle(): void {
    for (const run of this.#runs.values()) {
      const { id, delivered } = run.cursor;
      if (delivered - (this.#stored.get(id)?.delivered ?? 0) > MOST_BEHIND) this.#dirty.add(run);
    }
    if (this.#dirty.size > 0) this.#write();
  }

  /** All changes in one statement, and then those that came meanwhile. */
  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    // Changes of one turn are written together.
    await new Promise((resolve) => setImmediate(resolve));
    while (!this.#isStopped && this.#writable().length + this.#gone.size > 0) {
      try {
        await this.#writeOnce();
      } catch (error) {
        this.#told(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS).unref());
      }
    }
  }

  /** Another node that leads delivers from what it finds written: no fault of anybody's. */
  #told(error: unknown): void {
    if (!(error instanceof NotLeading)) this.#ports.onFault(error);
  }

  async #writeOnce(): Promise<void> {
    const { store, epoch } = this.#ports;
    const [runs, gone, attempts] = [this.#writable(), [...this.#gone], this.#unwritten];
    const leading = epoch();
    if (leading === undefined || !this.#leads()) throw new NotLeading();
    const cursors = newestOf(runs, this.#runs);
    for (const run of runs) this.#dirty.delete(run);
    this.#unwritten = [];
    let refused: readonly RefusedRow[];
    try {
      refused = await store.write(leading, cursors, attempts, gone);
    } catch (error) {
      for (const run of runs) this.#dirty.add(run);
      this.#unwritten = [...attempts, ...this.#unwritten].slice(-MOST_UNWRITTEN);
      throw error;
    }
    for (const id of gone) this.#gone.delete(id);
    const refusedRows = new Set<object>(refused.map(({ row }) => row));
    for (const cursor of cursors) {
      const { id } = cursor;
      if (!refusedRows.has(cursor) && this.#isKnown(id)) this.#stored.set(id, cursor);
    }
    for (const row of refused) {
      this.#ports.onRefused(row);
      if (row.table === "webhook_cursor") this.#hold(row.row.id, runs);
    }
  }

  /** Not one that was removed meanwhile. */
  #isKnown(id: WebhookId): boolean {
    return this.#stored.has(id) || this.#runs.has(id);
  }

  #writable(): readonly DeliveryRun[] {
    return [...this.#dirty].filter(({ webhook }) => !this.#held.has(webhook.id));
  }

  /** A refused cursor is written later. A refused attempt is not: nothing rests on the log. */
  #hold(id: WebhookId, runs: readonly DeliveryRun[]): void {
    for (const run of runs) if (run.webhook.id === id && this.#isKnown(id)) this.#dirty.add(run);
    this.#held.add(id);
    const write = (): void => {
      this.#held.delete(id);
      this.#write();
    };
    setTimeout(write, this.#ports.pace.refusedMillis).unref();
  }
}

const isAsFar = (own: Cursor | undefined, stored: Cursor): boolean =>
  own !== undefined &&
  own.run === stored.run &&
  own.delivered >= stored.delivered &&
  own.logged >= stored.logged;

/** Of a webhook that has begun anew meanwhile the new run alone; none of one that was removed. */
const newestOf = (
  runs: readonly DeliveryRun[],
  all: ReadonlyMap<WebhookId, DeliveryRun>,
): readonly Cursor[] => {
  const newest = new Map<WebhookId, Cursor>();
  for (const run of runs) {
    const { id } = run.cursor;
    newest.set(id, (all.get(id) ?? run).cursor);
  }
  return [...newest.values()];
};
