// Of what a file as a whole is asked: shares and middles of enough places, of months not yet printed.
// Invariant: a handful of places never speaks for a file, however far they move.
import type { Month } from "#base/month.ts";

/** The share and the middle of fewer places are noise. */
const FEWEST_PLACES = 20;
/** Fewer of the file's are some places that came back, not the file. */
const FEWEST_PLACES_BPS = 1000;

export class Asked {
  readonly #places: number;
  readonly #printed: Month | undefined;

  /** `places`: those of the file; `printed`: the newest month that the series has printed. */
  constructor(places: number, printed: Month | undefined) {
    this.#places = places;
    this.#printed = printed;
  }

  /** Whether so many places speak for the file. */
  isEnough(places: number): boolean {
    return places >= FEWEST_PLACES && places * 10_000 >= this.#places * FEWEST_PLACES_BPS;
  }

  /** A month that the series has printed is new of places that came back, and of them alone. */
  isNew(month: Month): boolean {
    return this.#printed === undefined || month > this.#printed;
  }
}
