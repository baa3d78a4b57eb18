// Work that needs the database, tried again where the database was out of reach for a moment.
// Invariant: a mistake of our own is thrown at once, and waited out never.
import { setTimeout as sleep } from "node:timers/promises";
import { isStorageFault } from "#base/storage-fault.ts";

const RETRY_MILLIS = 1_000;

interface Trying {
  /** Whether the work is still wanted. */
  isWanted(): boolean;
  /** Told of each fault that is waited out. */
  warn(error: Error): void;
  readonly retryMillis?: number | undefined;
}

export async function untilReached(
  work: () => Promise<void>,
  { isWanted, warn, retryMillis = RETRY_MILLIS }: Trying,
): Promise<void> {
  while (isWanted()) {
    try {
      return await work();
    } catch (error) {
      // The database gives its faults a code; the driver, speaking of the way to it, does not.
      const isOutside = isStorageFault(error) || (error instanceof Error && "code" in error);
      if (!isOutside || !(error instanceof Error)) throw error;
      warn(error);
    }
    await sleep(retryMillis, undefined, { ref: false });
  }
}
