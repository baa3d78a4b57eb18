// The embedded server as its user meets it: real folders, real processes, real kills.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, chown, lchown, mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import {
  type Connection,
  type EmbeddedDatabase,
  type EmbeddedOptions,
  runningConnection,
  startEmbedded,
} from "#storage/embedded.ts";
import { installedNative, run, serverAccount, usableNative } from "#storage/embedded-binaries.ts";
import { clusterArgument, clusterName } from "#storage/embedded-server.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";

const isRoot = process.geteuid?.() === 0;
const needsRoot = isRoot ? false : "needs root, and this run is not root";
const NOBODY = 65_534;

// ---- what the tests say in one word

const started: EmbeddedDatabase[] = [];
const children: ChildProcess[] = [];

async function endAll(): Promise<void> {
  for (const database of started.splice(0)) await database.stop();
  for (const child of children.splice(0)) child.kill("SIGKILL");
}

/** Removed after the test, when all that the test started has ended. */
async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-embedded-"));
  t.after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Removed after the last test; a hook that a test adds would run after that test. */
const lasting: string[] = [];
after(async () => {
  for (const folder of lasting) await rm(folder, { recursive: true, force: true });
});

/** Data folders as a first start and a clean stop leave them, that no test uses now. */
const idle: string[] = [];
/** The number of the table that the test that runs keeps its value in. */
let table = 0;

/**
 * Such a folder, made once and then handed from test to test: without the half of a start's work
 * that is the first one's alone. Earlier tests have left tables of other names there.
 */
async function usedFolder(t: TestContext): Promise<string> {
  const folder = idle.pop() ?? (await madeFolder());
  table += 1;
  t.after(async () => {
    await endAll();
    idle.push(folder);
  });
  return folder;
}

async function madeFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "firstprint-embedded-"));
  lasting.push(dataDir);
  await (await startEmbedded({ dataDir })).stop();
  return dataDir;
}

async function start(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const database = await startEmbedded(options);
  started.push(database);
  return database;
}

async function query(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(connection);
  client.on("error", () => undefined); // The query itself rejects; this is the same news again.
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const keep = (connection: Connection, value: number): Promise<unknown> =>
  query(connection, `CREATE TABLE kept_${table} AS SELECT ${value} AS value`);

const kept = async (connection: Connection): Promise<unknown> =>
  (await query(connection, `SELECT value FROM kept_${table}`))[0]?.value;

const clusterOf = (dataDir: string): string => join(dataDir, "postgresql", "cluster");

/** Every process of the cluster's server: its command line or its title carries the name. */
function processesOf(dataDir: string): number[] {
  const name = clusterName(clusterOf(dataDir));
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(name);
      } catch {
        return false;
      }
    });
}

const [embeddedModule, driverModule] = ["#storage/embedded.ts", "pg"].map((name) =>
  JSON.stringify(import.meta.resolve(name)),
);

const holderCode = `
  const { startEmbedded } = await import(${embeddedModule});
  const { Client } = await import(${driverModule});
  try {
    const database = await startEmbedded({ dataDir: process.argv[1] });
    const client = new Client(database.connection);
    await client.connect();
    await client.query("SELECT pg_advisory_lock(7)");
    await client.query("CREATE TABLE IF NOT EXISTS " + process.argv[3] + " AS SELECT 41 AS value");
    if (process.argv[2] === "busy") client.query("SELECT pg_sleep(600)");
    console.log("serving " + database.pid);
    process.stdin.on("end", () => client.end().then(() => database.stop())).resume();
  } catch (error) {
    console.log("refused " + error.message);
    process.exitCode = 1;
  }`;

interface Holder {
  readonly child: ChildProcess;
  /** The first line it wrote: "serving <pid of the server>" or "refused <why>". */
  readonly said: string;
}

