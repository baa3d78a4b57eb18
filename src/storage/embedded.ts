// The PostgreSQL server that comes with the exchange, kept in its data folder and supervised here.
// Invariant: a data folder has at most one owner process and at most one server at any time.
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { connect as connectSocket, type Server } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { messageOf } from "#base/message-of.ts";
import { installedNative, serverAccount, usableNative } from "./embedded-binaries.ts";
import {
  ensureCluster,
  limitLog,
  ownFolder,
  passwordFiles,
  ROLE,
  SERVING_ROLE,
} from "./embedded-folder.ts";
import {
  announcedSocket,
  errorCode,
  type FoundServer,
  findServer,
  isAlive,
  isReady,
  launchServer,
  logSince,
  type ServerPlan,
  type ServerProcess,
  serverCommand,
  stopServer,
} from "./embedded-server.ts";
import { keepSecret, readSecretFile } from "./secret-file.ts";
import { keepServingRole } from "./serving-role.ts";
import { withClient } from "./with-client.ts";

/** The settings with which the driver connects; `host` is the directory of the unix socket. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly application_name: string;
}

export interface EmbeddedOptions {
  /** Made, with mode 700, when it does not exist. */
  readonly dataDir: string;
  /** Extra server settings; they win over ours, so whoever gives them answers for durability. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called when the server ends and nobody called `stop`, and when it cannot be started again. */
  readonly onExit?: (message: string) => void;
  readonly log?: (message: string) => void;
}

export interface EmbeddedDatabase {
  /** As the owner of everything, a superuser. */
  readonly connection: Connection;
  /** As the role that serves, once `prepareDatabase` has given it its rights. */
  readonly serving: Connection;
  /** The server's process; another one after it ended on its own. */
  readonly pid: number;
  /** Whether the server was already running, left over by an owner that was killed. */
  readonly adopted: boolean;
  /** Ends the server, waits until it is gone, and gives the data folder free. */
  stop(): Promise<void>;
}

const PORT = 5432;
const SOCKET_PATH_MAX_BYTES = 107;
const START_PATIENCE_MILLIS = 120_000;
const RETRY_MILLIS = 15_000;
const CONNECT_PATIENCE_MILLIS = 2_000;
const ADOPT_PATIENCE_MILLIS = 2_000;
const FOREIGN_PATIENCE_MILLIS = 2_000;
const WATCH_MILLIS = 100;
const RESTART_FIRST_MILLIS = 100;
const RESTART_LONGEST_MILLIS = 5_000;
const SHARED_FOLDER = "/var/lib/firstprint";

/**
 * Starts the server of `dataDir`, or takes over the one that a killed owner left running, and
 * starts it again whenever it ends on its own.
 * Refuses a folder that another living process owns, naming that process.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const owner = await ownFolder(dataDir);
  try {
    return await startOwned(dataDir, owner, options);
  } catch (error) {
    owner.close();
    throw error;
  }
}

/** How to reach the server that another process keeps in `dataDir`; undefined when none runs. */
export async function runningConnection(
  dataDir: string,
  role: typeof ROLE | typeof SERVING_ROLE = ROLE,
): Promise<Connection | undefined> {
  if (!existsSync(join(dataDir, "postgresql"))) return undefined;
  const home = join(await realpath(dataDir), "postgresql");
  const cluster = join(home, "cluster");
  if (findServer(cluster) === undefined) return undefined;
  const password = await readSecretFile(join(home, passwordFiles[role]));
  if (password === undefined) return undefined;
  return connectionTo(role, password, socketFolder(cluster).path);
}

async function startOwned(
  dataDir: string,
  owner: Server,
  options: EmbeddedOptions,
): Promise<EmbeddedDatabase> {
  const { log = () => undefined } = options;
  const home = join(dataDir, "postgresql");
  const cluster = join(home, "cluster");
  const account = serverAccount(cluster);
  const copies = account === undefined ? dataDir : SHARED_FOLDER;
  const { native, version } = await usableNative(installedNative(), account, copies);
  await ensureCluster(dataDir, native, account);

  const logFile = join(home, "server.log");
  await limitLog(logFile);
  const plan = { cluster, native, account, settings: options.settings ?? {}, logFile };
  const socket = socketFolder(cluster);
  try {
    const password = (await readSecretFile(join(home, passwordFiles[ROLE]))) ?? "";
    const connection = connectionTo(ROLE, password, socket.path);
    const { server, adopted } = await bringUp(plan, version, connection, log);
    const serving = await keepServing(home, connection);
    const raise = async (): Promise<ServerProcess> => {
      await limitLog(logFile);
      return (await bringUp(plan, version, connection, log)).server;
    };
    const kept = new KeptServer(server, raise, (message) => options.onExit?.(message));
    const end = async (): Promise<void> => {
      await kept.stop();
      socket.close();
      owner.close();
    };
    let ending: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      ending ??= end();
      return ending;
    };
    return {
      connection,
      serving,
      get pid() {
        return kept.pid;
      },
      adopted,
      stop,
    };
  } catch (error) {
    socket.close();
    throw error;
  }
}

