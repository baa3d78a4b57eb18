// Backups put back under checkpoints that know more, or other things, than they do: the exchange
// does not lead them, says what to do, and `npm run verify` names the place.
import assert from "node:assert/strict";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, checkout, type ExchangeClient, numberAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { runFile, runProgram } from "./program.ts";
import { furnish, type TradedWorld } from "./traded-world.ts";

const DAY_SECONDS = 86_400;

const temporary = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-backup-");

async function copyTree(from: string, to: string): Promise<void> {
  const copied = await runProgram("cp", ["-a", from, to]);
  assert.equal(copied.code, 0, copied.output);
}

/** The signed heads of the chain and of the log, which stand beside the database. */
const signedHeads = ["checkpoints", "log-checkpoints"] as const;

async function copyHeads(from: string, to: string): Promise<void> {
  for (const name of signedHeads) await copyFile(join(from, name), join(to, name));
}

async function removeHeads(dataDir: string): Promise<void> {
  for (const name of signedHeads) await rm(join(dataDir, name));
}

async function sequenceOf(exchange: ExchangeClient): Promise<number> {
  return numberAt((await exchange.get("/api/status")).body, "durableSequence");
}

/** As many trades: each rests, and is bought. */
async function trade(
  { exchange, traders, market }: TradedWorld<ExchangeClient>,
  count: number,
): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    for (const [index, side] of [
      [0, "SELL"],
      [1, "BUY"],
    ] as const) {
      const { key } = traders[index] ?? assert.fail("there are two traders");
      const order = { marketId: market, outcomeIndex: 0, side, amount: "10", price: 0.1 };
      const reply = await exchange.post("/api/trading/orders", order, { key });
      assert.equal(at(reply.body, "data", "status"), side === "BUY" ? "FILLED" : "OPEN");
    }
  }
}

/** The start ends with a sentence, and so does `verify`, which names the entry. */
async function isRefused(
  exchange: InProcessExchange,
  environment: Readonly<Record<string, string>>,
  sentence: RegExp,
  broken: { readonly at: number; readonly reason: RegExp },
): Promise<void> {
  await assert.rejects(exchange.up(), ({ message }: Error) => {
    assert.match(message, sentence);
    assert.match(message, /^.*restore a backup .* docs\/operating\/backups\.md says how.*$/m);
    return true;
  });
  const { dataDir } = exchange;
  const judged = await runFile("src/verify.ts", { FIRSTPRINT_DATA_DIR: dataDir, ...environment });
  assert.equal(judged.code, 1, judged.output);
  assert.match(judged.output, new RegExp(`^broken at +${broken.at}$`, "m"));
  assert.match(judged.output, broken.reason);
}

test("a backup of the day before does not start under today's checkpoints", async (t) => {
  // With the server of its own folder.
  const exchange = await InProcessExchange.start(t, {
    DATABASE_URL: "",
    FIRSTPRINT_CLOCK: "sandbox",
    FIRSTPRINT_MAX_KEY_RATE: "1000000",
  });
  await exchange.admin("clock", { setTo: new Date().toISOString() });
  const world = await furnish(exchange, ["seller", "buyer"], "100000");
  const [seller] = world.traders;
  assert.ok(seller !== undefined);
  await trade(world, 3);
  const before = {
    sequence: await sequenceOf(exchange),
    cash: await exchange.cash(seller.id),
    time: textAt((await exchange.get("/api/status")).body, "engineTime"),
  };
  await exchange.stop();
  const { dataDir } = exchange;
  const backup = join(await temporary(t), "data");
  await copyTree(dataDir, backup);

  await exchange.up();
  await exchange.admin("clock", { advanceSeconds: DAY_SECONDS });
  await trade(world, 5);
  const sequence = await sequenceOf(exchange);
  assert.ok(sequence > before.sequence);
  await exchange.stop();

  // The database alone is put back: what lies beside it has gone on.
  await rm(join(dataDir, "postgresql"), { recursive: true });
  await copyTree(join(backup, "postgresql"), join(dataDir, "postgresql"));
  const sentence = new RegExp(
    `The journal ends at entry ${before.sequence}, but the checkpoint in ${dataDir}/checkpoints ` +
      `was signed at entry ${sequence}: its end has been cut off, or it is an older backup`,
  );
  await isRefused(exchange, {}, sentence, {
    at: before.sequence + 1,
    reason: /the checkpoint in the checkpoint file was signed at entry \d+/,
  });

  await copyFile(join(backup, "checkpoints"), join(dataDir, "checkpoints"));
  await assert.rejects(exchange.up(), /log-checkpoints was signed over \d+ entries/);
  await copyHeads(backup, dataDir);
  await exchange.up();
  assert.equal(await sequenceOf(exchange), before.sequence);
  assert.equal(await exchange.cash(seller.id), before.cash);
  assert.equal(textAt((await exchange.get("/api/status")).body, "engineTime"), before.time);
  await trade(world, 1);
  await exchange.stop();
  const judged = await runFile("src/verify.ts", { FIRSTPRINT_DATA_DIR: dataDir });
  assert.equal(judged.code, 0, judged.output);
  t.diagnostic(`a backup of entry ${before.sequence} under a checkpoint of entry ${sequence}`);
});