/** Another Node process that starts the database of a folder and keeps it. */
async function hold(dataDir: string, mode = "idle", uid?: number): Promise<Holder> {
  const child = spawn(
    process.execPath,
    ["--input-type=module", "--eval", holderCode, dataDir, mode, `kept_${table}`],
    { stdio: ["pipe", "pipe", "inherit"], cwd: "/", ...(uid && { uid, gid: uid }) },
  );
  children.push(child);
  for await (const said of createInterface(child.stdout)) return { child, said };
  return { child, said: "nothing" };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

const lastNumber = (text: string): number => Number(/(\d+)\D*$/.exec(text)?.[1]);

// ---- starting and stopping

test("a first start makes a safe server in a folder that does not exist", async (t) => {
  const closed = await emptyFolder(t);
  const dataDir = join(closed, "not", "there");
  const began = performance.now();
  const { connection, serving, pid } = await start({ dataDir });
  t.diagnostic(`first start ${(performance.now() - began).toFixed(0)} ms`);

  const wanted = {
    data_checksums: "on",
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    password_encryption: "scram-sha-256",
    listen_addresses: "",
    server_encoding: "UTF8",
  };
  for (const [name, value] of Object.entries(wanted)) {
    assert.deepEqual(await query(connection, `SHOW ${name}`), [{ [name]: value }]);
  }
  assert.deepEqual(
    await query(connection, "SELECT datcollate FROM pg_database WHERE datname = 'firstprint'"),
    [{ datcollate: "C" }],
  );
  const home = join(dataDir, "postgresql");
  for (const secret of ["password", "serving-password"]) {
    assert.equal(statSync(join(home, secret)).mode & 0o777, 0o600, secret);
  }
  // As root the server is another user, and still nothing above its cluster is opened to it.
  for (const path of [closed, join(closed, "not"), dataDir, home]) {
    const { mode, uid } = statSync(path);
    assert.deepEqual([path, mode & 0o777, uid], [path, 0o700, process.geteuid?.()]);
  }
  assert.equal(statSync(clusterOf(dataDir)).mode & 0o777, 0o700);
  assert.equal(statSync(`/proc/${pid}`).uid, statSync(clusterOf(dataDir)).uid);
  // Its own process group: Ctrl-C in our terminal is ours to handle, not the server's.
  const [, , group] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  assert.equal(Number(group), pid);
  const files = ["cluster", "password", "server.log", "serving-password"];
  assert.deepEqual((await readdir(home)).toSorted(), files);
  assert.deepEqual(await readdir(dataDir), ["postgresql"]);
  for (const role of [connection, serving]) {
    await assert.rejects(query({ ...role, password: "guess" }, "SELECT 1"), { code: "28P01" });
  }
  assert.notEqual(statSync(`/proc/${pid}`).uid, 0);
});

test("a restart keeps the data, and a clean stop leaves no process and no lock", async (t) => {
  const dataDir = await usedFolder(t);
  const deaths: string[] = [];
  assert.equal(await runningConnection(dataDir), undefined);
  const first = await start({ dataDir, onExit: (message) => deaths.push(message) });
  await keep(first.connection, 12);
  assert.ok(processesOf(dataDir).includes(first.pid));
  await Promise.all([first.stop(), first.stop()]);
  assert.deepEqual(processesOf(dataDir), []);
  assert.equal(existsSync(join(clusterOf(dataDir), "postmaster.pid")), false);
  assert.equal(await runningConnection(dataDir), undefined);

  const began = performance.now();
  const second = await start({ dataDir });
  t.diagnostic(`restart ${(performance.now() - began).toFixed(0)} ms`);
  assert.equal(await kept(second.connection), 12);
  assert.equal(second.adopted, false);
  await sleep(200);
  assert.deepEqual(deaths, [], "a stop that was asked for is not told as a death");
});

test("two exchanges run side by side on one machine", async (t) => {
  const folders = [await usedFolder(t), await usedFolder(t)];
  const both = await Promise.all(folders.map((dataDir) => start({ dataDir })));
  await Promise.all(both.map(({ connection }, place) => keep(connection, place)));
  assert.deepEqual(await Promise.all(both.map(({ connection }) => kept(connection))), [0, 1]);
});

test("a data folder whose path is too long for a socket is served all the same", async (t) => {
  const dataDir = join(await emptyFolder(t), "long-".repeat(30), "folder");
  const { connection } = await start({ dataDir });
  await keep(connection, 5);
  const found = await runningConnection(dataDir);
  assert.ok(found !== undefined && found.host.length < 107);
  assert.equal(await kept(found), 5);
});

// ---- one owner

test("a second process on the same folder is refused and told who has it", async (t) => {
  const dataDir = await usedFolder(t);
  const { connection } = await start({ dataDir });
  const { said } = await hold(dataDir);
  assert.match(said, /^refused The data folder .* is in use by process \d+\.$/);
  assert.equal(lastNumber(said), process.pid);
  await assert.rejects(startEmbedded({ dataDir }), new RegExp(`process ${process.pid}`));
  assert.deepEqual(await query(connection, "SELECT 1 AS one"), [{ one: 1 }]);
});

test("of four processes that start at once on an empty folder exactly one serves", async (t) => {
  const dataDir = await emptyFolder(t);
  const holders = await Promise.all([1, 2, 3, 4].map(() => hold(dataDir)));
  const winners = holders.filter(({ said }) => said.startsWith("serving"));
  assert.equal(winners.length, 1, holders.map(({ said }) => said).join("\n"));
  for (const { said } of holders.filter((holder) => !winners.includes(holder))) {
    assert.match(said, /in use by/);
  }
  const [winner] = winners;
  assert.ok(winner);
  winner.child.stdin?.end();
  await once(winner.child, "exit");
  assert.deepEqual(processesOf(dataDir), []);
});

// ---- after a crash

test("a server left by a killed Node is taken over, its old sessions ended", async (t) => {
  const dataDir = await usedFolder(t);
  const { child, said } = await hold(dataDir, "busy");
  await kill(child);
  const began = performance.now();
  const database = await start({ dataDir });
  t.diagnostic(`ready ${(performance.now() - began).toFixed(0)} ms after SIGKILL, adopted`);
  assert.equal(database.adopted, true);
  assert.equal(database.pid, lastNumber(said));
  assert.equal(await kept(database.connection), 41);
  assert.deepEqual(await query(database.connection, "SELECT pg_try_advisory_lock(7) AS free"), [
    { free: true },
  ]);
  await database.stop();
  assert.deepEqual(processesOf(dataDir), []);
});

test("a left server that we would start otherwise is stopped and started anew", async (t) => {
  const dataDir = await usedFolder(t);
  const { child, said } = await hold(dataDir, "busy");
  await kill(child);
  const began = performance.now();
  const database = await start({ dataDir, settings: { work_mem: "5MB" } });
  t.diagnostic(`ready ${(performance.now() - began).toFixed(0)} ms after SIGKILL, restarted`);
  assert.equal(database.adopted, false);
  assert.notEqual(database.pid, lastNumber(said));
  assert.equal(processesOf(dataDir).includes(lastNumber(said)), false);
  assert.equal(await kept(database.connection), 41);
  assert.deepEqual(await query(database.connection, "SHOW work_mem"), [{ work_mem: "5MB" }]);
});

test("a server whose start time is not the recorded one is not taken over", async (t) => {
  const dataDir = await usedFolder(t);
  const { child, said } = await hold(dataDir);
  await kill(child);
  const pidFile = join(clusterOf(dataDir), "postmaster.pid");
  const lines = readFileSync(pidFile, "utf8").split("\n");
  await writeFile(pidFile, lines.with(2, String(Number(lines[2]) - 3_600)).join("\n"));
  const database = await start({ dataDir });
  assert.equal(database.adopted, false);
  assert.notEqual(database.pid, lastNumber(said));
  assert.equal(await kept(database.connection), 41);
});

const KILLS = sizeOfRun("FIRSTPRINT_KILLS", 6);

test("kills in a row lose nothing that was committed", async (t) => {
  const dataDir = await usedFolder(t);
  for (let round = 1; round <= KILLS; round += 1) {
    const { child, said } = await hold(dataDir, "busy");
    assert.match(said, /^serving/);
    await kill(child);
  }
  const database = await start({ dataDir });
  assert.equal(await kept(database.connection), 41);
});

test("the death of the server is told, and it is started again", async (t) => {
  const told: string[] = [];
  const database = await start({
    dataDir: await usedFolder(t),
    onExit: (message) => told.push(message),
  });
  await keep(database.connection, 3);
  const { pid } = database;
  process.kill(pid, "SIGKILL");
  while (database.pid === pid) await sleep(20);
  assert.equal(await kept(database.connection), 3);
  assert.deepEqual(told, [`The PostgreSQL server, process ${pid}, ended on its own.`]);
});

test("a server that ended and is being started is not left behind by a stop", async (t) => {
  const dataDir = await usedFolder(t);
  const told = Promise.withResolvers<string>();
  const first = await start({ dataDir, onExit: told.resolve });
  await keep(first.connection, 3);
  // A session that computes does not notice the death, and keeps the shared memory for a while.
  const busy = query(
    first.connection,
    `DO $$ DECLARE until timestamptz := clock_timestamp() + interval '1.5 s';
     BEGIN WHILE clock_timestamp() < until LOOP END LOOP; END $$`,
  ).catch(() => undefined);
  await sleep(300);
  const { pid } = first;
  process.kill(pid, "SIGKILL");
  assert.match(await told.promise, new RegExp(`process ${pid}, ended`));
  await first.stop();

  const began = performance.now();
  const second = await start({ dataDir });
  t.diagnostic(`ready ${(performance.now() - began).toFixed(0)} ms after the server was killed`);
  await busy;
  assert.equal(await kept(second.connection), 3);
});

test("a process that was given the old server's number is left alone", async (t) => {
  const dataDir = await usedFolder(t);
  const first = await start({ dataDir });
  await keep(first.connection, 8);
  const pidFile = join(clusterOf(dataDir), "postmaster.pid");
  const lines = readFileSync(pidFile, "utf8").split("\n");
  await first.stop();

  // Of the server's own user, so that PostgreSQL itself would take it for a server and refuse.
  const stranger = spawn("sleep", ["600"], { ...serverAccount(clusterOf(dataDir)) });
  children.push(stranger);
  await once(stranger, "spawn");
  await writeFile(pidFile, lines.with(0, String(stranger.pid)).join("\n"));
  const second = await start({ dataDir });
  assert.equal(await kept(second.connection), 8);
  await second.stop();
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
  assert.equal(readFileSync(`/proc/${stranger.pid}/comm`, "utf8").trim(), "sleep");
});

test("another exchange's server that was given the old number is left alone", async (t) => {
  const [dataDir, otherDir] = [await usedFolder(t), await usedFolder(t)];
  const other = await start({ dataDir: otherDir });
  const otherFile = readFileSync(join(clusterOf(otherDir), "postmaster.pid"));
  await writeFile(join(clusterOf(dataDir), "postmaster.pid"), otherFile);
  const database = await start({ dataDir });
  assert.notEqual(database.pid, other.pid);
  await database.stop();
  assert.deepEqual(await query(other.connection, "SELECT 1 AS one"), [{ one: 1 }]);
});

test("a server that somebody else started on the cluster is refused, not doubled", async (t) => {
  const dataDir = await usedFolder(t);
  const cluster = clusterOf(dataDir);
  const account = serverAccount(cluster);
  const { native } = await usableNative(installedNative(), account, join(dataDir, "copies"));
  const foreign = spawn(
    join(native, "bin", "postgres"),
    ["-D", clusterArgument(cluster, account), "-k", ".", "-c", "listen_addresses="],
    { cwd: cluster, stdio: "ignore", env: {}, ...account },
  );
  const gone = once(foreign, "exit");
  while (!existsSync(join(cluster, ".s.PGSQL.5432"))) await sleep(10);
  await assert.rejects(startEmbedded({ dataDir }), /Another PostgreSQL server, not started by/);
  foreign.kill("SIGINT");
  await gone;
  assert.equal((await start({ dataDir })).adopted, false);
});

test("a first start that was cut off leaves nothing that the next one trips over", async (t) => {
  const dataDir = await emptyFolder(t);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", holderCode, dataDir], {
    cwd: "/",
  });
  while (!(await readdir(dataDir)).some((name) => name.startsWith("postgresql.new-"))) {
    await sleep(2);
  }
  await sleep(50);
  await kill(child);
  assert.equal(existsSync(join(dataDir, "postgresql")), false);
  const { connection } = await start({ dataDir });
  assert.deepEqual(await query(connection, "SELECT 1 AS one"), [{ one: 1 }]);
  assert.deepEqual(await readdir(dataDir), ["postgresql"]);
});

