// The operator rewrites the past: with every key, the data folder and the database, one deposit is
// made another, every later entry decided again, every hash and signature made to fit.
// Invariant: whoever kept one checkpoint, or asks one witness, finds it; nothing of the exchange's
// own tells, and both verifiers say that the new past holds.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { micros } from "#base/money.ts";
import { apply } from "#core/apply.ts";
import type { Envelope } from "#core/command.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { State } from "#core/state.ts";
import { noEntries } from "#journal/chain.ts";
import type { SealedEntry } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { seal } from "#journal/seal.ts";
import type { Connection } from "#storage/embedded.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, type ExchangeClient, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { Program, runFile, runProgram } from "../e2e/program.ts";

const PATIENCE_MILLIS = 30_000;

async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE_MILLIS;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    assert.ok(performance.now() < end, `${what} came in time`);
    await sleep(50);
  }
}

/** A witness in a process of its own, with a folder the exchange's operator cannot reach. */
async function startWitness(t: TestContext, log: string) {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-witness-"));
  const words = ["--folder", folder, "--name", "witness.example/1", "--log", log, "--port", "0"];
  const program = new Program(process.execPath, ["src/cli/main.ts", "witness", ...words]);
  t.after(async () => {
    program.kill("SIGTERM");
    await program.ended;
    await rm(folder, { recursive: true, force: true });
  });
  const [, url = "", key = ""] = await until("the witness", async () => {
    const pattern = /at (http:\S+)\nverifier key (\S+)\n/;
    return pattern.exec(program.output) ?? undefined;
  });
  return { folder, url, key };
}

const onlyWitness = async (exchange: ExchangeClient) =>
  listAt((await exchange.get("/api/log")).body, "data", "witnesses")[0];

/** Decides the whole journal anew with one deposit changed, and stores it as if it had been so. */
async function rewrite(dataDir: string, connection: Connection): Promise<number> {
  const client = new Client({ ...connection });
  await client.connect();
  const journal = new PostgresJournal({ ...connection });
  const stored = await journal.read(1, 10_000);
  await client.query(
    `TRUNCATE journal, journal_touch, checkpoint, snapshot, snapshot_place, snapshot_page, log_tile,
       log_checkpoint`,
  );
  await client.end();
  const lead = await journal.lead(() => undefined);
  await lead.append(anew(stored.map(({ bytes }) => readEntry(bytes).envelope)));
  await lead.release();
  await journal.close();
  for (const file of ["checkpoints", "log-checkpoints"]) await rm(join(dataDir, file));
  return stored.length;
}

function anew(envelopes: readonly Envelope[]): readonly SealedEntry[] {
  const state = new State();
  let head = noEntries;
  return envelopes.map((envelope, index) => {
    const { command } = envelope;
    const changed =
      command.type === "FundAccount" && command.amountMicros === 1_000_000_000n
        ? { ...envelope, command: { ...command, amountMicros: micros(9_000_000_000n) } }
        : envelope;
    const sequence = index + 1;
    const outcome = apply(state, changed, sequence);
    const sealed = seal(head, { sequence, envelope: changed, outcome }, state);
    head = { size: sequence, hash: sealed.hash };
    return sealed;
  });
}

const keptIs = (exchange: ExchangeClient, file: string, ...more: readonly string[]) =>
  runProgram(process.execPath, ["src/cli/main.ts", "audit", "kept", file, ...more], {
    FIRSTPRINT_URL: exchange.url,
  });

test("one kept checkpoint finds a rewritten past, and so does one witness", async (t) => {
  const connection = await createDatabase(t);
  const exchange = await InProcessExchange.start(t, {}, connection);
  const verifierKey = textAt((await exchange.get("/api/log")).body, "data", "verifierKey");
  const witness = await startWitness(t, verifierKey);
  assert.equal((await stat(join(witness.folder, "witness.key"))).mode & 0o777, 0o600);
  await exchange.stop();
  const setting = { FIRSTPRINT_WITNESSES: `${witness.key} ${witness.url}` };
  await exchange.up(setting);
  await exchange.trader("victim", "1000");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const { size: total } = await until("a cosigned head", async () => {
    const said = await onlyWitness(exchange);
    const log = await exchange.get("/api/log");
    const size = numberAt(log.body, "data", "size");
    return at(said, "cosignedSize") === size && size > 5 ? { size } : undefined;
  });
  const kept = (await exchange.get("/api/log/checkpoint/witnessed")).text;
  const folder = await temporaryFolder(t, "firstprint-kept-");
  const file = join(folder, "kept.txt");
  await writeFile(file, kept);
  const keys = ["--verifier-key", verifierKey, "--witness", witness.key];
  const honest = await keptIs(exchange, file, ...keys);
  assert.equal(honest.code, 0, honest.output);
  await exchange.stop();

  const entries = await rewrite(exchange.dataDir, connection);
  assert.ok(entries >= total);
  const outside = await runFile("src/verify.ts", {
    FIRSTPRINT_DATA_DIR: exchange.dataDir,
    DATABASE_URL: urlOf(connection),
  });
  assert.match(outside.output, /^journal +holds$/m, "nothing of the exchange's own tells");
  await exchange.up(setting);
  const inside = await exchange.get("/api/audit/verify", { key: auditor.key });
  assert.equal(at(inside.body, "data", "valid"), true);

  const told = await keptIs(exchange, file, ...keys);
  assert.equal(told.code, 1, told.output);
  assert.match(told.output, /does not begin with the \d+ of the kept checkpoint/);
  const refusal = await until("the witness's refusal", async () => {
    const said = at(await onlyWitness(exchange), "refusal");
    return typeof said === "string" && /rewritten/.test(said) ? said : undefined;
  });
  const left = await readdir(witness.folder);
  // From a size that is a power of two no proof has the old root in it.
  const isPower = (total & (total - 1)) === 0;
  const kind = isPower ? /\.(conflict|unproven)$/ : /\.conflict$/;
  const conflict = left.find((name) => kind.test(name)) ?? assert.fail("no evidence");
  assert.match(await readFile(join(witness.folder, conflict), "utf8"), /\/log \S+\n$/);
  t.diagnostic(`after: the kept checkpoint: ${told.output.trim()}`);
  t.diagnostic(`after: the witness: ${refusal}`);
});
