// The losses of entries that operators accepted, as the journal itself tells of them.
// Invariant: nothing but an entry of the chain tells of one.
import { readEntry } from "#core/entry-bytes.ts";
import type { JournalReader } from "./journal.ts";

/** Work on the data folder is rare: all of it, whatever it was. */
const MOST_TOLD = 10_000;

/** The last entry that was left, of each loss that the journal tells of; the newest loss first. */
export async function toldLosses(
  journal: Pick<JournalReader, "newest">,
): Promise<readonly number[]> {
  const action = "maintenance.recorded";
  const told = await journal.newest({ action }, Number.MAX_SAFE_INTEGER, MOST_TOLD, 0);
  return told.flatMap(({ bytes }) => {
    const { command } = readEntry(bytes).envelope;
    const isLoss = command.type === "RecordMaintenance" && command.work === "loss_accepted";
    return isLoss ? [Number.parseInt(command.after, 10)] : [];
  });
}
