// The transparency log on a real database: made for an old store, read back at a start, drawn anew
// where its tiles were altered, refused where a signed head is of other entries.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Pool } from "pg";
import { sha256Hex } from "#base/digest.ts";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import { JournalRefusal, type Lead } from "#journal/journal.ts";
import { TILE_HASHES } from "#journal/log-tree.ts";
import { isConsistent, isIncluded, leafHash } from "#journal/merkle.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { TransparencyLog } from "#journal/transparency-log.ts";
import { createDatabase } from "#test/support/database.ts";

const ENTRIES = 66_000;
const chainOrigin = `firstprint/${"a".repeat(32)}`;
const key = generateSigningKey();
const hashAt = (sequence: number): string => sha256Hex(`entry ${sequence}`);

class Log {
  readonly pool: Pool;
  readonly journal: PostgresJournal;
  readonly notes: string[] = [];
  readonly told: string[] = [];
  lead: Lead;

  private constructor(pool: Pool, journal: PostgresJournal, lead: Lead) {
    this.pool = pool;
    this.journal = journal;
    this.lead = lead;
  }

  static async open(t: TestContext): Promise<Log> {
    const connection = await createDatabase(t);
    const pool = new Pool(connection);
    pool.on("error", () => undefined);
    const journal = new PostgresJournal({ ...connection });
    const lead = await journal.lead(() => undefined);
    const log = new Log(pool, journal, lead);
    t.after(async () => {
      await log.lead.release();
      await journal.close();
      await pool.end();
    });
    return log;
  }

  /** Rows as a store of an older version has them: the log looks at nothing but their hashes. */
  async fill(from: number, to: number): Promise<void> {
    await this.pool.query(
      `INSERT INTO journal (sequence, bytes, hash, time_millis, action, severity, actor, resource)
       SELECT at, '', sha256(convert_to('entry ' || at, 'UTF8')), 0, '', '', '', ''
       FROM generate_series($1::int, $2::int) AS at`,
      [from, to],
    );
  }

  async start(size: number): Promise<TransparencyLog> {
    const file: CheckpointLog = {
      path: "the file",
      newest: () => this.notes.at(-1),
      append: async (note) => void this.notes.push(note),
      notes: async function* () {},
    };
    const options = { journal: this.journal, key, file, chainOrigin };
    const say = (sentence: string): void => void this.told.push(sentence);
    const log = new TransparencyLog({ ...options, log: say });
    await log.lead(this.lead, { size, hash: hashAt(size) });
    return log;
  }
}

const leafAt = (sequence: number): Buffer => leafHash(Buffer.from(hashAt(sequence), "hex"));

async function proofsHold(log: TransparencyLog, size: number): Promise<void> {
  const root = await log.rootAt(size);
  for (const sequence of [1, 2, 255, 256, 257, 65_536, 65_537, size - 1, size]) {
    if (sequence > size) continue;
    const { index, proof } = await log.inclusion(sequence, size);
    assert.ok(isIncluded(leafAt(sequence), index, size, root, proof), `${sequence} in ${size}`);
  }
  for (const old of [1, 255, 256, 257, 4_000, 65_535, 65_536, 65_537, size]) {
    if (old > size) continue;
    const before = { size: old, root: await log.rootAt(old) };
    const proof = await log.consistency(old, size);
    assert.ok(isConsistent(before, { size, root }, proof), `${old} to ${size}`);
  }
}

test("an old store has its tree at the first start, and reads it back at the next", async (t) => {
  const world = await Log.open(t);
  await world.fill(1, ENTRIES);
  const before = performance.now();
  const first = await world.start(ENTRIES);
  await first.sign(world.lead, ENTRIES);
  const made = performance.now() - before;
  await proofsHold(first, ENTRIES);
  const { rows } = await world.pool.query(
    "SELECT level, count(*)::int AS tiles FROM log_tile GROUP BY level ORDER BY level",
  );
  const full = Math.floor(ENTRIES / TILE_HASHES);
  assert.deepEqual(rows, [
    { level: 0, tiles: full },
    { level: 1, tiles: Math.floor(full / TILE_HASHES) },
  ]);

  // Hashes below the last full tile are not read again: there are none any more.
  await world.pool.query("UPDATE journal SET hash = $1 WHERE sequence <= $2", [
    Buffer.alloc(32),
    full * TILE_HASHES,
  ]);
  const again = performance.now();
  const second = await world.start(ENTRIES);
  const readBack = performance.now() - again;
  assert.equal(second.size, ENTRIES);
  await proofsHold(second, ENTRIES);
  assert.deepEqual(world.told, []);

  await world.fill(ENTRIES + 1, ENTRIES + 300);
  const grown = performance.now();
  for (let sequence = ENTRIES + 1; sequence <= ENTRIES + 250; sequence += 1) {
    second.take(sequence, hashAt(sequence));
  }
  await second.sign(world.lead, ENTRIES + 300);
  const signed = performance.now() - grown;
  await proofsHold(second, ENTRIES + 300);
  await second.sign(world.lead, ENTRIES + 300);
  assert.match((await second.headAt(ENTRIES))?.note ?? "", new RegExp(`\n${ENTRIES}\n`));
  assert.match((await second.headAt(ENTRIES + 1))?.note ?? "", new RegExp(`\n${ENTRIES + 1}\n`));
  assert.equal(await second.headAt(ENTRIES + 301), undefined);
  t.diagnostic(
    `${ENTRIES} entries: made in ${made.toFixed(0)} ms, read back in ${readBack.toFixed(0)}, ` +
      `300 more and a signature in ${signed.toFixed(0)}`,
  );
});