// ---- users and binaries

test("as an ordinary user the server runs as that user", { skip: needsRoot }, async (t) => {
  const probe = await run(
    process.execPath,
    [
      "--eval",
      `require("node:fs").accessSync(
    ${JSON.stringify(import.meta.filename)})`,
    ],
    { cwd: "/", account: { uid: NOBODY, gid: NOBODY } },
  ).catch(() => ({ code: 1 }));
  if (probe.code !== 0) return t.skip("the checkout lies where an ordinary user may not enter");
  const folder = await emptyFolder(t);
  await chown(folder, NOBODY, NOBODY);
  const first = await hold(join(folder, "data"), "busy", NOBODY);
  assert.match(first.said, /^serving/);
  assert.equal(statSync(`/proc/${lastNumber(first.said)}`).uid, NOBODY);
  await kill(first.child);

  const second = await hold(join(folder, "data"), "idle", NOBODY);
  assert.equal(second.said, first.said);
  second.child.stdin?.end();
  await once(second.child, "exit");
  assert.deepEqual(processesOf(join(folder, "data")), []);
});

test("a cluster that was restored as root is given back", { skip: needsRoot }, async (t) => {
  const dataDir = await usedFolder(t);
  const first = await start({ dataDir });
  await keep(first.connection, 6);
  await first.stop();
  const cluster = clusterOf(dataDir);
  for (const name of ["", ...(await readdir(cluster, { recursive: true }))]) {
    await lchown(join(cluster, name), 0, 0);
  }
  const second = await start({ dataDir });
  assert.equal(await kept(second.connection), 6);
});

