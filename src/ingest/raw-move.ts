// Raw files moved to where they are kept now: out of the data folder of an older version, and
// between the database and an object store.
// Invariant: a file leaves a place once the other has it, durably; one that is not what its
// name says stays, and is told of.
import { createReadStream } from "node:fs";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "#base/error-code.ts";
import { messageOf } from "#base/message-of.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { isRawName, RawFileDamaged, RawFileMissing } from "./raw-file.ts";
import type { RawStore } from "./raw-store.ts";

/** As the leader of `epoch`. If we stop anywhere, the next term goes on with what is left. */
export async function moveRawFiles(
  folder: string,
  store: RawStore,
  epoch: number,
  tell: (sentence: string) => void,
): Promise<void> {
  const names = await readdir(folder).catch(noneWhenAbsent);
  let moved = 0;
  for (const name of names) {
    const sha256 = name.slice(0, -".gz".length);
    if (name === `${sha256}.gz` && isRawName(sha256)) {
      if (await moveOne(join(folder, name), sha256, store, epoch, tell)) moved += 1;
    } else if (name.endsWith(".partial")) await rm(join(folder, name), { force: true });
  }
  if (moved > 0) tell(`${moved} raw files were moved from ${folder} into the database`);
  // A file that is not ours, or damaged, stays, and the folder with it.
  await rmdir(folder).catch(() => undefined);
}

async function moveOne(
  path: string,
  sha256: string,
  store: RawStore,
  epoch: number,
  tell: (sentence: string) => void,
): Promise<boolean> {
  try {
    const kept = await store.keep(createReadStream(path), epoch);
    if (kept.sha256 === sha256) {
      await rm(path);
      return true;
    }
    if (!kept.wasKept) await store.forget(kept.sha256, epoch);
    tell(`${path} is damaged and stays where it is: it hashes to ${kept.sha256}`);
  } catch (error) {
    if (!(error instanceof ReleaseRefusal)) throw error;
    tell(`${path} is damaged and stays where it is: ${messageOf(error)}`);
  }
  return false;
}

function noneWhenAbsent(error: unknown): string[] {
  if (hasCode(error, "ENOENT")) return [];
  throw error;
}

/**
 * To where new files are kept: from the database into the object store, or back. As the leader of
 * `epoch`; if we stop anywhere, the next term goes on with what is left.
 */
export async function movePlaces(
  store: RawStore,
  epoch: number,
  tell: (sentence: string) => void,
): Promise<void> {
  let moved = 0;
  for (const sha256 of await store.elsewhere()) {
    try {
      await store.move(sha256, epoch);
      moved += 1;
    } catch (error) {
      if (!(error instanceof RawFileDamaged || error instanceof RawFileMissing)) throw error;
      tell(`A raw file stays where it is: ${messageOf(error)}`);
    }
  }
  if (moved > 0) tell(`${moved} raw files were moved to where new ones are kept`);
}
