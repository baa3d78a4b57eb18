// A database of one's own: its password stands in DATABASE_URL, and nowhere in what is printed or
// answered, whatever becomes of the database or is wrong with the address. And what `ps` shows.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startEmbedded } from "#storage/embedded.ts";
import { runFile } from "#test/e2e/program.ts";
import { until } from "#test/e2e/until.ts";
import { checkout, Exchange } from "#test/support/exchange.ts";
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
  const { user, password, host, port } = database.connection;
  const url = (word: string): string =>
    `postgres://${user}:${word}@localhost:${port}/${user}?host=${encodeURIComponent(host)}`;
  return { database, password, url };
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
  const { password, url } = await ownDatabase(t);
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
    const [served, verified] = await Promise.all([
      runFile("src/main.ts", environment),
      runFile("src/verify.ts", environment),
    ]);
    assert.ok(served.code !== 0 && verified.code !== 0, served.output + verified.output);
    assertNowhere(password, served.output + verified.output, said);
  }
});

test("a key given with --key is not shown by ps while the command runs", async (t) => {
  const exchange = await Exchange.start(t);
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
