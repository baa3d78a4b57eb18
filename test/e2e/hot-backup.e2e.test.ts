// `firstprint backup` beside an exchange under load, and `firstprint restore`: the drill.
// Invariant tested: every order acknowledged before a backup began is in it, a backup that is not
// as it was made restores nothing, and no person is in it without its second folder.
import assert from "node:assert/strict";
import { copyFile, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { type BackupFolders, MANIFEST, SECRETS } from "#backup/manifest.ts";
import { putBack } from "#backup/put-back.ts";
import { takeBackup } from "#backup/take.ts";
import { readOrigin } from "#engine/recover.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import type { Connection } from "#storage/embedded.ts";
import { lastBackupSeconds } from "#storage/last-backup.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { smallPartitions } from "#test/journal/small-partitions.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, checkout, Exchange, type ExchangeClient, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { OrderLoad } from "./order-load.ts";
import { type Ended, runProgram } from "./program.ts";
import { furnish, type TradedWorld } from "./traded-world.ts";

const anyRate = { FIRSTPRINT_MAX_KEY_RATE: "1000000" };
const ORDERS_BEFORE = 200;
/** Of the files of a backup, whose digests stand in one list; its manifest and secrets always. */
const DAMAGED_ONE_IN = sizeOfRun("FIRSTPRINT_DAMAGED_ONE_IN", 1);
const SECRET = "a secret of the operator's, long enough";

interface Drill {
  readonly folder: string;
  readonly secret: string;
  firstprint(
    words: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<Ended>;
  /** Of the backup of this name. */
  folders(name: string): BackupFolders;
  named(name: string): readonly string[];
}

async function openDrill(t: TestContext): Promise<Drill> {
  const folder = await temporaryFolder(t, "firstprint-drill-");
  const secret = join(folder, "secret");
  await writeFile(secret, SECRET, { mode: 0o600 });
  return {
    folder,
    secret,
    firstprint: (words, environment) =>
      runProgram(join(checkout, "bin/firstprint"), words, environment),
    folders: (name) => ({ data: join(folder, name), keys: join(folder, `${name}-keys`) }),
    named: (name) => ["--keys", join(folder, `${name}-keys`), "--secret", secret],
  };
}

const reached = ({ output }: Ended): number =>
  Number(/^reaches +entry (\d+) of \d{4}-/m.exec(output)?.[1] ?? assert.fail(output));

/** The exchange that was restored to `dataDir`, while it serves. */
const served = (t: TestContext, dataDir: string): Promise<Exchange> =>
  Exchange.startEmbedded(t, anyRate, async (made) => {
    await rm(made, { recursive: true });
    await rename(dataDir, made);
  });

async function hasEvery(
  exchange: ExchangeClient,
  { traders: [trader] }: TradedWorld<ExchangeClient>,
  orders: readonly string[],
): Promise<void> {
  assert.ok(trader !== undefined);
  const found = await Promise.all(
    orders.map((id) => exchange.get(`/api/trading/orders/${id}`, { key: trader.key })),
  );
  for (const [index, reply] of found.entries()) {
    assert.equal(reply.status, 200, `${orders[index]}: ${reply.text}`);
  }
}

/** As `firstprint backup` does, in the test's process. */
async function take(exchange: ExchangeClient, folders: BackupFolders): Promise<void> {
  const { dataDir } = exchange;
  const config = await exchange.connection();
  const journal = new PostgresJournal({ ...config });
  try {
    const origin = (await readOrigin(journal)) ?? assert.fail("it has a journal");
    await takeBackup({ dataDir, config: { ...config }, origin, folders, secret: SECRET });
  } finally {
    await journal.close();
  }
}

/** Where a program finds what an exchange has written. */
const storesOf = async (exchange: ExchangeClient) => ({
  DATABASE_URL: urlOf(await exchange.connection()),
  FIRSTPRINT_DATA_DIR: exchange.dataDir,
});

const inPartitions = (connection: Connection): Promise<void> => smallPartitions(connection, 64);

const person = { kind: "person", legalName: "Erika Mustermann", countryCode: "DE" };

test("a backup under load has every order before it, and serves again", async (t) => {
  const drill = await openDrill(t);
  const exchange = await Exchange.startEmbedded(t, anyRate);
  const world = await furnish(exchange, ["buyer"], "100000");
  const [buyer] = world.traders;
  assert.ok(buyer !== undefined);
  const told = await exchange.post("/api/kyc/subject", person, { key: buyer.key });
  assert.ok(told.status < 300, told.text);

  const load = new OrderLoad(world);
  await load.until(ORDERS_BEFORE);
  const before = [...load.acknowledged];
  const environment = { FIRSTPRINT_DATA_DIR: exchange.dataDir };
  const data = join(drill.folder, "monday");
  const made = await drill.firstprint(
    ["backup", "--to", data, ...drill.named("monday")],
    environment,
  );
  const during = load.acknowledged.length - before.length;
  await load.end();
  assert.equal(made.code, 0, made.output);
  assert.ok(lastBackupSeconds(exchange.dataDir) > Date.now() / 1_000 - 3_600, "it is noted");
  assert.ok(during > 0, "orders were acknowledged while it was made");
  t.diagnostic(`${before.length} orders before, ${during} during: ${made.output}`);

  const from = ["restore", "--from", data, ...drill.named("monday")];
  const to = ["--to", join(drill.folder, "restored")];
  const restored = await drill.firstprint([...from, ...to]);
  assert.equal(restored.code, 0, restored.output);
  assert.match(restored.output, /^journal +holds$/m);
  assert.match(restored.output, /^raw files +of 1 releases hold$/m);
  assert.equal(reached(restored), reached(made));
  const status = await exchange.get("/api/status");
  assert.equal(at(status.body, "mode"), "open", "the one that serves was left alone");
  await exchange.stop();
  const again = await served(t, join(drill.folder, "restored"));
  await hasEvery(again, world, before);
  const read = `/api/admin/accounts/${buyer.id}/subject/read`;
  const shown = await again.post(read, {}, { admin: true });
  assert.equal(textAt(shown.body, "data", "legalName"), person.legalName);
  const more = new OrderLoad({ ...world, exchange: again });
  await more.until(1);
  await more.end();
});

test("a database of one's own is backed up, and restored into an empty one", async (t) => {
  const drill = await openDrill(t);
  // In partitions, as a journal of years is.
  const connection = await createDatabase(t, inPartitions);
  const from = { DATABASE_URL: urlOf(connection) };
  const exchange = await InProcessExchange.start(t, anyRate, connection);
  const world = await furnish(exchange, ["buyer"], "1000");
  const load = new OrderLoad(world);
  await load.until(ORDERS_BEFORE);
  const before = [...load.acknowledged];
  const data = join(drill.folder, "one");
  const words = ["--to", data, ...drill.named("one")];
  const environment = { ...from, FIRSTPRINT_DATA_DIR: exchange.dataDir };
  const made = await drill.firstprint(["backup", ...words], environment);
  await load.end();
  assert.equal(made.code, 0, made.output);

  const restoring = ["restore", "--from", data, ...drill.named("one"), "--to"];
  const over = { secret: SECRET, dataDir: join(drill.folder, "no"), database: connection };
  await assert.rejects(
    putBack({ folders: drill.folders("one"), ...over }),
    /The database has a journal already: nothing was restored into it/,
  );

  const target = await createDatabase(t);
  const to = { DATABASE_URL: urlOf(target) };
  const restored = await drill.firstprint([...restoring, join(drill.folder, "two")], to);
  assert.equal(restored.code, 0, restored.output);
  assert.equal(reached(restored), reached(made));
  const again = await InProcessExchange.unstarted(t, anyRate, target);
  await rm(again.dataDir, { recursive: true });
  await rename(join(drill.folder, "two"), again.dataDir);
  await again.up();
  await hasEvery(again, world, before);
});

test("a backup that is not as it was made restores nothing, and says what to do", async (t) => {
  const drill = await openDrill(t);
  const names = ["ours", "later", "theirs"] as const;
  const exchange = await InProcessExchange.start(t);
  await exchange.trader("somebody", "10");
  const other = await InProcessExchange.start(t);
  for (const name of names) await take(name === "theirs" ? other : exchange, drill.folders(name));
  const ours = join(drill.folder, "ours");
  const kept = join(drill.folder, "kept");
  const refuses = async (what: string, sentence: RegExp, keys = "ours"): Promise<void> => {
    const folders = { ...drill.folders(keys), data: ours };
    const secret = await readFile(drill.secret, "utf8");
    const dataDir = join(drill.folder, "never");
    await assert.rejects(putBack({ folders, secret, dataDir, database: undefined }), (error) => {
      assert.ok(error instanceof StorageRefusal, `${what}: ${error}`);
      assert.match(error.message, sentence, what);
      assert.match(error.message, /Nothing was restored\. |nothing opens it/, what);
      return true;
    });
    await assert.rejects(stat(dataDir), { code: "ENOENT" });
  };

  for (const folder of Object.values(drill.folders("ours"))) {
    const names = (await readdir(folder)).filter(
      (name, place) => place % DAMAGED_ONE_IN === 0 || [MANIFEST, SECRETS].includes(name),
    );
    for (const name of names) {
      const path = join(folder, name);
      await copyFile(path, kept);
      const bytes = await readFile(path);
      const middle = Math.floor(bytes.length / 2);
      bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      await writeFile(path, bytes);
      await refuses(
        `a byte of ${name}`,
        /was changed (or damaged )?since|does not open with this secret/,
      );
      await rm(path);
      await refuses(`without ${name}`, new RegExp(`${name} is missing from the backup`));
      await copyFile(kept, path);
    }
  }
  const words = ["restore", "--check", "--from", ours, ...drill.named("ours")];
  await rename(join(ours, "journal.zst"), kept);
  const said = await drill.firstprint(words);
  assert.equal(said.code, 2);
  assert.match(said.output, /^\S+ours\/journal\.zst is missing from the backup\. [^\n]+\n$/);
  await rename(kept, join(ours, "journal.zst"));
  await refuses("keys of another exchange", /is of another exchange \(firstprint/, "theirs");
  await refuses("keys of another backup", /are of another backup of this exchange/, "later");
  await writeFile(drill.secret, `${SECRET}, another`);
  await refuses("another secret", /ours-keys\/secrets does not open with this secret/);
  await writeFile(drill.secret, "short");
  assert.match((await drill.firstprint(words)).output, /a secret of at least 32 characters/);
  await writeFile(drill.secret, SECRET);
  assert.equal((await drill.firstprint(words)).code, 0, "as it was made, it is restored");
});

test("no secret and no key of a person is in what anybody may keep", async (t) => {
  const drill = await openDrill(t);
  const exchange = await InProcessExchange.start(t);
  const { key } = await exchange.trader("person", "0");
  assert.ok((await exchange.post("/api/kyc/subject", person, { key })).status < 300);
  const data = join(drill.folder, "one");
  const environment = await storesOf(exchange);
  const backup = (words: readonly string[]) => drill.firstprint(["backup", ...words], environment);
  const inside = await backup(["--to", data, "--keys", join(data, "k"), "--secret", drill.secret]);
  assert.equal(inside.code, 2);
  assert.match(inside.output, /keep them apart/);
  await take(exchange, drill.folders("one"));
  const twice = await backup(["--to", data, ...drill.named("one")]);
  assert.match(twice.output, /is there already\. Name a folder that is not\./);

  const secrets = await Promise.all(
    ["pepper", "webhook-key", "subjects-key", "checkpoint.key"].map((name) =>
      readFile(join(exchange.dataDir, name), "utf8"),
    ),
  );
  const names = await readdir(data);
  assert.ok(names.includes("kyc_subject.zst") && !names.includes("kyc_key.zst"));
  for (const name of names) {
    const path = join(data, name);
    assert.equal((await stat(path)).mode & 0o077, 0, `${name} is its owner's alone`);
    const bytes = await readFile(path);
    const text = (name.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).toString("latin1");
    assert.doesNotMatch(text, /Erika/);
    for (const secret of secrets) assert.ok(!text.includes(secret.trim()), name);
  }
  for (const name of await readdir(join(drill.folder, "one-keys"))) {
    const bytes = await readFile(join(drill.folder, "one-keys", name));
    assert.throws(() => zstdDecompressSync(bytes), `${name} is sealed`);
  }
});
