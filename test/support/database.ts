// A database of its own for every test that needs PostgreSQL, on the one real server of the run.
// Invariant: what a test writes no other test sees; a server that was started here, for a file that
// is run by itself, goes with its folder when the file ends.
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { Client, type Pool, type PoolClient } from "pg";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import { poolOf } from "#storage/with-client.ts";

interface Shared {
  readonly connection: Connection;
  readonly admin: Client;
  end(): Promise<void>;
}

/** A test, or whatever else ends what was made for it. */
interface Scope {
  after(end: () => Promise<void> | void): void;
}

/** Fills a template, once a process; every database made with the same function is a copy of it. */
type Prepare = (connection: Connection) => Promise<void>;

const PREFIX = "firstprint-test-";
const templates = new Map<Prepare, Promise<string>>();
const finished: string[] = [];
let shared: Promise<Shared> | undefined;
let made = 0;

// At the top of the module, so that it runs after the last test of the file, not of one test.
after(async () => {
  if (shared === undefined) return;
  const { admin, end } = await shared;
  await admin.end();
  await end();
});

/**
 * A fresh database. It is dropped when the next one is made and its test is over, not in a hook of
 * the test: hooks run in the order they were added, so ours would come before the test's own, which
 * ends the connections.
 */
export async function createDatabase(t: Scope, prepare?: Prepare): Promise<Connection> {
  shared ??= openShared();
  const { admin, connection } = await shared;
  for (const old of finished.splice(0)) await admin.query(`DROP DATABASE ${old} WITH (FORCE)`);
  const template = prepare === undefined ? "template1" : await templateOf(prepare);
  const name = await copyOf(template, admin);
  t.after(() => void finished.push(name));
  return { ...connection, database: name };
}

/** A pool on a fresh database; when the test is over it ends, with every session it opened. */
export async function openPool(t: Scope, prepare?: Prepare): Promise<Pool> {
  const pool = poolOf(await createDatabase(t, prepare));
  const sessions = new Set<PoolClient>();
  t.after(() => endPool(pool, sessions));
  pool.on("connect", (session) => sessions.add(session));
  pool.on("remove", (session) => sessions.delete(session));
  return pool;
}

/**
 * `end` returns as soon as it has said goodbye to each session. A session that the server ends
 * before it has read that tells an error to nobody, which fails whichever test runs by then.
 */
async function endPool(pool: Pool, sessions: ReadonlySet<PoolClient>): Promise<void> {
  await pool.end();
  while (sessions.size > 0) await once(pool, "remove");
}

/** The epoch of a database that no exchange ever led: its journal, if any, is in memory. */
export const firstEpoch = (): number => 0;

/** The connection in the form of `DATABASE_URL`. */
export const urlOf = ({ user, password, database, host, port }: Connection): string =>
  `postgresql://${user}:${encodeURIComponent(password)}@/${database}` +
  `?host=${encodeURIComponent(host)}&port=${port}`;

async function openShared(): Promise<Shared> {
  const { connection, end } = await serverOfRun();
  const admin = new Client({ ...connection, database: "postgres" });
  await admin.connect();
  return { connection, admin, end };
}

/** The run names its server; a file that is run by itself starts one. */
async function serverOfRun(): Promise<Omit<Shared, "admin">> {
  const given = process.env.FIRSTPRINT_TEST_SERVER;
  if (given !== undefined) return { connection: JSON.parse(given), end: async () => undefined };
  await sweep();
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const { connection, stop } = await startEmbedded({ dataDir: folder });
  const end = async (): Promise<void> => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { connection, end };
}

function templateOf(prepare: Prepare): Promise<string> {
  const known = templates.get(prepare);
  if (known !== undefined) return known;
  const fill = async (): Promise<string> => {
    shared ??= openShared();
    const { admin, connection } = await shared;
    const name = await copyOf("template1", admin);
    await prepare({ ...connection, database: name });
    return name;
  };
  const template = fill();
  templates.set(prepare, template);
  return template;
}

async function copyOf(template: string, admin: Client): Promise<string> {
  made += 1;
  const name = `test_${process.pid}_${made}`;
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  return name;
}

/** Ends and removes what test processes left that were killed before they could. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = /^firstprint-test-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || isRunning(Number(owner))) continue;
    const folder = join(tmpdir(), name);
    // Somebody else's leavings, or swept by another test process at this moment: not our business.
    const left = await startEmbedded({ dataDir: folder }).catch(() => undefined);
    if (left === undefined) continue;
    await left.stop();
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
