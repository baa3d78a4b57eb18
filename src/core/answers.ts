// Where the answers under idempotency keys stand in the journal, for a day, and each account's share.
// Invariant: nothing is refused for want of room, and no account's answers leave for another's
// before all together are as many as a map may hold; what leaves depends on the entries alone.
import { DAY_MILLIS } from "#base/day.ts";
import { ByAge } from "./by-age.ts";

/** Where the answer to an idempotent request stands in the journal. */
export interface AnswerRecord {
  /** In which its key is unique: an account, or the exchange's own actor. */
  readonly scope: string;
  readonly digest: string;
  readonly sequence: number;
  readonly atMillis: number;
}

/** How long an idempotent request may be asked again, where its account is within its share. */
export const ANSWERS_KEPT_MILLIS = DAY_MILLIS;

/** Of one account; more only while they are younger than this. */
export const MOST_OWN_ANSWERS = 100_000;
export const LEAST_KEPT_MILLIS = 15 * 60_000;

/** Of all accounts; a map of V8's from which entries leave may end at 2^23. */
export const MOST_ANSWERS = 8_000_000;

/** So an account that has grown beyond its share in a burst comes back to it, a step at a time. */
const LEAVE_AT_A_TIME = 2;

export class Answers extends ByAge<string, AnswerRecord> {
  readonly #mostOwn: number;
  readonly #most: number;
  /** When each was given, by its name. */
  readonly #byScope = new Map<string, ByAge<string, number>>();

  constructor(mostOwn = MOST_OWN_ANSWERS, most = MOST_ANSWERS) {
    super();
    this.#mostOwn = mostOwn;
    this.#most = most;
  }

  /** The oldest come first; one that is given again is the youngest. */
  override set(name: string, answer: AnswerRecord): this {
    this.delete(name);
    const own = this.#byScope.get(answer.scope) ?? new ByAge<string, number>();
    this.#byScope.set(answer.scope, own);
    own.set(name, answer.atMillis);
    return super.set(name, answer);
  }

  override delete(name: string): boolean {
    const scope = this.get(name)?.scope;
    if (scope === undefined) return false;
    const own = this.#byScope.get(scope);
    own?.delete(name);
    if (own?.size === 0) this.#byScope.delete(scope);
    return super.delete(name);
  }

  /** Keeps an answer, and lets go of those that are a day old or beyond a share. */
  keep(name: string, answer: AnswerRecord): void {
    this.forgetBefore(answer.atMillis - ANSWERS_KEPT_MILLIS);
    this.set(name, answer);
    const own = this.#byScope.get(answer.scope);
    for (let left = 0; left < LEAVE_AT_A_TIME; left += 1) {
      const [oldest, atMillis = 0] = own?.oldest() ?? [];
      const isBeyond = own !== undefined && own.size > this.#mostOwn;
      if (!isBeyond || oldest === undefined) break;
      if (atMillis > answer.atMillis - LEAST_KEPT_MILLIS) break;
      this.delete(oldest);
    }
    if (this.size <= this.#most) return;
    const [oldest] = this.oldest() ?? [];
    if (oldest !== undefined) this.delete(oldest);
  }

  /** Those that were given at this time or before it. */
  forgetBefore(atMillis: number): void {
    for (;;) {
      const [name, answer] = this.oldest() ?? [];
      if (name === undefined || answer === undefined || answer.atMillis > atMillis) return;
      this.delete(name);
    }
  }

  /** How long an answer of this scope is kept for now; undefined = for a day. */
  keptSeconds(scope: string, nowMillis: number): number | undefined {
    const own = this.#byScope.get(scope);
    const [, ownMillis = nowMillis] = own?.oldest() ?? [];
    const ownSeconds = Math.floor((nowMillis - ownMillis) / 1_000);
    if (own !== undefined && own.size >= this.#mostOwn) {
      return Math.max(LEAST_KEPT_MILLIS / 1_000, ownSeconds);
    }
    if (this.size < this.#most) return undefined;
    const [, oldest] = this.oldest() ?? [];
    return Math.floor((nowMillis - (oldest?.atMillis ?? nowMillis)) / 1_000);
  }
}
