// Starting, stopping and starting again, as an operator meets them: real processes, real folders.
// Invariant tested: a start ends in a serving exchange or in one sentence that says what to do, and
// a stop leaves no process behind.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { chown, readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { StartFault } from "#node/faults.ts";
import { Lifetime } from "#node/lifetime.ts";
import { readSettings } from "#node/settings.ts";
import { SettingsFault } from "#node/settings-fault.ts";
import { start } from "#node/start.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, checkout, Exchange, listAt, textAt } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { type Environment, Program, runFile, runProgram } from "./program.ts";
import { failuresOf } from "./served-examples.ts";
import { until } from "./until.ts";

const pidFile = (dataDir: string): string => join(dataDir, "postgresql/cluster/postmaster.pid");

async function serverPid(dataDir: string): Promise<number> {
  const [pid] = (await readFile(pidFile(dataDir), "utf8")).split("\n");
  return Number(pid);
}

/** A process that has ended and whose parent has not asked for it yet runs no more. */
function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  const status = readFileSync(`/proc/${pid}/stat`, "utf8");
  return !/^[ZX]/.test(status.slice(status.lastIndexOf(")") + 2));
}

const newFolder = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-start-");

/** How often every example of the reference is read: after a restart, and before it as well. */
const EXAMPLE_READINGS = sizeOfRun("FIRSTPRINT_EXAMPLE_READINGS", 2);

const path = (name: string): string => join(checkout, name);
const programs = { verify: path("src/verify.ts"), archive: path("src/archive.ts") };

/** A start in the test's process, ended as a process ends it; a person reads the message alone. */
async function isRefused(
  dataDir: string,
  environment: Environment,
  expected: RegExp,
): Promise<void> {
  const lifetime = new Lifetime();
  const given = {
    PORT: "0",
    FIRSTPRINT_SAMPLE: "0",
    FIRSTPRINT_DATA_DIR: dataDir,
    FIRSTPRINT_LOG_LEVEL: "error",
    ...environment,
  };
  const starts = async (): Promise<string> => start(readSettings(given), lifetime, programs);
  await assert.rejects(starts, (error) => {
    assert.ok(error instanceof SettingsFault || error instanceof StartFault, `${error}`);
    assert.match(error.message, expected);
    return true;
  });
  await lifetime.end();
}

