// Three PostgreSQL servers under Patroni with etcd, from deploy/patroni.yml, below two exchanges
// and a load; the machine of the primary is lost or hangs again and again, and comes back.
// Invariant: all that was started runs in a folder of the run, and ends with it.
import assert from "node:assert/strict";
import { type SpawnOptions, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { bareEnvironment, serverAccount } from "#storage/embedded-binaries.ts";
import { withClient } from "#storage/with-client.ts";
import { spread } from "#test/e2e/passing.ts";
import { TwoNodes } from "#test/e2e/two-nodes.ts";
import { until } from "#test/e2e/until.ts";
import { checkout } from "#test/support/exchange.ts";
import { freePort } from "#test/support/free-port.ts";
import { Ends, open, say, settle } from "./world.ts";

const NAMES = ["db-1", "db-2", "db-3"];
const PASSWORD = "of-this-run-alone";
const LOOK_MILLIS = 2_000;
const SERVERS = "/usr/lib/postgresql";

/** The newest of Debian's that can rewind, which the one in npm's package cannot. */
function installed(): string | undefined {
  const versions = existsSync(SERVERS) ? readdirSync(SERVERS) : [];
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((one) => join(SERVERS, one, "bin"));
  const areThere = ["/usr/bin/patroni", "/usr/bin/etcd"].every(existsSync);
  return areThere ? folders.find((folder) => existsSync(join(folder, "pg_rewind"))) : undefined;
}

/** A folder that stands for a machine: what runs in it or below is lost together. */
class Machine {
  readonly folder: string;
  readonly #command: readonly string[];

  private constructor(folder: string, command: readonly string[]) {
    this.folder = folder;
    this.#command = command;
  }

  static async make(ends: Ends, folder: string, command: readonly string[]): Promise<Machine> {
    const machine = new Machine(folder, command);
    await mkdir(folder, { mode: 0o700 });
    const account = serverAccount(folder);
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    ends.after(() => machine.lose());
    return machine;
  }

  up(): void {
    const [program = "", ...parameters] = this.#command;
    const log = openSync(join(this.folder, "log"), "a");
    const stdio: SpawnOptions["stdio"] = ["ignore", log, log];
    const account = serverAccount(this.folder);
    const env = { ...bareEnvironment, HOME: this.folder };
    spawn(program, parameters, { cwd: this.folder, env, stdio, ...account });
    closeSync(log);
  }

  /** Everything that runs there is gone. */
  async lose(): Promise<void> {
    while (this.signal("SIGKILL") > 0) await sleep(20);
  }

  /** @returns how many processes it was sent to */
  signal(name: NodeJS.Signals): number {
    const there = this.#processes();
    for (const pid of there) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    }
    return there.length;
  }

  #processes(): readonly number[] {
    const isHere = (pid: string): boolean => {
      try {
        return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${this.folder}/`);
      } catch {
        return false;
      }
    };
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && isHere(name))
      .map(Number);
  }
}

interface Server {
  readonly machine: Machine;
  readonly port: number;
}

class Patroni {
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
  }

  static async start(ends: Ends, binaries: string): Promise<Patroni> {
    const folder = await mkdtemp(join(tmpdir(), "firstprint-patroni-"));
    await chmod(folder, 0o755);
    ends.after(() => rm(folder, { recursive: true, force: true }));
    const etcd = await startEtcd(ends, join(folder, "etcd"));
    const servers: Server[] = [];
    for (const name of NAMES) {
      const file = join(folder, `${name}.yml`);
      const machine = await Machine.make(ends, join(folder, name), ["/usr/bin/patroni", file]);
      const port = await freePort();
      await writeFile(file, await configuration(name, machine.folder, port, etcd, binaries));
      machine.up();
      servers.push({ machine, port });
    }
    const cluster = new Patroni(servers);
    await cluster.untilWhole();
    return cluster;
  }

  /** Of a role that owns one database. */
  async databaseUrl(): Promise<string> {
    const primary = await this.primary();
    for (const statement of [
      `CREATE ROLE firstprint LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_read_all_stats`,
      "CREATE DATABASE firstprint OWNER firstprint",
    ]) {
      await query(primary, statement);
    }
    const hosts = this.#servers.map(({ port }) => `127.0.0.1:${port}`).join(",");
    const user = `firstprint:${PASSWORD}`;
    return `postgres://${user}@${hosts}/firstprint?target_session_attrs=read-write`;
  }

  /** The one that takes writes; the first that says so, since one that hangs says nothing. */
  async primary(): Promise<Server> {
    let found: Server | undefined;
    const ask = async (server: Server): Promise<Server> => {
      const holds = await query(server, "SELECT NOT pg_is_in_recovery() AS holds");
      return holds === true ? server : Promise.reject(new Error("not this one"));
    };
    await until("a server takes writes", async () => {
      found = await Promise.any(this.#servers.map(ask)).catch(() => undefined);
      return found !== undefined;
    });
    return found ?? assert.fail("a server takes writes");
  }

  /** The two others stream, and a commit waits for one of them that Patroni has named. */
  async untilWhole(): Promise<void> {
    await until("both standbys stream", async () => {
      const sql = `SELECT count(*) = ${NAMES.length - 1} AND bool_or(sync_state = 'sync')
          AND current_setting('synchronous_standby_names') <> '*' AS holds
        FROM pg_stat_replication WHERE state = 'streaming'`;
      return (await query(await this.primary(), sql)) === true;
    });
  }
}

/** The column `holds` of its answer; undefined where the server does not answer. */
async function query({ port }: Server, sql: string): Promise<unknown> {
  const to = {
    host: "127.0.0.1",
    port,
    user: "postgres",
    password: PASSWORD,
    database: "postgres",
  };
  const limits = { connectionTimeoutMillis: LOOK_MILLIS, query_timeout: LOOK_MILLIS };
  return withClient({ ...to, ...limits }, (client) => client.query<{ holds: unknown }>(sql)).then(
    ({ rows }) => rows[0]?.holds,
    () => undefined,
  );
}

/** @returns its address */
async function startEtcd(ends: Ends, folder: string): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()];
  const [asked, told] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const machine = await Machine.make(ends, folder, [
    ...["/usr/bin/etcd", "--name", "etcd", "--data-dir", join(folder, "data")],
    ...["--listen-client-urls", asked, "--advertise-client-urls", asked],
    ...["--listen-peer-urls", told, "--initial-advertise-peer-urls", told],
    ...["--initial-cluster", `etcd=${told}`],
  ]);
  machine.up();
  return `127.0.0.1:${client}`;
}