/** The binaries' package below a directory that is closed to others, copied once for the file. */
let copied: Promise<string> | undefined;

function copiedNative(): Promise<string> {
  copied ??= (async () => {
    const closed = await mkdtemp(join(tmpdir(), "firstprint-binaries-"));
    lasting.push(closed);
    const source = join(closed, "package");
    await promisify(execFile)("cp", ["-a", join(installedNative(), ".."), source]);
    return join(source, "native");
  })();
  return copied;
}

test("binaries below a closed directory are copied once", { skip: needsRoot }, async (t) => {
  const source = await copiedNative();
  const open = await emptyFolder(t);
  await chmod(open, 0o755);
  const account = { uid: NOBODY, gid: NOBODY };
  const copies = join(open, "made", "here");
  const began = performance.now();
  const { native, version } = await usableNative(source, account, copies);
  t.diagnostic(`copied in ${(performance.now() - began).toFixed(0)} ms`);
  assert.match(native, /made\/here\/postgresql-18/);
  assert.match(version, /^18\./);
  assert.deepEqual(await readdir(copies), [native.slice(copies.length + 1)]);

  const made = statSync(native).ino;
  assert.equal((await usableNative(source, account, copies)).native, native);
  assert.equal(statSync(native).ino, made);

  await chmod(open, 0o700);
  await assert.rejects(usableNative(source, account, copies), /by uid 65534 .* set DATABASE_URL/s);
});

test("links that npm did not make are made, by name and only once", async (t) => {
  const folder = await emptyFolder(t);
  const native = await copiedNative();
  const link = join(native, "lib", "libicuuc.so.60");
  await rm(link);
  const first = await usableNative(native, undefined, join(folder, "copies"));
  assert.equal(first.native, native);
  assert.equal(await readlink(link), "libicuuc.so.60.2");
  await usableNative(native, undefined, join(folder, "copies"));
  assert.equal(existsSync(join(folder, "copies")), false);
});