test("altered tiles are drawn anew from the entries; altered entries are refused", async (t) => {
  const world = await Log.open(t);
  await world.fill(1, 1_000);
  await (await world.start(1_000)).sign(world.lead, 1_000);
  const sound = await world.pool.query<{ hashes: Buffer }>("SELECT hashes FROM log_tile");
  await world.pool.query("UPDATE log_tile SET hashes = set_byte(hashes, 9, 7) WHERE index = 1");
  const drawn = await world.start(1_000);
  assert.equal(world.told.length, 1);
  assert.match(world.told[0] ?? "", /redrawn/);
  await drawn.sign(world.lead, 1_000);
  await proofsHold(drawn, 1_000);
  const healed = await world.pool.query<{ hashes: Buffer }>("SELECT hashes FROM log_tile");
  assert.deepEqual(healed.rows, sound.rows);

  await world.pool.query("UPDATE journal SET hash = $1 WHERE sequence = 10", [Buffer.alloc(32, 1)]);
  await world.pool.query("DELETE FROM log_tile");
  await assert.rejects(world.start(1_000), (error) => {
    assert.ok(error instanceof JournalRefusal);
    assert.match(error.message, /signed over 1000 entries, and the journal's first so many/);
    return true;
  });
  await assert.rejects(world.start(999), JournalRefusal, "a cut tail");
});

test("cosignatures are added to a head, and signing it again keeps them", async (t) => {
  const world = await Log.open(t);
  await world.fill(1, 5);
  const log = await world.start(5);
  await log.sign(world.lead, 5);
  const head = log.newest ?? assert.fail("a head");
  await log.addCosignatures(world.lead, head, "— w AAAA\n");
  assert.equal(log.witnessed?.note, `${head.note}— w AAAA\n`);
  await log.sign(world.lead, 5);
  assert.equal((await log.headAt(5))?.note, `${head.note}— w AAAA\n`);

  // A restart still knows the head a witness has seen, and it stays the measure.
  await world.fill(6, 9);
  await (await world.start(9)).sign(world.lead, 9);
  const again = await world.start(9);
  assert.deepEqual(again.witnessed, { size: 5, note: `${head.note}— w AAAA\n` });
  // Rewritten, with all other heads signed anew.
  await world.pool.query("DELETE FROM log_checkpoint");
  world.notes.length = 0;
  await world.pool.query("UPDATE journal SET hash = sha256('') WHERE sequence = 3");
  await (await world.start(9)).sign(world.lead, 9);
  await world.start(9);
  await world.lead.keepLogHead({ size: 5, note: `${head.note}— w AAAA\n` });
  await assert.rejects(world.start(9), /cosigned by a witness, was signed over 5 entries/);
  const forged = { size: 5, note: `${head.note.replace("5", "6")}` };
  await assert.rejects(world.lead.keepLogHead(forged), /another checkpoint stands there/);
});

test("of old heads one in a thousand entries stays, and every one is served", async (t) => {
  const world = await Log.open(t);
  await world.fill(1, 14_000);
  const log = await world.start(14_000);
  const sizes = async (table: string): Promise<readonly number[]> => {
    const { rows } = await world.pool.query<{ size: string }>(
      `SELECT size FROM ${table} ORDER BY size`,
    );
    return rows.map(({ size }) => Number(size));
  };
  const early = Array.from({ length: 60 }, (_, at) => 40 + at * 50);
  for (const size of early) await log.sign(world.lead, size);
  for (const size of [500, 1_500]) await world.lead.keepCheckpoint({ size, note: `${size}` });
  await world.lead.keepCheckpoint({ size: 1_700, note: "1700" });
  const old = await log.headAt(1_140);
  const cosigned = { size: 90, note: (await log.headAt(90))?.note ?? assert.fail("a head") };
  await log.addCosignatures(world.lead, cosigned, "— w AAAA\n");
  assert.deepEqual(await sizes("log_checkpoint"), early);

  await log.sign(world.lead, 12_999);
  await world.lead.keepCheckpoint({ size: 12_999, note: "12999" });
  const young = early.filter((size) => size >= 2_000);
  assert.deepEqual(await sizes("log_checkpoint"), [90, 990, 1_990, ...young, 12_999]);
  assert.deepEqual(await sizes("checkpoint"), [500, 1_700, 12_999]);
  assert.deepEqual(await log.headAt(1_140), old, "signed again, byte for byte");
  await log.sign(world.lead, 13_500);
  assert.deepEqual(await sizes("log_checkpoint"), [90, 990, 1_990, 2_990, 12_999, 13_500]);
});