test("a first start with the sample serves, and its three commands work", async (t) => {
  const folder = join(await newFolder(t), "not/there/yet");
  const exchange = await Exchange.startEmbedded(t, {
    FIRSTPRINT_SAMPLE: "",
    FIRSTPRINT_DATA_DIR: folder,
    FIRSTPRINT_ADMIN_SECRET: "",
  });
  assert.match(exchange.output, new RegExp(`serves at ${exchange.url} \\(clock: real\\)`));
  const key = /^Demo key: +(fp_live_\w+) /m.exec(exchange.output)?.[1];
  assert.ok(key !== undefined, "the demo key is shown");
  const tries = [...exchange.output.matchAll(/^ {2}(bin\/firstprint .*)$/gm)].map(([, line = ""]) =>
    line.split(" "),
  );
  assert.equal(tries.length, 3, exchange.output);
  const outputs: string[] = [];
  for (const [command = "", ...parameters] of tries) {
    const { code, output } = await runProgram(join(checkout, command), parameters);
    assert.equal(code, 0, `${command} ${parameters.join(" ")}: ${output}`);
    outputs.push(output);
  }
  const [, quoted = "", placed = ""] = outputs;
  const limit = /^limit price +(0\.\d+)$/m.exec(quoted)?.[1];
  assert.ok(Number(limit) >= 0.01 && Number(limit) <= 0.05, `a few percent: ${quoted}`);
  assert.match(placed, new RegExp(`^limit price +${limit}$`, "m"), "the order takes the quote");
  assert.match(placed, /^status +FILLED$/m);
  const [first = "", second = ""] = exchange.output.split("\n").filter((line) => !/^\{/.test(line));
  assert.match(`${first}\n${second}`, new RegExp(`\nOpen: +${exchange.url}/ in a browser$`));
  assert.equal(exchange.output.match(/^Operator key: +fp_live_\w+ \(shown once\)$/gm)?.length, 2);
  const docs = exchange.output.indexOf(`${exchange.url}/docs`);
  assert.ok(docs >= 0 && docs < exchange.output.indexOf("Demo key"), "the reference comes first");
  const secret = join(folder, "admin-secret");
  assert.match(exchange.output, new RegExp(`^Admin secret: \\(kept in ${secret}\\)$`, "m"));
  assert.equal((await stat(secret)).mode & 0o777, 0o600);

  const secrets = { demoKey: key, admin: await readFile(secret, "utf8") };
  if (EXAMPLE_READINGS > 1) {
    assert.deepEqual(await failuresOf(exchange, secrets), [], "the served examples work");
  }
  const shown = async () => ({
    index: (await exchange.get("/api/index/zip:78701")).body,
    markets: (await exchange.get("/api/markets?limit=100")).body,
    orders: (await exchange.get("/api/audit/logs?limit=1000", { key })).body,
  });
  const before = await shown();
  const [newest] = listAt(before.orders, "data");
  assert.equal(textAt(newest, "action"), "order.placed", "the third command's order is entered");
  const states = listAt(before.markets, "data").map((market) => textAt(market, "status"));
  assert.ok(new Set(states).size > 2, `markets in several states: ${states.join(" ")}`);
  assert.match(JSON.stringify(before.index), /"attribution":"Data from Firstprint Sample Data"/);
  const pid = await serverPid(folder);
  assert.ok(isRunning(pid));

  assert.equal(await exchange.stop(), 0);
  assert.equal(isRunning(pid), false, "no server is left");
  assert.equal(existsSync(pidFile(folder)), false);

  const from = exchange.output.length;
  await exchange.up();
  assert.doesNotMatch(exchange.output.slice(from), /Demo key|Admin secret/, "shown once");
  assert.deepEqual(await shown(), before);
  assert.deepEqual(await failuresOf(exchange, secrets), [], "after a restart too");
  const verified = await exchange.get("/api/audit/verify", { key });
  assert.equal(at(verified.body, "data", "valid"), true);
});

test("a malformed setting stops the start by name, before anything", async (t) => {
  const folder = join(await newFolder(t), "data");
  await isRefused(folder, { PORT: "46oo" }, /^PORT /);
  assert.equal(existsSync(folder), false, "nothing was made");
});

test("a folder has one exchange and one clock, and its server outlives a kill", async (t) => {
  const exchange = await Exchange.startEmbedded(t, { FIRSTPRINT_CLOCK: "sandbox" });
  const { dataDir } = exchange;
  await exchange.admin("clock", { setTo: "2024-11-20T00:00:00Z" });
  const trader = await exchange.trader("trader", "12.345678");
  await isRefused(dataDir, {}, new RegExp(`in use by process ${exchange.pid}\\.$`));
  assert.equal(await exchange.cash(trader.id), 12_345_678n, "the first one serves on");
  const pid = await serverPid(dataDir);
  await exchange.kill();
  assert.ok(isRunning(pid), "the server outlives Node");

  await exchange.up();
  assert.equal(await serverPid(dataDir), pid);
  assert.match(exchange.output, new RegExp(`took over the running PostgreSQL server.*${pid}`));
  assert.equal(await exchange.cash(trader.id), 12_345_678n);
  const status = await exchange.get("/api/status");
  assert.equal(textAt(status.body, "engineTime"), "2024-11-20T00:00:00.000Z");
  await exchange.kill();

  const { code, output } = await runFile("src/main.ts", {
    PORT: "0",
    FIRSTPRINT_SAMPLE: "0",
    FIRSTPRINT_DATA_DIR: dataDir,
    FIRSTPRINT_CLOCK: "real",
  });
  assert.equal(code, 78, output);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  assert.match(last, /sandbox.*FIRSTPRINT_CLOCK|FIRSTPRINT_CLOCK.*sandbox/);
  assert.doesNotMatch(output, /^ {4}at /m, "a sentence for a person, and no stack");
  assert.equal(existsSync(pidFile(dataDir)), false, "a refused start leaves no server");
  assert.equal(isRunning(pid), false, "whoever takes it over also stops it");
});

test("an address that is taken is named", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => taken.once("listening", listening));
  t.after(() => taken.close());
  const port = String(at(taken.address(), "port"));
  await isRefused(
    await newFolder(t),
    { PORT: port, DATABASE_URL: urlOf(await createDatabase(t)) },
    new RegExp(`^HOST 127.0.0.1 and PORT ${port} cannot be served: .*in use`),
  );
});

