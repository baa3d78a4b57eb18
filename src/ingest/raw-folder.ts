// Raw provider files in a folder: downloads on their way to the release intake.
// Invariant: a file under its final name is whole and on disk; anything else is removed at start.
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  CHUNK_BYTES,
  checkRawName,
  type KeptFile,
  pack,
  RAW_LIMIT_BYTES,
  type RawFiles,
  unpack,
} from "./raw-file.ts";

const PARTIAL_SUFFIX = ".partial";
const KEPT_SUFFIX = ".zst";

export class RawFolder implements RawFiles {
  readonly #folder: string;
  readonly #limitBytes: number;

  private constructor(folder: string, limitBytes: number) {
    this.#folder = folder;
    this.#limitBytes = limitBytes;
  }

  /** Makes the folder where it is absent and removes what a crash left half written. */
  static async start(folder: string, limitBytes = RAW_LIMIT_BYTES): Promise<RawFolder> {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) {
      if (name.endsWith(PARTIAL_SUFFIX)) await rm(join(folder, name));
    }
    return new RawFolder(folder, limitBytes);
  }

  async keep(upload: AsyncIterable<Uint8Array>): Promise<KeptFile> {
    const partial = join(this.#folder, `${randomUUID()}${PARTIAL_SUFFIX}`);
    try {
      // `flush` is an fsync before the close: the bytes are on disk before the name is.
      const write = (packed: AsyncIterable<Uint8Array>): Promise<void> =>
        pipeline(packed, createWriteStream(partial, { flags: "wx", flush: true }));
      const { sha256, bytes } = await pack(upload, this.#limitBytes, write);
      const wasKept = await this.has(sha256);
      // If we stop here, the partial file is removed at the next start and the sender asks again.
      if (!wasKept) await rename(partial, this.#pathOf(sha256));
      await syncFolder(this.#folder);
      return { sha256, bytes, wasKept };
    } finally {
      await rm(partial, { force: true });
    }
  }

  async has(sha256: string): Promise<boolean> {
    return access(this.#pathOf(sha256)).then(
      () => true,
      () => false,
    );
  }

  async forget(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  open(sha256: string): Readable {
    return unpack(packedIn(this.#pathOf(sha256)), sha256);
  }

  #pathOf(sha256: string): string {
    checkRawName(sha256);
    return join(this.#folder, `${sha256}${KEPT_SUFFIX}`);
  }
}

/** The reader opens the file: a reading that is given up before its first byte opens none. */
async function* packedIn(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

/** A new name is on disk only when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