// Reaching the server.

/**
 * The directory of the server's socket, as a path short enough to connect to. The kernel takes at
 * most 107 bytes; a longer one is reached through our own open descriptor of the directory, which
 * is private to this user, leaves nothing behind, and lasts until it is closed.
 */
function socketFolder(cluster: string): { readonly path: string; close(): void } {
  const longest = Buffer.byteLength(join(cluster, `.s.PGSQL.${PORT}`));
  if (longest <= SOCKET_PATH_MAX_BYTES) return { path: cluster, close: () => undefined };
  const descriptor = openSync(cluster, "r");
  let open = true;
  const close = (): void => {
    if (open) closeSync(descriptor);
    open = false;
  };
  return { path: `/proc/${process.pid}/fd/${descriptor}`, close };
}

/** The role that serves, with a password of its own. */
async function keepServing(home: string, owner: Connection): Promise<Connection> {
  const make = (): string => randomBytes(24).toString("base64url");
  const { secret } = await keepSecret(home, passwordFiles[SERVING_ROLE], make);
  await withClient(owner, (client) => keepServingRole(client, SERVING_ROLE, secret));
  return connectionTo(SERVING_ROLE, secret, owner.host);
}

const connectionTo = (user: string, password: string, host: string): Connection => ({
  host,
  port: PORT,
  user,
  password,
  database: ROLE,
  application_name: ROLE,
});

/** Whether anybody accepts connections on a socket. */
async function isListening(path: string): Promise<boolean> {
  const socket = connectSocket({ path });
  try {
    return await new Promise((answer) => {
      socket.once("connect", () => answer(true)).once("error", () => answer(false));
    });
  } finally {
    socket.destroy();
  }
}

/** Connects as soon as the server lets us; undefined when it ended or the time is over. */
async function connected(
  connection: Connection,
  cluster: string,
  server: ServerProcess,
  patienceMillis: number,
): Promise<Client | undefined> {
  const deadline = Date.now() + patienceMillis;
  for (; isAlive(server) && Date.now() < deadline; await sleep(5)) {
    if (!isReady(cluster)) continue;
    const client = new Client({
      ...connection,
      database: "postgres",
      connectionTimeoutMillis: CONNECT_PATIENCE_MILLIS,
    });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isPassing(error)) throw error;
    }
  }
  return undefined;
}

/** No socket yet, refused, cut, too slow, starting up or shutting down, all connections taken. */
function isPassing(error: unknown): boolean {
  const passing = ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE", "57P03", "53300"];
  if (passing.includes(errorCode(error) ?? "")) return true;
  return error instanceof Error && /^Connection terminated|timeout/.test(error.message);
}

// Bringing the server up.

interface Raised {
  readonly server: ServerProcess;
  readonly adopted: boolean;
}

async function bringUp(
  plan: ServerPlan,
  version: string,
  connection: Connection,
  log: (message: string) => void,
): Promise<Raised> {
  const retryUntil = Date.now() + RETRY_MILLIS;
  for (;;) {
    const left = findServer(plan.cluster);
    if (left !== undefined) {
      if (await adopt(left, plan, version, connection)) {
        log(`took over the running PostgreSQL server, process ${left.pid}`);
        return { server: left, adopted: true };
      }
      log(`stopping the PostgreSQL server that was left running, process ${left.pid}`);
      await stopServer(left);
    } else await refuseForeignServer(plan.cluster, connection.host);

    const logged = statSync(plan.logFile, { throwIfNoEntry: false })?.size ?? 0;
    const server = await launchServer(plan);
    if (server === undefined) continue;
    const client = await connected(connection, plan.cluster, server, START_PATIENCE_MILLIS);
    if (client !== undefined) {
      await ensureDatabase(client);
      log(`started PostgreSQL ${version}, process ${server.pid}`);
      return { server, adopted: false };
    }
    const said = await logSince(plan.logFile, logged);
    if (Date.now() > retryUntil || !isPassingRefusal(said)) {
      await stopServer(server);
      throw new Error(`PostgreSQL does not start in ${plan.cluster}:\n${said}`);
    }
    await sleep(50);
  }
}

