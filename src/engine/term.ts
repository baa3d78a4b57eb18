// One term of leadership in memory: the state run ahead of the journal, and who waits for it.
// Invariant: entries leave in the order they were decided; a waiter is told once, in order.

import { invariant } from "#base/invariant.ts";
import { apply } from "#core/apply.ts";
import type { Envelope } from "#core/command.ts";
import { nextDue } from "#core/due.ts";
import { isJournalled } from "#core/journalled.ts";
import { type Entry, isRejected, type Outcome } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import type { Head, Lead, SealedEntry } from "#journal/journal.ts";
import { seal } from "#journal/seal.ts";
import type { Result } from "./engine.ts";

/** Bounds what one statement carries: beyond these a larger batch is no faster. */
const BATCH_ENTRIES = 4_096;
const BATCH_BYTES = 8_000_000;

interface Waiter {
  /** Every entry up to this one must be durable first. */
  readonly after: number;
  /** The waiter's own entry; null when its refusal made none. */
  readonly sequence: number | null;
  readonly result: Result;
  tell(result: Result): void;
}

/** Told of each batch that became durable, and how long the journal took. */
export type OnAppended = (entries: number, millis: number) => void;

/** A state in memory, and the last entry that led to it, stored or not. */
export interface Applied {
  readonly state: State;
  readonly head: Head;
  readonly snapshotSize: number;
}

export class Term {
  readonly lead: Lead;
  readonly state: State;
  readonly origin: string;
  /** The last entry that was decided, durable or not. */
  applied: Head;
  durable: Head;
  /** The last entry that was ever handed to the journal: beyond it nothing can have been stored. */
  sent: number;
  /** Of the newest snapshot that was tried. */
  snapshotSize: number;
  #pending: SealedEntry[] = [];
  #waiting: Waiter[] = [];

  constructor(lead: Lead, state: State, origin: string, head: Head, snapshotSize: number) {
    this.lead = lead;
    this.state = state;
    this.origin = origin;
    this.applied = head;
    this.durable = head;
    this.sent = head.size;
    this.snapshotSize = snapshotSize;
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Decides a command in its place; the entry, if it becomes one, is pending. */
  put(envelope: Envelope): { readonly outcome: Outcome; readonly sequence: number | null } {
    const sequence = this.applied.size + 1;
    const outcome = apply(this.state, envelope, sequence);
    if (!isJournalled(envelope, outcome)) return { outcome, sequence: null };
    const entry: Entry = { sequence, envelope, outcome };
    const sealed = seal(this.applied, entry, this.state);
    this.applied = { size: sequence, hash: sealed.hash };
    this.#pending.push(sealed);
    return { outcome, sequence };
  }

  /** Everything that has fallen due by now, each as an entry of its own, at its own time. */
  putDue(nowMillis: number): void {
    for (;;) {
      const due = nextDue(this.state, nowMillis);
      if (due === undefined) return;
      const { outcome } = this.put({
        timeMillis: due.timeMillis,
        actor: { type: "system" },
        requestId: null,
        idempotency: null,
        command: due.command,
      });
      invariant(!isRejected(outcome), `what falls due is accepted: ${due.command.type}`);
    }
  }

  /** The answer comes when everything decided so far is durable: it may rest on any of it. */
  wait(sequence: number | null, result: Result): Promise<Result> {
    const after = this.applied.size;
    if (after <= this.durable.size) return Promise.resolve(result);
    return new Promise((tell) => this.#waiting.push({ after, sequence, result, tell }));
  }

  /** Stores the next batch, oldest first; it counts as sent from here on. */
  async append(onAppended?: OnAppended): Promise<readonly SealedEntry[]> {
    const batch = this.#take();
    const sentAt = performance.now();
    await this.lead.append(batch);
    onAppended?.(batch.length, performance.now() - sentAt);
    return batch;
  }

  #take(): readonly SealedEntry[] {
    let count = 0;
    let bytes = 0;
    for (const sealed of this.#pending) {
      if (count > 0 && (count >= BATCH_ENTRIES || bytes + sealed.bytes.length > BATCH_BYTES)) break;
      count += 1;
      bytes += sealed.bytes.length;
    }
    const batch = this.#pending.splice(0, count);
    this.sent = batch.at(-1)?.sequence ?? this.sent;
    return batch;
  }

  /** Tells everyone whose answer rests on durable entries only. */
  settle(durable: Head): void {
    this.durable = durable;
    const still = this.#waiting.findIndex(({ after }) => after > durable.size);
    const told = this.#waiting.splice(0, still < 0 ? this.#waiting.length : still);
    for (const { result, tell } of told) tell(result);
  }

  /** The state the next term may go on with, if the journal turns out to hold all of it. */
  kept(): Applied {
    const { state, applied: head, snapshotSize } = this;
    return { state, head, snapshotSize };
  }

  /**
   * The term is over: what was never sent did not happen, of what was sent nobody knows.
   * @returns how many had never been sent
   */
  drop(): number {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#pending = [];
    let refused = 0;
    for (const { sequence, tell } of waiting) {
      const mayBeStored = sequence !== null && sequence <= this.sent;
      if (!mayBeStored) refused += 1;
      tell(mayBeStored ? { unknown: true } : { refused: "NOT_LEADER" });
    }
    return refused;
  }
}
