// Maps and sets laid over others: they read through, and keep what is written for themselves.
// Invariant: what lies below is never changed; an entry stands where it would stand in a copy.

/** Something that changes and can be laid over itself. */
export abstract class Layerable {
  /** One that reads through to this one, which must not change as long as it is used. */
  abstract layer(): Layerable;
}

/** A map, a set or a `Layerable` gets a layer of its own; everything else is shared. */
export function layerOf<T>(value: T): T;
export function layerOf(value: unknown): unknown {
  if (value instanceof Map) return new MapLayer(value);
  if (value instanceof Set) return new SetLayer(value);
  return value instanceof Layerable ? value.layer() : value;
}

/** Of every field by its name. */
export const layersOf = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, layerOf(value)]));

class MapLayer<K, V> extends Map<K, V> {
  readonly #below: ReadonlyMap<K, V>;
  /** Keys below that were deleted here; one that came back stands at the end. */
  readonly #gone = new Set<K>();
  #added = 0;

  constructor(below: ReadonlyMap<K, V>) {
    super();
    this.#below = below;
  }

  override get(key: K): V | undefined {
    const own = super.get(key);
    if (own !== undefined || !this.#isBelow(key)) return own;
    const below = this.#below.get(key);
    const layer = layerOf(below);
    if (layer !== undefined && layer !== below) super.set(key, layer);
    return layer;
  }

  override has(key: K): boolean {
    return super.has(key) || this.#isBelow(key);
  }

  override set(key: K, value: V): this {
    if (!this.has(key)) this.#added += 1;
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    if (!this.has(key)) return false;
    this.#added -= 1;
    if (this.#below.has(key)) this.#gone.add(key);
    super.delete(key);
    return true;
  }

  override clear(): void {
    for (const key of [...this.keys()]) this.delete(key);
  }

  override get size(): number {
    return this.#below.size + this.#added;
  }

  override *keys(): Generator<K, undefined> {
    for (const key of this.#below.keys()) if (!this.#gone.has(key)) yield key;
    for (const key of super.keys()) if (!this.#isBelow(key)) yield key;
  }

  override *values(): Generator<V, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  override *entries(): Generator<[K, V], undefined> {
    for (const key of this.keys()) {
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  override [Symbol.iterator](): Generator<[K, V], undefined> {
    return this.entries();
  }

  override forEach(call: (value: V, key: K, map: Map<K, V>) => void): void {
    for (const [key, value] of this.entries()) call(value, key, this);
  }

  #isBelow(key: K): boolean {
    return this.#below.has(key) && !this.#gone.has(key);
  }
}

class SetLayer<T> extends Set<T> {
  readonly #below: ReadonlySet<T>;
  readonly #gone = new Set<T>();

  constructor(below: ReadonlySet<T>) {
    super();
    this.#below = below;
  }

  override has(item: T): boolean {
    return super.has(item) || this.#isBelow(item);
  }

  override add(item: T): this {
    return this.#isBelow(item) ? this : super.add(item);
  }

  override delete(item: T): boolean {
    if (!this.#isBelow(item)) return super.delete(item);
    this.#gone.add(item);
    return true;
  }

  override clear(): void {
    for (const item of [...this.values()]) this.delete(item);
  }

  override get size(): number {
    return this.#below.size - this.#gone.size + super.size;
  }

  override *values(): Generator<T, undefined> {
    for (const item of this.#below) if (!this.#gone.has(item)) yield item;
    yield* super.values();
  }

  override keys(): Generator<T, undefined> {
    return this.values();
  }

  override *entries(): Generator<[T, T], undefined> {
    for (const item of this.values()) yield [item, item];
  }

  override [Symbol.iterator](): Generator<T, undefined> {
    return this.values();
  }

  override forEach(call: (item: T, same: T, set: Set<T>) => void): void {
    for (const item of this.values()) call(item, item, this);
  }

  #isBelow(item: T): boolean {
    return this.#below.has(item) && !this.#gone.has(item);
  }
}
