// A thousand takeovers between three writers on one PostgreSQL, each a process of its own that
// deposits while it leads: one chain without a fork, whatever way leadership passes.
//
//   FIRSTPRINT_TAKEOVERS=5000 node --test test/engine/takeovers.db.test.ts
//
// Invariant tested: an entry is its term's own, no acknowledgement is lost, doubled or comes late.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { readEntry } from "#core/entry-bytes.ts";
import { openEngine } from "#engine/open.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { SLICE_ENTRIES } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import { until } from "#test/e2e/until.ts";
import { createDatabase } from "#test/support/database.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { answered, openAccount, request } from "./requests.ts";
import type { Order, Told, WriterPlan } from "./writer.ts";

const TAKEOVERS = sizeOfRun("FIRSTPRINT_TAKEOVERS", 1_000);
const WRITERS = ["writer-a", "writer-b", "writer-c"];
const program = fileURLToPath(new URL("./writer.ts", import.meta.url));

/** How leadership is taken from whoever has it. */
const ways = [
  "released",
  "append failed",
  "append failed but stored",
  "session ended",
  "paused, session ended",
  "lock lost",
  "paused, lock lost",
] as const;
type Way = (typeof ways)[number];

/**
 * Each raise of the epoch is written down with what the journal then had, and whoever holds the
 * lock loses it in its next append when told so, while its session lives on: as behind a pooler,
 * or by a person's hand. From then on only the epoch keeps it from appending.
 */
const instruments = `
  CREATE TABLE term_log (epoch bigint PRIMARY KEY, writer text NOT NULL, size bigint NOT NULL);
  CREATE FUNCTION log_term() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO term_log VALUES (NEW.epoch, split_part(current_setting('application_name'), ' ', 1),
      (SELECT max(sequence) FROM journal));
    RETURN NULL;
  END $$;
  CREATE TRIGGER log_term AFTER UPDATE ON leader FOR EACH ROW EXECUTE FUNCTION log_term();
  CREATE TABLE lose_lock (writer text NOT NULL);
  CREATE FUNCTION lose_lock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM lose_lock WHERE writer = split_part(current_setting('application_name'), ' ', 1);
    IF FOUND THEN PERFORM pg_advisory_unlock_all(); END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER lose_lock AFTER INSERT ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION lose_lock()`;

/** A writer as its parent sees it. */
class Seat {
  readonly name: string;
  readonly acknowledged = new Map<string, number>();
  readonly unknown = new Set<string>();
  readonly reasons: string[] = [];
  terms = 0;
  /** Acknowledged in the term that it has now, or had last. */
  ofTerm = 0;
  fatal: string | undefined;
  readonly #child: ChildProcess;

