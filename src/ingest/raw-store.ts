// Raw provider files, in the database or in an object store that it points to: whichever node leads
// has every one of them.
// Invariant: a file that `raw_file` names is whole; each chunk is what its digest says, or is named
// as damaged and not served; only the leader of the newest epoch writes or removes.
import { createHash, type Hash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { escapeLiteral, type Pool, type PoolConfig } from "pg";
import { invariant } from "#base/invariant.ts";
import { copyOut } from "#storage/copy-out.ts";
import { readAhead } from "#storage/read-ahead.ts";
import type { S3Store } from "#storage/s3-store.ts";
import { poolOf } from "#storage/with-client.ts";
import {
  CHUNK_BYTES,
  checkRawName,
  type KeptFile,
  pack,
  RAW_LIMIT_BYTES,
  RawFileDamaged,
  RawFileMissing,
  type RawFiles,
  type RawName,
  unpack,
} from "./raw-file.ts";
import { TermOver } from "./store.ts";

/** A difference of two releases reads two files while a third is taken in. */
const CONNECTIONS = 4;

/** As `permitSql` in `store.ts`: nothing of a deposed node is written after the epoch is raised. */
const permit = "permit AS MATERIALIZED (SELECT FROM leader WHERE epoch = $1 FOR SHARE)";

interface StoredChunk {
  readonly digest: Buffer;
  readonly bytes: Buffer;
}

/** An object store beside the database. */
export interface RawOutside {
  readonly objects: S3Store;
  /** New files are kept there, and old ones moved; otherwise they are only read and moved back. */
  readonly takesNew: boolean;
  /** Where a file waits until it is whole; this process alone uses it. */
  readonly folder: string;
}

/** Where the bytes of a file are: an object, or else chunks in the database. */
interface RawPlace {
  readonly upload: string;
  readonly chunks: number;
  readonly object: string | null;
}

interface WrittenFile {
  readonly name: RawName;
  readonly place: RawPlace;
}

export class RawStore implements RawFiles {
  readonly #pool: Pool;
  readonly #limitBytes: number;
  readonly #outside: RawOutside | undefined;

  constructor(pool: Pool, limitBytes = RAW_LIMIT_BYTES, outside?: RawOutside) {
    this.#outside = outside;
    this.#pool = pool;
    this.#limitBytes = limitBytes;
  }

  /** On connections of its own. */
  static connect(config: PoolConfig, outside?: RawOutside): RawStore {
    return new RawStore(poolOf({ ...config, max: CONNECTIONS }), RAW_LIMIT_BYTES, outside);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async keep(upload: AsyncIterable<Uint8Array>, epoch: number): Promise<KeptFile> {
    const { name, place } = await this.#write(upload, epoch);
    try {
      // If we stop here, no row names the bytes: they leave when the next term begins.
      const { rowCount } = await this.#pool.query(
        `WITH ${permit}
         INSERT INTO raw_file (sha256, upload, chunks, object, epoch)
         SELECT $2, $3, $4, $5, $1 FROM permit
         ON CONFLICT (sha256) DO NOTHING`,
        [epoch, name.sha256, place.upload, place.chunks, place.object],
      );
      if (rowCount === 1) return { ...name, wasKept: false };
      if (!(await this.has(name.sha256))) throw new TermOver();
      await this.#drop(place, epoch);
      return { ...name, wasKept: true };
    } catch (error) {
      // Where the database is out of reach they leave when the next term begins.
      await this.#drop(place, epoch).catch(() => undefined);
      throw error;
    }
  }

  /** Files that lie elsewhere than new ones are kept now. */
  async elsewhere(): Promise<readonly string[]> {
    const { rows } = await this.#pool.query<{ sha256: string }>(
      "SELECT sha256 FROM raw_file WHERE (object IS NOT NULL) <> $1 ORDER BY sha256",
      [this.#outside?.takesNew === true],
    );
    return rows.map(({ sha256 }) => sha256);
  }

  /**
   * Writes the file anew where new ones are kept. A read under way goes on: the bytes of
   * before leave when the next term begins.
   */
  async move(sha256: string, epoch: number): Promise<void> {
    const { name, place } = await this.#write(this.open(sha256), epoch);
    invariant(name.sha256 === sha256, "a file that was read to its end is what its name says");
    const { rowCount } = await this.#pool.query(
      `WITH ${permit}
       UPDATE raw_file SET upload = $3, chunks = $4, object = $5, epoch = $1 FROM permit
       WHERE sha256 = $2`,
      [epoch, sha256, place.upload, place.chunks, place.object],
    );
    if (rowCount === 1) return;
    await this.#drop(place, epoch);
    if (await this.has(sha256)) throw new TermOver();
  }

  async has(sha256: string): Promise<boolean> {
    const sql = "SELECT FROM raw_file WHERE sha256 = $1";
    return (await this.#pool.query(sql, [sha256])).rowCount === 1;
  }

  open(sha256: string): Readable {
    checkRawName(sha256);
    return unpack(this.#packed(sha256), sha256);
  }

  async forget(sha256: string, epoch: number): Promise<void> {
    await this.#pool.query(
      `WITH ${permit},
       gone AS (DELETE FROM raw_file USING permit WHERE sha256 = $2 RETURNING upload)
       DELETE FROM raw_chunk USING gone WHERE raw_chunk.upload = gone.upload`,
      [epoch, sha256],
    );
  }

  /** At the beginning of a term: objects of earlier ones leave that no row names by now. */
  async removeStrays(epoch: number): Promise<void> {
    const { objects } = this.#outside ?? {};
    if (objects === undefined) return;
    // Rows of an earlier term are all there: nothing of it is written any more.
    const { rows } = await this.#pool.query<{ object: string }>(
      "SELECT object FROM raw_file WHERE object IS NOT NULL",
    );
    const named = new Set(rows.map(({ object }) => object));
    for await (const name of objects.names()) {
      const [, of] = /^[0-9a-f]{64}\/(\d+)-[0-9a-f-]{36}\.zst$/.exec(name) ?? [];
      if (of !== undefined && Number(of) < epoch && !named.has(name)) await objects.remove(name);
    }
  }

  /**
   * At the beginning of a term: what an earlier one left goes, chunks of uploads that were cut off
   * and files that no release is of. `named`: the files the journal speaks of.
   */
  async keepOnly(named: readonly string[], epoch: number): Promise<void> {
    await this.#pool.query(
      `WITH ${permit},
       gone AS (
         DELETE FROM raw_file USING permit WHERE epoch < $1 AND sha256 <> ALL ($2::text[])
         RETURNING upload
       )
       DELETE FROM raw_chunk USING permit
       WHERE epoch < $1 AND (
         upload IN (SELECT upload FROM gone)
         OR NOT EXISTS (SELECT FROM raw_file WHERE raw_file.upload = raw_chunk.upload))`,
      [epoch, named],
    );
  }

  #write(upload: AsyncIterable<Uint8Array>, epoch: number): Promise<WrittenFile> {
    const outside = this.#outside;
    return outside?.takesNew === true
      ? this.#writeObject(upload, epoch, outside)
      : this.#writeChunks(upload, epoch);
  }

  async #writeChunks(upload: AsyncIterable<Uint8Array>, epoch: number): Promise<WrittenFile> {
    const place = { upload: randomUUID(), chunks: 0, object: null };
    try {
      const name = await pack(upload, this.#limitBytes, async (packed) => {
        for await (const chunk of inChunks(packed)) {
          await this.#writeChunk(place.upload, place.chunks, chunk, epoch);
          place.chunks += 1;
        }
      });
      return { name, place };
    } catch (error) {
      await this.#drop(place, epoch).catch(() => undefined);
      throw error;
    }
  }

  /** A store asks how long an object is before it begins: the file waits here until it is whole. */
  async #writeObject(
    upload: AsyncIterable<Uint8Array>,
    epoch: number,
    { objects, folder }: RawOutside,
  ): Promise<WrittenFile> {
    const id = randomUUID();
    const path = join(folder, `${id}.zst`);
    const hash = createHash("sha256");
    try {
      const name = await pack(upload, this.#limitBytes, (packed) =>
        pipeline(packed, hashedBy(hash), createWriteStream(path, { flags: "wx" })),
      );
      const object = `${name.sha256}/${epoch}-${id}.zst`;
      await objects.putOnce(object, path, hash.digest("hex"));
      return { name, place: { upload: id, chunks: 0, object } };
    } finally {
      await rm(path, { force: true });
    }
  }

  async #writeChunk(upload: string, part: number, bytes: Buffer, epoch: number): Promise<void> {
    const { rowCount } = await this.#pool.query({
      name: "keep chunk",
      text: `WITH ${permit}
             INSERT INTO raw_chunk (upload, part, digest, bytes, epoch)
             SELECT $2, $3, $4, $5, $1 FROM permit`,
      values: [epoch, upload, part, digestOf(bytes), bytes],
    });
    if (rowCount !== 1) throw new TermOver();
  }

  async #drop({ upload, object }: RawPlace, epoch: number): Promise<void> {
    if (object !== null) return this.#outside?.objects.remove(object);
    await this.#pool.query(`WITH ${permit} DELETE FROM raw_chunk USING permit WHERE upload = $2`, [
      epoch,
      upload,
    ]);
  }

  async *#packed(sha256: string): AsyncGenerator<Uint8Array> {
    const { rows } = await this.#pool.query<RawPlace>(
      "SELECT upload, chunks, object FROM raw_file WHERE sha256 = $1",
      [sha256],
    );
    const [file] = rows;
    if (file === undefined) throw new RawFileMissing(sha256);
    if (file.object === null) return yield* this.#chunks(sha256, file);
    if (this.#outside === undefined) {
      throw new Error(
        `the raw file ${sha256} is in an object store, as ${file.object}: set FIRSTPRINT_S3_URL`,
      );
    }
    const packed = await this.#outside.objects.open(file.object);
    if (packed === undefined) throw new RawFileMissing(sha256, `: no object ${file.object}`);
    yield* packed;
  }

  /** One at a time, and the next on its way. */
  async *#chunks(sha256: string, file: RawPlace): AsyncGenerator<Uint8Array> {
    let asked = 0;
    const found = readAhead(() => {
      const part = asked;
      asked += 1;
      return part < file.chunks ? this.#chunk(file.upload, part) : undefined;
    });
    let read = 0;
    for await (const [chunk] of found) {
      read += 1;
      const which = `chunk ${read} of ${file.chunks}`;
      if (chunk === undefined) throw new RawFileDamaged(sha256, `${which} is missing`);
      if (!digestOf(chunk.bytes).equals(chunk.digest)) {
        throw new RawFileDamaged(sha256, `${which} is not what its digest says`);
      }
      yield chunk.bytes;
    }
  }

  #chunk(upload: string, part: number): Promise<readonly StoredChunk[]> {
    return copyOut(
      this.#pool,
      `SELECT digest, bytes FROM raw_chunk
       WHERE upload = ${escapeLiteral(upload)} AND part = ${part}`,
      (row) => ({ digest: row.bytes(), bytes: row.bytes() }),
    );
  }
}

/** The same bytes, counted into the hash. */
const hashedBy = (hash: Hash) =>
  async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };

const digestOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** The same bytes in pieces of `CHUNK_BYTES`; the last is what is left. */
async function* inChunks(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of packed) {
    pieces.push(piece);
    length += piece.length;
    if (length < CHUNK_BYTES) continue;
    const whole = Buffer.concat(pieces);
    const end = length - (length % CHUNK_BYTES);
    for (let at = 0; at < end; at += CHUNK_BYTES) yield whole.subarray(at, at + CHUNK_BYTES);
    pieces = end === length ? [] : [whole.subarray(end)];
    length -= end;
  }
  if (length > 0) yield Buffer.concat(pieces);
}
