// The durable end of the journal, as far as this node has shown it: all that its status may tell.
// Invariant: it grows entry by entry and never goes back.
import type { ClockKind } from "#core/command.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { type Head, type JournalReader, JournalRefusal } from "#journal/journal.ts";
import { SequenceWaits } from "./freshness.ts";

/** So long a request waits for a sequence that it names. */
const PATIENCE_MILLIS = 1_000;

export class Durable {
  readonly #waits = new SequenceWaits();
  #head: Head | undefined;
  #halted = false;
  #lastTimeMillis = 0;
  #clockMillis = 0;

  /** 0 before anything was recovered. */
  get sequence(): number {
    return this.#head?.size ?? 0;
  }

  /** Undefined before anything was recovered. */
  get head(): Head | undefined {
    return this.#head;
  }

  get halted(): boolean {
    return this.#halted;
  }

  recover({ exchange, lastTimeMillis }: State, head: Head): void {
    this.#head = head;
    this.#halted = exchange?.halted ?? false;
    this.#clockMillis = exchange?.clockMillis ?? 0;
    this.#lastTimeMillis = lastTimeMillis;
  }

  /** Whether the entry is shown, now or within a second. */
  reaches(sequence: number): boolean | Promise<boolean> {
    return this.sequence >= sequence || this.#waits.until(sequence, PATIENCE_MILLIS);
  }

  grow({ sequence, envelope, outcome }: Entry, hash: string): void {
    this.#head = { size: sequence, hash };
    // They go on once the caller has shown the entry: in a later turn of the microtasks.
    this.#waits.grown(sequence);
    this.#lastTimeMillis = envelope.timeMillis;
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type === "HaltChanged") this.#halted = event.halted;
      if (event.type === "ClockSet") this.#clockMillis = event.toMillis;
    }
  }

  /** Milliseconds since 1970; `now` is asked under the real clock only. */
  timeMillis(clock: ClockKind, now: () => number): number {
    return Math.max(this.#lastTimeMillis, clock === "real" ? now() : this.#clockMillis);
  }

  /**
   * A database that forgot what it had committed, or was exchanged for an older one: what was shown
   * and answered is no longer true, and only a person can say what is.
   */
  async refuseLoss(journal: Pick<JournalReader, "read">, found: Head): Promise<void> {
    const shown = this.#head;
    if (shown === undefined || shown.size === 0) return;
    const [last] = await journal.read(shown.size, 1);
    if (last?.sequence === shown.size && last.hash === shown.hash) return;
    throw new JournalRefusal(
      `The journal has lost what was acknowledged: entry ${shown.size} was committed, ` +
        `and now the database ends at entry ${found.size}, or holds another in its place. ` +
        "This node refuses this database at each start from now on: docs/operating/backups.md says " +
        "how to restore what it lost, or to go on without it, by `firstprint accept-loss`.",
    );
  }
}
