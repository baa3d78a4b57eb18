// How often each code was answered since the start: all that is kept of what is not worth an entry.
// Invariant: every refusal that is answered is counted, under its code, once.
import type { ErrorCode } from "../route/errors.ts";

export class RefusalCounts {
  readonly #byCode = new Map<ErrorCode, number>();

  note(code: ErrorCode): void {
    this.#byCode.set(code, (this.#byCode.get(code) ?? 0) + 1);
  }

  /** In the order of the codes' names. */
  get byCode(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#byCode].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
