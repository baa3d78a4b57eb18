// A raw provider file, however it is kept: packed on its way in, judged on its way out.
// Invariant: it is named by the SHA-256 of its decompressed bytes, and read to its end it is those.
import { createHash } from "node:crypto";
import { type Duplex, pipeline as pipe, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createZstdCompress, createZstdDecompress } from "node:zlib";
import { invariant } from "#base/invariant.ts";
import { messageOf } from "#base/message-of.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";

/** On the upload and on its decompressed bytes, each. The largest real file is 121 MB. */
export const RAW_LIMIT_BYTES = 512 * 1024 * 1024;

export const CHUNK_BYTES = 262_144;
const coderOptions = { chunkSize: CHUNK_BYTES };
/**
 * Of 125 MB of lines (2026-11-28): zstd's first level .40 s and 57.4 MB, read back in .33 s; gzip's
 * first 2.93 s and 61.2 MB, .98 s; zstd's third 2.15 s and 62.2 MB.
 */
const zstdOptions = { ...coderOptions, params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A file by its content. */
export interface RawName {
  /** 64 hex characters over the decompressed bytes. */
  readonly sha256: string;
  /** Decompressed. */
  readonly bytes: number;
}

export interface KeptFile extends RawName {
  /** These bytes were here before; nothing was written. */
  readonly wasKept: boolean;
}

/** Where the release intake keeps raw files. */
export interface RawFiles {
  /**
   * Keeps an upload, gzip or plain (told by its first bytes, not by its name), as the leader of
   * `epoch`. Where the sender must still be answered after a refusal, pass
   * `request.iterator({ destroyOnReturn: false })`, since stopping early destroys a plain stream.
   * @throws ReleaseRefusal EMPTY_FILE, TOO_LARGE, BAD_GZIP, TRUNCATED; nothing is kept then
   */
  keep(upload: AsyncIterable<Uint8Array>, epoch: number): Promise<KeptFile>;
  /** The decompressed bytes; the stream fails at its end where they are not the bytes kept. */
  open(sha256: string): Readable;
  /** Lets go of a file that was refused: nothing speaks for its bytes. */
  forget(sha256: string, epoch: number): Promise<void>;
}

export class RawFileMissing extends Error {
  override readonly name = "RawFileMissing";

  constructor(sha256: string, where = "") {
    super(`the raw file ${sha256} is missing${where}`);
  }
}

export class RawFileDamaged extends Error {
  override readonly name = "RawFileDamaged";

  constructor(sha256: string, how: string) {
    super(`the raw file ${sha256} is damaged: ${how}`);
  }
}

const isRawName = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

export function checkRawName(sha256: string): void {
  invariant(isRawName(sha256), `a raw file's name is a SHA-256, not ${sha256}`);
}

/** Gives an upload to `write` as zstd, piece by piece. */
export async function pack(
  upload: AsyncIterable<Uint8Array>,
  limitBytes: number,
  write: (packed: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<RawName> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    await pipeline(
      plainOf(limited(upload, limitBytes)),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > limitBytes) throw tooLarge("The file is, decompressed,", limitBytes);
          hash.update(chunk);
          yield chunk;
        }
      },
      createZstdCompress(zstdOptions),
      write,
    );
  } catch (error) {
    throw refusalOf(error);
  }
  if (bytes === 0) {
    throw new ReleaseRefusal("EMPTY_FILE", {}, "The file is empty; download it again.");
  }
  return { sha256: hash.digest("hex"), bytes };
}

/**
 * The decompressed bytes of what was packed; fails at the end where they are not `sha256`'s.
 * `packed` is begun with the first byte that is asked for.
 */
export function unpack(packed: AsyncGenerator<Uint8Array>, sha256: string): Readable {
  return Readable.from(verified(packed, sha256), { objectMode: false });
}

async function* verified(
  packed: AsyncGenerator<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of through(packed, createZstdDecompress(coderOptions))) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!isOfCoder(error)) throw error;
    throw new RawFileDamaged(sha256, messageOf(error));
  }
  const found = hash.digest("hex");
  if (found !== sha256) throw new RawFileDamaged(sha256, `it hashes to ${found}`);
}

const isOfCoder = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(Z_|ZSTD_)/.test(String(error.code));

const GZIP = "1f8b";
const MAGIC_BYTES = 2;

/** An upload as it is without gzip, which its first bytes tell. */
async function* plainOf(upload: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  while (head.length < MAGIC_BYTES) {
    const next = await upload.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = resumed(head, upload);
  const isGzip = head.toString("hex", 0, MAGIC_BYTES) === GZIP;
  yield* isGzip ? through(whole, createGunzip(coderOptions)) : whole;
}

function through(bytes: AsyncIterable<Uint8Array>, coder: Duplex): Duplex {
  pipe(Readable.from(bytes, { objectMode: false }), coder, noteOnly);
  return coder;
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
