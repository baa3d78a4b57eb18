// The clock the exchange decides by: the machine's, as long as it goes on as time does.
// Invariant: a machine's clock that jumps by more than ten minutes decides nothing: the exchange
// counts on from the moment before, until the clock is back or an operator takes the jump for true.

/** The clocks of a machine. */
export interface ClockSources {
  /** Milliseconds since 1970, as the machine has it set. */
  wall(): number;
  /** Milliseconds of this process; a machine that sleeps may leave them out. */
  steady(): number;
  /** Milliseconds since the machine was started, its sleep counted. */
  uptime(): number;
}

/** Where the exchange's time was when it was looked at last. */
export interface ClockMark {
  readonly trustedMillis: number;
  readonly uptimeMillis: number;
  /** An operator has said that the machine's clock is right, whatever the entries say. */
  readonly isAccepted: boolean;
}

interface ClockEvents {
  /** The clock went forward, or back where it is less than 0, and was followed. */
  jumped(millis: number): void;
  /** It differs by so much, and is not followed. */
  doubted(offMillis: number): void;
  /** It is followed again. */
  trusted(): void;
}

const TOLD_MILLIS = 60_000;
const DOUBTED_MILLIS = 600_000;

export class TrustedClock {
  readonly #sources: ClockSources;
  readonly #events: ClockEvents;
  #mark: Omit<ClockMark, "isAccepted"> & { readonly steadyMillis: number };
  #isDoubted = false;
  #isAccepted = false;

  /** `kept`: the mark of an earlier process on this machine, since it was started. */
  constructor(sources: ClockSources, events: ClockEvents, kept: ClockMark | undefined) {
    this.#sources = sources;
    this.#events = events;
    const { wall, uptime } = sources;
    this.#mark = this.#markAt(wall());
    if (kept === undefined || kept.uptimeMillis > uptime()) return;
    this.#isAccepted = kept.isAccepted;
    this.#mark = {
      ...this.#mark,
      trustedMillis: kept.trustedMillis,
      uptimeMillis: kept.uptimeMillis,
    };
    this.look();
  }

  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  /** The machine's clock less the time that is counted. */
  get offMillis(): number {
    return this.#sources.wall() - this.now();
  }

  get mark(): ClockMark {
    const { trustedMillis, uptimeMillis } = this.#mark;
    return { trustedMillis, uptimeMillis, isAccepted: this.#isAccepted };
  }

  now(): number {
    const { wall, steady } = this.#sources;
    const counted = (): number => this.#mark.trustedMillis + steady() - this.#mark.steadyMillis;
    if (this.#isDoubted) return Math.round(counted());
    if (Math.abs(wall() - counted()) <= TOLD_MILLIS) return wall();
    // Asleep or set: what the machine counts since its start tells which.
    this.look();
    return this.#isDoubted ? Math.round(counted()) : wall();
  }

  /** To be done each second or so: steps that are small and many are followed one by one. */
  look(): void {
    const { wall, uptime } = this.#sources;
    const counted = this.#mark.trustedMillis + uptime() - this.#mark.uptimeMillis;
    const off = wall() - counted;
    if (Math.abs(off) > DOUBTED_MILLIS) {
      this.#mark = this.#markAt(counted);
      if (!this.#isDoubted) this.#events.doubted(off);
      this.#isDoubted = true;
      return;
    }
    if (Math.abs(off) > TOLD_MILLIS) this.#events.jumped(off);
    this.#follow();
  }

  /**
   * Time never stands still below an entry that was decided: where the newest is far ahead of this
   * clock, one of the two is wrong, and time goes on from the entry until an operator says which.
   */
  notBefore(entryMillis: number): void {
    if (this.#isAccepted || entryMillis - this.now() <= DOUBTED_MILLIS) return;
    this.#doubt(entryMillis);
  }

  /** Another clock, such as the database's, is taken where this one was never seen to be right. */
  compare(otherMillis: number): void {
    if (Math.abs(this.now() - otherMillis) > DOUBTED_MILLIS) this.#doubt(otherMillis);
  }

  /** An operator says that the machine's clock is right. */
  accept(): void {
    this.#isAccepted = true;
    this.#follow();
  }

  #doubt(trustedMillis: number): void {
    this.#mark = this.#markAt(trustedMillis);
    if (!this.#isDoubted) this.#events.doubted(this.#sources.wall() - trustedMillis);
    this.#isDoubted = true;
  }

  #follow(): void {
    this.#mark = this.#markAt(this.#sources.wall());
    if (this.#isDoubted) this.#events.trusted();
    this.#isDoubted = false;
  }

  #markAt(trustedMillis: number) {
    const { steady, uptime } = this.#sources;
    return { trustedMillis, uptimeMillis: uptime(), steadyMillis: steady() };
  }
}
