// The lock that one node leads under, and the heartbeat that shows the others that it does.
// Invariant: one session at a time has the lock, and only one whose node hangs is ended for it.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { LeadershipTaken, SILENT_LEADER_MILLIS } from "./journal.ts";

/** A killed leader's session ends within this; then whoever holds the lock is alive. */
const LOCK_PATIENCE_MILLIS = 3_000;
const LOCK_RETRY_MILLIS = 50;
const LOOK_MILLIS = 500;
/** From the lock to the first heartbeat of the term: the schema may be brought up to date. */
const TAKING_MILLIS = 30_000;

const key = "hashtextextended('firstprint/leader', 0)";

/** Sessions of this database that have the lock: one, or none. */
const holders = `
  FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND ((classid::bigint << 32) | objid::bigint) = ${key}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * `onRound`: the database has answered a round of waiting.
 * @throws LeadershipTaken where another node keeps it, and there is nothing to do meanwhile
 */
export async function takeLock(
  client: Client,
  whileTaken: (() => Promise<void>) | undefined,
  onRound: () => void,
): Promise<void> {
  const begunAt = Date.now();
  for (let lookedAt = begunAt; ; ) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${key}) AS taken`,
    );
    if (rows[0]?.taken === true) break;
    const now = Date.now();
    if (whileTaken !== undefined) await whileTaken();
    else if (now > begunAt + LOCK_PATIENCE_MILLIS) {
      throw new LeadershipTaken(await otherLeader(client));
    }
    if (whileTaken !== undefined && now > lookedAt + LOOK_MILLIS) {
      lookedAt = now;
      await endSilentLeader(client);
    }
    onRound();
    await sleep(LOCK_RETRY_MILLIS);
  }
  // The term before it may have been silent for long; until this one begins nobody may end us.
  if (await hasHeartbeat(client)) await noteHeartbeat(client, TAKING_MILLIS);
}

/**
 * As the leading session, by the database's clock: this node was alive `aheadMillis` from now.
 * It waits for neither a disk nor a standby: a heartbeat that a crash takes is noted again.
 * @returns false where another term has begun since `epoch`
 */
export async function noteHeartbeat(
  client: Client,
  aheadMillis = 0,
  epoch?: number,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: "heartbeat",
    text: `WITH unwaited AS (SELECT set_config('synchronous_commit', 'off', true))
           UPDATE heartbeat SET noted_at = clock_timestamp() + $1 * interval '1 ms' FROM unwaited
           WHERE $2::bigint IS NULL OR EXISTS (SELECT FROM leader WHERE epoch = $2)`,
    values: [aheadMillis, epoch ?? null],
  });
  return rowCount === 1;
}

/** A store that no node of this version has led yet has none. */
async function hasHeartbeat(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    "SELECT to_regclass('heartbeat') IS NOT NULL AS has",
  );
  return rows[0]?.has === true;
}

/**
 * Ends the session of a leader that hangs. It is safe where it only seems to: a term that has
 * lost its session can append nothing, and the next one raises the epoch.
 */
async function endSilentLeader(client: Client): Promise<void> {
  if (!(await hasHeartbeat(client))) return;
  await client.query(
    `SELECT pg_terminate_backend(pid) ${holders}
     AND (SELECT noted_at < clock_timestamp() - ${SILENT_LEADER_MILLIS} * interval '1 ms'
          FROM heartbeat)`,
  );
}

async function otherLeader(client: Client): Promise<string> {
  // Of another role's session the server does not say since when.
  const { rows } = await client.query<{ database: string; pid: number; start: Date | null }>(
    `SELECT current_database() AS database, pid,
       (SELECT backend_start FROM pg_stat_activity AS session WHERE session.pid = pg_locks.pid)
         AS start
     ${holders}`,
  );
  const [row] = rows;
  const since = row?.start == null ? "" : ` since ${row.start.toISOString()}`;
  const session = row === undefined ? "" : ` (session ${row.pid}${since})`;
  return (
    `Another exchange already leads the database ${row?.database ?? ""}${session}. ` +
    "Stop it first, or give this one a DATABASE_URL of its own."
  );
}
