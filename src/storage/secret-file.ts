// Secrets a node keeps for itself, a file each in the data folder, made at the first start.
// Invariant: a secret is on disk, whole and readable by its owner only, before it is used.
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { StorageRefusal } from "./refusal.ts";

/** The mode bits of users other than the owner: a secret has none of them. */
const OTHERS = 0o077;

/** Undefined where there is no such file; refused where others than its owner can reach it. */
export async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS) === 0) return await readFile(path, "utf8");
    throw new StorageRefusal(
      `${path} can be read or written by other users (mode ${(mode & 0o777).toString(8)}). Run ` +
        `chmod 600 ${path}, and replace the secret if anybody else could have read it.`,
    );
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
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

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
