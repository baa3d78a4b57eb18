// A PostgreSQL primary and a standby that streams from it, as an operator would run them, and the
// promotion of whichever stands by.
// Invariant: each server ends with its test, and so does its folder.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, rmSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig, QueryResult } from "pg";
import { startEmbedded } from "#storage/embedded.ts";
import {
  bareEnvironment,
  installedNative,
  type SystemUser,
  serverAccount,
  usableNative,
} from "#storage/embedded-binaries.ts";
import { clusterArgument } from "#storage/embedded-server.ts";
import { withClient } from "#storage/with-client.ts";
import { runProgram } from "#test/e2e/program.ts";
import { signalServer } from "#test/faults/server-processes.ts";
import { giveCluster } from "./made-cluster.ts";

const PATIENCE_MILLIS = 30_000;
const PORT = 5432;

interface Scope {
  after(end: () => Promise<void>): void;
}

interface Binaries {
  readonly native: string;
  readonly account: SystemUser | undefined;
  readonly user: string;
  readonly database: string;
}

interface Made {
  readonly folder: string;
  readonly cluster: string;
  readonly binaries: Binaries;
}

/** Made by the first pair of a process; every primary is a copy of it. */
let made: Promise<Made> | undefined;

after(async () => {
  if (made !== undefined) await rm((await made).folder, { recursive: true, force: true });
});

async function makeCluster(): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-replicated-"));
  await chmod(folder, 0o755);
  await giveCluster(folder);
  const server = await startEmbedded({ dataDir: folder });
  await server.stop();
  const cluster = join(folder, "postgresql", "cluster");
  const account = serverAccount(cluster);
  const { native } = await usableNative(installedNative(), account, join(folder, "copies"));
  const access = "local all all trust\nlocal replication all trust\n";
  writeFileSync(join(cluster, "pg_hba.conf"), access);
  const { user, database } = server.connection;
  return { folder, cluster, binaries: { native, account, user, database } };
}

/** One of the two servers; it comes and goes. */
class Server {
  readonly cluster: string;
  readonly #binaries: Binaries;
  #process: ChildProcess | undefined;

  constructor(cluster: string, binaries: Binaries) {
    this.cluster = cluster;
    this.#binaries = binaries;
  }

  get config(): ClientConfig {
    const { user, database } = this.#binaries;
    return { host: this.cluster, port: PORT, user, database, application_name: "operator" };
  }

  async up(): Promise<void> {
    const { native, account } = this.#binaries;
    const own = ["-D", clusterArgument(this.cluster, account), "-k", "."];
    this.#process = spawn(
      join(native, "bin", "postgres"),
      [...own, "-c", "listen_addresses=", "-c", `port=${PORT}`, "-c", "wal_receiver_timeout=5s"],
      { cwd: this.cluster, env: bareEnvironment, stdio: "ignore", ...account },
    );
    await this.until("it takes connections", "SELECT true AS holds");
  }

  /** Every process of it stands still, or goes on. */
  signal(name: "SIGSTOP" | "SIGCONT"): void {
    const pid = this.#process?.pid ?? assert.fail("the server runs");
    signalServer(pid, name);
  }

  /** SIGQUIT: every session ends at once, and nothing is written any more. */
  async kill(): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    // One that stands still would never end.
    this.signal("SIGCONT");
    server.kill("SIGQUIT");
    await ended;
  }

  async query(sql: string): Promise<QueryResult> {
    return withClient(this.config, async (client) => {
      // An operator's statement here waits for no standby.
      await client.query("SET synchronous_commit = local");
      return client.query(sql);
    });
  }

  /** Until the statement's `holds` is true; a server that is not there yet is asked again. */
  async until(what: string, sql: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MILLIS;
    // Each connection is a process of the server: one asks as long as it is answered.
    const ask = (): Promise<boolean> =>
      withClient(this.config, async (client) => {
        for (;;) {
          const { rows } = await client.query(sql);
          if (rows[0]?.holds === true || performance.now() > deadline) return rows[0]?.holds;
          await sleep(20);
        }
      });
    for (;;) {
      if ((await ask().catch(() => undefined)) === true) return;
      assert.ok(performance.now() < deadline, `this did not come about: ${what}`);
      await sleep(50);
    }
  }

  async set(name: string, value: string): Promise<void> {
    await withClient(this.config, async (client) => {
      await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
      await client.query("SELECT pg_reload_conf()");
    });
    await this.until(`${name} is set`, `SELECT current_setting('${name}') = '${value}' AS holds`);
  }
}

