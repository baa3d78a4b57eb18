// Every process of the embedded server killed at once, under load, again and again; the exchange
// starts it again by itself. And a twin that commits without waiting for its disk, which must lose.
// FIRSTPRINT_SERVER_KILLS=200 node --test test/faults/server-kills.db.test.ts
// Invariant: what was acknowledged is there after each kill, once, and nothing that was refused.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { JournalRefusal } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import { type Connection, type EmbeddedDatabase, startEmbedded } from "#storage/embedded.ts";
import { Dice } from "#test/core/dice.ts";
import { answered, openAccount, request } from "#test/engine/requests.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { Claims, noTally, storedDeposits, untilOpen } from "./claims.ts";
import { signalServer } from "./server-processes.ts";

const KILLS = sizeOfRun("FIRSTPRINT_SERVER_KILLS", 12);
const SEED = 5;
const CLIENTS = 6;
const TWIN_KILLS = 12;
/** Nobody waits that long for a server that has been killed. */
const PATIENCE_MILLIS = 60_000;

interface World {
  readonly folder: string;
  readonly database: EmbeddedDatabase;
  readonly journal: PostgresJournal;
  readonly engine: OpenEngine;
  readonly said: string[];
  readonly fatal: unknown[];
}

async function openWorld(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<World> {
  // By this name the next test process finds and ends what a killed one left.
  const server = await mkdtemp(join(tmpdir(), `firstprint-test-${process.pid}-`));
  const folder = join(server, "node");
  const said: string[] = [];
  const fatal: unknown[] = [];
  const database = await startEmbedded({
    dataDir: server,
    settings,
    onExit: (message) => said.push(message),
  });
  const journal = new PostgresJournal({ ...database.connection });
  const engine = await openEngine({
    journal,
    dataDir: folder,
    clock: "real",
    log: (message) => said.push(message),
    onFatal: (error) => fatal.push(error),
  });
  t.after(async () => {
    await engine.stop();
    await journal.close();
    await database.stop();
    await rm(server, { recursive: true, force: true });
  });
  answered(await engine.submit(request(openAccount(1))));
  return { folder, database, journal, engine, said, fatal };
}

/** Clients that ask until the engine steps down; killed in their midst after so many answers. */
async function killUnderLoad(
  { engine, database }: World,
  claims: Claims,
  name: string,
  answers: number,
): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let left = answers;
  const client = async (number: number): Promise<void> => {
    for (let at = 0; at < 10_000; at += 1) {
      if (!(await claims.ask(engine, `${name}, client ${number}, ${at}`))) return;
      left -= 1;
      if (left === 0) enough.resolve();
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
  await Promise.race([enough.promise, clients]);
  assert.ok(left <= 0, "the server was there until it was killed");
  signalServer(database.pid, "SIGKILL");
  await clients;
}

test("the server killed whole under load loses nothing, and comes back by itself", async (t) => {
  const world = await openWorld(t);
  const { engine, database, said, folder } = world;
  const dice = new Dice(SEED);
  const claims = new Claims();
  const total = noTally();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { pid } = database;
    const { durableSequence } = engine.status();
    await killUnderLoad(world, claims, `kill ${kill}`, 50 + dice.below(1_000));
    await untilOpen(engine, () => said.at(-1) ?? "nothing");
    assert.notEqual(database.pid, pid, "another server");
    const stored = await storedDeposits(database.connection, durableSequence);
    const tally = claims.judge(stored);
    total.answered += tally.answered;
    total.refused += tally.refused;
    total.unknownStored += tally.unknownStored;
    total.unknownAbsent += tally.unknownAbsent;
    await claims.settle(engine, stored);
  }
  t.diagnostic(
    `seed ${SEED}: ${KILLS} kills, ${total.answered} answered, ${total.refused} refused, ` +
      `${total.unknownStored} unknown and stored, ${total.unknownAbsent} unknown and not stored`,
  );
  assert.ok(total.answered > 50 * KILLS && total.unknownStored + total.unknownAbsent > 0);
  assert.equal(said.filter((one) => /ended on its own/.test(one)).length, KILLS, "each is told");
  assert.deepEqual(world.fatal, []);

  const whole = await storedDeposits(database.connection);
  claims.judgeWhole(whole);
  const verification = await verifyJournal(world.journal, {
    key: await loadSigningKey(folder),
    file: checkpointNotes(folder),
  });
  assert.equal(verification.reason, undefined);
  assert.equal(verification.size, claims.size + 2, "and the founding, and the account");
});

test("a twin that does not wait for its disk loses, and is found out", async (t) => {
  // Without a commit that waits, the log is written when this is over.
  const world = await openWorld(t, { wal_writer_delay: "10s" });
  const { engine, database, fatal } = world;
  await liftWaiting(database.connection);
  const dice = new Dice(SEED);
  const claims = new Claims();
  let kills = 0;
  let lost: readonly string[] = [];
  while (lost.length === 0 && kills < TWIN_KILLS) {
    kills += 1;
    const { pid } = database;
    await killUnderLoad(world, claims, `kill ${kills}`, 50 + dice.below(1_000));
    const deadline = Date.now() + PATIENCE_MILLIS;
    while (database.pid === pid && Date.now() < deadline) await sleep(20);
    const stored = await storedDeposits(database.connection);
    lost = claims.lost(stored);
    if (lost.length > 0) assert.throws(() => claims.judge(stored), /was answered, so it is there/);
    else await claims.settle(engine, stored);
  }
  t.diagnostic(`${lost.length} acknowledged deposits lost by kill ${kills}`);
  assert.ok(lost.length > 0, "a server that answers before its disk loses on a kill");

  const deadline = Date.now() + PATIENCE_MILLIS;
  while (fatal.length === 0 && Date.now() < deadline) await sleep(20);
  const refusal = fatal[0];
  assert.ok(refusal instanceof JournalRefusal, "the engine does not go on as if nothing were lost");
  assert.match(refusal.message, /has lost what was acknowledged|was signed at entry/);
});

/** A fault that no check of settings can see: each append lifts the waiting for itself alone. */
async function liftWaiting(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await client.query(`
    CREATE FUNCTION lift_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      RETURN NULL;
    END $$;
    CREATE TRIGGER lift_waiting BEFORE INSERT ON journal
      FOR EACH STATEMENT EXECUTE FUNCTION lift_waiting();`);
  await client.end();
}
