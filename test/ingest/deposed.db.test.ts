// A node that lost the lead, whether or not it has noticed, is sent files: it must write nothing
// that the next leader's prints rest on. Real engines, each with its own intake, on one PostgreSQL.
import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client, Pool } from "pg";
import type { ReleaseId } from "#base/ids.ts";
import type { Actor, Command } from "#core/command.ts";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { PlaceIntake } from "#ingest/places/intake.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { type Ingested, ReleaseIntake } from "#ingest/releases/intake.ts";
import type { ReleaseMeta } from "#ingest/releases/sent-as.ts";
import { damagedPrints } from "#ingest/releases/verify.ts";
import { PrintStore } from "#ingest/store.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import type { Connection } from "#storage/embedded.ts";
import { until } from "#test/e2e/until.ts";
import { createDatabase } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";
import { metroFile } from "./intake-world.ts";
import { pieces } from "./wide-file.ts";

/** A named session loses the lock in its next append while it lives on. */
const loseLock = `
  CREATE TABLE lose_lock (node text NOT NULL);
  CREATE FUNCTION lose_lock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM lose_lock WHERE node = split_part(current_setting('application_name'), ' ', 1);
    IF FOUND THEN PERFORM pg_advisory_unlock_all(); END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER lose_lock AFTER INSERT ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION lose_lock()`;

/** From now on the first node's heartbeats take long: until one is over it notices nothing. */
const holdUpBeats = `
  CREATE FUNCTION hold_up_beat() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_sleep(4) WHERE split_part(current_setting('application_name'), ' ', 1) = 'a';
    RETURN NULL;
  END $$;
  CREATE TRIGGER hold_up_beat BEFORE UPDATE ON heartbeat
    FOR EACH STATEMENT EXECUTE FUNCTION hold_up_beat()`;

const root: Actor = { type: "root" };

class Node {
  readonly engine: OpenEngine;
  readonly intake: ReleaseIntake;
  readonly view: ExchangeView;
  readonly folder: string;
  readonly store: PrintStore;
  #ended: Promise<void> | undefined;

  private constructor(parts: Pick<Node, "engine" | "intake" | "view" | "folder" | "store">) {
    ({ engine: this.engine, intake: this.intake, view: this.view } = parts);
    ({ folder: this.folder, store: this.store } = parts);
  }

  /** A node as `main` opens it; a start that must not happen rejects. */
  static async start(
    t: TestContext,
    name: string,
    { connection, folder }: { readonly connection: Connection; readonly folder: string },
  ): Promise<Node> {
    const own = join(folder, name);
    await mkdir(own);
    const founder = join(folder, "a", "checkpoint.key");
    if (name !== "a") await copyFile(founder, join(own, "checkpoint.key"));
    const journal = new PostgresJournal({ ...connection, application_name: name });
    const pool = new Pool({ ...connection, application_name: `${name}-prints` });
    pool.on("error", () => undefined);
    let view: ExchangeView | undefined;
    const engine = await openEngine({
      journal,
      dataDir: own,
      clock: "real",
      onRecovered: (state) => {
        view = ExchangeView.from(state);
      },
      onDurable: (entry) => view?.fold(entry),
    });
    assert.ok(view !== undefined);
    const store = new PrintStore(pool, () => engine.epoch());
    const intake = new ReleaseIntake(new RawStore(pool), store, view, new SeriesView(), (command) =>
      engine.submit({ actor: { type: "system" }, command, requestId: "test", idempotency: null }),
    );
    const node = new Node({ engine, intake, view, folder: own, store });
    t.after(async () => {
      await node.stop();
      await journal.close();
      await pool.end();
    });
    await intake.start();
    return node;
  }

  readonly submit = (command: Command, actor = root) =>
    this.engine.submit({ actor, command, requestId: "test", idempotency: null });

  send(file: string, day: number): Promise<Ingested> {
    return this.intake.ingest(pieces(Buffer.from(file), 65_537), metaOf(day), this.submit);
  }

  async accepted(file: string, day: number): Promise<ReleaseId> {
    const taken = await this.send(file, day);
    assert.ok("release" in taken && "resolvedMarkets" in taken.release, JSON.stringify(taken));
    return taken.release.id;
  }

