// A wait for a synchronous standby that somebody cancels: PostgreSQL then commits here alone, and
// says so by a warning. Nobody leads, and nothing is acknowledged, on what only this server has.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { openEngine } from "#engine/open.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { until } from "#test/e2e/until.ts";
import { answered, fund, openAccount, request } from "#test/engine/requests.ts";
import { startOwnServer } from "#test/support/own-server.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

/** An operator on a server of its own, and an exchange that was founded there and has stopped. */
async function open(t: TestContext) {
  const connection = await startOwnServer(t);
  const operator = new Client(connection);
  operator.on("error", () => undefined);
  await operator.connect();
  t.after(() => operator.end().catch(() => undefined));
  await operator.query("SET synchronous_commit = local");
  // Hides warnings from every session that does not ask for them itself.
  await operator.query(`ALTER DATABASE ${connection.database} SET client_min_messages = error`);
  const dataDir = await temporaryFolder(t, "firstprint-replication-");
  const journal = new PostgresJournal({ ...connection });
  t.after(() => journal.close());
  const said: string[] = [];
  const where = { journal, dataDir, clock: "real", log: (m: string) => said.push(m) } as const;
  const engine = await openEngine(where);
  answered(await engine.submit(request(openAccount(1))));
  await engine.stop();
  return { operator, where, said };
}

/**
 * From now on commits wait for a standby; the one that is named never comes. Sessions that know the
 * setting wait only once the checkpointer has told them to, so a commit is tried.
 */
async function waitFor(operator: Client, standby: string): Promise<void> {
  await operator.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
  await operator.query("SELECT pg_reload_conf()");
  await until("the setting is in force", async () => {
    const { rows } = await operator.query("SHOW synchronous_standby_names");
    const isKnown = rows[0]?.synchronous_standby_names === standby;
    return isKnown && (await doesCommitWait(operator)) === (standby !== "");
  });
}

async function doesCommitWait(operator: Client): Promise<boolean> {
  const { user, password, host, port, database } = operator;
  const session = new Client({ user, password, host, port, database });
  await session.connect();
  const { rows } = await session.query("SELECT pg_backend_pid() AS pid");
  const pid = rows[0]?.pid;
  let waits = false;
  let isCommitted = false;
  const commit = session.query("SELECT pg_logical_emit_message(true, 'tried', '')").then(() => {
    isCommitted = true;
  });
  await until("the commit waits, or is over", async () => {
    const cancelled = await operator.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'`,
      [pid],
    );
    waits = (cancelled.rowCount ?? 0) > 0;
    return waits || isCommitted;
  });
  await commit;
  await session.end();
  return waits;
}

/** Cancels the wait of every session that waits for the standby; how many there were. */
async function cancelWaits(operator: Client): Promise<void> {
  await until("a commit waits for the standby", async () => {
    const { rowCount } = await operator.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
    );
    return (rowCount ?? 0) > 0;
  });
}

test("a leader whose raise of the epoch only this server has does not lead", async (t) => {
  const { operator, where, said } = await open(t);
  await waitFor(operator, "nobody");
  const led = where.journal.lead(() => undefined);
  led.catch(() => undefined);
  await cancelWaits(operator);
  await assert.rejects(() => led, /canceling wait for synchronous replication/);

  await waitFor(operator, "");
  const engine = await openEngine(where);
  answered(await engine.submit(request(fund(1))));
  await engine.stop();
  assert.deepEqual(said, []);
});

test("an append that only this server has is not acknowledged, and ends the term", async (t) => {
  const { operator, where, said } = await open(t);
  const engine = await openEngine(where);
  const epoch = engine.epoch();
  await waitFor(operator, "nobody");
  const result = engine.submit(request(fund(1), "once"));
  await cancelWaits(operator);
  assert.deepEqual(await result, { unknown: true });
  assert.equal(engine.status().mode, "starting");
  // It stands by: to lead again it must have what it finds replicated.
  await until("it tries to lead again", async () => {
    const { rowCount } = await operator.query(
      "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'UPDATE leader%'",
    );
    return (rowCount ?? 0) > 0;
  });
  await cancelWaits(operator);
  await until("it was told", () => said.some((one) => /not leading yet: .*canceling/.test(one)));
  assert.equal(engine.status().mode, "starting");
  await waitFor(operator, "");
  await until("it leads again", () => engine.status().mode === "open");
  assert.ok((engine.epoch() ?? 0) > (epoch ?? 0));
  assert.equal(answered(await engine.submit(request(fund(1), "once"))).replayed, true);
  await engine.stop();
});
