// Raw provider files in the database: whichever node leads has every one of them.
// Invariant: a file that `raw_file` names is whole; each chunk is what its digest says, or is named
// as damaged and not served; only the leader of the newest epoch writes or removes.
import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { Pool, type PoolConfig } from "pg";
import {
  CHUNK_BYTES,
  checkRawName,
  type KeptFile,
  pack,
  RAW_LIMIT_BYTES,
  RawFileMissing,
  type RawFiles,
  unpack,
} from "./raw-file.ts";
import { TermOver } from "./store.ts";

/** A difference of two releases reads two files while a third is taken in. */
const CONNECTIONS = 4;

/** As `permitSql` in `store.ts`: nothing of a deposed node is written after the epoch is raised. */
const permit = "permit AS MATERIALIZED (SELECT FROM leader WHERE epoch = $1 FOR SHARE)";

interface ChunkRow {
  readonly digest: Buffer;
  readonly bytes: Buffer;
}

export class RawStore implements RawFiles {
  readonly #pool: Pool;
  readonly #limitBytes: number;

  constructor(pool: Pool, limitBytes = RAW_LIMIT_BYTES) {
    this.#pool = pool;
    this.#limitBytes = limitBytes;
  }

  /** On connections of its own; an idle one that breaks is replaced at the next use. */
  static connect(config: PoolConfig): RawStore {
    const pool = new Pool({ ...config, max: CONNECTIONS });
    pool.on("error", () => undefined);
    return new RawStore(pool);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async keep(upload: AsyncIterable<Uint8Array>, epoch: number): Promise<KeptFile> {
    const id = randomUUID();
    let chunks = 0;
    try {
      const name = await pack(upload, this.#limitBytes, async (packed) => {
        for await (const chunk of inChunks(packed)) {
          await this.#write(id, chunks, chunk, epoch);
          chunks += 1;
        }
      });
      // If we stop here, no row names the chunks: they leave when the next term begins.
      const { rowCount } = await this.#pool.query(
        `WITH ${permit}
         INSERT INTO raw_file (sha256, upload, chunks, epoch) SELECT $2, $3, $4, $1 FROM permit
         ON CONFLICT (sha256) DO NOTHING`,
        [epoch, name.sha256, id, chunks],
      );
      if (rowCount === 1) return { ...name, wasKept: false };
      if (!(await this.has(name.sha256))) throw new TermOver();
      await this.#dropChunks(id, epoch);
      return { ...name, wasKept: true };
    } catch (error) {
      // Where the database is out of reach they leave when the next term begins.
      await this.#dropChunks(id, epoch).catch(() => undefined);
      throw error;
    }
  }

  async has(sha256: string): Promise<boolean> {
    const sql = "SELECT FROM raw_file WHERE sha256 = $1";
    return (await this.#pool.query(sql, [sha256])).rowCount === 1;
  }

  open(sha256: string): Readable {
    checkRawName(sha256);
    return unpack(Readable.from(this.#chunks(sha256), { objectMode: false }), sha256);
  }

  async forget(sha256: string, epoch: number): Promise<void> {
    await this.#pool.query(
      `WITH ${permit},
       gone AS (DELETE FROM raw_file USING permit WHERE sha256 = $2 RETURNING upload)
       DELETE FROM raw_chunk USING gone WHERE raw_chunk.upload = gone.upload`,
      [epoch, sha256],
    );
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

  async #write(upload: string, part: number, bytes: Buffer, epoch: number): Promise<void> {
    const { rowCount } = await this.#pool.query({
      name: "keep chunk",
      text: `WITH ${permit}
             INSERT INTO raw_chunk (upload, part, digest, bytes, epoch)
             SELECT $2, $3, $4, $5, $1 FROM permit`,
      values: [epoch, upload, part, digestOf(bytes), bytes],
    });
    if (rowCount !== 1) throw new TermOver();
  }

  async #dropChunks(upload: string, epoch: number): Promise<void> {
    await this.#pool.query(`WITH ${permit} DELETE FROM raw_chunk USING permit WHERE upload = $2`, [
      epoch,
      upload,
    ]);
  }

  /** One at a time: each travels as a string of twice its bytes. */
  async *#chunks(sha256: string): AsyncGenerator<Uint8Array> {
    const { rows } = await this.#pool.query<{ upload: string; chunks: number }>(
      "SELECT upload, chunks FROM raw_file WHERE sha256 = $1",
      [sha256],
    );
    const [file] = rows;
    if (file === undefined) throw new RawFileMissing(sha256);
    for (let part = 0; part < file.chunks; part += 1) {
      const found = await this.#pool.query<ChunkRow>({
        name: "raw chunk",
        text: "SELECT digest, bytes FROM raw_chunk WHERE upload = $1 AND part = $2",
        values: [file.upload, part],
      });
      const [chunk] = found.rows;
      const which = `chunk ${part + 1} of ${file.chunks}`;
      if (chunk === undefined) throw damaged(sha256, `${which} is missing`);
      if (!digestOf(chunk.bytes).equals(chunk.digest)) {
        throw damaged(sha256, `${which} is not what its digest says`);
      }
      yield chunk.bytes;
    }
  }
}

const digestOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

const damaged = (sha256: string, how: string): Error =>
  new Error(`the raw file ${sha256} is damaged: ${how}`);

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
