// Work that needs the database, tried again where the database was out of reach for a moment.
// Invariant: a mistake of our own is thrown at once, and waited out never.
import { setTimeout as sleep } from "node:timers/promises";
import { Outage } from "#base/outage.ts";
import { isStorageFault } from "#base/storage-fault.ts";

const RETRY_MILLIS = 1_000;

interface Trying {
  /** Whether the work is still wanted. */
  isWanted(): boolean;
  /** Told of the first fault that is waited out, and of undefined once it is over. */
  tell(fault: unknown): void;
  readonly retryMillis?: number | undefined;
}

export async function untilReached(
  work: () => Promise<void>,
  { isWanted, tell, retryMillis = RETRY_MILLIS }: Trying,
): Promise<void> {
  const outage = new Outage(tell);
  while (isWanted()) {
    try {
      await work();
      return outage.over();
    } catch (error) {
      // The database gives its faults a code; the driver, speaking of the way to it, does not.
      const isOutside = isStorageFault(error) || (error instanceof Error && "code" in error);
      if (!isOutside || !(error instanceof Error)) throw error;
      outage.met(error);
    }
    await sleep(retryMillis, undefined, { ref: false });
  }
}
