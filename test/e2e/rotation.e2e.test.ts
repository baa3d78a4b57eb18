// A new pepper, signing key and admin secret, by command, while their keys are in use.
// Invariant tested: a key made under the old pepper is taken during the overlap and not after it,
// new keys outlive it, no request is done twice for it, and the trail tells of each change; what a
// former signing key has signed can be checked for ever, and it signs nothing after its time.
import assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, urlOf } from "#test/support/database.ts";
import {
  ADMIN_SECRET,
  at,
  checkout,
  type ExchangeClient,
  listAt,
  textAt,
} from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { openNote, readVerifierKey, renamed } from "../../tools/signed-note.ts";
import { type Ended, runProgram } from "./program.ts";
import { copySecrets } from "./two-nodes.ts";
import { until } from "./until.ts";

const REASON = "Mina Roth: yearly rotation";

const rotate = (dataDir: string, ...words: readonly string[]): Promise<Ended> =>
  runProgram(join(checkout, "bin/firstprint"), ["secret", "rotate", ...words, "--reason", REASON], {
    FIRSTPRINT_DATA_DIR: dataDir,
  });

const statusOf = async (exchange: ExchangeClient, key: string): Promise<number> =>
  (await exchange.get("/api/trading/account", { key })).status;

/** The time of the former pepper is over. */
async function endOverlap({ dataDir }: ExchangeClient): Promise<void> {
  const path = join(dataDir, "pepper-before");
  const [, secret] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, `${new Date(Date.now() - 1_000).toISOString()}\n${secret}\n`);
}

async function overlapEnds({ dataDir }: ExchangeClient): Promise<number> {
  const [until = ""] = (await readFile(join(dataDir, "pepper-before"), "utf8")).split("\n");
  return Date.parse(until);
}

test("keys of the old pepper end with the overlap; no request is done twice", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { id, key: old } = await exchange.trader("old", "10");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const fund = () =>
    exchange.post(
      `/api/admin/accounts/${id}/funding`,
      { amount: "5" },
      { admin: true, headers: { "idempotency-key": "asked-before" } },
    );
  const first = await fund();
  assert.ok(first.status < 300, first.text);

  const rotated = await rotate(exchange.dataDir, "pepper", "--overlap", "1h");
  assert.equal(rotated.code, 0, rotated.output);
  const again = await rotate(exchange.dataDir, "pepper");
  assert.equal(again.code, 2);
  assert.match(again.output, /is taken until .*, and two at most are at once\. Wait until then/);
  assert.equal(await statusOf(exchange, old), 200, "nothing changes before the next start");
  await exchange.stop();
  await exchange.up();

  const { key: fresh } = await exchange.trader("fresh", "0");
  assert.equal(await statusOf(exchange, old), 200);
  assert.equal(await statusOf(exchange, fresh), 200);
  const repeated = await fund();
  assert.equal(repeated.text, first.text, "the answer it had, and not a second deposit");
  assert.equal(repeated.headers.get("idempotency-replayed"), "true");

  const trail = await exchange.get("/api/audit/logs?action=maintenance.recorded", {
    key: auditor.key,
  });
  const [entry, ...more] = listAt(trail.body, "data");
  assert.equal(more.length, 0, trail.text);
  assert.deepEqual(
    [textAt(entry, "details", "work"), textAt(entry, "details", "subject")],
    ["secret_changed", "pepper"],
  );
  assert.equal(textAt(entry, "details", "reason"), REASON);

  await endOverlap(exchange);
  await exchange.stop();
  await exchange.up();
  assert.equal(await statusOf(exchange, old), 401);
  assert.equal(await statusOf(exchange, fresh), 200);
});

test("the overlap ends in a running exchange, too", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { key } = await exchange.trader("old", "0");
  await exchange.stop();
  assert.equal((await rotate(exchange.dataDir, "pepper", "--overlap", "15s")).code, 0);
  await exchange.up();
  assert.equal(await statusOf(exchange, key), 200);
  await sleep((await overlapEnds(exchange)) - Date.now());
  await until("it is nobody's", async () => (await statusOf(exchange, key)) === 401);
});

/** One that leads and one that stands by, both in the test's process. */
async function startPair(t: TestContext) {
  const connection = await createDatabase(t);
  const first = await InProcessExchange.start(t, {}, connection);
  const second = await InProcessExchange.unstarted(t, {}, connection);
  await copySecrets(first.dataDir, second.dataDir);
  await second.up();
  return { first, second, databaseUrl: urlOf(connection) };
}