export class Replicated {
  readonly #folder: string;
  readonly #binaries: Binaries;
  #made = 0;
  primary: Server;
  standby: Server;
  /** Both, in the form of `DATABASE_URL`. */
  #clusters: readonly string[] = [];

  private constructor(folder: string, binaries: Binaries, primary: Server) {
    this.#folder = folder;
    this.#binaries = binaries;
    this.primary = primary;
    this.standby = primary;
  }

  static async start(t: Scope): Promise<Replicated> {
    const folder = await mkdtemp(join(tmpdir(), "firstprint-replicated-"));
    await chmod(folder, 0o755);
    let pair: Replicated | undefined;
    t.after(async () => {
      await pair?.standby.kill();
      await pair?.primary.kill();
      await rm(folder, { recursive: true, force: true });
    });
    made ??= makeCluster();
    const { cluster: model, binaries } = await made;
    const cluster = join(folder, "primary");
    assert.equal((await runProgram("cp", ["-a", model, cluster])).code, 0);
    const primary = new Server(cluster, binaries);
    pair = new Replicated(folder, binaries, primary);
    await primary.up();
    pair.standby = await pair.#standbyOf(primary);
    pair.#clusters = [primary.cluster, pair.standby.cluster];
    return pair;
  }

  get databaseUrl(): string {
    return this.#urlOf(this.#clusters);
  }

  /** As a version writes it that knows one host. */
  get primaryUrl(): string {
    return this.#urlOf([this.primary.cluster]);
  }

  #urlOf(clusters: readonly string[]): string {
    const { user, database } = this.#binaries;
    const hosts = clusters.map(encodeURIComponent).join(",");
    const servers = `host=${hosts}&port=${PORT}`;
    const one = clusters.length > 1 ? "&target_session_attrs=read-write" : "";
    return `postgres://${user}@/${database}?${servers}${one}`;
  }

  /** The standby is one that commits wait for. */
  async synchronous(): Promise<void> {
    await this.primary.set("synchronous_standby_names", "*");
    await this.primary.until(
      "the standby is synchronous",
      "SELECT count(*) > 0 AS holds FROM pg_stat_replication WHERE sync_state = 'sync'",
    );
  }

  /** The primary is gone, and the standby takes writes; it waits for no standby of its own. */
  async promote(): Promise<void> {
    await this.primary.kill();
    await this.promoteBeside();
  }

  /** As if the primary were gone: a manager of servers that does not hear of it takes it so. */
  async promoteBeside(): Promise<void> {
    await this.standby.query("ALTER SYSTEM RESET synchronous_standby_names");
    await this.standby.query("SELECT pg_reload_conf()");
    await this.standby.query("SELECT pg_promote(false)");
    await this.standby.until("it takes writes", "SELECT NOT pg_is_in_recovery() AS holds");
    [this.primary, this.standby] = [this.standby, this.primary];
  }

  /** The server that was lost comes back as a standby, from a new copy of the one that is left. */
  async rejoin(): Promise<void> {
    const { cluster } = this.standby;
    rmSync(cluster, { recursive: true });
    this.standby = await this.#standbyOf(this.primary, cluster);
  }

  async #standbyOf(primary: Server, at?: string): Promise<Server> {
    this.#made += 1;
    const cluster = at ?? join(this.#folder, `standby-${this.#made}`);
    await withClient(primary.config, async (client) => {
      await client.query("SELECT pg_backup_start('standby', true)");
      const copied = await runProgram("cp", ["-a", primary.cluster, cluster]);
      // Files that come and go while it is copied are made again from the log.
      assert.ok(copied.code === 0 || /cannot (stat|open)/.test(copied.output), copied.output);
      const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
      writeFileSync(join(cluster, "backup_label"), String(rows[0]?.labelfile));
    });
    for (const name of ["postmaster.pid", `.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`]) {
      rmSync(join(cluster, name), { force: true });
    }
    const { user } = this.#binaries;
    appendFileSync(
      join(cluster, "postgresql.auto.conf"),
      `\nprimary_conninfo = 'host=${primary.cluster} port=${PORT} user=${user}'\n`,
    );
    writeFileSync(join(cluster, "standby.signal"), "");
    const { account } = this.#binaries;
    for (const name of ["backup_label", "standby.signal", "postgresql.auto.conf"]) {
      if (account !== undefined) chownSync(join(cluster, name), account.uid, account.gid);
    }
    const server = new Server(cluster, this.#binaries);
    await server.up();
    await primary.until(
      "the standby streams",
      "SELECT count(*) > 0 AS holds FROM pg_stat_replication WHERE state = 'streaming'",
    );
    return server;
  }
}
