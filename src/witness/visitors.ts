// How often an address may ask a witness: everybody can reach it, and each question costs it work.
// Invariant: an address that brought a head which was cosigned is not held up by any other.
import { networkOf } from "#base/network.ts";

const STRANGER_A_MINUTE = 60;
/** All strangers together. */
const STRANGERS_A_MINUTE = 600;
const KNOWN_MILLIS = 3_600_000;
const MINUTE_MILLIS = 60_000;
const MOST_KNOWN = 1_000;

export class Visitors {
  readonly #now: () => number;
  /** By address, in the minute under way; no more of them than requests of strangers. */
  readonly #asked = new Map<string, number>();
  #askedInAll = 0;
  #minute = 0;
  /** When an address last brought a head that was cosigned. */
  readonly #known = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Seconds to wait; 0 where the request may be answered, which counts it. */
  secondsToWait(address: string): number {
    const now = this.#now();
    const since = this.#known.get(callerOf(address));
    if (since !== undefined && now - since < KNOWN_MILLIS) return 0;
    const minute = Math.floor(now / MINUTE_MILLIS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#asked.clear();
      this.#askedInAll = 0;
    }
    const asked = this.#asked.get(callerOf(address)) ?? 0;
    if (asked >= STRANGER_A_MINUTE || this.#askedInAll >= STRANGERS_A_MINUTE) {
      return Math.ceil(((minute + 1) * MINUTE_MILLIS - now) / 1_000);
    }
    this.#asked.set(callerOf(address), asked + 1);
    this.#askedInAll += 1;
    return 0;
  }

  /** It brought a head that was cosigned: only whoever hears of new heads of the log can. */
  noteCosigned(address: string): void {
    const network = callerOf(address);
    this.#known.delete(network);
    if (this.#known.size >= MOST_KNOWN) {
      for (const [oldest] of this.#known) {
        this.#known.delete(oldest);
        break;
      }
    }
    this.#known.set(network, this.#now());
  }
}

/** As a socket names its peer: an IPv4 address may be written as IPv6, and have a zone. */
const callerOf = (peer: string): string =>
  networkOf(peer.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, ""));
