// The data folder of the embedded database: who owns it, and the cluster and password inside.
// Invariant: one living process owns a folder; a cluster is there whole, with its password, or not.
import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import {
  chown,
  lchown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { run, type SystemUser } from "./embedded-binaries.ts";
import { clusterArgument, errorCode } from "./embedded-server.ts";
import { syncFolder } from "./secret-file.ts";

/** The database that the exchange uses in its own server, and the role that owns it. */
export const ROLE = "firstprint";
/** The role it serves as. */
export const SERVING_ROLE = "firstprint_serving";

/** Where each password lies, beside the cluster. */
export const passwordFiles = {
  [ROLE]: "password",
  [SERVING_ROLE]: "serving-password",
} as const;

// Owning the data folder.

/**
 * Node has no file lock, so ownership is a listening socket in Linux's abstract name space, named
 * by the folder's inode: the kernel gives it to one process, and takes it back when that process
 * dies, however it dies. The socket tells the owner's process number to each process that connects.
 */
export async function ownFolder(dataDir: string): Promise<Server> {
  const { dev, ino } = statSync(dataDir, { bigint: true });
  const name = `\0firstprint-owner-${dev.toString(36)}-${ino.toString(36)}`;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const owner = createServer((asker) => {
      asker.on("error", () => undefined);
      asker.end(String(process.pid));
    });
    try {
      await new Promise<void>((done, failed) => {
        owner.once("error", failed).listen({ path: name, exclusive: true }, done);
      });
      return owner.unref();
    } catch (error) {
      if (errorCode(error) !== "EADDRINUSE") throw error;
    }
    const pid = await ask(name);
    if (pid !== undefined) throw new Error(`The data folder ${dataDir} is in use by ${pid}.`);
  }
  throw new Error(`The data folder ${dataDir} is in use by another process.`);
}

/** The owner of the name; undefined when it is gone by now. */
async function ask(name: string): Promise<string | undefined> {
  const socket = connect({ path: name });
  try {
    return await new Promise((answer, failed) => {
      socket.setTimeout(1_000, () =>
        answer("another process, which is too busy to say its number"),
      );
      socket.setEncoding("utf8").once("data", (pid) => answer(`process ${pid}`));
      socket.once("error", failed).once("close", () => answer(undefined));
    });
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

// Making the cluster.

/** Makes `postgresql/` with the cluster and its password, whole or not at all. */
export async function ensureCluster(
  dataDir: string,
  native: string,
  account: SystemUser | undefined,
): Promise<void> {
  const home = join(dataDir, "postgresql");
  if (existsSync(home)) return ensureOwner(join(home, "cluster"), account);

  const fresh = await mkdtemp(join(dataDir, "postgresql.new-"));
  const cluster = join(fresh, "cluster");
  const password = randomBytes(24).toString("base64url");
  await writeFile(join(fresh, "password"), password, { mode: 0o600, flush: true });
  await mkdir(cluster, { mode: 0o700 });
  if (account !== undefined) await chown(cluster, account.uid, account.gid);
  await initialise(native, cluster, account, password);
  await syncFolder(fresh);
  // If we stop before the next line, the next start begins from nothing; after it, all is there.
  await rename(fresh, home);
  await syncFolder(dataDir);
  await sweep(dataDir);
}

/**
 * Removes what first starts left that were cut off. After ours, because their initdb outlives its
 * Node for a moment; removed under its feet it would leave shared memory behind.
 */
async function sweep(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith("postgresql.new-")) continue;
    await rm(join(dataDir, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A cluster restored from a copy may belong to root: as root we give it back. */
async function ensureOwner(cluster: string, account: SystemUser | undefined): Promise<void> {
  const { uid } = await stat(cluster);
  if (uid === (account?.uid ?? process.geteuid?.())) return;
  if (account === undefined) {
    throw new Error(`${cluster} belongs to uid ${uid}: start as that user, or change its owner.`);
  }
  for (const entry of await readdir(cluster, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), account.uid, account.gid);
  }
  // Last, so that a start cut off before this point does it all again.
  await chown(cluster, account.uid, account.gid);
}

async function initialise(
  native: string,
  cluster: string,
  account: SystemUser | undefined,
  password: string,
): Promise<void> {
  // initdb reads the password from an open file without a name: no directory to enter, no trace.
  const path = join(cluster, "..", "initial-password");
  await writeFile(path, password, { mode: 0o600 });
  const passwordFile = await open(path, "r");
  try {
    if (account !== undefined) await passwordFile.chown(account.uid, account.gid);
    await rm(path);
    const { code, output } = await run(
      join(native, "bin", "initdb"),
      [
        `--pgdata=${clusterArgument(cluster, account)}`,
        "--pwfile=/proc/self/fd/3",
        `--username=${ROLE}`,
        "--auth=scram-sha-256",
        "--data-checksums",
        "--encoding=UTF8",
        "--locale=C",
        "--no-instructions",
      ],
      { cwd: cluster, account, passed: passwordFile.fd },
    );
    if (code !== 0) throw new Error(initFault(cluster, output.trim()));
  } finally {
    await passwordFile.close();
  }
}

/** The server only appends to its log; at a start, one beyond 8 MiB makes place for a new one. */
export async function limitLog(logFile: string): Promise<void> {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 8 * 1024 * 1024) await rename(logFile, `${logFile}.1`);
}

/** PostgreSQL asks the system for the name of the user it is made by. */
export function initFault(cluster: string, output: string): string {
  const [, uid] = /could not look up effective user ID (\d+)/.exec(output) ?? [];
  return uid === undefined
    ? `initdb failed in ${cluster}: ${output}`
    : `The user of uid ${uid} has no name on this machine, and PostgreSQL asks for one. Give it a ` +
        "line in /etc/passwd (in a container: start it as a user of the image), or set DATABASE_URL.";
}
