// When marks go out: by command, at each release, when a sandbox clock arrives, and once a day.
// Invariant: all marks of a command are of the same prints, and it counts no release that came
// later; marks that were due when the process before this one ended go out at the start.
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { DAY_MILLIS } from "#base/day.ts";
import type { CommandOf, MarkUpdate } from "#core/command.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { markSteps, publishing } from "#quoting/listing.ts";
import type { ReferenceData } from "#quoting/reference.ts";

/** The loop that serves everybody does nothing else meanwhile. */
const SLICE_MILLIS = 5;

export const changesMarks = ({ outcome }: Entry): boolean =>
  !isRejected(outcome) &&
  outcome.events.some(({ type }) => type === "ReleaseAccepted" || type === "ClockSet");

export class MarkPublisher {
  readonly #referenceData: ReferenceData;
  readonly #submit: (command: CommandOf<"PublishMarks">) => Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;
  /** The day's own pass counts what is open, though no mark has changed. */
  #isDaily = false;
  /** So many releases were accepted when the prints were last caught up with. */
  #seen: number;
  #pass: Promise<void> = Promise.resolve();
  /** The pass after the one under way: it sees all that has come by then. */
  #next: Promise<void> | undefined;

  constructor(
    referenceData: ReferenceData,
    submit: (command: CommandOf<"PublishMarks">) => Promise<unknown>,
  ) {
    this.#referenceData = referenceData;
    this.#submit = submit;
    this.#timer = setInterval(() => {
      this.#isDaily = true;
      void this.#publish();
    }, DAY_MILLIS).unref();
    this.#seen = referenceData.exchange.releases.size;
    if (referenceData.exchange.areMarksDue) void this.#publish();
  }

  async after(caughtUp: () => Promise<void>): Promise<void> {
    const seen = this.#referenceData.exchange.releases.size;
    await caughtUp();
    this.#seen = Math.max(this.#seen, seen);
    await this.#publish();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** One pass at a time. */
  #publish(): Promise<void> {
    this.#next ??= this.#pass.then(() => {
      this.#next = undefined;
      return this.#publishOnce();
    });
    // A fault is told to those who asked for the pass, and the next one is made all the same.
    this.#pass = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #publishOnce(): Promise<void> {
    const { exchange } = this.#referenceData;
    const command = await this.#marks();
    if (command === undefined) return;
    const isCount = this.#isDaily && exchange.isCountDue;
    this.#isDaily = false;
    if (command.marks.length === 0 && !exchange.areMarksDue && !isCount) return;
    await this.#submit(command);
  }

  /** Undefined once this is stopped. Prints that come meanwhile make what was computed stale. */
  async #marks(): Promise<CommandOf<"PublishMarks"> | undefined> {
    for (;;) {
      const { version } = this.#referenceData.series;
      const seenReleases = this.#seen;
      const marks = await this.#inSlices(version);
      if (this.#isStopped) return undefined;
      if (marks === undefined) continue;
      return { ...publishing(marks), seenReleases };
    }
  }

  /** Undefined where it broke off: the prints are no longer of this version. */
  async #inSlices(version: number): Promise<readonly MarkUpdate[] | undefined> {
    const marks: MarkUpdate[] = [];
    let began = performance.now();
    for (const update of markSteps(this.#referenceData)) {
      if (update !== undefined) marks.push(update);
      if (performance.now() - began < SLICE_MILLIS) continue;
      await yieldToLoop();
      if (this.#isStopped || this.#referenceData.series.version !== version) return undefined;
      began = performance.now();
    }
    return marks;
  }
}
