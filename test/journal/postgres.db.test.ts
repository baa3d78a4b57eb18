// The journal in a real PostgreSQL: append and read, leadership, schema, and tampering by SQL.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { entryHash, noEntries } from "#journal/chain.ts";
import { signCheckpoint } from "#journal/checkpoint.ts";
import {
  type Head,
  JournalRefusal,
  LeadershipTaken,
  type SealedEntry,
  type StoredEntry,
} from "#journal/journal.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import type { Connection } from "#storage/embedded.ts";
import { until } from "#test/e2e/until.ts";
import { createDatabase } from "#test/support/database.ts";
import { chainId, drawing, headOf, sealedEntries } from "./sealed.ts";

const key = generateSigningKey();
const origin = `firstprint/${chainId}`;
const entries = sealedEntries(600);
const ignore = (): void => undefined;

function open(t: TestContext, connection: Connection): PostgresJournal {
  const journal = new PostgresJournal({ ...connection });
  t.after(() => journal.close());
  return journal;
}

async function connect(t: TestContext, connection: ClientConfig): Promise<Client> {
  const client = new Client({ ...connection });
  client.on("error", ignore);
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** Bytes as text, so that a Buffer and a Uint8Array compare, and quickly; as `read` gives it. */
const plain = ({
  touches: _touches,
  entry: _decided,
  ...entry
}: StoredEntry & Partial<SealedEntry>) => ({
  ...entry,
  bytes: Buffer.from(entry.bytes).toString("latin1"),
});

/** Resolves when so many sessions wait for a lock, whether or not partitions are made beside. */
async function waiting(client: Client, count: number): Promise<void> {
  const sql = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query NOT LIKE '%journal_extend%'`;
  while ((await client.query<{ count: number }>(sql)).rows[0]?.count !== count) await sleep(5);
}

/** A database with a led and released schema and all entries, copied for each test. */
async function withEntries(connection: Connection): Promise<void> {
  const journal = new PostgresJournal({ ...connection });
  const lead = await journal.lead(ignore);
  await lead.append(entries.slice(0, 1));
  await lead.append(entries.slice(1));
  for (const size of [1, 200, 600]) {
    await lead.keepCheckpoint(signCheckpoint(key, origin, headOf(entries.slice(0, size))));
  }
  await lead.release();
  await journal.close();
}

test("what was appended is read back, every byte and column", async (t) => {
  const journal = open(t, await createDatabase(t));
  const lead = await journal.lead(ignore);
  assert.deepEqual(lead.head, noEntries);
  const odd = entries.slice(0, 3).map((entry, at) => ({
    ...entry,
    bytes: Buffer.from([[], [0, 255, 10], [92, 120, 39]][at] ?? []),
    action: [`quote " and \\ and ,`, "NULL", "{ünïcode}"][at] ?? "",
    concerns: [null, "NULL", ""][at] ?? null,
  }));
  await lead.append(odd);
  await lead.append(entries.slice(3));
  assert.deepEqual((await journal.read(1, 3)).map(plain), odd.map(plain));
  assert.deepEqual((await journal.read(4, 1_000)).map(plain), entries.slice(3).map(plain));
  await lead.release();
  const again = await journal.lead(ignore);
  assert.deepEqual(again.head, headOf(entries));
  await again.release();
});

test("a checkpoint does not wait for those who read", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const lead = await journal.lead(ignore);
  await lead.append(entries.slice(0, 10));
  const client = await connect(t, connection);
  await client.query("BEGIN; LOCK TABLE journal_touch IN ACCESS EXCLUSIVE MODE");
  const reads = Array.from({ length: 20 }, () => journal.touches(1, 10));
  // A transaction sees the sessions as they were when it first looked: another one looks.
  await waiting(await connect(t, connection), 4);
  await lead.keepCheckpoint(signCheckpoint(key, origin, headOf(entries.slice(0, 10))));
  await client.query("ROLLBACK");
  for (const read of await Promise.all(reads)) assert.deepEqual(read, []);
  await lead.release();
});