  stop(): Promise<void> {
    this.#ended ??= this.engine.stop();
    return this.#ended;
  }
}

const metaOf = (day: number): ReleaseMeta => ({
  provider: "zillow",
  index: "zhvi",
  level: "metro",
  publishedAtMillis: Date.UTC(2023, 0, 20 + day),
});

/** Twelve places, each a slow path of its own; `lift` makes another file of the same months. */
const fileOf = (months: number, lift = 0): string =>
  metroFile(
    months,
    Array.from({ length: 12 }, (_, place) => [
      String(1_000 + place),
      Array.from({ length: months }, (_, at) =>
        (200_000 + 5_000 * place + 400 * at + lift + 0.5).toFixed(1),
      ),
    ]),
  );

const isNotLeader = (answer: Ingested): boolean =>
  "failed" in answer && "refused" in answer.failed && answer.failed.refused === "NOT_LEADER";

/** Every row of prints there is, with its bytes. */
async function printsIn(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ row: string }>(
    `SELECT release_id || ' ' || block || ' ' || md5(places || bytes::text) AS row
     FROM print_block UNION ALL
     SELECT release_id || ' latest ' || block || ' ' || md5(bytes::text) FROM print_latest
     ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
}

async function open(t: TestContext) {
  const connection = await createDatabase(t);
  const folder = await temporaryFolder(t, "firstprint-deposed-");
  const client = new Client({ ...connection });
  client.on("error", () => undefined);
  const where = { connection, folder };
  const first = await Node.start(t, "a", where);
  await client.connect();
  t.after(() => client.end());
  await client.query(loseLock);
  return { where, client, first };
}

/** The lock is gone from under a node that goes on believing that it leads. */
async function takeLockFrom(client: Client, name: string, node: Node): Promise<void> {
  await client.query("INSERT INTO lose_lock VALUES ($1)", [name]);
  const lost = await node.submit({
    type: "RecordRefusal",
    operation: "order",
    code: "UNAUTHENTICATED",
    count: 1,
  });
  assert.ok("outcome" in lost);
  await until("the lock is gone", async () => {
    const { rowCount } = await client.query("SELECT FROM lose_lock");
    return rowCount === 0;
  });
  // A head left to sign would tell it, a second later, that its term is over.
  await until("its last head is signed", () => {
    const { engine } = node;
    return engine.history.log()?.newest?.size === engine.status().durableSequence;
  });
}

/** A third node starts on what is there, shows it, and the whole of it holds. */
async function assertServable(
  t: TestContext,
  where: Parameters<typeof Node.start>[2],
  nodes: readonly Node[],
  wanted: readonly ReleaseId[],
): Promise<void> {
  for (const node of nodes) await node.stop();
  const third = await Node.start(t, "c", where);
  assert.deepEqual([...third.view.releases.keys()], wanted);
  assert.deepEqual(await damagedPrints(third.store, third.view.releases.values()), []);
  const journal = new PostgresJournal({ ...where.connection });
  t.after(() => journal.close());
  const key = await loadSigningKey(third.folder);
  const judged = await verifyJournal(journal, { key });
  assert.equal(judged.valid, true, judged.reason);
}

test("a node deposed without knowing it stages nothing, whatever file it is sent", async (t) => {
  const { where, client, first } = await open(t);
  await client.query(holdUpBeats);
  await takeLockFrom(client, "a", first);
  const second = await Node.start(t, "b", where);
  const earlier = await second.accepted(fileOf(30), 0);
  const later = await second.accepted(fileOf(31), 1);
  const before = await printsIn(client);

  // To a node that knows neither, the later file holds first prints of thirty-one months.
  assert.equal(first.engine.status().mode, "open", "it has not noticed");
  assert.ok(isNotLeader(await first.send(fileOf(31), 1)), "what the second has accepted");
  assert.ok(isNotLeader(await first.send(fileOf(32), 2)), "what nobody has accepted");
  assert.deepEqual(await printsIn(client), before);
  await assertServable(t, where, [first, second], [earlier, later]);
});

test("strays are removed by the leader alone, however late the order to do so comes", async (t) => {
  const { where, client, first } = await open(t);
  const epoch = first.engine.epoch();
  await takeLockFrom(client, "a", first);
  const second = await Node.start(t, "b", where);
  const accepted = await second.accepted(fileOf(30), 0);
  const before = await printsIn(client);
  assert.ok(epoch !== undefined && before.length > 0);

  // The last act of a start, done by a node that stood still since its recovery.
  await first.intake.start();
  await first.store.forgetLatest([accepted], epoch);
  assert.deepEqual(await printsIn(client), before);
  await assertServable(t, where, [first, second], [accepted]);
});

test("a file being read when the lead is lost is neither staged nor taken", async (t) => {
  const { where, client, first } = await open(t);
  await takeLockFrom(client, "a", first);
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  async function* slowly(): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(fileOf(30));
    yield bytes.subarray(0, 500);
    arrived.resolve();
    await goOn.promise;
    yield bytes.subarray(500);
  }
  const sent = first.intake.ingest(slowly(), metaOf(0), first.submit);
  await arrived.promise;
  const second = await Node.start(t, "b", where);
  const accepted = await second.accepted(fileOf(30), 0);
  const before = await printsIn(client);
  goOn.resolve();
  assert.ok(isNotLeader(await sent));
  assert.deepEqual(await printsIn(client), before);
  await assertServable(t, where, [first, second], [accepted]);
});

test("a node that knows it does not lead reads, keeps and stages nothing", async (t) => {
  const { where, client, first } = await open(t);
  await takeLockFrom(client, "a", first);
  const second = await Node.start(t, "b", where);
  const accepted = await second.accepted(fileOf(30), 0);
  // Its next append is refused, and then it knows.
  await first.submit({
    type: "RecordRefusal",
    operation: "order",
    code: "UNAUTHENTICATED",
    count: 1,
  });
  await until("it has stepped down", () => first.engine.status().mode !== "open");
  const before = await printsIn(client);

  const { rowCount: chunks } = await client.query("SELECT FROM raw_chunk");
  let isRead = false;
  async function* watched(): AsyncGenerator<Uint8Array> {
    isRead = true;
    yield Buffer.from(fileOf(31));
  }
  assert.ok(isNotLeader(await first.intake.ingest(watched(), metaOf(1), first.submit)));
  assert.equal(isRead, false, "the file was not read");
  assert.equal((await client.query("SELECT FROM raw_chunk")).rowCount, chunks);
  const reader = { whileIdle: <T>(work: () => Promise<T>) => work(), reread: () => undefined };
  const table = "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds\n";
  const loaded = await new PlaceIntake(first.view, reader).load(
    pieces(Buffer.from(`${table}zip:77001,zip,77001,TX,,,state:tx,100,\n`)),
    first.submit,
  );
  assert.ok("failed" in loaded);
  assert.deepEqual(await printsIn(client), before);
  await assertServable(t, where, [first, second], [accepted]);
});

test("a transaction that a frozen node left open holds up no file of the leader", async (t) => {
  const { where, client, first } = await open(t);
  const epoch = first.engine.epoch();
  assert.ok(epoch !== undefined);
  await client.query(holdUpBeats);
  await takeLockFrom(client, "a", first);
  const second = await Node.start(t, "b", where);
  const release = await second.accepted(fileOf(30), 0);
  await client.query("DELETE FROM print_block");
  await client.query("DELETE FROM print_latest");
  const frozen = await first.store.stage(release, epoch);
  await frozen.add({ block: 0, firstPlace: 0, places: "", bytes: Buffer.alloc(8) });
  const staging = await second.store.stage(release, second.engine.epoch() ?? -1);
  await staging.add({ block: 0, firstPlace: 0, places: "", bytes: Buffer.alloc(16) });
  await staging.commit();
  await assert.rejects(() => frozen.commit(), { name: "TermOver" });
  const { rows } = await client.query<{ length: number }>(
    "SELECT length(bytes) AS length FROM print_block",
  );
  assert.deepEqual(rows, [{ length: 16 }]);
});