  constructor(plan: WriterPlan) {
    this.name = plan.name;
    this.#child = fork(program, [JSON.stringify(plan)]);
    this.#child.on("message", (told: Told) => this.#hear(told));
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  order(order: Order): void {
    this.#child.send(order);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #hear(told: Told): void {
    switch (told.type) {
      case "leads":
        this.terms += 1;
        this.ofTerm = 0;
        return;
      case "lost":
        this.reasons.push(told.reason);
        return;
      case "acknowledged":
        assert.ok(!this.acknowledged.has(told.memo));
        this.acknowledged.set(told.memo, told.sequence);
        this.ofTerm += 1;
        return;
      case "unknown":
        this.unknown.add(told.memo);
        return;
      case "fatal":
        this.fatal = told.reason;
    }
  }
}

interface Table {
  readonly seats: readonly Seat[];
  readonly client: Client;
  readonly journal: PostgresJournal;
  readonly folders: readonly string[];
}

async function layTable(t: TestContext): Promise<Table> {
  const connection = await createDatabase(t);
  const folder = await temporaryFolder(t, "firstprint-takeovers-");
  const journal = new PostgresJournal({ ...connection });
  t.after(() => journal.close());
  const founder = await openEngine({ journal, dataDir: folder, clock: "real" });
  answered(await founder.submit(request(openAccount(1))));
  await founder.stop();
  const client = new Client({ ...connection });
  await client.connect();
  t.after(() => client.end());
  await client.query(instruments);

  const folders = WRITERS.map((name) => join(folder, name));
  const seats: Seat[] = [];
  for (const [at, name] of WRITERS.entries()) {
    const dataDir = folders[at] ?? "";
    await mkdir(dataDir);
    await copyFile(join(folder, "checkpoint.key"), join(dataDir, "checkpoint.key"));
    const own = { ...connection, application_name: name };
    seats.push(new Seat({ name, connection: own, dataDir, depositors: 3, snapshotEntries: 200 }));
  }
  t.after(() => {
    for (const seat of seats) seat.signal("SIGKILL");
  });
  return { seats, client, journal, folders };
}

const endSession = `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND split_part(application_name, ' ', 1) = $1`;

async function loseLock(client: Client, { name }: Seat): Promise<void> {
  await client.query("INSERT INTO lose_lock VALUES ($1)", [name]);
  const isLost = async (): Promise<boolean> =>
    (await client.query("SELECT FROM lose_lock")).rowCount === 0;
  await until(`${name} has appended and lost its lock`, isLost);
}

/** Takes leadership from `leader`; what was paused is still paused. */
async function take(way: Way, leader: Seat, client: Client): Promise<void> {
  switch (way) {
    case "released":
      return leader.order({ type: "release" });
    case "append failed":
      return leader.order({ type: "fail", kind: "failed" });
    case "append failed but stored":
      return leader.order({ type: "fail", kind: "failed but stored" });
    case "paused, session ended":
      leader.signal("SIGSTOP");
      await client.query(endSession, [leader.name]);
      return;
    case "session ended":
      await client.query(endSession, [leader.name]);
      return;
    case "paused, lock lost":
      await loseLock(client, leader);
      leader.signal("SIGSTOP");
      return;
    case "lock lost":
      return loseLock(client, leader);
  }
}

/** Until another one leads and was acknowledged something, and the old leader knows its loss. */
async function passOn(way: Way, leader: Seat, { seats, client }: Table): Promise<Seat> {
  const others = seats.filter((seat) => seat !== leader);
  const before = others.map(({ terms }) => terms);
  const losses = leader.reasons.length;
  await take(way, leader, client);
  let next: Seat | undefined;
  await until(`somebody leads after ${leader.name} (${way})`, () => {
    for (const { name, fatal } of seats) assert.equal(fatal, undefined, `${name} stopped`);
    next = others.find(({ terms, ofTerm }, at) => terms > (before[at] ?? 0) && ofTerm > 0);
    return next !== undefined;
  });
  leader.signal("SIGCONT");
  await until(`${leader.name} knows that it lost (${way})`, () => leader.reasons.length > losses);
  leader.order({ type: "stand by" });
  return next ?? assert.fail("somebody leads");
}

/** Each deposit's memo in the order of the chain. */
async function chainOf(journal: PostgresJournal): Promise<Map<string, number>> {
  const memos = new Map<string, number>();
  for (let from = 1; ; from += SLICE_ENTRIES) {
    const entries = await journal.read(from, SLICE_ENTRIES);
    for (const { sequence, bytes } of entries) {
      const { command } = readEntry(bytes).envelope;
      if (command.type !== "FundGuarantee") continue;
      const memo = command.memo ?? "";
      assert.ok(!memos.has(memo), `${memo} is in the chain once`);
      memos.set(memo, sequence);
    }
    if (entries.length < SLICE_ENTRIES) return memos;
  }
}

/** Every entry lies in a term of its own writer: none came after the next term had begun. */
async function assertTerms(client: Client, memos: ReadonlyMap<string, number>): Promise<number> {
  const { rows } = await client.query<{ writer: string; size: string }>(
    "SELECT writer, size FROM term_log ORDER BY epoch",
  );
  let at = 0;
  for (const [memo, sequence] of memos) {
    while (at + 1 < rows.length && Number(rows[at + 1]?.size) < sequence) at += 1;
    assert.equal(memo.split("/")[0], rows[at]?.writer, `entry ${sequence} is of its term`);
  }
  return rows.length;
}

test(`${TAKEOVERS} takeovers between three writers leave one chain`, async (t) => {
  const table = await layTable(t);
  const { seats, client, journal, folders } = table;
  const counts = new Map<Way, number>(ways.map((way) => [way, 0]));
  let leader: Seat | undefined;
  await until("the first one leads", () => {
    leader = seats.find(({ ofTerm }) => ofTerm > 0);
    return leader !== undefined;
  });
  for (let takeover = 0; takeover < TAKEOVERS; takeover += 1) {
    const way = ways[takeover % ways.length] ?? "released";
    assert.ok(leader !== undefined);
    leader = await passOn(way, leader, table);
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  for (const seat of seats) seat.order({ type: "end" });
  await until("all have ended", () => seats.every(({ isGone }) => isGone));
  assert.deepEqual(
    seats.map(({ exitCode }) => exitCode),
    [0, 0, 0],
  );

  const key = await loadSigningKey(folders[0] ?? "");
  for (const folder of folders) {
    const judged = await verifyJournal(journal, { key, file: checkpointNotes(folder) });
    assert.equal(judged.valid, true, judged.reason);
  }
  const memos = await chainOf(journal);
  const terms = await assertTerms(client, memos);
  let acknowledged = 0;
  let unknown = 0;
  for (const seat of seats) {
    for (const [memo, sequence] of seat.acknowledged) {
      assert.equal(memos.get(memo), sequence, `${memo} was acknowledged as entry ${sequence}`);
      memos.delete(memo);
    }
    acknowledged += seat.acknowledged.size;
    unknown += seat.unknown.size;
  }
  const known = new Set(seats.flatMap((seat) => [...seat.unknown]));
  for (const memo of memos.keys()) assert.ok(known.has(memo), `${memo} was told to be unknown`);
  const fenced = seats.flatMap(({ reasons }) => reasons).filter((one) => /is over/.test(one));
  assert.ok(fenced.length > 0, "late appends were refused by the epoch");
  assert.ok(terms > TAKEOVERS);
  for (const [way, count] of counts) assert.ok(count > 0, `it was ${way}`);
  const each = [...counts].map(([way, count]) => `${way}: ${count}`).join("; ");
  t.diagnostic(
    `${TAKEOVERS} takeovers (${each}), ` +
      `${fenced.length} late appends refused by their epoch; ${acknowledged} deposits ` +
      `acknowledged, ${unknown} unknown, ${memos.size} of these in the chain`,
  );
});
