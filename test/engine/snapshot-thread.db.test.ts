// The thread that makes the pages of snapshots, on a real PostgreSQL: it reads the journal beside
// the leader, and what becomes of it costs a snapshot and nothing else.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { stateHash } from "#core/snapshot.ts";
import { openEngine } from "#engine/open.ts";
import { SnapshotThread } from "#engine/snapshot-thread.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { until } from "#test/e2e/until.ts";
import { createDatabase } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { answered, fund, openAccount, request } from "./requests.ts";

async function place(t: TestContext) {
  const connection = await createDatabase(t);
  const journal = new PostgresJournal({ ...connection });
  t.after(() => journal.close());
  const dataDir = await temporaryFolder(t, "firstprint-thread-");
  const said: string[] = [];
  const open = (config = { ...connection }, onRecovered: (hash: string) => void = () => {}) =>
    openEngine({
      journal,
      dataDir,
      clock: "real",
      snapshotEntries: 50,
      log: (message) => said.push(message),
      onRecovered: (state) => onRecovered(stateHash(state)),
      makePages: ({ key, log }) =>
        new SnapshotThread({ place: { config, databaseUrl: undefined }, key, log }),
    });
  const sizes = async () => (await journal.snapshotsAfter(0, 100)).map(({ size }) => size);
  return { connection, journal, said, open, sizes };
}

test("a thread makes the snapshots of a term, and the last one at its end", async (t) => {
  const { journal, said, open, sizes } = await place(t);
  const engine = await open();
  answered(await engine.submit(request(openAccount(1))));
  for (let usd = 1; usd <= 60; usd += 1) answered(await engine.submit(request(fund(usd))));
  await until("a snapshot is kept", async () => (await sizes()).length === 1);
  for (let usd = 1; usd <= 60; usd += 1) answered(await engine.submit(request(fund(usd))));
  await until("another one is kept", async () => (await sizes()).length === 2);
  answered(await engine.submit(request(fund(1))));
  await engine.stop();
  assert.deepEqual((await sizes()).at(-1), 123);
  assert.deepEqual(said, []);

  const hashes: string[] = [];
  const again = await open(undefined, (hash) => hashes.push(hash));
  const verified = await again.history.verify();
  assert.equal(verified.valid, true, verified.reason);
  assert.deepEqual(hashes, [verified.stateHash]);
  await again.stop();
  assert.deepEqual(said, [], "no snapshot was passed over");
  assert.equal((await journal.newestSnapshot(1_000))?.size, 123, "nothing new, no snapshot");
});

test("a thread that cannot read the database costs a snapshot, not the term", async (t) => {
  const { connection, said, open, sizes } = await place(t);
  const engine = await open({ ...connection, database: "nowhere" });
  answered(await engine.submit(request(openAccount(1))));
  for (let usd = 1; usd <= 60; usd += 1) answered(await engine.submit(request(fund(usd))));
  await until("it is told of", async () => said.length > 0);
  assert.match(said.join("\n"), /^no snapshot at entry \d+: .*nowhere/);
  answered(await engine.submit(request(fund(1))));
  await engine.stop();
  assert.deepEqual(await sizes(), []);
  const again = await open();
  answered(await again.submit(request(fund(1))));
  await again.stop();
  assert.deepEqual(await sizes(), [64]);
});
