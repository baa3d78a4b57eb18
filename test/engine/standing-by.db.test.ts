// A node that stands by has the log's tree: a term that begins does not wait for one to be made.
// Invariant tested: the tree has grown with what was followed, and agrees with the heads that the
// leader has kept.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Pool } from "pg";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { signCheckpoint } from "#journal/checkpoint.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { JournalRefusal } from "#journal/journal.ts";
import type { TilePlace } from "#journal/log-tree.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { poolOf } from "#storage/with-client.ts";
import { until } from "#test/e2e/until.ts";
import { createDatabase } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { answered, fund, openAccount, request } from "./requests.ts";

/** More than two tiles of the tree, and some beside them. */
const ENTRIES = 600;
const checkpoints = { entries: 100, millis: 50 };

/** Tells which hashes of the log were asked for. */
class WatchedJournal extends PostgresJournal {
  asked: string[] = [];

  override async entryHashes(from: number, limit: number): Promise<readonly string[]> {
    this.asked.push(`entries from ${from}`);
    return super.entryHashes(from, limit);
  }

  override async tile(place: TilePlace): Promise<Uint8Array | undefined> {
    this.asked.push(`tile ${place.level}/${place.index}`);
    return super.tile(place);
  }
}

interface Nodes {
  readonly leader: OpenEngine;
  readonly standby: OpenEngine;
  /** Starts a node on the folder of the one that stood by, as its next process would. */
  readonly startAgain: () => Promise<OpenEngine>;
  /** The standby's own file, newest last. */
  readonly signed: () => Promise<readonly string[]>;
  readonly watched: WatchedJournal;
  readonly pool: Pool;
  readonly key: ReturnType<typeof generateSigningKey>;
  readonly fatal: unknown[];
}

/** The second stands by, and has the leader's newest head; `millis`: how often it signs. */
async function open(t: TestContext, millis = checkpoints.millis): Promise<Nodes> {
  const connection = await createDatabase(t);
  const key = generateSigningKey();
  const pool = poolOf(connection);
  t.after(() => pool.end());
  const dataDir = await temporaryFolder(t, "firstprint-standing-by-");
  const journal = new PostgresJournal(connection);
  t.after(() => journal.close());
  const options = { key, clock: "real", checkpoints } as const;
  const leader = await openEngine({ ...options, journal, dataDir, standsBy: true });
  answered(await leader.submit(request(openAccount(1))));
  await Promise.all(
    Array.from({ length: ENTRIES }, async () => answered(await leader.submit(request(fund(1))))),
  );
  const watched = new WatchedJournal(connection);
  t.after(() => watched.close());
  const fatal: unknown[] = [];
  const onFatal = (error: unknown): void => void fatal.push(error);
  const ownDir = await temporaryFolder(t, "firstprint-standing-by-");
  const own = { ...options, journal: watched, dataDir: ownDir };
  const standby = await openEngine({
    ...own,
    ...{ standsBy: true, checkpoints: { ...checkpoints, millis }, onFatal },
  });
  const { durableSequence } = leader.status();
  await until("the head is signed", () => leader.history.log()?.newest?.size === durableSequence);
  await until("it is taken", () => standby.history.log()?.newest?.size === durableSequence);
  const startAgain = (): Promise<OpenEngine> => openEngine(own);
  const signed = (): Promise<readonly string[]> => Array.fromAsync(checkpointNotes(ownDir));
  return { leader, standby, startAgain, signed, watched, pool, key, fatal };
}

/** The database as it was `entries` entries ago, with whatever was signed over the rest. */
async function lose(pool: Pool, entries: number): Promise<void> {
  const { rows } = await pool.query<{ last: number }>(
    "SELECT max(sequence)::int - $1 AS last FROM journal",
    [entries],
  );
  const last = rows[0]?.last ?? 0;
  await pool.query("DELETE FROM journal_touch WHERE sequence > $1", [last]);
  await pool.query("DELETE FROM journal WHERE sequence > $1", [last]);
  for (const table of ["checkpoint", "log_checkpoint"]) {
    await pool.query(`DELETE FROM ${table} WHERE size > $1`, [last]);
  }
}

const refusal = (error: unknown): boolean =>
  error instanceof JournalRefusal && /firstprint accept-loss/.test(error.message);

test("a term that begins makes no tree where its node has followed", async (t) => {
  const { leader, standby, watched, fatal } = await open(t);
  assert.ok(watched.asked.includes("tile 0/1"), "stored tiles are read once, beside the leader");
  watched.asked = [];
  for (let more = 0; more < 300; more += 1) answered(await leader.submit(request(fund(1))));
  const { durableSequence } = leader.status();
  // Of entries that come in between it and the lock it would read the hashes: these few.
  await until("it has followed", () => standby.status().durableSequence === durableSequence);
  await leader.stop();
  await until("the other leads", () => standby.status().mode === "open");
  assert.deepEqual(watched.asked, [], "no hash was read anew");
  assert.equal(standby.history.log()?.newest?.size, durableSequence);
  answered(await standby.submit(request(fund(1))));
  await standby.stop();
  assert.deepEqual(fatal, []);
});

test("a head of other entries ends a node that stands by", async (t) => {
  const { leader, standby, pool, key, fatal } = await open(t);
  const { origin = "" } = standby.history.log() ?? {};
  const { note } = signCheckpoint(key, origin, { size: ENTRIES, hash: "0".repeat(64) });
  await pool.query("DELETE FROM log_checkpoint WHERE size > $1", [ENTRIES]);
  await pool.query(
    `INSERT INTO log_checkpoint (size, note) VALUES ($1, $2)
     ON CONFLICT (size) DO UPDATE SET note = excluded.note`,
    [ENTRIES, note],
  );
  await until("it has ended", () => fatal.length > 0);
  assert.ok(fatal[0] instanceof JournalRefusal);
  assert.match(
    fatal[0].message,
    /the transparency log in the database was signed over 600 entries/,
  );
  await leader.stop();
  await standby.stop();
});

test("a node that only stood by leads no database that lost what it followed", async (t) => {
  const { leader, standby, startAgain, signed, pool, fatal } = await open(t);
  const { durableSequence } = leader.status();
  const isSigned = async (): Promise<boolean> =>
    (await signed()).at(-1)?.split("\n")[1] === String(durableSequence);
  await until("it has signed what it followed into its own folder", isSigned);
  await standby.stop();
  await leader.stop();
  await lose(pool, 20);
  await assert.rejects(startAgain, refusal);
  assert.deepEqual(fatal, []);
});

test("what is lost under a node that stands by is refused by its next start too", async (t) => {
  const { leader, standby, startAgain, pool, fatal } = await open(t, 3_600_000);
  // It signed once, when it began: of what comes now its file knows nothing.
  for (let more = 0; more < 30; more += 1) answered(await leader.submit(request(fund(1))));
  const { durableSequence } = leader.status();
  await until("it has followed", () => standby.status().durableSequence === durableSequence);
  // A rival queues for the lock, so it has it in the moment the leader is gone.
  const rival = await pool.connect();
  const lock = "hashtextextended('firstprint/leader', 0)";
  const locked = rival.query(`SELECT pg_advisory_lock(${lock})`);
  await leader.stop();
  await locked;
  await lose(pool, 20);
  await rival.query(`SELECT pg_advisory_unlock(${lock})`);
  rival.release();
  await until("it has ended", () => fatal.length > 0);
  assert.ok(refusal(fatal[0]), String(fatal[0]));
  await standby.stop();
  await assert.rejects(startAgain, refusal);
});
