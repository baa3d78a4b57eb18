// Requests refused because this node does not lead: counted by reason, and told once a minute.
// Invariant: no reason is refused for without a line in the log.
import type { NotLeaderReason } from "#engine/engine.ts";

const APART_MILLIS = 60_000;

const reasons: Readonly<Record<NotLeaderReason, string>> = {
  starting: "this node has no term yet: the lines before say what it waits for",
  elsewhere: "another node leads, and this one stands by",
  handing_over: "this node hands its term over",
  ended: "the term ended before the command was sent to the database",
  unheard:
    "the database has not noted this node's heartbeat, or shown it the journal, for too long",
};

interface Tells {
  count(reason: NotLeaderReason, requests: number): void;
  warn(sentence: string): void;
}

export class NotLeaderNotes {
  readonly #tells: Tells;
  readonly #toldAt = new Map<NotLeaderReason, number>();

  constructor(tells: Tells) {
    this.#tells = tells;
  }

  note(reason: NotLeaderReason, requests: number, nowMillis = performance.now()): void {
    this.#tells.count(reason, requests);
    const told = this.#toldAt.get(reason);
    if (told !== undefined && nowMillis < told + APART_MILLIS) return;
    this.#toldAt.set(reason, nowMillis);
    this.#tells.warn(`requests are answered NOT_LEADER (${reason}): ${reasons[reason]}`);
  }
}
