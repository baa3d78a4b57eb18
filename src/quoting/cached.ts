// A cache of values computed from the prints, valid until there are new ones.
// Invariant: a kept value is what computing it again would give: it dies with the prints' version.
import type { SeriesView } from "#views/series.ts";

export class Cached<T> {
  readonly #series: Pick<SeriesView, "version">;
  readonly #values = new Map<string, { readonly value: T }>();
  readonly #most: number;
  #version = -1;

  /** Of more than `most` values the oldest are forgotten. */
  constructor(series: Pick<SeriesView, "version">, most = Number.POSITIVE_INFINITY) {
    this.#series = series;
    this.#most = most;
  }

  has(name: string): boolean {
    this.#forgetOld();
    return this.#values.has(name);
  }

  of(name: string, compute: () => T): T {
    this.#forgetOld();
    const known = this.#values.get(name);
    if (known !== undefined) return known.value;
    const value = compute();
    this.#values.set(name, { value });
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break;
      this.#values.delete(oldest);
    }
    return value;
  }

  /** Of what was computed from something else, too, once that has changed. */
  forget(): void {
    this.#values.clear();
  }

  #forgetOld(): void {
    if (this.#version === this.#series.version) return;
    this.#version = this.#series.version;
    this.#values.clear();
  }
}
