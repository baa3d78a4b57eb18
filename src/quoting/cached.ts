// A cache of values computed from the prints, or from another thing that has a version, valid until
// that changes.
// Invariant: a kept value is what computing it again would give: it dies with the version.

interface Versioned {
  readonly version: number;
}

export class Cached<T> {
  readonly #source: Versioned;
  readonly #values = new Map<string, { readonly value: T }>();
  readonly #most: number;
  #version = -1;

  /** Of more than `most` values the oldest are forgotten. */
  constructor(source: Versioned, most = Number.POSITIVE_INFINITY) {
    this.#source = source;
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
    this.#version = -1;
  }

  #forgetOld(): void {
    if (this.#version === this.#source.version) return;
    this.#version = this.#source.version;
    this.#values.clear();
  }
}
