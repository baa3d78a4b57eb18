// The synchronous standbys that a database must have before it is led.
// Invariant: with them, what was acknowledged is on the disks of this server and of a standby.
import type { ClientBase } from "pg";

/** Told as what it is: the database's, and over once a standby is back. */
class ReplicasMissing extends Error {
  readonly code = "REPLICAS_MISSING";
}

interface Replication {
  readonly names: string;
  readonly commit: string;
  readonly count: number;
  readonly hidden: number;
}

/**
 * On the connection that will append: `synchronous_commit` belongs to it.
 * @throws ReplicasMissing naming what is missing, and the cure
 */
export async function requireReplicas(client: ClientBase, least: number): Promise<void> {
  const { rows } = await client.query<Replication>(
    `SELECT current_setting('synchronous_standby_names') AS names,
       current_setting('synchronous_commit') AS commit,
       count(*) FILTER (
         WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming')::int AS count,
       count(*) FILTER (WHERE pid IS NOT NULL AND sync_state IS NULL)::int AS hidden
     FROM pg_stat_replication`,
  );
  const [found] = rows;
  if (found === undefined) throw new ReplicasMissing("pg_stat_replication gave no row.");
  const { names, commit, count, hidden } = found;
  if (names === "") throw missing(least, "synchronous_standby_names is empty: name the standbys");
  if (commit !== "on" && commit !== "remote_apply") {
    throw missing(least, `synchronous_commit is ${commit}: set it to on`);
  }
  if (hidden > 0) {
    throw missing(least, "this role may not see standbys: GRANT pg_read_all_stats to it");
  }
  if (count < least) throw missing(least, `${count} synchronous standbys stream from this server`);
}

const missing = (least: number, how: string): ReplicasMissing =>
  new ReplicasMissing(`FIRSTPRINT_REPLICAS is ${least}, but ${how}.`);
