// A database of one's own: its password stands in DATABASE_URL, and nowhere in what is printed or
// answered, whatever becomes of the database or is wrong with the address. And what `ps` shows.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { StartFault } from "#node/faults.ts";
import { Lifetime } from "#node/lifetime.ts";
import { readSettings } from "#node/settings.ts";
import { SettingsFault } from "#node/settings-fault.ts";
import { start } from "#node/start.ts";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import { runFile } from "#test/e2e/program.ts";
import { until } from "#test/e2e/until.ts";
import { createDatabase } from "#test/support/database.ts";
import { checkout, Exchange } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { Finder } from "./finder.ts";
import { commandLine } from "./places.ts";

async function ownDatabase(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-own-"));
  const database = await startEmbedded({ dataDir: folder });
  t.after(async () => {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { database, ...addressed(database.connection) };
}

/** The password of a database, and its address with another word in that place. */
function addressed({ user, password, host, port, database }: Connection) {
  const url = (word: string): string =>
    `postgres://${user}:${word}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  return { password, url };
}

function assertNowhere(password: string, what: string, control: string): void {
  const finder = new Finder([
    { name: "password", secret: password },
    { name: "control", secret: control },
  ]);
  assert.deepEqual([...finder.in(Buffer.from(what))], ["control"], what);
}

test("the password in DATABASE_URL is never printed, nor given to anybody who asks", async (t) => {
  const { database, password, url } = await ownDatabase(t);
  const exchange = await Exchange.start(t, { DATABASE_URL: url(password) });
  const trader = await exchange.trader("one", "1000");
  const answers: string[] = [];
  const ask = async (): Promise<number> => {
    const asked = await Promise.all([
      exchange.post("/api/kyc/inquiry", { tier: "basic" }, { key: trader.key }),
      exchange.get("/api/audit/logs", { key: trader.key }),
      exchange.get("/api/trading/statement?month=2026-01", { key: trader.key }),
      exchange.get("/api/status"),
    ]).catch(() => []);
    for (const { text } of asked) answers.push(text);
    return Math.max(...asked.map(({ status }) => status));
  };
  await ask();
  assertNowhere(password, commandLine(exchange.pid), "src/main.ts");
  await database.stop();
  await until("what needs the database is refused", async () => (await ask()) >= 500);
  await exchange.stop();
  assertNowhere(password, answers.join("\n"), "requestId");
  // A fault was logged: that much the search must be able to see.
  assertNowhere(password, exchange.output, `"level":50`);
});

test("no start that fails over the database says its password", async (t) => {
  const { password, url } = addressed(await createDatabase(t));
  const folder = await temporaryFolder(t, "firstprint-url-");
  const wrong = `${password.slice(0, -1)}${password.endsWith("A") ? "B" : "A"}`;
  for (const [address, said] of [
    [url(wrong), "password authentication failed"],
    [`postgres://me:${password}@127.0.0.1:1/none`, "The database cannot be used"],
    [`postgres://me:${password}@[::1/none`, "The database cannot be used"],
    [`postgres://me:${password}@127.0.0.1:99999/none`, "The database cannot be used"],
    [`postgres://me:${password}@/%zz?host=%zz`, "The database cannot be used"],
    [`postgres//me:${password}@localhost/none`, "DATABASE_URL must begin"],
    [`postgres://me@127.0.0.1:1/none?password=${password}`, "The database cannot be used"],
  ] as const) {
    const environment = { DATABASE_URL: address, FIRSTPRINT_DATA_DIR: folder, PORT: "0" };
    assertNowhere(password, await saidOfStart(environment), said);
    const verified = await runFile("src/verify.ts", environment);
    assert.notEqual(verified.code, 0, verified.output);
    assertNowhere(password, `${verified.output}\nverified`, "verified");
  }
  const environment = { DATABASE_URL: url(wrong), FIRSTPRINT_DATA_DIR: folder, PORT: "0" };
  const served = await runFile("src/main.ts", environment);
  assert.notEqual(served.code, 0);
  assertNowhere(password, served.output, "password authentication failed");
});

/** Starts in the test's process; returns the sentence, which is all that a process tells of one. */
async function saidOfStart(environment: Readonly<Record<string, string>>): Promise<string> {
  const lifetime = new Lifetime();
  const programs = { verify: "", archive: "" };
  const starts = async (): Promise<string> => start(readSettings(environment), lifetime, programs);
  const error: unknown = await starts().then(
    () => assert.fail("it does not start"),
    (fault: unknown) => fault,
  );
  await lifetime.end();
  const isSentence = error instanceof StartFault || error instanceof SettingsFault;
  assert.ok(isSentence, "anything else is told with all that it carries");
  return error.message;
}

test("a key given with --key is not shown by ps while the command runs", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { key } = await exchange.trader("one", "0");
  const words = ["stream", "--after", "0", "--key", key, "--url", exchange.url];
  const child = spawn(process.execPath, [join(checkout, "src/cli/main.ts"), ...words], {
    stdio: "ignore",
  });
  t.after(() => void child.kill("SIGKILL"));
  const pid = child.pid ?? assert.fail("it runs");
  await until("it says what it is", () => !commandLine(pid).includes("stream"));
  assert.equal(child.exitCode, null, "it still runs");
  assertNowhere(key.slice(12), commandLine(pid), "firstprint");
});
