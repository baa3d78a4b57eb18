// Files of a backup: lines of text, compressed, and sealed under a secret where nobody else may
// read them.
// Invariant: a file is on disk, whole, before it is named; a sealed one opens under its own secret
// and its own name, or not at all.
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { StorageRefusal } from "#storage/refusal.ts";

export interface Written {
  readonly bytes: number;
  /** Of the file as it lies on disk, 64 hex. */
  readonly sha256: string;
  readonly lines: number;
}

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const HEADER_BYTES = SALT_BYTES + NONCE_BYTES;
/** Of scrypt: 32 MiB and about a tenth of a second for each guess. */
const GUESS_COST = 2 ** 15;
const MOST_GUESS_BYTES = 64 * 2 ** 20;

/** `secret`: seals the file. Each line becomes a JSON string, so it may hold any text. */
export async function writeLines(
  path: string,
  lines: AsyncIterable<string>,
  secret?: string,
): Promise<Written> {
  const digest = createHash("sha256");
  let [count, bytes] = [0, 0];
  const counted = async function* () {
    for await (const line of lines) {
      count += 1;
      yield `${JSON.stringify(line)}\n`;
    }
  };
  const digested = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      digest.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const compressed = createZstdCompress();
  const closing = secret === undefined ? sealedOpen : sealedWith(secret, basename(path));
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(counted, compressed, closing, digested, file);
  return { bytes, sha256: digest.digest("hex"), lines: count };
}

async function* sealedOpen(chunks: AsyncIterable<Buffer>) {
  yield* chunks;
}

/** Salt, nonce, ciphertext, tag. The name is authenticated: files cannot be swapped. */
const sealedWith = (secret: string, name: string) =>
  async function* (chunks: AsyncIterable<Buffer>) {
    const header = randomBytes(HEADER_BYTES);
    yield header;
    const cipher = createCipheriv("aes-256-gcm", ...keyAndNonce(secret, header));
    cipher.setAAD(Buffer.from(name));
    for await (const chunk of chunks) yield cipher.update(chunk);
    yield cipher.final();
    yield cipher.getAuthTag();
  };

function keyAndNonce(secret: string, header: Uint8Array): [Buffer, Uint8Array] {
  const salt = header.subarray(0, SALT_BYTES);
  const cost = { N: GUESS_COST, maxmem: MOST_GUESS_BYTES };
  return [scryptSync(secret, salt, KEY_BYTES, cost), header.subarray(SALT_BYTES)];
}

/**
 * The lines of a file, in order. Those of a sealed file count once it has ended without a
 * refusal.
 * @throws StorageRefusal where it was sealed under another secret, or is not as it was written
 */
export async function* readLines(path: string, secret?: string): AsyncGenerator<string> {
  if (secret === undefined) {
    yield* linesIn(createReadStream(path).pipe(createZstdDecompress()));
    return;
  }
  try {
    const opened = createZstdDecompress();
    const opening = pipeline(await openedWith(secret, path), opened);
    opening.catch(() => undefined);
    yield* linesIn(opened);
    await opening;
  } catch {
    throw new StorageRefusal(
      `${path} does not open with this secret. Give the file whose secret it was sealed under ` +
        "with --secret; without that secret nothing opens it.",
    );
  }
}

async function openedWith(secret: string, path: string) {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const header = Buffer.alloc(HEADER_BYTES);
    const tag = Buffer.alloc(TAG_BYTES);
    await file.read(header, 0, HEADER_BYTES, 0);
    await file.read(tag, 0, TAG_BYTES, Math.max(0, size - TAG_BYTES));
    const decipher = createDecipheriv("aes-256-gcm", ...keyAndNonce(secret, header));
    decipher.setAAD(Buffer.from(basename(path))).setAuthTag(tag);
    const end = Math.max(HEADER_BYTES, size - TAG_BYTES - 1);
    return async function* () {
      for await (const chunk of createReadStream(path, { start: HEADER_BYTES, end })) {
        yield decipher.update(chunk);
      }
      yield decipher.final();
    };
  } finally {
    await file.close();
  }
}

async function* linesIn(text: Readable): AsyncGenerator<string> {
  let pieces: string[] = [];
  for await (const chunk of text.setEncoding("utf8")) {
    const parts = String(chunk).split("\n");
    const rest = parts.pop() ?? "";
    for (const part of parts) {
      yield String(JSON.parse(pieces.join("") + part));
      pieces = [];
    }
    pieces.push(rest);
  }
}

export async function sha256Of(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path)) digest.update(chunk);
  return digest.digest("hex");
}
