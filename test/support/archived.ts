// A PostgreSQL server that archives its write-ahead log to a folder, as an operator would set it
// up; its disk can be lost, and another made from a base copy and the archive.
// Invariant: each server ends with its test, and so does the folder.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import {
  installedNative,
  type SystemUser,
  serverAccount,
  usableNative,
} from "#storage/embedded-binaries.ts";
import { withClient } from "#storage/with-client.ts";
import { giveCluster } from "./made-cluster.ts";
import { copyOf, DatabaseServer, type Programs } from "./replicas.ts";

interface Scope {
  after(end: () => Promise<void>): void;
}

export class ArchivedServer {
  readonly #scope: Scope;
  readonly #folder: string;
  readonly #programs: Programs;
  readonly #cluster: string;
  #server: DatabaseServer;

  private constructor(
    scope: Scope,
    folder: string,
    programs: Programs,
    cluster: string,
    server: DatabaseServer,
  ) {
    this.#scope = scope;
    this.#folder = folder;
    this.#programs = programs;
    this.#cluster = cluster;
    this.#server = server;
  }

  static async start(t: Scope): Promise<ArchivedServer> {
    const folder = await mkdtemp(join(tmpdir(), "firstprint-archived-"));
    await chmod(folder, 0o755);
    const endings = [() => rm(folder, { recursive: true, force: true })];
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
    const archive = await archiveOf(folder, account);
    await appendFile(
      join(cluster, "postgresql.auto.conf"),
      "\narchive_mode = on\narchive_timeout = 1\n" +
        `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'\n`,
    );
    const programs = { native, account };
    const server = await DatabaseServer.serve(scope, cluster, programs, made.connection);
    return new ArchivedServer(scope, folder, programs, cluster, server);
  }

  /** To the server that serves now. */
  get connection(): Connection {
    return this.#server.connection;
  }

  /** In the form of `DATABASE_URL`, of the server that serves now. */
  get databaseUrl(): string {
    const { user, password, host, port, database } = this.#server.connection;
    return `postgres://${user}:${password}@${host}:${port}/${database}`;
  }

  /** Segments that are archived whole. */
  get archived(): number {
    return readdirSync(join(this.#folder, "archive")).length;
  }

  /** A base copy, as `pg_basebackup` makes one. */
  async copy(): Promise<void> {
    await copyOf(this.#server, this.#cluster, join(this.#folder, "base"), this.#programs);
  }

  /** From here on nothing more is archived: the archive's machine is out of reach. */
  stopArchiving(): Promise<void> {
    return this.#server.run(
      "ALTER SYSTEM SET archive_command = 'false'",
      "SELECT pg_reload_conf()",
    );
  }

  /** The server ends at once, and its disk is gone with all that was not archived. */
  async loseDisk(): Promise<void> {
    await this.#server.crash();
    await rm(join(this.#folder, "primary"), { recursive: true });
  }

  /** From the base copy and the archive, up to its end. */
  async restore(): Promise<void> {
    const cluster = join(this.#folder, "base");
    await rm(join(cluster, "standby.signal"), { force: true });
    const signal = join(cluster, "recovery.signal");
    await writeFile(signal, "");
    const { account } = this.#programs;
    if (account !== undefined) await chown(signal, account.uid, account.gid);
    await appendFile(
      join(cluster, "postgresql.auto.conf"),
      `\nrestore_command = 'cp ${join(this.#folder, "archive")}/%f %p'\narchive_mode = off\n`,
    );
    const { connection } = this.#server;
    this.#server = await DatabaseServer.serve(this.#scope, cluster, this.#programs, connection);
    await this.#promoted();
  }

  async #promoted(): Promise<void> {
    for (;;) {
      const { rows } = await withClient(this.#server.connection, (client) =>
        client.query<{ over: boolean }>("SELECT NOT pg_is_in_recovery() AS over"),
      );
      if (rows[0]?.over === true) return;
    }
  }
}

async function archiveOf(folder: string, account: SystemUser | undefined): Promise<string> {
  const archive = join(folder, "archive");
  assert.doesNotMatch(archive, /[\s'%]/, "a path that stands in a command");
  await mkdir(archive);
  if (account !== undefined) await chown(archive, account.uid, account.gid);
  return archive;
}
