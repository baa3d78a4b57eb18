// Raw provider files, kept for ever under the SHA-256 of their decompressed bytes.
// Invariant: a file under its final name is whole and on disk; anything else is removed at start.
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline as pipe, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { invariant } from "#base/invariant.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";

/** On the upload and on its decompressed bytes, each. The largest real file is 121 MB. */
export const RAW_LIMIT_BYTES = 512 * 1024 * 1024;

const PARTIAL_SUFFIX = ".partial";
const KEPT_SUFFIX = ".gz";
const CHUNK_BYTES = 262_144;
/** Level 6 took twice as long as level 1 for 2 % less (ZHVI metro, 4.1 MB, 2026-11). */
const GZIP_LEVEL = 1;

interface KeptFile {
  /** 64 hex characters over the decompressed bytes. */
  readonly sha256: string;
  /** Decompressed. */
  readonly bytes: number;
  /** These bytes were here before; nothing was written. */
  readonly wasKept: boolean;
}

export class RawArchive {
  readonly #folder: string;
  readonly #limitBytes: number;

  private constructor(folder: string, limitBytes: number) {
    this.#folder = folder;
    this.#limitBytes = limitBytes;
  }

  /** Makes the folder where it is absent and removes what a crash left half written. */
  static async start(folder: string, limitBytes = RAW_LIMIT_BYTES): Promise<RawArchive> {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) {
      if (name.endsWith(PARTIAL_SUFFIX)) await rm(join(folder, name));
    }
    return new RawArchive(folder, limitBytes);
  }

  /** One that is only read from: it makes nothing and removes nothing. */
  static toRead(folder: string): Pick<RawArchive, "open"> {
    return new RawArchive(folder, RAW_LIMIT_BYTES);
  }

  /**
   * Keeps an upload, gzip or plain (told by its first bytes, not by its name).
   * Where the sender must still be answered after a refusal, pass
   * `request.iterator({ destroyOnReturn: false })`, since stopping early destroys a plain stream.
   * @throws ReleaseRefusal EMPTY_FILE, TOO_LARGE, BAD_GZIP, TRUNCATED; nothing is kept then
   */
  async keep(upload: AsyncIterable<Uint8Array>): Promise<KeptFile> {
    const partial = join(this.#folder, `${randomUUID()}${PARTIAL_SUFFIX}`);
    try {
      const { sha256, bytes } = await this.#write(upload, partial);
      const wasKept = await this.has(sha256);
      // If we stop here, the partial file is removed at the next start and the sender asks again.
      if (!wasKept) await rename(partial, this.#pathOf(sha256));
      await syncFolder(this.#folder);
      return { sha256, bytes, wasKept };
    } catch (error) {
      throw refusalOf(error);
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

  /** Lets go of a file that was refused: nothing speaks for its bytes. */
  async forget(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  /** The decompressed bytes; the stream fails at its end where they are not the bytes kept. */
  open(sha256: string): Readable {
    return Readable.from(verified(this.#pathOf(sha256), sha256), { objectMode: false });
  }

  async #write(
    upload: AsyncIterable<Uint8Array>,
    partial: string,
  ): Promise<{ readonly sha256: string; readonly bytes: number }> {
    const hash = createHash("sha256");
    let bytes = 0;
    const limitBytes = this.#limitBytes;
    await pipeline(
      plainBytes(upload, limitBytes),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > limitBytes) throw tooLarge("The file is, decompressed,", limitBytes);
          hash.update(chunk);
          yield chunk;
        }
      },
      createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES }),
      // `flush` is an fsync before the close: the bytes are on disk before the name is.
      createWriteStream(partial, { flags: "wx", flush: true }),
    );
    if (bytes === 0) {
      throw new ReleaseRefusal("EMPTY_FILE", {}, "The file is empty; download it again.");
    }
    return { sha256: hash.digest("hex"), bytes };
  }

  #pathOf(sha256: string): string {
    invariant(/^[0-9a-f]{64}$/.test(sha256), `a raw file's name is a SHA-256, not ${sha256}`);
    return join(this.#folder, `${sha256}${KEPT_SUFFIX}`);
  }
}

const GZIP_MAGIC = "1f8b";

/** Looks at the first two bytes and decompresses where they are gzip's. */
async function* plainBytes(
  upload: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const chunks = limited(upload, limitBytes);
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = resumed(head, chunks);
  if (head.subarray(0, 2).toString("hex") !== GZIP_MAGIC) return yield* whole;
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipe(Readable.from(whole, { objectMode: false }), gunzip, noteOnly);
  yield* gunzip;
}

async function* limited(
  upload: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of upload) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge("The upload is", limitBytes);
    yield chunk;
  }
}

async function* resumed(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}

/** The error reaches whoever reads the last stream of the pipe; here is nothing to do. */
const noteOnly = (): void => {};

async function* verified(path: string, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipe(createReadStream(path, { highWaterMark: CHUNK_BYTES }), gunzip, noteOnly);
  for await (const chunk of gunzip) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest("hex");
  if (found !== sha256) throw new Error(`the raw file ${sha256} is damaged: it hashes to ${found}`);
}

const tooLarge = (what: string, limitBytes: number): ReleaseRefusal =>
  new ReleaseRefusal("TOO_LARGE", {}, `${what} larger than the ${limitBytes} bytes allowed.`);

/**
 * Turns zlib's errors about a bad upload into a refusal; everything else is a fault and stays one.
 */
function refusalOf(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "Z_BUF_ERROR") {
    return new ReleaseRefusal("TRUNCATED", {}, "The gzip file ends too early; send it again.");
  }
  if (code === "Z_DATA_ERROR") {
    return new ReleaseRefusal("BAD_GZIP", {}, "The gzip file is damaged; download it again.");
  }
  return error;
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
