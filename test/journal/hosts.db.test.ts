// A primary and a standby of PostgreSQL under one exchange: it leads on the one that takes writes,
// follows a promotion with all it acknowledged, and leads on nothing that has too few standbys.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { openEngine } from "#engine/open.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { wholeJournal } from "#journal/whole-journal.ts";
import { upkeepOf } from "#node/upkeep.ts";
import { connectionOf, serversIn } from "#storage/hosts.ts";
import { withClient } from "#storage/with-client.ts";
import { until } from "#test/e2e/until.ts";
import { answered, fund, openAccount, request } from "#test/engine/requests.ts";
import { Replicated } from "#test/support/replicated.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

/** Long enough to be looked for elsewhere, and a moment for a database. */
const SLOW_MILLIS = 4_000;

async function open(t: TestContext, pair: Replicated, replicas?: number) {
  const dataDir = await temporaryFolder(t, "firstprint-hosts-");
  const journal = new PostgresJournal(connectionOf(pair.databaseUrl), replicas);
  t.after(() => journal.close());
  const said: string[] = [];
  const log = (sentence: string): void => void said.push(sentence);
  const fatal: unknown[] = [];
  const onFatal = (error: unknown): void => void fatal.push(error);
  return { where: { journal, dataDir, clock: "real", log, onFatal } as const, said, fatal };
}

test("hosts are read as libpq reads them", () => {
  const hostsOf = (url: string) => serversIn(url).map(({ host, port }) => `${host} ${port}`);
  assert.deepEqual(hostsOf("postgres://u:p%40@a,b:5433,[::1]:7/db?sslmode=require"), [
    "a 5432",
    "b 5433",
    "::1 7",
  ]);
  assert.deepEqual(hostsOf("postgres:///db?host=/a,/b&port=1,2"), ["/a 1", "/b 2"]);
  assert.deepEqual(hostsOf("postgres:///db?host=/a,b&port=1"), ["/a 1", "b 1"]);
  const url = "postgres://one/db";
  assert.deepEqual(connectionOf(url), { connectionString: url }, "one host is left as it is");
});

test("a promoted standby is led on with all that was acknowledged", async (t) => {
  const pair = await Replicated.start(t);
  await pair.synchronous();
  const { where, said, fatal } = await open(t, pair, 1);
  const engine = await openEngine(where);
  answered(await engine.submit(request(openAccount(1))));
  const pool = new Pool(connectionOf(pair.databaseUrl));
  pool.on("error", () => undefined);
  t.after(() => pool.end());
  const isOn = async (): Promise<unknown> =>
    (await pool.query("SELECT current_setting('data_directory') AS folder")).rows[0]?.folder;
  await isOn();
  const acknowledged: string[] = [];
  for (let at = 0; at < 20; at += 1) {
    if ("outcome" in (await engine.submit(request(fund(1), `before-${at}`)))) {
      acknowledged.push(`before-${at}`);
    }
  }
  assert.equal(acknowledged.length, 20);
  const whole = wholeJournal(where.journal, undefined);
  const { copies, ...kept } = await upkeepOf(where.dataDir, connectionOf(pair.databaseUrl), whole);
  assert.deepEqual(kept, { lastBackupAt: null, snapshot: null, archive: null });
  const [copy, ...more] = copies ?? assert.fail("a superuser sees the standby");
  assert.deepEqual([copy?.state, copy?.synchronous, more], ["streaming", true, []]);
  const epoch = engine.epoch() ?? 0;

  const [lost] = [pair.primary];
  await pair.promote();
  // It waits for a standby of its own: one is asked for.
  await until("it says what is missing", () => said.some((one) => /REPLICAS is 1, but/.test(one)));
  assert.notEqual(engine.status().mode, "open");
  // Any standby would do, and none is there.
  await pair.primary.set("synchronous_standby_names", "*");
  await until("it counts them", () => said.some((one) => /but 0 synchronous standbys/.test(one)));
  await pair.primary.set("synchronous_standby_names", "");
  await pair.rejoin();
  await pair.synchronous();
  await until("it leads there", () => engine.status().mode === "open");
  assert.ok((engine.epoch() ?? 0) > epoch);
  for (const key of acknowledged) {
    assert.equal(answered(await engine.submit(request(fund(1), key))).replayed, true, key);
  }
  assert.equal(lost.cluster, pair.standby.cluster, "it is the standby now");
  assert.deepEqual(fatal, []);
  // Without a standby that is waited for, nothing is appended.
  await pair.primary.set("synchronous_standby_names", "");
  assert.deepEqual(await engine.submit(request(fund(1), "alone")), { unknown: true });
  await until("it says why", () => said.some((one) => /standby_names is empty/.test(one)));
  await pair.synchronous();
  await until("it leads again", () => engine.status().mode === "open");
  assert.equal(answered(await engine.submit(request(fund(1), "alone"))).replayed, false);
  await engine.stop();
});

