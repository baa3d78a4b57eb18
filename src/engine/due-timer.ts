// Wakes the engine when something falls due although nobody asks for anything.
// Invariant: at most one timer, never later than the next due moment, whatever its distance.

/** Longer waits are cut: a machine's clock may be set meanwhile, and timers end at 24 days. */
const LONGEST_MILLIS = 60_000;

export class DueTimer {
  readonly #now: () => number;
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | undefined;
  #atMillis: number | undefined;

  constructor(now: () => number, wake: () => void) {
    this.#now = now;
    this.#wake = wake;
  }

  /** `atMillis` is when something falls due next; undefined = nothing does. */
  watch(atMillis: number | undefined): void {
    if (atMillis === this.#atMillis) return;
    this.stop();
    this.#atMillis = atMillis;
    if (atMillis === undefined) return;
    const wait = Math.min(Math.max(atMillis - this.#now(), 0), LONGEST_MILLIS);
    this.#timer = setTimeout(() => {
      this.#atMillis = undefined;
      this.#wake();
    }, wait).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#atMillis = undefined;
  }
}
