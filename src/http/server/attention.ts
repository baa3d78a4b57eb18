// How long this process has been listening: the clock by which callers are late.
// Invariant: time in which the loop was held counts for nobody; what has come by then is read
// before anybody is judged.

/** A turn of the loop that takes longer counts as so long. */
const LONGEST_TURN_MILLIS = 200;
const TICK_MILLIS = 100;
/** Nobody asks for longer ago. */
const KEPT_MILLIS = 15_000;

interface Tick {
  readonly atMillis: number;
  readonly attendedMillis: number;
}

class Attention {
  /** The oldest first. */
  #ticks: Tick[] = [];
  #last: Tick = { atMillis: performance.now(), attendedMillis: 0 };

  constructor() {
    setInterval(() => this.#tick(), TICK_MILLIS).unref();
  }

  #tick(): void {
    const atMillis = performance.now();
    this.#last = { atMillis, attendedMillis: this.now() };
    this.#ticks.push(this.#last);
    const old = this.#ticks.findIndex((tick) => tick.atMillis > atMillis - KEPT_MILLIS);
    if (old > KEPT_MILLIS / TICK_MILLIS) this.#ticks = this.#ticks.slice(old);
  }

  /** Milliseconds of attention since it began; before a turn is over, it counts like a short one. */
  now(): number {
    const { atMillis, attendedMillis } = this.#last;
    return attendedMillis + Math.min(performance.now() - atMillis, LONGEST_TURN_MILLIS);
  }

  /** Of the last milliseconds, those in which the loop was held. */
  heldWithin(millis: number): number {
    const since = performance.now() - millis;
    const before = this.#ticks.findLast(({ atMillis }) => atMillis <= since) ?? this.#ticks[0];
    if (before === undefined) return 0;
    return Math.max(0, performance.now() - before.atMillis - (this.now() - before.attendedMillis));
  }

  /**
   * Calls back once so much attention was paid, and not before what had come by then is read.
   * @returns the end of it
   */
  after(millis: number, late: () => void): () => void {
    const until = this.now() + millis;
    let timer: NodeJS.Timeout | undefined;
    let reading: NodeJS.Immediate | undefined;
    const look = (): void => {
      const left = until - this.now();
      if (left > 0) timer = setTimeout(look, left).unref();
      else reading = setImmediate(late);
    };
    look();
    return () => {
      clearTimeout(timer);
      clearImmediate(reading);
    };
  }
}

/** A process has one loop. */
export const attention = new Attention();