test("a batch is one transaction, whole or not at all", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const lead = await journal.lead(ignore);
  await lead.append(entries.slice(0, 100));
  // The last of this batch collides with nothing, the first does: none may stay.
  await assert.rejects(() => lead.append(entries.slice(99, 150)), /duplicate key/);
  await lead.append(entries.slice(100, 600));
  const client = await connect(t, connection);
  const { rows } = await client.query(
    "SELECT count(*)::int AS entries, count(DISTINCT xmin::text)::int AS batches FROM journal",
  );
  assert.deepEqual(rows, [{ entries: 600, batches: 2 }]);
  await lead.release();
});

test("pages, counts and slices are filtered and bounded in the database", async (t) => {
  const journal = open(t, await createDatabase(t, withEntries));
  const page = await journal.newest({ action: "guarantee.funded" }, 500, 2, 1);
  assert.deepEqual(
    page.map(({ sequence, previousHash }) => [sequence, previousHash]),
    [
      [499, entries[497]?.hash],
      [498, entries[496]?.hash],
    ],
  );
  const [first] = await journal.oldest({}, 0, 600, 1);
  assert.equal(first?.previousHash, noEntries.hash);
  const time = 1_700_000_000_000;
  const ranged = await journal.oldest(
    { fromMillis: time + 9, beforeMillis: time + 12, actor: "root", severity: "info" },
    0,
    600,
    10,
  );
  assert.deepEqual(
    ranged.map(({ sequence }) => sequence),
    [10, 11, 12],
  );
  assert.deepEqual(await journal.counts({ actor: "root" }, 300), [
    {
      action: "account.opened",
      severity: "info",
      count: 1,
      firstMillis: time + 1,
      lastMillis: time + 1,
    },
    {
      action: "guarantee.funded",
      severity: "info",
      count: 298,
      firstMillis: time + 2,
      lastMillis: time + 299,
    },
  ]);
  assert.deepEqual(await journal.newest({ action: "' OR true --" }, 600, 10, 0), []);
});

test("a second leader is refused while the first lives, and told what to do", async (t) => {
  const connection = await createDatabase(t);
  const lead = await open(t, connection).lead(ignore);
  await assert.rejects(
    () => open(t, connection).lead(ignore),
    (error) =>
      error instanceof LeadershipTaken &&
      /Another exchange already leads.*Stop it/.test(error.message),
  );
  await lead.release();
  await (await open(t, connection).lead(ignore)).release();
});

test("a deposed leader cannot append, though its connection and its lock are alive", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const lead = await journal.lead(ignore);
  await lead.append(entries.slice(0, 5));
  const client = await connect(t, connection);
  await client.query("UPDATE leader SET epoch = epoch + 1");
  await assert.rejects(() => lead.append(entries.slice(5, 9)), /0 of 4 entries.*epoch 1 is over/);
  const late = signCheckpoint(key, origin, headOf(entries.slice(0, 5)));
  await assert.rejects(() => lead.keepCheckpoint(late), /epoch 1 is over/);
  assert.equal((await journal.read(1, 100)).length, 5);
  assert.equal(await journal.newestCheckpoint(), undefined);
  await lead.release();
});

test("an append under way holds the next leader's epoch back until it is committed", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const lead = await journal.lead(ignore);
  const client = await connect(t, connection);
  // An uncommitted row in its place makes the append wait inside its statement.
  await client.query("BEGIN");
  await client.query(
    "INSERT INTO journal VALUES (1, '', decode(repeat('00', 32), 'hex'), 0, '', '', '', NULL, '')",
  );
  const appending = lead.append(entries.slice(0, 5));
  const rival = await connect(t, connection);
  await waiting(client, 1);
  let raised = false;
  const raising = rival.query("UPDATE leader SET epoch = epoch + 1").then(() => {
    raised = true;
  });
  await waiting(client, 2);
  assert.equal(raised, false);
  await client.query("ROLLBACK");
  await appending;
  await raising;
  assert.equal((await journal.read(1, 100)).length, 5);
  await assert.rejects(() => lead.append(entries.slice(5, 6)), /is over/);
  lead.abandon();
});

test("a warning on an append makes its outcome unknown, though it was stored", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const lead = await journal.lead(ignore);
  const client = await connect(t, connection);
  await client.query(`
    CREATE FUNCTION remark() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE WARNING 'not waited for the standby'; RETURN NULL; END $$;
    CREATE TRIGGER remark AFTER INSERT ON journal EXECUTE FUNCTION remark()`);
  await assert.rejects(() => lead.append(entries.slice(0, 2)), /remarked.*not waited for/);
  assert.equal((await journal.read(1, 10)).length, 2);
  lead.abandon();
});

