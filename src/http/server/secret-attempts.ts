// Wrong admin secrets: when the next one may be compared, and the entries that tell of them,
// folded.
// Invariant: a secret that is not compared tells nothing; every wrong one is counted in exactly one
// entry, and however many addresses guess, there are only so many entries a minute.
import { DAY_MILLIS } from "#base/day.ts";
import type { Origin } from "./origin.ts";
import type { RateLimiter, RatePolicy } from "./rate-limit.ts";

const MINUTE_MILLIS = 60_000;
/** Wrong admin secrets an address may send in a minute. */
export const SECRET_ATTEMPTS_PER_MINUTE = 30;
/** Of all addresses together, but this machine and those that sent the right one in a day. */
const STRANGERS_ATTEMPTS_PER_MINUTE = 120;
/** Addresses with entries of their own; the rest share one. */
const MOST_NETWORKS = 10;
const MOST_TRUSTED = 1_000;
const OTHERS = "other addresses";

interface Attempts {
  /** When the last entry for the address was made. */
  readonly toldAtMillis: number;
  /** Since then. */
  readonly untold: number;
}

interface ReportedAttempts {
  readonly network: string;
  readonly count: number;
}

export const secretPolicy = (network: string): RatePolicy => ({
  name: "admin-secret",
  bucket: `admin-secret ${network}`,
  ratePerMinute: SECRET_ATTEMPTS_PER_MINUTE,
});

const strangersPolicy: RatePolicy = {
  name: "admin-secret",
  bucket: "admin-secret of strangers",
  ratePerMinute: STRANGERS_ATTEMPTS_PER_MINUTE,
};

export class SecretAttempts {
  readonly #byNetwork = new Map<string, Attempts>();
  /** When an address sent the right one last; the longest ago first. */
  readonly #trusted = new Map<string, number>();

  /** The bucket that must fill before a secret from here is compared; undefined = it may be. */
  spent(origin: Origin, limiter: RateLimiter, nowMillis: number): RatePolicy | undefined {
    return [secretPolicy(origin.network), ...this.#shared(origin, nowMillis)].find(
      (policy) => limiter.charge(policy, 0).remaining < 1,
    );
  }

  /** A wrong one costs the address, and what strangers have together. */
  charge(origin: Origin, limiter: RateLimiter, nowMillis: number): void {
    for (const policy of this.#shared(origin, nowMillis)) limiter.charge(policy, 1);
  }

  /** The right one came from here: strangers' guesses no longer hold this address up. */
  trust(network: string, nowMillis: number): void {
    this.#trusted.delete(network);
    this.#trusted.set(network, nowMillis);
    const [oldest] = this.#trusted.keys();
    if (this.#trusted.size > MOST_TRUSTED && oldest !== undefined) this.#trusted.delete(oldest);
  }

  #shared({ network, isLocal }: Origin, nowMillis: number): readonly RatePolicy[] {
    const since = this.#trusted.get(network);
    if (isLocal) return [];
    return since !== undefined && nowMillis - since < DAY_MILLIS ? [] : [strangersPolicy];
  }

  /** The entry to write now; undefined when this one waits to be folded with later ones. */
  note(sender: string, nowMillis: number): ReportedAttempts | undefined {
    const isOwn = this.#byNetwork.has(sender) || this.#byNetwork.size < MOST_NETWORKS;
    const network = isOwn ? sender : OTHERS;
    const before = this.#byNetwork.get(network);
    if (before !== undefined && nowMillis - before.toldAtMillis < MINUTE_MILLIS) {
      this.#byNetwork.set(network, { ...before, untold: before.untold + 1 });
      return undefined;
    }
    this.#byNetwork.set(network, { toldAtMillis: nowMillis, untold: 0 });
    return { network, count: (before?.untold ?? 0) + 1 };
  }

  /** Attempts whose minute is over and which nobody has followed. Forgets addresses gone quiet. */
  overdue(nowMillis: number): readonly ReportedAttempts[] {
    const told: ReportedAttempts[] = [];
    for (const [network, { toldAtMillis, untold }] of this.#byNetwork) {
      if (nowMillis - toldAtMillis < MINUTE_MILLIS) continue;
      if (untold === 0) this.#byNetwork.delete(network);
      else {
        told.push({ network, count: untold });
        this.#byNetwork.set(network, { toldAtMillis: nowMillis, untold: 0 });
      }
    }
    return told;
  }
}
