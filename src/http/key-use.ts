// When each key was last used: kept in memory, by the exchange's clock, for the list of keys.
// Invariant: nothing is written for it; after a restart a key counts as unused until it is used.
import type { KeyId } from "#base/ids.ts";

export class KeyUse {
  readonly #lastSeconds = new Map<KeyId, number>();

  note(key: KeyId, nowSeconds: number): void {
    this.#lastSeconds.set(key, nowSeconds);
  }

  lastSeconds(key: KeyId): number | null {
    return this.#lastSeconds.get(key) ?? null;
  }
}
