// Rate limits by the generic cell rate algorithm: one time per bucket says all there is to know.
// Invariant: a bucket never serves more than its burst plus its rate times the time that passed.

export interface RatePolicy {
  /** The name in the headers. */
  readonly name: "ip" | "loopback" | "key" | "cancel" | "bytes" | "root" | "admin-secret";
  readonly bucket: string;
  readonly ratePerMinute: number;
  /** May be spent at once however low the rate; a tenth of the minute where that is more. */
  readonly leastBurst?: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Whole units that may be spent at once, now. */
  readonly remaining: number;
  /** Until the whole burst is there again. */
  readonly resetSeconds: number;
  /** Until a request of the same cost passes, if nothing is sent meanwhile; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

const MINUTE_MILLIS = 60_000;
const LEAST_BURST = 10;
/** Enough for the first minutes of a newcomer who reads and types. */
const LEAST_ADDRESS_BURST = 60;
/** For one long answer, or one long list of orders. */
const MOST_OWED_MILLIS = 10 * MINUTE_MILLIS;
const MOST_BUCKETS = 100_000;
/**
 * The most that adding up thirds of a second may lose: a caller who waited as told is never refused
 * for it.
 */
const ROUNDING_MILLIS = 0.001;

const tenthOf = (ratePerMinute: number): number =>
  Math.max(LEAST_BURST, Math.floor(ratePerMinute / 10));

export function burstOf(policy: Omit<RatePolicy, "bucket">): number {
  const { name, ratePerMinute, leastBurst = 0 } = policy;
  const isAddress = name === "ip" || name === "loopback";
  return Math.max(isAddress ? LEAST_ADDRESS_BURST : leastBurst, tenthOf(ratePerMinute));
}

export class RateLimiter {
  /** By bucket: when it will be full again. Least recently charged first. */
  readonly #fullAt = new Map<string, number>();
  readonly #nowMillis: () => number;

  /** `nowMillis` never goes backwards and has nothing to do with the exchange's clock. */
  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis;
  }

  get size(): number {
    return this.#fullAt.size;
  }

  /**
   * Spends `cost` units. A refused request costs too, but the debt never exceeds a tenth of the
   * minute, at least 10 units: a client that kept asking waits `retryAfterSeconds`, no longer, once
   * it stops.
   */
  charge(policy: RatePolicy, cost: number): RateVerdict {
    const { bucket, ratePerMinute } = policy;
    const now = this.#nowMillis();
    const unitMillis = MINUTE_MILLIS / ratePerMinute;
    const burstMillis = burstOf(policy) * unitMillis;
    const debtMillis = tenthOf(ratePerMinute) * unitMillis;
    const costMillis = cost * unitMillis;
    const before = Math.max(this.#fullAt.get(bucket) ?? now, now);
    const wanted = before + costMillis;
    const allowed = cost === 0 || wanted - now <= burstMillis + ROUNDING_MILLIS;
    const capped = Math.min(wanted, now + burstMillis + debtMillis);
    // Tokens owed already stay owed.
    const fullAt = allowed ? wanted : Math.max(before, capped);
    if (cost > 0) this.#keep(bucket, fullAt, now);

    const waitMillis = fullAt + costMillis - burstMillis - now;
    return {
      allowed,
      remaining: Math.max(0, Math.floor((now + burstMillis - fullAt) / unitMillis)),
      resetSeconds: Math.ceil((fullAt - now) / 1000),
      retryAfterSeconds: allowed ? 0 : Math.ceil(waitMillis / 1000),
    };
  }

  /**
   * Charges what a request cost beyond its first charge: the caller owes it, up to ten minutes of
   * the rate, and waits until it is paid.
   */
  owe({ bucket, ratePerMinute }: RatePolicy, cost: number): void {
    if (cost <= 0) return;
    const now = this.#nowMillis();
    const before = Math.max(this.#fullAt.get(bucket) ?? now, now);
    const wanted = before + (cost * MINUTE_MILLIS) / ratePerMinute;
    this.#keep(bucket, Math.max(before, Math.min(wanted, now + MOST_OWED_MILLIS)), now);
  }

  /** Each charge clears up to two buckets that are full again: the map cannot outgrow its use. */
  #keep(bucket: string, fullAt: number, now: number): void {
    this.#fullAt.delete(bucket);
    this.#fullAt.set(bucket, fullAt);
    let looked = 0;
    for (const [oldest, oldestFullAt] of this.#fullAt) {
      if (looked === 2 || (oldestFullAt > now && this.#fullAt.size <= MOST_BUCKETS)) return;
      this.#fullAt.delete(oldest);
      looked += 1;
    }
  }
}

/** Both header forms of the IETF draft, for every answer. */
export const rateHeaders = (
  { name, ratePerMinute }: RatePolicy,
  { remaining, resetSeconds }: RateVerdict,
): Readonly<Record<string, string>> => ({
  "ratelimit-policy": `"${name}";q=${ratePerMinute};w=60`,
  ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
});