test("an error of the commit itself is an error of the append", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const lead = await journal.lead(ignore);
  const client = await connect(t, connection);
  // A deferred trigger speaks after the statement is complete, when the transaction commits.
  await client.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the commit failed'; END $$;
    CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON journal
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`);
  await assert.rejects(() => lead.append(entries.slice(0, 2)), /the commit failed/);
  assert.equal((await journal.read(1, 10)).length, 0);
  lead.abandon();
});

test("a term that is over leaves no session that the next one of this journal would end", async (t) => {
  // A session that is idle is not ended for it: the term ends it.
  const connection = { ...(await createDatabase(t)), idleTimeoutMillis: 0 };
  const journal = open(t, connection);
  const client = await connect(t, connection);
  const writing = async (): Promise<number | null> => {
    const { rowCount } = await client.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_type = 'client backend' AND application_name NOT LIKE '%reading'`,
    );
    return rowCount;
  };
  const lead = await journal.lead(ignore);
  await lead.append(entries.slice(0, 1));
  await lead.keepCheckpoint(signCheckpoint(key, origin, headOf(entries.slice(0, 1))));
  assert.ok(((await writing()) ?? 0) > 1, "its checkpoint was written by a session of its own");
  await lead.release();
  await until("they are gone", async () => (await writing()) === 0);
});

