// The engine on a real PostgreSQL: killed connections, restarts, snapshots, checkpoints in a file.
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { apply } from "#core/apply.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { stateHash } from "#core/snapshot.ts";
import { type EngineOptions, type OpenEngine, openEngine } from "#engine/open.ts";
import { recover } from "#engine/recover.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { JournalRefusal, LeadershipTaken, type SealedEntry } from "#journal/journal.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { seal } from "#journal/seal.ts";
import { openSnapshot, sealSnapshot } from "#journal/snapshot.ts";
import { verifyJournal } from "#journal/verify.ts";
import type { Connection } from "#storage/embedded.ts";
import { createDatabase } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { answered, fund, openAccount, request } from "./requests.ts";

interface Place {
  readonly connection: Connection;
  readonly dataDir: string;
  readonly journal: PostgresJournal;
}

async function place(t: TestContext): Promise<Place> {
  const connection = await createDatabase(t);
  const dataDir = await temporaryFolder(t, "firstprint-engine-");
  const journal = new PostgresJournal({ ...connection });
  t.after(() => journal.close());
  return { connection, dataDir, journal };
}

async function open(
  t: TestContext,
  { journal, dataDir }: Place,
  options: Partial<EngineOptions> = {},
): Promise<OpenEngine> {
  const engine = await openEngine({ journal, dataDir, clock: "real", ...options });
  t.after(() => engine.stop());
  return engine;
}

async function sql(t: TestContext, { connection }: Place): Promise<Client> {
  const client = new Client({ ...connection });
  client.on("error", () => undefined);
  await client.connect();
  t.after(() => client.end());
  return client;
}