test("a primary that hangs is left once another takes writes, and not before", async (t) => {
  const pair = await Replicated.start(t);
  await pair.synchronous();
  const key = generateSigningKey();
  const { where, said, fatal } = await open(t, pair);
  const first = await openEngine({ ...where, key });
  answered(await first.submit(request(openAccount(1))));
  const epoch = first.epoch() ?? 0;
  const [hung] = [pair.primary];

  hung.signal("SIGSTOP");
  const slow = first.submit(request(fund(1), "slow"));
  await sleep(SLOW_MILLIS);
  hung.signal("SIGCONT");
  assert.equal(answered(await slow).replayed, false, "a slow server is waited for");
  assert.deepEqual([first.epoch(), said], [epoch, []], "and led on");

  const beside = await open(t, pair);
  const second = await openEngine({ ...beside.where, key, standsBy: true });
  hung.signal("SIGSTOP");
  const inFlight = first.submit(request(fund(1), "in flight"));
  await pair.promoteBeside();
  assert.deepEqual(await inFlight, { unknown: true }, "nobody is certain of it");
  const leading = () => [first, second].find((one) => one.status().mode === "open");
  await until("one of them leads on the other server", () => leading() !== undefined);
  const leader = leading() ?? assert.fail("one leads");
  assert.ok((leader.epoch() ?? 0) > epoch);
  assert.equal(answered(await leader.submit(request(fund(1), "slow"))).replayed, true);
  answered(await leader.submit(request(fund(1), "in flight")));
  assert.match(said.join("\n"), /stepping down at entry 3: \S+:5432 takes no writes now/);
  assert.match(beside.said.join("\n"), /not leading yet: \S+:5432 takes no writes now/);
  assert.deepEqual([...fatal, ...beside.fatal], []);
  hung.signal("SIGCONT");
  await first.stop();
  await second.stop();
});

test("of two that take writes, the one promoted last is connected to", async (t) => {
  const pair = await Replicated.start(t);
  const [old] = [pair.primary];
  const config = connectionOf(pair.databaseUrl);
  const folder = async (): Promise<string> =>
    withClient(config, async (client) => {
      const { rows } = await client.query<{ count: string }>("SELECT count(*) FROM twins");
      return String(rows[0]?.count);
    });
  await old.query("CREATE TABLE twins ()");
  await old.query("INSERT INTO twins DEFAULT VALUES");
  assert.equal(await folder(), "1");
  const sent = "SELECT flush_lsn = pg_current_wal_lsn() AS holds FROM pg_stat_replication";
  await old.until("the standby has it", sent);
  await pair.promote();
  await pair.primary.query("INSERT INTO twins DEFAULT VALUES");
  await old.up();
  await until("both take writes", async () => {
    const { rows } = await old.query("SELECT pg_is_in_recovery() AS closed");
    return rows[0]?.closed === false;
  });
  await until("the newer one is read", async () => (await folder()) === "2");
  await pair.primary.kill();
  await old.kill();
  // Until then the last answer counts, which was a moment ago.
  await until("none is left", async () => {
    const fault = await folder().catch((error: Error) => error.message);
    return /^No host of DATABASE_URL accepts writes: \S+:5432: .*; \S+:5432: /.test(fault);
  });
});

test("twin: with a standby nobody waits for, a promotion loses, and is refused", async (t) => {
  const pair = await Replicated.start(t);
  const { where, fatal } = await open(t, pair);
  const engine = await openEngine(where);
  answered(await engine.submit(request(openAccount(1))));
  const sent = "SELECT flush_lsn = pg_current_wal_lsn() AS holds FROM pg_stat_replication";
  await pair.primary.until("the standby has it", sent);
  // From here on it receives nothing, and nobody waits for it.
  await pair.standby.query("ALTER SYSTEM SET primary_conninfo = ''");
  await pair.standby.query("SELECT pg_reload_conf()");
  await pair.primary.until("it has gone", "SELECT count(*) = 0 AS holds FROM pg_stat_replication");
  answered(await engine.submit(request(fund(1), "lost")));
  await until("it is signed", () => engine.status().durableSequence >= 3);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await pair.promote();
  await until("it refuses", () => fatal.length > 0);
  assert.match(String(fatal[0]), /The journal ends at entry \d+, but the checkpoint/);
  await engine.stop().catch(() => undefined);
});
