// Objects by name, each written whole: the store that archives of the journal lie in, as a folder.
// Invariant: an object that is there is whole and outlives a loss of power.
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "#base/error-code.ts";

export interface ObjectStore {
  /** Where it is, for a person who looks for an object. */
  readonly place: string;
  /** Resolves when the object is durable; takes the place of one of the same name. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined where there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
}

/** Names have `/` between their parts; each part is a folder. */
export class ObjectFolder implements ObjectStore {
  readonly place: string;

  constructor(folder: string) {
    this.place = folder;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.place, name);
    const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const unfinished = join(dirname(path), `.unfinished-${randomBytes(6).toString("hex")}`);
    try {
      await writeDurably(unfinished, bytes);
      // If we stop before this, there is no object, or still the one before.
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await syncFolders(dirname(path), made === undefined ? dirname(path) : dirname(made));
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.place, name));
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name is durable when its folder is, and that when the one it lies in is. */
async function syncFolders(from: string, upTo: string): Promise<void> {
  for (let folder = from; ; folder = dirname(folder)) {
    const opened = await open(folder);
    try {
      await opened.sync();
    } finally {
      await opened.close();
    }
    if (folder === upTo || folder === dirname(folder)) return;
  }
}
