// Secrets a node keeps for itself, a file each in the data folder, made at the first start.
// Invariant: a secret is on disk, whole and readable by its owner only, before it is used.
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, link, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "#base/error-code.ts";
import { StorageRefusal } from "./refusal.ts";

/** The mode bits of users other than the owner: a secret has none of them. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Undefined where there is no such file; refused where others than its owner can reach it. */
export async function readSecretFile(path: string): Promise<string | undefined> {
  // The file that was checked is the one that is read: no other can be put in its place in between.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw hasCode(error, "ELOOP") ? new StorageRefusal(aLink(path)) : error;
  });
  if (file === undefined) return undefined;
  try {
    const { mode, uid } = await file.stat();
    refuseForeign(path, uid);
    if ((mode & OTHERS) === 0) return textOf(path, await file.readFile());
    throw new StorageRefusal(
      `${path} can be read or written by other users (mode ${(mode & 0o777).toString(8)}). Run ` +
        `chmod 600 ${path}, and replace the secret if anybody else could have read it.`,
    );
  } finally {
    await file.close();
  }
}

/**
 * Makes the folder that secrets lie in, for its owner alone, or takes the rights of others to one
 * that is there. Each secret is looked at when it is read; but where others could write to the
 * folder, they could have put any file there.
 * @returns whether others could look into it until now
 */
export async function keepFolder(path: string): Promise<boolean> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) throw new StorageRefusal(aLink(path));
  refuseForeign(path, stats.uid);
  const mode = stats.mode & 0o777;
  if ((mode & OTHERS) === 0) return false;
  if ((mode & OTHERS_WRITE) !== 0 && (await readdir(path)).length > 0) {
    throw new StorageRefusal(
      `${path} can be written to by other users (mode ${mode.toString(8)}), so what is in it may ` +
        `be theirs. Make sure that it is not, then run chmod 700 ${path}.`,
    );
  }
  await chmod(path, 0o700);
  return made === undefined;
}

const aLink = (path: string): string =>
  `${path} is a symbolic link, which may be led elsewhere. Put what it leads to in its place, or ` +
  "set FIRSTPRINT_DATA_DIR to the folder itself.";

function refuseForeign(path: string, uid: number): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return;
  throw new StorageRefusal(
    `${path} belongs to uid ${uid}, and this process is uid ${own}: start as that user, change ` +
      `its owner (chown ${own} ${path}), or set FIRSTPRINT_DATA_DIR to a folder inside it.`,
  );
}

/** An editor may have put a byte order mark before it, which is no part of a secret. */
function textOf(path: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8").replace(/^\uFEFF/, "");
  throw new StorageRefusal(`${path} is not text in UTF-8; save it as UTF-8`);
}

/** The secret `<dataDir>/<name>`, made (modes 700 and 600) where it does not exist. */
export async function keepSecret(
  dataDir: string,
  name: string,
  make: () => string,
): Promise<{ readonly secret: string; readonly isNew: boolean }> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, name);
  const known = await readSecretFile(path);
  if (known !== undefined) return { secret: known, isNew: false };

  // Written apart and linked: if we stop here, there is no secret, never half of one; and of two
  // processes that start at once, both end up with the one that was linked first.
  const fresh = join(dataDir, `${name}.${randomUUID()}`);
  const file = await open(fresh, "wx", 0o600);
  try {
    await file.writeFile(make());
    await file.sync();
  } finally {
    await file.close();
  }
  const isNew = await link(fresh, path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    },
  );
  await rm(fresh);
  await syncFolder(dataDir);
  const { secret } = await keepSecret(dataDir, name, make);
  return { secret, isNew };
}

/** Another text in the place of a secret: on disk it is the old one or the new one, whole. */
export async function replaceSecret(dataDir: string, name: string, text: string): Promise<void> {
  const beside = join(dataDir, `${name}.next`);
  await rm(beside, { force: true });
  const file = await open(beside, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, join(dataDir, name));
  await syncFolder(dataDir);
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
