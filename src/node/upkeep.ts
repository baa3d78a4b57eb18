// Figures for quiet times: the last backup, snapshot and archive, and copies of the database.
// Invariant: it only reads, on a connection of its own.
import type { Upkeep } from "#http/ports.ts";
import type { WholeJournal } from "#journal/whole-journal.ts";
import { lastBackupSeconds } from "#storage/last-backup.ts";
import { withClient } from "#storage/with-client.ts";
import type { Database } from "./database.ts";

export async function upkeepOf(
  dataDir: string,
  config: Database["config"],
  journal: Pick<WholeJournal, "read" | "newestSnapshot" | "archivedUpTo">,
): Promise<Upkeep> {
  const backupSeconds = lastBackupSeconds(dataDir);
  const reached = async (sequence: number): Promise<Upkeep["snapshot"]> => {
    const [entry] = sequence === 0 ? [] : await journal.read(sequence, 1);
    if (entry === undefined) return null;
    return { sequence, entryTime: new Date(entry.timeMillis).toISOString() };
  };
  const snapshot = await journal.newestSnapshot(Number.MAX_SAFE_INTEGER);
  return {
    lastBackupAt: backupSeconds === 0 ? null : new Date(backupSeconds * 1000).toISOString(),
    snapshot: await reached(snapshot?.size ?? 0),
    archive: await reached(await journal.archivedUpTo()),
    copies: await copiesOf(config),
  };
}

interface CopyRow {
  readonly name: string;
  /** Null where this role may not see more of it than that it is there. */
  readonly state: string | null;
  readonly synchronous: boolean | null;
  readonly lag: number;
}

async function copiesOf(config: Database["config"]): Promise<Upkeep["copies"]> {
  const { rows } = await withClient(config, (client) =>
    client.query<CopyRow>(
      `SELECT application_name AS name, state, sync_state IN ('sync', 'quorum') AS synchronous,
         round(coalesce(extract(epoch FROM replay_lag) * 1000, 0))::int AS lag
       FROM pg_stat_replication ORDER BY application_name, pid`,
    ),
  );
  const copies = rows.flatMap(({ name, state, synchronous, lag }) =>
    state === null ? [] : { name, state, synchronous: synchronous === true, lagMillis: lag },
  );
  return copies.length === rows.length ? copies : null;
}
