// `npm run verify` as a process of its own: its words and exit code, beside a server and without.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { openEngine } from "#engine/open.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { openDatabase } from "#node/database.ts";
import { answered, fund, openAccount, request } from "#test/engine/requests.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const program = fileURLToPath(new URL("../../src/verify.ts", import.meta.url));

async function verify(environment: Record<string, string>) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...environment };
  const child = spawn(process.execPath, [program], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  await once(child, "close");
  return { code: child.exitCode, output };
}

const folder = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-verify-");

async function deposits(journal: PostgresJournal, dataDir: string): Promise<string> {
  const engine = await openEngine({ journal, dataDir, clock: "real" });
  answered(await engine.submit(request(openAccount(1))));
  for (let usd = 1; usd <= 20; usd += 1) answered(await engine.submit(request(fund(usd))));
  const { stateHash } = await engine.history.verify();
  await engine.stop();
  return stateHash;
}

test("a sound journal exits 0 with its state hash, a broken one 1 with its sequence", async (t) => {
  const connection = await createDatabase(t);
  const dataDir = await folder(t);
  const environment = { DATABASE_URL: urlOf(connection), FIRSTPRINT_DATA_DIR: dataDir };
  const unfounded = await verify(environment);
  assert.equal(unfounded.code, 2);
  assert.match(unfounded.output, /There is no .*checkpoint\.key/);

  const journal = new PostgresJournal({ ...connection });
  const hash = await deposits(journal, dataDir);
  await journal.close();
  const sound = await verify(environment);
  assert.equal(sound.code, 0, sound.output);
  assert.match(sound.output, /^journal +holds\nsound entries +22\n/);
  assert.match(sound.output, new RegExp(`^state hash +${hash}$`, "m"));

  const client = new Client({ ...connection });
  await client.connect();
  t.after(() => client.end());
  assert.match(sound.output, /^market days +hold, counted to entry 0$/m);
  const forged =
    "INSERT INTO market_day (market, day, lots, trades, mark_tick) VALUES ('m-1', 1, 0, 0, 5)";
  await client.query(forged);
  const candles = await verify(environment);
  assert.equal(candles.code, 1);
  assert.match(candles.output, /^journal +holds$/m);
  const damage = /^market days +DAMAGED: m-1 has other days/m;
  assert.match(candles.output, damage);
  t.diagnostic(`after: exit ${candles.code}, ${damage.exec(candles.output)?.[0]}`);
  await client.query("UPDATE market_day_reached SET sequence = 99");
  assert.match((await verify(environment)).output, /^market days +NOT COMPARED/m);
  await client.query("DELETE FROM market_day; UPDATE market_day_reached SET sequence = 0");
  await client.query(
    "UPDATE journal SET bytes = set_bit(bytes, 77, 1 - get_bit(bytes, 77)) WHERE sequence = 9",
  );
  const broken = await verify(environment);
  assert.equal(broken.code, 1);
  assert.match(
    broken.output,
    /^journal +BROKEN\nbroken at +9\nreason +The journal breaks at entry 9/,
  );

  await client.query(
    "UPDATE journal SET bytes = set_bit(bytes, 77, 1 - get_bit(bytes, 77)) WHERE sequence = 9",
  );
  await client.query(
    "DELETE FROM checkpoint; DELETE FROM snapshot; DELETE FROM journal WHERE sequence > 20",
  );
  const cut = await verify(environment);
  assert.equal(cut.code, 1);
  assert.match(cut.output, /broken at +21\n.*checkpoint file was signed at entry 22/);

  await client.query("DROP TABLE journal");
  assert.match((await verify(environment)).output, /has no journal/);
  const nowhere = await verify({ ...environment, DATABASE_URL: "postgresql://x@127.0.0.1:1/x" });
  assert.equal(nowhere.code, 2);
});

test("the embedded store: verified beside its running server, and started for it", async (t) => {
  const dataDir = await folder(t);
  const quiet = { info: () => undefined, error: () => undefined };
  const database = await openDatabase(
    { databaseUrl: undefined, dataDir, partitionEntries: undefined },
    quiet,
  );
  t.after(() => database.stop());
  const journal = new PostgresJournal(database.config);
  const hash = await deposits(journal, dataDir);
  await journal.close();
  const holds = new RegExp(`journal +holds[^]*${hash}`);
  const beside = await verify({ FIRSTPRINT_DATA_DIR: dataDir });
  assert.match(beside.output, holds);
  assert.equal(beside.code, 0);
  await database.stop();
  const alone = await verify({ FIRSTPRINT_DATA_DIR: dataDir });
  assert.match(alone.output, holds);
  assert.equal(alone.code, 0);
});
