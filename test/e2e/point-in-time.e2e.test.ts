// The database's disk is lost under load, and the exchange goes on from archived write-ahead log.
// Invariant tested: a journal that lacks what was signed is not led before an operator's word; the
// word is in the trail, and nothing is missing but what it names.
import assert from "node:assert/strict";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { signCheckpoint } from "#journal/checkpoint.ts";
import { keyFile, readKeyFile } from "#journal/checkpoint-key.ts";
import { anyRate } from "#test/faults/deposit-load.ts";
import { ArchivedServer } from "#test/support/archived.ts";
import {
  at,
  checkout,
  type ExchangeClient,
  listAt,
  numberAt,
  textAt,
} from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { OrderLoad } from "./order-load.ts";
import { runFile, runProgram } from "./program.ts";
import { furnish } from "./traded-world.ts";
import { until } from "./until.ts";

const REASON = "Mina Roth: the disk of the database is gone, and the archive is all there is";

/** Of the load: the disk is lost between two orders, however many there are. */
const PAUSE_MILLIS = 100;

const durable = async (exchange: ExchangeClient): Promise<number> =>
  numberAt((await exchange.get("/api/status")).body, "durableSequence");

test("entries that were not archived are named, and lost by a person's word", async (t) => {
  const server = await ArchivedServer.start(t);
  const environment: Record<string, string> = { ...anyRate, DATABASE_URL: server.databaseUrl };
  const exchange = await InProcessExchange.start(t, environment, server.connection);
  const world = await furnish(exchange, ["buyer"], "100000");
  await server.copy();
  const load = new OrderLoad(world, PAUSE_MILLIS);
  await load.until(50);
  const early = [...load.acknowledged];
  const earlySize = await durable(exchange);
  const segments = server.archived;
  await until("they are archived", () => server.archived >= segments + 2);
  await load.until(load.acknowledged.length + 20 + Math.floor(Math.random() * 200));
  // A checkpoint of a later second knows of what the archive lacks.
  await server.stopArchiving();
  const archivedSize = await durable(exchange);
  await until("more was signed", async () => {
    const { body } = await exchange.get("/api/checkpoint");
    return Number(textAt(body, "data", "note").split("\n")[1]) > archivedSize + 10;
  });
  await server.loseDisk();
  await load.end().catch(() => undefined);
  await exchange.stop();

  await server.restore();
  environment.DATABASE_URL = server.databaseUrl;
  const { dataDir } = exchange;
  let said = "";
  await assert.rejects(exchange.up(environment), ({ message }: Error) => {
    said = message;
    return true;
  });
  const [, left = 0, known = 0] =
    /ends at entry (\d+), but the checkpoint in \S+ was signed at entry (\d+)/
      .exec(said)
      ?.map(Number) ?? assert.fail(said);
  assert.match(said, /firstprint accept-loss/, "it says what to do");
  assert.ok(left >= earlySize && left < known, `${earlySize} ≤ ${left} < ${known}`);
  t.diagnostic(`restored to entry ${left}; entries ${left + 1} to ${known} are lost`);

  const node = { FIRSTPRINT_DATA_DIR: dataDir, DATABASE_URL: server.databaseUrl };
  const firstprint = join(checkout, "bin/firstprint");
  const words = ["accept-loss", "--reason", REASON];
  const stoodBy = await temporaryFolder(t, "firstprint-stood-by-");
  await cp(dataDir, stoodBy, { recursive: true });
  assert.equal((await runProgram(firstprint, [...words.slice(0, 2), "short"], node)).code, 2);
  await assert.rejects(exchange.up(environment), /firstprint accept-loss/);
  const accepted = await runProgram(firstprint, words, node);
  assert.equal(accepted.code, 0, accepted.output);
  assert.match(accepted.output, new RegExp(`the loss of entries ${left + 1} to ${known}, `));
  assert.ok((await readdir(dataDir)).includes(`checkpoints.of-${known}`), "the evidence stays");

  await exchange.up(environment);
  for (const id of early) {
    const reply = await exchange.get(`/api/trading/orders/${id}`, {
      key: world.traders[0]?.key ?? "",
    });
    assert.equal(reply.status, 200, reply.text);
  }
  const trail = await exchange.get("/api/audit/logs?action=maintenance.recorded", {
    key: world.auditor.key,
  });
  const [entry, ...more] = listAt(trail.body, "data");
  assert.equal(more.length, 0, trail.text);
  assert.equal(textAt(entry, "details", "subject"), `entries ${left + 1} to ${known}`);
  assert.equal(textAt(entry, "details", "reason"), REASON);
  assert.match(textAt(entry, "details", "before"), new RegExp(`^${known} [0-9a-f]{64}$`));
  assert.equal(at(entry, "severity"), "critical");

  // The folder of a node that had followed all that is lost: the journal has gone on since.
  const other = { FIRSTPRINT_DATA_DIR: stoodBy, DATABASE_URL: server.databaseUrl };
  const funding = `/api/admin/accounts/${world.traders[0]?.id}/funding`;
  while ((await durable(exchange)) <= known) {
    await exchange.post(funding, { amount: "1" }, { admin: true });
  }
  // Heads of another story, signed with the right key, are of no loss that the journal tells of.
  const key = (await readKeyFile(keyFile(dataDir))) ?? assert.fail("no key");
  const checkpoint = await exchange.get("/api/checkpoint");
  const [origin = ""] = textAt(checkpoint.body, "data", "note").split("\n");
  const heads = join(stoodBy, "checkpoints");
  const genuine = await readFile(heads);
  const story = [left - 1, known].map((size) => ({ size, hash: "0".repeat(64) }));
  await writeFile(heads, story.map((head) => signCheckpoint(key, origin, head).note).join(""));
  const otherwise = await runProgram(firstprint, words, other);
  assert.match(otherwise.output, /went on otherwise, and has not only lost its end\. Nothing was/);
  await writeFile(heads, genuine);
  const told = await runProgram(firstprint, words, other);
  assert.equal(told.code, 0, told.output);
  assert.match(told.output, new RegExp(`the loss of entries ${left + 1} to ${known}, `));

  const twice = await runProgram(firstprint, words, node);
  assert.equal(twice.code, 2);
  assert.match(twice.output, /Nothing is missing: .* Nothing was changed/);
  await exchange.stop();
  const judged = await runFile("src/verify.ts", node);
  assert.equal(judged.code, 0, judged.output);
});
