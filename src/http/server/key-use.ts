// When each key was last used, by the exchange's clock, for the list of keys; kept in a small file.
// Invariant: a request never waits for it; the file is whole, and a minute old at the most.
import { readFile, rename, writeFile } from "node:fs/promises";
import { hasCode } from "#base/error-code.ts";
import { type KeyId, keyId } from "#base/ids.ts";

const SAVE_MILLIS = 60_000;

export class KeyUse {
  readonly #lastSeconds = new Map<KeyId, number>();
  #isSaved = true;

  note(key: KeyId, nowSeconds: number): void {
    if (this.#lastSeconds.get(key) === nowSeconds) return;
    this.#lastSeconds.set(key, nowSeconds);
    this.#isSaved = false;
  }

  lastSeconds(key: KeyId): number | null {
    return this.#lastSeconds.get(key) ?? null;
  }

  /** As the file tells, where there is one; throws where it is damaged. */
  static async read(path: string): Promise<KeyUse> {
    const use = new KeyUse();
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) return "{}";
      throw error;
    });
    for (const [id, seconds] of Object.entries(entriesOf(text, path))) {
      use.#lastSeconds.set(keyId(id), seconds);
    }
    return use;
  }

  /** Writes it each minute in which something changed; `end` writes a last time. */
  keep(path: string, onFault: (error: unknown) => void): { end(): Promise<void> } {
    let saving = Promise.resolve();
    const save = (): Promise<void> => {
      saving = saving.then(() => this.#save(path)).catch(onFault);
      return saving;
    };
    const timer = setInterval(() => void save(), SAVE_MILLIS).unref();
    return {
      end: () => {
        clearInterval(timer);
        return save();
      },
    };
  }

  async #save(path: string): Promise<void> {
    if (this.#isSaved) return;
    this.#isSaved = true;
    const text = JSON.stringify(Object.fromEntries(this.#lastSeconds));
    try {
      // If we stop here, the file is the one of a minute ago.
      await writeFile(`${path}.part`, text, { mode: 0o600 });
      await rename(`${path}.part`, path);
    } catch (error) {
      this.#isSaved = false;
      throw error;
    }
  }
}

function entriesOf(text: string, path: string): Readonly<Record<string, number>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isUse(value)) return value;
  throw new Error(`${path} is damaged: remove it; keys will show as not used until they are`);
}

const isUse = (value: unknown): value is Record<string, number> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((seconds) => Number.isSafeInteger(seconds));
