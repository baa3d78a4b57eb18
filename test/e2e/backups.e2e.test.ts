// Backups put back under checkpoints that know more, or other things, than they do: the exchange
// does not lead them, says what to do, and `npm run verify` names the place.
import assert from "node:assert/strict";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { checkout, type ExchangeClient, numberAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { runFile, runProgram } from "./program.ts";

const temporary = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-backup-");

/** The signed heads of the chain and of the log, which stand beside the database. */
const signedHeads = ["checkpoints", "log-checkpoints"] as const;

async function copyHeads(from: string, to: string): Promise<void> {
  for (const name of signedHeads) await copyFile(join(from, name), join(to, name));
}

async function sequenceOf(exchange: ExchangeClient): Promise<number> {
  return numberAt((await exchange.get("/api/status")).body, "durableSequence");
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

  // Both heads have to be the backup's.
  await copyFile(join(kept, "backup", "checkpoints"), join(dataDir, "checkpoints"));
  await assert.rejects(exchange.up(), /log-checkpoints was signed over \d+ entries/);
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

  // Without the files the database's own are asked alone, which are of the same age as its entries:
  // so it is written that the files are kept elsewhere too.
  for (const name of signedHeads) await rm(join(dataDir, name));
  await exchange.up();
  await exchange.stop();
  const notes = await Array.fromAsync(checkpointNotes(dataDir));
  assert.deepEqual(
    notes.map((note) => note.split("\n")[1]),
    ["20"],
    "the file is begun anew",
  );
});
