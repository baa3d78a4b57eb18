// An operator's word that a machine's clock is right, left in the data folder of its node.
// Invariant: it is whole or not there; the node that takes it removes it.
import { join } from "node:path";
import { keepSecret, readSecretFile } from "./secret-file.ts";

export const CLOCK_ACCEPTED = "clock-accepted";

/** The reason that was given; undefined where no word is there. */
export const acceptedClock = (dataDir: string): Promise<string | undefined> =>
  readSecretFile(join(dataDir, CLOCK_ACCEPTED));

export async function acceptClock(dataDir: string, reason: string): Promise<void> {
  await keepSecret(dataDir, CLOCK_ACCEPTED, () => reason);
}