test("a database that is out of reach is named", async (t) => {
  const url = "postgres://127.0.0.1:1/firstprint";
  const sentence = /^The database cannot be used: .*127\.0\.0\.1:1/;
  await isRefused(await newFolder(t), { DATABASE_URL: url }, sentence);
});

/** A first start that is just playing the sample. */
async function playing(folder: string): Promise<Program> {
  const environment = { PORT: "0", FIRSTPRINT_DATA_DIR: folder };
  const program = new Program(process.execPath, ["src/main.ts"], environment);
  await until("the sample is played", () => existsSync(join(folder, "sample-unfinished")));
  return program;
}

test("SIGTERM in the middle of a start ends it; the cut sample is told, not served", async (t) => {
  const folder = await newFolder(t);
  const program = await playing(folder);
  const pid = await serverPid(folder);
  program.kill("SIGTERM");
  const { code, output } = await program.ended;
  assert.equal(code, 0, output);
  assert.equal(isRunning(pid), false);

  const cutOff = new RegExp(`^The sample was cut off .*Remove ${folder} and start again`);
  await isRefused(folder, { FIRSTPRINT_SAMPLE: "" }, cutOff);
  assert.equal(existsSync(pidFile(folder)), false, "the refused start has stopped the server");
});

const NOBODY = { uid: 65_534, gid: 65_534 };

/** Why this cannot be shown here; undefined where it can. */
async function hindrance(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "only root can start an exchange as another user";
  const script = "fs.accessSync('src/main.ts', fs.constants.R_OK)";
  const probe = new Program(process.execPath, ["-e", script], {}, NOBODY);
  const code = await probe.ended.then((ended) => ended.code).catch(() => null);
  return code === 0 ? undefined : `${checkout} is not open to uid ${NOBODY.uid}`;
}

test("an unprivileged user starts it in a folder of its own", async (t) => {
  const why = await hindrance();
  if (why !== undefined) return t.skip(why);
  const folder = await newFolder(t);
  await chown(folder, NOBODY.uid, NOBODY.gid);
  const environment = {
    PORT: "0",
    FIRSTPRINT_SAMPLE: "0",
    FIRSTPRINT_DATA_DIR: join(folder, "data"),
    HOME: folder,
  };
  const program = new Program(process.execPath, ["src/main.ts"], environment, NOBODY);
  t.after(async () => {
    program.kill("SIGTERM");
    await program.ended;
  });
  const address = (): string | undefined => /http:\/\/[\d.]+:\d+/.exec(program.output)?.[0];
  await until(`it serves: ${program.output}`, () => address() !== undefined);
  const status = await fetch(`${address()}/api/status`);
  assert.equal(status.status, 200);
  const pid = await serverPid(join(folder, "data"));
  assert.equal((await stat(`/proc/${pid}`)).uid, NOBODY.uid);
  program.kill("SIGTERM");
  const { code, output } = await program.ended;
  assert.equal(code, 0, output);
  assert.equal(isRunning(pid), false);
});
