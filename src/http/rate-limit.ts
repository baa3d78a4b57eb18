// Rate limits by the generic cell rate algorithm: one time per bucket says all there is to know.
// Invariant: a bucket never serves more than its burst plus its rate times the time that passed.
import { isIPv6 } from "node:net";

export interface RatePolicy {
  /** What the headers call it. */
  readonly name: "ip" | "key" | "cancel" | "root" | "admin-secret";
  readonly bucket: string;
  readonly ratePerMinute: number;
}

interface RateVerdict {
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
const MOST_BUCKETS = 100_000;

export const burstOf = (ratePerMinute: number): number =>
  Math.max(LEAST_BURST, Math.floor(ratePerMinute / 10));

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
   * Spends `cost` units. A refused request costs too, but the debt never exceeds a second burst:
   * a client that kept asking waits `retryAfterSeconds`, no longer, once it stops.
   */
  charge({ bucket, ratePerMinute }: RatePolicy, cost: number): RateVerdict {
    const now = this.#nowMillis();
    const unitMillis = MINUTE_MILLIS / ratePerMinute;
    const burstMillis = burstOf(ratePerMinute) * unitMillis;
    const costMillis = cost * unitMillis;
    const wanted = Math.max(this.#fullAt.get(bucket) ?? now, now) + costMillis;
    const allowed = cost === 0 || wanted - now <= burstMillis;
    const fullAt = allowed ? wanted : Math.min(wanted, now + 2 * burstMillis);
    if (cost > 0) this.#keep(bucket, fullAt, now);

    const waitMillis = fullAt + costMillis - burstMillis - now;
    return {
      allowed,
      remaining: Math.max(0, Math.floor((now + burstMillis - fullAt) / unitMillis)),
      resetSeconds: Math.ceil((fullAt - now) / 1000),
      retryAfterSeconds: allowed ? 0 : Math.ceil(waitMillis / 1000),
    };
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

/** Who counts as one caller: an IPv4 address, or the /64 an IPv6 address lies in. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return "local";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...new Array<string>(zeros).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}

/** Both header forms of the IETF draft, for every answer. */
export const rateHeaders = (
  { name, ratePerMinute }: RatePolicy,
  { remaining, resetSeconds }: RateVerdict,
): Readonly<Record<string, string>> => ({
  "ratelimit-policy": `"${name}";q=${ratePerMinute};w=60`,
  ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
});
