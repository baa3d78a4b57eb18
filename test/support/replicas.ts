// A PostgreSQL server and streaming replicas of it, on ports of this machine.
// Invariant: a replica is a copy of the server's own files, and takes no writes; all of them end
// with their test, and so do their folders.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import {
  bareEnvironment,
  installedNative,
  readIfThere,
  type SystemUser,
  serverAccount,
  usableNative,
} from "#storage/embedded-binaries.ts";
import { clusterArgument } from "#storage/embedded-server.ts";
import { freePort } from "#test/support/free-port.ts";
import { giveCluster } from "#test/support/made-cluster.ts";

const PATIENCE_MILLIS = 60_000;

interface Scope {
  after(end: () => Promise<void>): void;
}

export interface Programs {
  readonly native: string;
  readonly account: SystemUser | undefined;
}

export class DatabaseServer {
  readonly connection: Connection;
  readonly #cluster: string;
  readonly #programs: Programs;
  #process: ChildProcess | undefined;

  private constructor(connection: Connection, cluster: string, programs: Programs) {
    this.connection = connection;
    this.#cluster = cluster;
    this.#programs = programs;
  }

  /** Serves from a cluster's folder, on a port that is free now. */
  static async serve(
    t: Scope,
    cluster: string,
    programs: Programs,
    credentials: Connection,
  ): Promise<DatabaseServer> {
    const connection = { ...credentials, host: "127.0.0.1", port: await freePort() };
    const server = new DatabaseServer(connection, cluster, programs);
    t.after(() => server.crash());
    await server.up();
    return server;
  }

  async up(): Promise<void> {
    const { native, account } = this.#programs;
    const { port } = this.connection;
    this.#process = spawn(
      join(native, "bin", "postgres"),
      [
        ...["-D", clusterArgument(this.#cluster, account), "-k", "."],
        ...["-c", "listen_addresses=127.0.0.1", "-c", `port=${port}`, "-c", "wal_keep_size=512MB"],
      ],
      { cwd: this.#cluster, env: bareEnvironment, stdio: "ignore", ...account },
    );
    await this.#untilServing();
  }

  /** Without a checkpoint; the disk has all it was told. */
  async crash(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    this.signal("SIGCONT");
    child.kill("SIGQUIT");
    await ended;
  }

  /** To the server and all it has started. */
  signal(name: NodeJS.Signals): void {
    const postmaster = this.#process?.pid ?? assert.fail("the server runs");
    for (const pid of [postmaster, ...childrenOf(postmaster)]) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // A backend may have ended by itself meanwhile.
        if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
      }
    }
  }

  /** Runs statements one by one, each in a transaction of its own. */
  async run(...statements: readonly string[]): Promise<void> {
    const client = new Client(this.connection);
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** Of a replica: commits are applied so much later than they were made. */
  async delayBy(millis: number): Promise<void> {
    const set = `ALTER SYSTEM SET recovery_min_apply_delay = '${millis}ms'`;
    await this.run(set, "SELECT pg_reload_conf()");
  }

  async #untilServing(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MILLIS;
    for (;;) {
      try {
        return await this.run("SELECT 1");
      } catch (error) {
        assert.ok(Date.now() < deadline, `the server does not start: ${error}`);
      }
      await sleep(50);
    }
  }
}

/** A server that leads, and as many streaming replicas of it. */
export async function startReplicated(
  t: Scope,
  replicas: number,
): Promise<{ readonly primary: DatabaseServer; readonly replicas: readonly DatabaseServer[] }> {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-replicated-"));
  const endings: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  t.after(async () => {
    for (const end of endings.reverse()) await end();
  });
  const scope: Scope = { after: (end) => void endings.push(end) };
  const dataDir = join(folder, "primary");
  await mkdir(dataDir);
  await giveCluster(dataDir);
  const made = await startEmbedded({ dataDir });
  await made.stop();
  const cluster = join(dataDir, "postgresql", "cluster");
  const account = serverAccount(cluster);
  const { native } = await usableNative(installedNative(), account, join(folder, "copies"));
  const programs = { native, account };
  const primary = await DatabaseServer.serve(scope, cluster, programs, made.connection);
  const copies: DatabaseServer[] = [];
  for (let number = 1; number <= replicas; number += 1) {
    const copy = join(folder, `replica-${number}`);
    await copyOf(primary, cluster, copy, programs);
    copies.push(await DatabaseServer.serve(scope, copy, programs, primary.connection));
  }
  return { primary, replicas: copies };
}

/** As `pg_basebackup` makes one: the files between the beginning and the end of a backup. */
export async function copyOf(
  { connection }: DatabaseServer,
  cluster: string,
  copy: string,
  { account }: Programs,
): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await client.query("SELECT pg_backup_start('replica', true)");
  const cloned = spawn("cp", ["-a", cluster, copy], { stdio: "inherit" });
  const [code] = await once(cloned, "exit");
  assert.equal(code, 0);
  const { rows } = await client.query<{ labelfile: string }>(
    "SELECT labelfile FROM pg_backup_stop(false)",
  );
  await client.end();
  await rm(join(copy, "postmaster.pid"), { force: true });
  const { host, port, user, password } = connection;
  const from = `host=${host} port=${port} user=${user} password=${password}`;
  const files = {
    backup_label: rows[0]?.labelfile ?? "",
    "standby.signal": "",
    "postgresql.auto.conf": `primary_conninfo = '${from}'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(copy, name), text, { mode: 0o600 });
    if (account !== undefined) await chown(join(copy, name), account.uid, account.gid);
  }
}

const childrenOf = (postmaster: number): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      const status = readIfThere(`/proc/${name}/status`) ?? "";
      return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) === postmaster;
    })
    .map(Number);