/** Two passing reasons: a server still starting, and the last processes of a killed one. */
const isPassingRefusal = (said: string): boolean =>
  said.includes("pre-existing shared memory block") || said.includes("lock file");

/**
 * Takes over a server that we would have started exactly so: same binaries, same settings, start
 * time as recorded. The sessions of its killed owner are ended first, so a commit that was still
 * under way is either there to be read now or never will be.
 */
async function adopt(
  left: FoundServer,
  plan: ServerPlan,
  version: string,
  connection: Connection,
): Promise<boolean> {
  if (!left.startTimeMatches) return false;
  if (serverCommand(plan).join("\0") !== left.commandLine.join("\0")) return false;
  const client = await connected(connection, plan.cluster, left, ADOPT_PATIENCE_MILLIS);
  if (client === undefined) return false;
  try {
    const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
    if (rows[0]?.server_version !== version) return false;
    if (!(await endSessions(client))) return false;
    await ensureDatabase(client);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Ends the sessions of the killed owner and waits until they are gone; false when some stay. */
async function endSessions(client: Client): Promise<boolean> {
  const deadline = Date.now() + ADOPT_PATIENCE_MILLIS;
  while (Date.now() < deadline) {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE (application_name = $1 OR starts_with(application_name, $1 || ' '))
         AND pid <> pg_backend_pid()`,
      [ROLE],
    );
    if (rowCount === 0) return true;
    await sleep(10);
  }
  return false;
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [ROLE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${ROLE}`);
  await client.end();
}

/**
 * A server we cannot see as a process may still have the cluster: started by hand, or in another
 * container that shares the folder. A second server would destroy the data.
 */
async function refuseForeignServer(cluster: string, reachable: string): Promise<void> {
  const socket = announcedSocket(cluster);
  if (socket === undefined) return;
  const deadline = Date.now() + FOREIGN_PATIENCE_MILLIS;
  while (await isListening(resolve(reachable, socket))) {
    if (findServer(cluster) !== undefined) return;
    if (Date.now() > deadline) {
      throw new Error(
        `Another PostgreSQL server, not started by this exchange, is serving ${cluster} ` +
          `(it listens on ${resolve(cluster, socket)}). Stop it first.`,
      );
    }
    // A server that is just being killed loses its command line before its socket.
    await sleep(20);
  }
}

/** A server that is kept running: one that ends on its own is started again, ever more slowly. */
class KeptServer {
  readonly #raise: () => Promise<ServerProcess>;
  readonly #tell: (message: string) => void;
  readonly #watch: NodeJS.Timeout;
  #server: ServerProcess;
  #rising: Promise<void> | undefined;
  #isStopping = false;

  constructor(
    server: ServerProcess,
    raise: () => Promise<ServerProcess>,
    tell: (message: string) => void,
  ) {
    this.#server = server;
    this.#raise = raise;
    this.#tell = tell;
    this.#watch = setInterval(() => this.#look(), WATCH_MILLIS).unref();
  }

  get pid(): number {
    return this.#server.pid;
  }

  /** Waits for a start that is under way: the server it brings must be ended, too. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#watch);
    await this.#rising;
    await stopServer(this.#server);
  }

  #look(): void {
    if (this.#rising !== undefined || isAlive(this.#server)) return;
    this.#tell(`The PostgreSQL server, process ${this.#server.pid}, ended on its own.`);
    this.#rising = this.#rise().finally(() => {
      this.#rising = undefined;
    });
  }

  async #rise(): Promise<void> {
    for (let wait = RESTART_FIRST_MILLIS; !this.#isStopping; ) {
      try {
        this.#server = await this.#raise();
        return;
      } catch (error) {
        this.#tell(messageOf(error));
      }
      await sleep(wait);
      wait = Math.min(wait * 2, RESTART_LONGEST_MILLIS);
    }
  }
}