/** deploy/patroni.yml, with this machine's places in it. */
async function configuration(
  name: string,
  folder: string,
  port: number,
  etcd: string,
  binaries: string,
): Promise<string> {
  const recipe = parse(await readFile(join(checkout, "deploy/patroni.yml"), "utf8"));
  const rest = `127.0.0.1:${await freePort()}`;
  const address = `127.0.0.1:${port}`;
  return stringify({
    ...recipe,
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: etcd },
    postgresql: {
      ...recipe.postgresql,
      listen: address,
      connect_address: address,
      data_dir: join(folder, "data"),
      bin_dir: binaries,
      pgpass: join(folder, "pgpass"),
      authentication: {
        superuser: { username: "postgres", password: PASSWORD },
        replication: { username: "replicator", password: PASSWORD },
      },
      pg_hba: [
        "host all all 127.0.0.1/32 scram-sha-256",
        "host replication replicator 127.0.0.1/32 scram-sha-256",
      ],
      parameters: { unix_socket_directories: folder },
    },
  });
}

/** Each is an end of the machine, and its return once another leads. */
const fates = {
  lost: [(machine: Machine) => machine.lose(), (machine: Machine) => machine.up()],
  hangs: [
    async (machine: Machine) => void machine.signal("SIGSTOP"),
    (machine: Machine) => void machine.signal("SIGCONT"),
  ],
} as const;

/** Exits 2 where Patroni is not there. */
export async function patroni(rounds: number): Promise<void> {
  const binaries = installed();
  if (binaries === undefined) {
    say("Patroni is not there: apt-get install -y patroni etcd-server postgresql");
    process.exit(2);
  }
  const ends = new Ends();
  try {
    const cluster = await Patroni.start(ends, binaries);
    const settings = { FIRSTPRINT_REPLICAS: "1" };
    const pair = await TwoNodes.start(ends, await cluster.databaseUrl(), settings);
    const world = await open(ends, pair, 0);
    for (const [fate, [begin, end]] of Object.entries(fates)) {
      const promoted: number[] = [];
      const took: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await sleep(1_000 + 500 * (round % 7));
        const { machine } = await cluster.primary();
        const since = performance.now();
        await begin(machine);
        await cluster.primary();
        promoted.push(performance.now() - since);
        const { answers } = world.load;
        await until("deposits are acknowledged", () => world.load.answers > answers);
        took.push(performance.now() - since);
        const [first, then] = [promoted, took].map((all) => Math.round(all.at(-1) ?? 0));
        say(
          `    machine ${fate}, round ${round + 1}: promoted ${first} ms, acknowledged ${then} ms`,
        );
        end(machine);
        await cluster.untilWhole();
      }
      say(`  machine ${fate}, to Patroni's promotion: ${spread(promoted)}`);
      say(`  machine ${fate}, to the first acknowledged deposit: ${spread(took)}`);
    }
    await settle(world);
  } finally {
    await ends.end();
  }
}