test("connections killed under load: nothing acknowledged is lost or doubled", async (t) => {
  const where = await place(t);
  const shown: Entry[] = [];
  const checkpoints = { entries: 50, millis: 20 };
  const options = { checkpoints, onDurable: (entry: Entry) => shown.push(entry) };
  const engine = await open(t, where, options);
  answered(await engine.submit(request(openAccount(1))));
  const acknowledged = new Map<string, number | null>();
  let killing = true;
  const unknown = { count: 0 };
  const client = async (name: number): Promise<void> => {
    for (let count = 0; killing || count < 50; count += 1) {
      const memo = `client ${name}, deposit ${count}`;
      for (;;) {
        const result = await engine.submit(request(fund(1, memo), memo));
        if ("outcome" in result) {
          assert.ok(!isRejected(result.outcome));
          acknowledged.set(memo, result.sequence);
          break;
        }
        if ("unknown" in result) unknown.count += 1;
        await sleep(1);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, (_, at) => client(at)));
  const killer = await sql(t, where);
  for (let kill = 0; kill < 12; kill += 1) {
    await sleep(10 + 7 * kill);
    // Every session of the exchange: the appending one, and those that read and sign.
    await killer.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  }
  killing = false;
  await clients;
  t.diagnostic(`${acknowledged.size} acknowledged, ${unknown.count} outcomes unknown on the way`);
  assert.ok(unknown.count > 0, "some batch was under way when its connection was killed");

  const sequences = shown.map(({ sequence }) => sequence);
  assert.deepEqual(
    sequences,
    sequences.map((_, at) => at + 2),
  );
  const memos = new Map<string, number>();
  for (const { sequence, envelope } of shown) {
    if (envelope.command.type !== "FundGuarantee") continue;
    assert.ok(!memos.has(envelope.command.memo ?? ""), `${envelope.command.memo} is doubled`);
    memos.set(envelope.command.memo ?? "", sequence);
  }
  assert.deepEqual([...acknowledged].sort(), [...memos].sort());
  assert.equal((await engine.history.verify()).valid, true);
});

test("an idempotent retry after a restart is answered as the first time", async (t) => {
  const where = await place(t);
  const engine = await openEngine({ ...where, clock: "real" });
  answered(await engine.submit(request(openAccount(1))));
  const first = answered(await engine.submit(request(fund(5), "k")));
  await engine.stop();
  const again = await open(t, where);
  assert.deepEqual(answered(await again.submit(request(fund(5), "k"))), {
    ...first,
    replayed: true,
  });
  assert.deepEqual(await again.submit(request(fund(6), "k", "e".repeat(64))), {
    refused: "IDEMPOTENCY_MISMATCH",
  });
});

test("snapshot and full replay give one state; a damaged snapshot costs only time", async (t) => {
  const where = await place(t);
  const engine = await openEngine({ ...where, clock: "real", snapshotEntries: 40 });
  answered(await engine.submit(request(openAccount(1))));
  for (let usd = 1; usd <= 150; usd += 1) answered(await engine.submit(request(fund(usd))));
  await engine.stop();

  const client = await sql(t, where);
  const { rows } = await client.query<{ size: string }>(
    "SELECT DISTINCT size FROM snapshot_place ORDER BY size DESC",
  );
  assert.equal(rows.length, 3);
  const outcomes: { hash: string; passedOver: number }[] = [];
  const restart = async (): Promise<void> => {
    const said: string[] = [];
    let hash = "";
    const again = await openEngine({
      ...where,
      clock: "real",
      log: (message) => said.push(message),
      onRecovered: (state) => {
        hash = stateHash(state);
      },
    });
    await again.stop();
    outcomes.push({ hash, passedOver: said.filter((one) => one.includes("passed over")).length });
  };
  await restart();
  // The stop after each restart writes the newest one anew.
  for (const { size } of rows) {
    await client.query(
      `UPDATE snapshot_page SET bytes = set_bit(bytes, 1000, 1 - get_bit(bytes, 1000))
       WHERE digest IN (SELECT digest FROM snapshot_place WHERE size = $1 OR size = $2)`,
      [size, rows[0]?.size],
    );
    await restart();
  }
  await client.query("DELETE FROM snapshot");
  await restart();
  const [first] = outcomes;
  assert.deepEqual(
    outcomes.map(({ passedOver }) => passedOver),
    [0, 1, 2, 3, 0],
  );
  for (const { hash } of outcomes) assert.equal(hash, first?.hash);
  assert.equal((await (await open(t, where)).history.verify()).stateHash, first?.hash);
});

test("a forged snapshot does not pass, though its bytes and hashes agree", async (t) => {
  const where = await place(t);
  await (await openEngine({ ...where, clock: "real" })).stop();
  const client = await sql(t, where);
  // A forger can make a whole and consistent snapshot; what he lacks is the key.
  const stored = await where.journal.newestSnapshot(1_000);
  assert.ok(stored);
  const [origin = ""] = stored.note.split("/pages");
  const { size, note } = stored;
  const snapshot = { size, note, pages: await stored.pages() };
  const opened = openSnapshot(await loadSigningKey(where.dataDir), origin, snapshot);
  const forged = sealSnapshot(generateSigningKey(), origin, opened.head, opened.state);
  await client.query("UPDATE snapshot SET note = $1", [forged.note]);
  await client.query("UPDATE snapshot_page SET bytes = $1", [forged.pages[0]?.bytes]);
  const said: string[] = [];
  await (
    await openEngine({ ...where, clock: "real", log: (message) => said.push(message) })
  ).stop();
  assert.match(said.join(), /its note is not one that this node's key signed/);
});

test("a cut tail and a rewritten chain stop the start, by file and by database", async (t) => {
  const where = await place(t);
  const engine = await openEngine({ ...where, clock: "real" });
  answered(await engine.submit(request(openAccount(1))));
  for (let usd = 1; usd <= 5; usd += 1) answered(await engine.submit(request(fund(usd))));
  await engine.stop();
  const client = await sql(t, where);
  const refused = (pattern: RegExp) =>
    assert.rejects(
      () => openEngine({ ...where, clock: "real" }),
      (error) => error instanceof JournalRefusal && pattern.test(error.message),
    );
  await client.query("CREATE TABLE kept AS SELECT * FROM journal");
  await client.query("DELETE FROM snapshot");
  await client.query("DELETE FROM journal WHERE sequence = 7");
  await refused(/ends at entry 6, but the checkpoint in the database was signed at entry 7/);
  // A person with the database can cut its checkpoints too: the file is beyond him.
  await client.query("DELETE FROM checkpoint WHERE size = 7");
  await refused(/ends at entry 6, but the checkpoint in .*checkpoints was signed at entry 7/);
  await client.query("INSERT INTO journal SELECT * FROM kept WHERE sequence = 7");
  await client.query(
    "UPDATE journal SET hash = set_bit(hash, 3, 1 - get_bit(hash, 3)) WHERE sequence = 7",
  );
  await refused(/rewritten/);
  await client.query("TRUNCATE journal");
  await refused(/The journal is empty/);
  await client.query("INSERT INTO journal SELECT * FROM kept");
  await writeFile(join(where.dataDir, "checkpoint.key"), "");
  await refused(/holds no Ed25519 key/);
  await rm(join(where.dataDir, "checkpoint.key"));
  await refused(/is not one that this node's checkpoint.key signed/);
});

test("checkpoints follow the writing by count and by time, in file and database", async (t) => {
  const where = await place(t);
  const engine = await open(t, where, { checkpoints: { entries: 10, millis: 30 } });
  answered(await engine.submit(request(openAccount(1))));
  const found = async () => (await all(checkpointNotes(where.dataDir))).map(sizeOf);
  for (let usd = 1; usd <= 40; usd += 1) answered(await engine.submit(request(fund(usd))));
  while (sizeOf(engine.history.checkpoint()?.note ?? "") !== 42) await sleep(5);
  const sizes = await found();
  assert.equal(sizes[0], 1);
  assert.ok(sizes.length >= 4, sizes.join());
  for (const [at, size] of sizes.entries()) assert.ok(size > (sizes[at - 1] ?? 0));
  const stored = await where.journal.checkpointsAfter(0, 100);
  assert.deepEqual(
    stored.map(({ note }) => sizeOf(note)),
    sizes,
  );
  assert.equal(engine.history.checkpoint()?.note, stored.at(-1)?.note);
  const verification = await verifyJournal(where.journal, {
    key: await loadSigningKey(where.dataDir),
    file: checkpointNotes(where.dataDir),
  });
  assert.equal(verification.valid, true);
  assert.equal(verification.checkpoints, 2 * sizes.length);
});

test("a second process on one database is refused; after the first stops it leads", async (t) => {
  const where = await place(t);
  const engine = await openEngine({ ...where, clock: "real" });
  const second = new PostgresJournal({ ...where.connection });
  t.after(() => second.close());
  await assert.rejects(
    () => openEngine({ journal: second, dataDir: where.dataDir, clock: "real" }),
    LeadershipTaken,
  );
  await engine.stop();
  await (await openEngine({ journal: second, dataDir: where.dataDir, clock: "real" })).stop();
});

test("a deposed engine stands by, and leads again with what the other wrote", async (t) => {
  const where = await place(t);
  const shown: number[] = [];
  const said: string[] = [];
  const engine = await open(t, where, {
    onDurable: ({ sequence }) => shown.push(sequence),
    log: (message) => said.push(message),
  });
  answered(await engine.submit(request(openAccount(1))));
  // A rival queues for the lock, so it has it in the moment the leader's session is gone.
  const rival = await sql(t, where);
  const lock = "hashtextextended('firstprint/leader', 0)";
  const locked = rival.query(`SELECT pg_advisory_lock(${lock})`);
  const killer = await sql(t, where);
  await killer.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
  );
  await locked;
  await rival.query("UPDATE heartbeat SET noted_at = 'infinity'");
  while (engine.status().mode !== "standby") await sleep(20);
  assert.match(said.at(-1) ?? "", /^standing by at entry \d+: another node leads$/);
  assert.deepEqual(await engine.submit(request(fund(1))), { refused: "NOT_LEADER" });

  const entry = await nextEntry(where, engine.history.checkpoint()?.note ?? "");
  await rival.query("UPDATE leader SET epoch = epoch + 1");
  await rival.query("INSERT INTO journal VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)", [
    entry.sequence,
    entry.bytes,
    Buffer.from(entry.hash, "hex"),
    entry.timeMillis,
    entry.action,
    entry.severity,
    entry.actor,
    entry.concerns,
    entry.resource,
  ]);
  for (const subject of entry.touches) {
    await rival.query("INSERT INTO journal_touch VALUES ($1, $2)", [subject, entry.sequence]);
  }
  await rival.query(`SELECT pg_advisory_unlock(${lock})`);
  while (engine.status().mode !== "open") await sleep(20);
  assert.deepEqual(shown, [2, 3]);
  assert.equal(answered(await engine.submit(request(fund(1)))).sequence, 4);
  assert.equal((await engine.history.verify()).valid, true);
});

/** The entry another leader would append now: a deposit. */
async function nextEntry({ journal, dataDir }: Place, note: string): Promise<SealedEntry> {
  const [last] = await journal.newest({}, 2, 1, 0);
  assert.ok(last);
  const head = { size: last.sequence, hash: last.hash };
  const key = await loadSigningKey(dataDir);
  const origin = note.split("\n")[0] ?? "";
  const { state } = await recover(journal, head, key, origin, () => undefined);
  const sequence = head.size + 1;
  const { actor, command } = request(fund(9));
  const timeMillis = Date.now();
  const envelope = { timeMillis, actor, requestId: "other", idempotency: null, command };
  const outcome = apply(state, envelope, sequence);
  return seal(head, { sequence, envelope, outcome }, state);
}

const sizeOf = (note: string): number => Number(note.split("\n")[1]);

async function all(notes: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const note of notes) found.push(note);
  return found;
}