test("a journal that leads again ends the sessions of its own that the server still believes in", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const client = await connect(t, connection);
  const lead = await journal.lead(ignore);
  const { rows } = await client.query<{ name: string }>(
    `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
  );
  await lead.release();
  const name = rows[0]?.name ?? assert.fail("it has led");
  const left = await connect(t, { ...connection, application_name: name });
  await left.query("BEGIN");
  const next = await journal.lead(ignore);
  await assert.rejects(left.query("COMMIT"), "it is ended");
  await next.release();
});

test("a leader that loses its connection is told, once", async (t) => {
  const connection = await createDatabase(t);
  const lost: Error[] = [];
  const journal = open(t, connection);
  await journal.lead((reason) => lost.push(reason));
  const client = await connect(t, connection);
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
  );
  while (lost.length === 0) await sleep(5);
  const next = await journal.lead(ignore);
  await next.release();
  assert.equal(lost.length, 1);
});

test("a database that may lose commits is refused", async (t) => {
  const connection = await createDatabase(t);
  const client = await connect(t, connection);
  await client.query(`ALTER DATABASE ${connection.database} SET synchronous_commit = off`);
  await assert.rejects(
    () => open(t, connection).lead(ignore),
    (error) => error instanceof JournalRefusal && /synchronous_commit is off/.test(error.message),
  );
});

test("old snapshots lose their bytes, never their promise", async (t) => {
  const connection = await createDatabase(t);
  const journal = open(t, connection);
  const lead = await journal.lead(ignore);
  for (const size of [10, 20, 30, 40, 50]) {
    const same = { digest: "aa", bytes: size === 10 ? Buffer.from("bytes ") : undefined };
    const own = { digest: size.toString(16).padStart(4, "0"), bytes: Buffer.from(String(size)) };
    await lead.keepSnapshot({ size, note: `note ${size}`, pages: [same, own] });
  }
  const found: number[] = [];
  for (let below = 1_000; ; ) {
    const snapshot = await journal.newestSnapshot(below);
    if (snapshot === undefined) break;
    const text = (await snapshot.pages()).map(({ bytes }) => Buffer.from(bytes).toString());
    assert.equal(text.join(""), `bytes ${snapshot.size}`);
    found.push(snapshot.size);
    below = snapshot.size;
  }
  assert.deepEqual(found, [50, 40, 30]);
  const client = await connect(t, connection);
  const { rows } = await client.query("SELECT digest FROM snapshot_page");
  assert.equal(rows.length, 4, "each of three, and the one that all of them share");
  const gone = { digest: "0a0a", bytes: undefined };
  const unkept = lead.keepSnapshot({ size: 60, note: "note 60", pages: [gone] });
  await assert.rejects(() => unkept, /its page 0a0a is no longer stored/);
  assert.equal((await journal.snapshotsAfter(0, 10)).length, 5);
  await lead.release();
});

test("one flipped bit in the database is found at its sequence", async (t) => {
  const connection = await createDatabase(t, withEntries);
  const journal = open(t, connection);
  const client = await connect(t, connection);
  assert.equal((await verifyJournal(journal, { key })).valid, true);
  const draw = drawing(42);
  const flip = `UPDATE journal SET bytes = set_bit(bytes, $2, 1 - get_bit(bytes, $2))
    WHERE sequence = $1`;
  const flipHash = `UPDATE journal SET hash = set_bit(hash, $2, 1 - get_bit(hash, $2))
    WHERE sequence = $1`;
  for (let sample = 0; sample < 24; sample += 1) {
    const sequence = 1 + draw(entries.length);
    const length = entries[sequence - 1]?.bytes.length ?? 0;
    const [sql, bit] = sample % 4 === 0 ? [flipHash, draw(256)] : [flip, draw(length * 8)];
    await client.query(sql, [sequence, bit]);
    const verification = await verifyJournal(journal, { key });
    assert.equal(verification.brokenAt, sequence, verification.reason);
    await client.query(sql, [sequence, bit]);
  }
  assert.equal((await verifyJournal(journal, { key })).valid, true);
});

test("a deleted row, a cut tail and a rewritten chain are found", async (t) => {
  const connection = await createDatabase(t, withEntries);
  const journal = open(t, connection);
  const client = await connect(t, connection);
  const brokenAt = async () => (await verifyJournal(journal, { key })).brokenAt;

  await client.query("BEGIN");
  await client.query("DELETE FROM journal WHERE sequence > 590");
  await client.query("COMMIT");
  assert.equal(await brokenAt(), 591);
  const cut = await verifyJournal(journal, { key, upTo: 600 });
  assert.equal(cut.brokenAt, 591);

  // Every hash from entry 300 on is made to fit other bytes: only the checkpoint at 600 knows.
  const other = sealedEntries(600, "another story");
  let head: Head = headOf(entries.slice(0, 299));
  await client.query("DELETE FROM journal WHERE sequence >= 300");
  for (const { sequence, ...entry } of other.slice(299)) {
    const hash = entryHash(head.hash, sequence, entry.bytes);
    head = { size: sequence, hash };
    await client.query("INSERT INTO journal VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)", [
      sequence,
      entry.bytes,
      Buffer.from(hash, "hex"),
      entry.timeMillis,
      entry.action,
      entry.severity,
      entry.actor,
      entry.concerns,
      entry.resource,
    ]);
  }
  const rewritten = await verifyJournal(journal, { key });
  assert.equal(rewritten.brokenAt, 201);
  assert.match(rewritten.reason ?? "", /at entry 600 was signed over.*after entry 200/);

  await client.query("DELETE FROM journal WHERE sequence = 7");
  assert.equal(await brokenAt(), 7);
});

test("a slice of large entries ends early, so that a reader holds few of them", async (t) => {
  const connection = await createDatabase(t, withEntries);
  const client = new Client(connection);
  await client.connect();
  t.after(() => client.end());
  await client.query(
    "UPDATE journal SET bytes = repeat(' ', 3000000)::bytea WHERE sequence BETWEEN 101 AND 110",
  );
  const journal = open(t, connection);
  const sizes: number[] = [];
  for (let after = 0; ; ) {
    const slice = await journal.oldest({}, after, 110, 105);
    const last = slice.at(-1);
    if (last === undefined) break;
    assert.equal(slice[0]?.sequence, after + 1, "nothing is passed over");
    after = last.sequence;
    sizes.push(slice.length);
  }
  assert.deepEqual(sizes, [103, 3, 3, 1]);
});

test("taking the lead again ends what an earlier term wrote on, and no reading", async (t) => {
  const connection = await createDatabase(t, withEntries);
  const journal = open(t, connection);
  (await journal.lead(ignore)).abandon();
  const holding = await connect(t, connection);
  await holding.query("BEGIN");
  await holding.query("LOCK TABLE snapshot");
  const reading = journal.newestSnapshot(601);
  await waiting(await connect(t, connection), 1);
  const lead = await journal.lead(ignore);
  await holding.query("COMMIT");
  assert.equal(await reading, undefined, "the reading went on, and found that there is none");
  await lead.release();
});
