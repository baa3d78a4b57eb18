// When marks go out: by command, at each release, when a sandbox clock arrives, and once a day.
// Invariant: marks that were due when the process before this one ended go out at the start.
import type { CommandOf } from "#core/command.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { marksDue } from "#quoting/listing.ts";
import type { Knowledge } from "#quoting/reference.ts";

const DAY_MILLIS = 86_400_000;

export const changesMarks = ({ outcome }: Entry): boolean =>
  !isRejected(outcome) &&
  outcome.events.some(({ type }) => type === "ReleaseAccepted" || type === "ClockSet");

export class MarkPublisher {
  readonly #knowledge: Knowledge;
  readonly #submit: (command: CommandOf<"PublishMarks">) => Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  #seen: number;

  constructor(
    knowledge: Knowledge,
    submit: (command: CommandOf<"PublishMarks">) => Promise<unknown>,
  ) {
    this.#knowledge = knowledge;
    this.#submit = submit;
    this.#timer = setInterval(() => void this.#publish(), DAY_MILLIS).unref();
    this.#seen = knowledge.exchange.releases.size;
    if (knowledge.exchange.waiting.areMarksDue) void this.#publish();
  }

  async after(caughtUp: () => Promise<void>): Promise<void> {
    const seen = this.#knowledge.exchange.releases.size;
    await caughtUp();
    await this.#publish(seen);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** `seen`: so many releases were accepted when the prints were caught up with. */
  async #publish(seen = this.#seen): Promise<void> {
    this.#seen = Math.max(this.#seen, seen);
    const marks = marksDue(this.#knowledge);
    if (marks.length === 0 && !this.#knowledge.exchange.waiting.areMarksDue) return;
    await this.#submit({ type: "PublishMarks", marks, seenReleases: this.#seen });
  }
}