test("a journal that went on otherwise after a backup is refused, as long or longer", async (t) => {
  const connection = await createDatabase(t);
  const environment = { DATABASE_URL: urlOf(connection) };
  const exchange = await InProcessExchange.start(t, {}, connection);
  const { dataDir } = exchange;
  const kept = await temporary(t);
  const client = new Client({ ...connection, database: "postgres" });
  await client.connect();
  t.after(async () => {
    for (const name of ["backup", "newer", "fork"]) {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
    await client.end();
  });
  const live = connection.database;
  const copy = async (from: string, to: string): Promise<void> => {
    await client.query(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`);
    // A start that was refused leaves its sessions to the end of its process, which is this one.
    await client.query(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1",
      [from],
    );
    await client.query(`CREATE DATABASE ${to} TEMPLATE ${from}`);
  };
  const depositUpTo = async (size: number, amount: string): Promise<void> => {
    while ((await sequenceOf(exchange)) < size) {
      await exchange.admin("accounts/acc-1/funding", { amount });
    }
  };
  const stopAndKeep = async (database: string): Promise<void> => {
    await exchange.stop();
    await copy(live, database);
    await mkdir(join(kept, database));
    await copyHeads(dataDir, join(kept, database));
  };

  await exchange.trader("one", "1");
  await depositUpTo(10, "2");
  await stopAndKeep("backup");
  await exchange.up();
  await depositUpTo(20, "3");
  await stopAndKeep("newer");

  await copy("backup", live);
  const older = /ends at entry 10, but the checkpoint in .*checkpoints was signed at entry 20/;
  await isRefused(exchange, environment, older, { at: 11, reason: /signed at entry \d+/ });

  // With the backup's own checkpoints it goes on, in another direction.
  await copyHeads(join(kept, "backup"), dataDir);
  await exchange.up();
  await depositUpTo(20, "4");
  await stopAndKeep("fork");
  await copyHeads(join(kept, "newer"), dataDir);
  const otherwise = /hash at entry 20 is \w+, but the checkpoint in .* went on otherwise/;
  const rewritten = { at: 11, reason: /something after entry 10 was rewritten/ };
  await isRefused(exchange, environment, otherwise, rewritten);
  const accepted = await runProgram(
    join(checkout, "bin/firstprint"),
    ["accept-loss", "--reason", "it looks like a loss"],
    { FIRSTPRINT_DATA_DIR: dataDir, ...environment },
  );
  assert.equal(accepted.code, 2, accepted.output);
  assert.match(accepted.output, /went on otherwise, and has not only lost its end\. Nothing was/);

  await copyHeads(join(kept, "fork"), dataDir);
  await exchange.up();
  await depositUpTo(25, "4");
  await exchange.stop();
  await copyHeads(join(kept, "newer"), dataDir);
  await isRefused(exchange, environment, otherwise, rewritten);

  // Checkpoints older than the database say nothing against it.
  await copy("newer", live);
  await copyHeads(join(kept, "backup"), dataDir);
  await exchange.up();
  assert.equal(await sequenceOf(exchange), 20);
  await exchange.stop();
});

test("without the file of checkpoints the database's own are all there is", async (t) => {
  const connection = await createDatabase(t);
  const exchange = await InProcessExchange.start(t, {}, connection);
  const { dataDir } = exchange;
  await exchange.trader("one", "1");
  await exchange.stop();
  const client = new Client({ ...connection });
  await client.connect();
  client.on("error", () => undefined);
  t.after(() => client.end());

  // A whole older backup would pass here: so it is written that the file is kept elsewhere too.
  await removeHeads(dataDir);
  await exchange.up();
  const sequence = await sequenceOf(exchange);
  await exchange.stop();
  const notes: string[] = [];
  for await (const note of checkpointNotes(dataDir)) notes.push(note);
  assert.equal(notes.length, 1, "it is begun anew");
  assert.equal(notes[0]?.split("\n")[1], String(sequence));

  await removeHeads(dataDir);
  await client.query("DELETE FROM snapshot");
  await client.query(`DELETE FROM journal WHERE sequence = ${sequence}`);
  await assert.rejects(exchange.up(), /but the checkpoint in the database was signed at entry/);
  await client.query("DELETE FROM checkpoint");
  for (const table of ["journal", "log_tile", "log_checkpoint"]) {
    await client.query(`DELETE FROM ${table}`);
  }
  await rm(join(dataDir, "log-checkpoints"), { force: true });
  await rm(join(dataDir, "checkpoint.key"));
  await exchange.up();
  assert.equal(await sequenceOf(exchange), 1, "an empty database without any is a new exchange");
});