test("nodes take the new pepper one after the other, and no other", async (t) => {
  const { first, second } = await startPair(t);
  const { key: old } = await first.trader("old", "0");
  assert.equal((await rotate(first.dataDir, "pepper")).code, 0);
  await second.stop();
  await copyFile(join(first.dataDir, "pepper"), join(second.dataDir, "pepper"));
  await assert.rejects(second.up(), /The secret pepper in this node's data folder is not that of/);
  await copyFile(join(first.dataDir, "pepper-before"), join(second.dataDir, "pepper-before"));
  await second.up();
  await first.stop();
  await until("the second leads", async () => {
    return at((await second.get("/api/status")).body, "mode") === "open";
  });
  const { key: fresh } = await second.trader("fresh", "0");
  for (const key of [old, fresh]) assert.equal(await statusOf(second, key), 200);
  await copyFile(join(first.dataDir, "pepper"), join(first.dataDir, "pepper-kept"));
  const [, former = ""] = (await readFile(join(first.dataDir, "pepper-before"), "utf8")).split(
    "\n",
  );
  await writeFile(join(first.dataDir, "pepper"), former);
  await assert.rejects(first.up(), /The secret pepper in this node's data folder is not that of/);
  await copyFile(join(first.dataDir, "pepper-kept"), join(first.dataDir, "pepper"));
  await first.up();
  await until("the first follows", async () => (await statusOf(first, fresh)) === 200);
});

test("a new admin secret takes the place of the old one at the next start", async (t) => {
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_ADMIN_SECRET: "" });
  const path = join(exchange.dataDir, "admin-secret");
  const asRoot = async (secret: string): Promise<number> => {
    const headers = { "x-admin-secret": secret };
    return (await exchange.get("/api/admin/accounts", { headers })).status;
  };
  const old = await readFile(path, "utf8");
  assert.equal(await asRoot(old), 200);
  assert.equal(await asRoot(ADMIN_SECRET), 401);
  assert.equal((await rotate(exchange.dataDir, "admin-secret")).code, 0);
  await exchange.stop();
  await exchange.up();
  assert.equal(await asRoot(old), 401);
  assert.equal(await asRoot(await readFile(path, "utf8")), 200);
  const nothing = await rotate(exchange.dataDir, "no-secret");
  assert.match(nothing.output, /is none of pepper, checkpoint-key, admin-secret/);
});

/** By the verifier of strangers: of the chain's newest head and of the log's. */
async function signedBy(exchange: ExchangeClient, key: string): Promise<readonly boolean[]> {
  const chain = readVerifierKey(key);
  const note = textAt((await exchange.get("/api/checkpoint")).body, "data", "note");
  const head = (await exchange.get("/api/log/checkpoint")).text;
  const opened = await Promise.all([
    openNote(note, chain),
    openNote(head, renamed(chain, `${chain.name}/log`)),
  ]);
  return opened.map((one) => !("fault" in one));
}

const verifierKeyOf = async (exchange: ExchangeClient): Promise<string> =>
  textAt((await exchange.get("/api/checkpoint")).body, "data", "verifierKey");

async function verified({ dataDir }: ExchangeClient, databaseUrl: string): Promise<Ended> {
  return runProgram(process.execPath, [join(checkout, "src/verify.ts")], {
    FIRSTPRINT_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
  });
}

async function endFormerKeys({ dataDir }: ExchangeClient): Promise<void> {
  const path = join(dataDir, "checkpoint-keys-before");
  const text = await readFile(path, "utf8");
  const over = new Date(Date.now() - 1_000).toISOString();
  await writeFile(path, text.replaceAll(/^\S+/gm, over));
}

test("a new signing key takes over node by node; both sign, and then the new one", async (t) => {
  const { first, second, databaseUrl } = await startPair(t);
  const auditor = await first.trader("auditor", "0", "auditor");
  const old = await verifierKeyOf(first);
  const rotated = await rotate(second.dataDir, "checkpoint-key", "--overlap", "1h");
  assert.equal(rotated.code, 0, rotated.output);
  await second.stop();
  await second.up();
  await first.stop();
  await until("the second leads", async () => {
    return at((await second.get("/api/status")).body, "mode") === "open";
  });
  const fresh = await verifierKeyOf(second);
  assert.notEqual(fresh, old);
  for (const key of [old, fresh]) assert.deepEqual(await signedBy(second, key), [true, true]);
  const witnessed = await second.get("/api/log/checkpoint/witnessed");
  assert.equal(witnessed.status, 404, "a former key is no witness");

  const path = "/api/audit/logs?action=maintenance.recorded";
  await until("the trail tells", async () => {
    return listAt((await second.get(path, { key: auditor.key })).body, "data").length > 0;
  });
  const trail = await second.get(path, { key: auditor.key });
  const [entry] = listAt(trail.body, "data");
  assert.equal(textAt(entry, "details", "subject"), "checkpoint.key");
  assert.ok(old.endsWith(textAt(entry, "details", "before")), trail.text);
  assert.ok(fresh.endsWith(textAt(entry, "details", "after")), trail.text);
  const during = await verified(second, databaseUrl);
  assert.equal(during.code, 0, during.output);

  await assert.rejects(first.up(), /The secret checkpoint.key in this node's data folder is not/);
  for (const name of ["checkpoint.key", "checkpoint-keys-before"]) {
    await copyFile(join(second.dataDir, name), join(first.dataDir, name));
  }
  await first.up();
  await until("the first follows", async () => (await statusOf(first, auditor.key)) === 200);
  await first.stop();
  await endFormerKeys(second);
  await second.stop();
  await second.up();
  await second.trader("later", "0");
  await until("the newest head is of the new key alone", async () => {
    return (await signedBy(second, old)).every((is) => !is);
  });
  assert.deepEqual(await signedBy(second, fresh), [true, true]);
  const left = await readFile(join(second.dataDir, "checkpoint-keys-before"), "utf8");
  assert.match(left, /^\S+ [A-Za-z0-9+/]{43}=\n$/, "its private half is gone");
  const after = await verified(second, databaseUrl);
  assert.equal(after.code, 0, after.output);
});
