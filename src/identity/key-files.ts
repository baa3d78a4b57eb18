// Keys of subjects that an older version kept as files of the data folder, moved into the vault.
// Invariant: a key's file is destroyed once the vault has the key, durably, or no account names it.
import { randomBytes } from "node:crypto";
import { open, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "#base/error-code.ts";
import type { Vault } from "./vault.ts";

const keyFile = /^(sub-[0-9a-f]{32})\.key$/;

/** As the leader of `epoch`. If we stop anywhere, the next term goes on with what is left. */
export async function moveSubjectKeys(
  vault: Vault,
  inForce: ReadonlySet<string>,
  epoch: number,
): Promise<void> {
  const { folder } = vault;
  for (const name of await readdir(folder).catch(noneWhenAbsent)) {
    const id = keyFile.exec(name)?.[1];
    if (id === undefined) continue;
    const path = join(folder, name);
    const isInForce = inForce.has(id);
    if (isInForce && !(await vault.keepKey(id, await readFile(path), epoch))) return;
    await destroyFile(path);
  }
  // A file that is not ours stays, and the folder with it.
  await rmdir(folder).catch(() => undefined);
}

async function destroyFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    // Overwritten where it lies, in case the name's removal leaves the bytes.
    const { size } = await file.stat();
    await file.write(randomBytes(size), 0, size, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path);
}

function noneWhenAbsent(error: unknown): string[] {
  if (hasCode(error, "ENOENT")) return [];
  throw error;
}
