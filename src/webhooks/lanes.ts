// How many deliveries are under way at once, in two lanes of equal width.
// Invariant: a slow receiver waits for slow ones only; who was prompt last time never waits for it.

/** Deliveries at once, in each lane. */
const LANE_WIDTH = 64;

export class Lanes {
  readonly #prompt = new Lane(LANE_WIDTH);
  readonly #slow = new Lane(LANE_WIDTH);

  enter(isPrompt: boolean): Promise<() => void> {
    return (isPrompt ? this.#prompt : this.#slow).enter();
  }
}

/** First come, first served. */
class Lane {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  /** Resolves to what leaves it again. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}
