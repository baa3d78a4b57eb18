// Raw files moved to where they are kept now, between the database and an object store.
// Invariant: a file leaves a place once the other has it, durably; one that is not what its
// name says stays, and is told of.
import { messageOf } from "#base/message-of.ts";
import { RawFileDamaged, RawFileMissing } from "./raw-file.ts";
import type { RawStore } from "./raw-store.ts";

/**
 * To where new files are kept: from the database into the object store, or back. As the leader of
 * `epoch`; if we stop anywhere, the next term goes on with what is left.
 */
export async function movePlaces(
  store: RawStore,
  epoch: number,
  tell: (sentence: string) => void,
): Promise<void> {
  let moved = 0;
  for (const sha256 of await store.elsewhere()) {
    try {
      await store.move(sha256, epoch);
      moved += 1;
    } catch (error) {
      if (!(error instanceof RawFileDamaged || error instanceof RawFileMissing)) throw error;
      tell(`A raw file stays where it is: ${messageOf(error)}`);
    }
  }
  if (moved > 0) tell(`${moved} raw files were moved to where new ones are kept`);
}
