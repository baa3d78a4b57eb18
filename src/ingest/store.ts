// First prints of every release in PostgreSQL, some thousand to a block.
// Invariant: a block is written once, by the leader of the newest epoch, and counts only when the
// journal has accepted its release.
import { createHash } from "node:crypto";
import { escapeLiteral, type Pool, type PoolClient, type PoolConfig } from "pg";
import { type BinaryRow, copyOut } from "#storage/copy-out.ts";
import { readAhead } from "#storage/read-ahead.ts";
import { poolOf } from "#storage/with-client.ts";

/** The key of stored blocks: a release's id, or that of a later reading of its file. */
type BlockKey = string;

/** Stored together, and digested in this form. */
export interface PrintBlock {
  /** From 0. */
  readonly block: number;
  /** The number of the first of `places` in their series. */
  readonly firstPlace: number;
  /** A line each: the provider's region and the node it is, a tab between them. */
  readonly places: string;
  /** Runs, as `print-run.ts` packs them. */
  readonly bytes: Uint8Array;
}

/** Newest values, stored together and digested in this form. */
export interface LatestBlock {
  /** From 0. */
  readonly block: number;
  /** Runs without levels. */
  readonly bytes: Uint8Array;
}

/** Blocks of half a MB took 28 % longer to load (7.5 million prints as hex digits, 2026-11). */
export const BLOCK_BYTES = 49_152;
const BLOCKS_A_QUERY = 64;
/** A file is written block by block; a writer that says nothing for this long is gone. */
const SILENCE_MILLIS = 300_000;

/** The node does not lead, or no longer: what it had under way is not stored. */
export class TermOver extends Error {
  override readonly name = "TermOver";

  constructor() {
    super("This node does not lead the exchange: nothing was stored. Ask the one that does.");
  }
}

/** The epoch this node leads under, as far as it knows; the database has the last word. */
type LeadingEpoch = () => number | undefined;

/**
 * A row where the epoch is still ours. `FOR SHARE` makes the next leader's raise of the epoch wait
 * until this transaction is over, so nothing of ours is written after it.
 */
const permitSql = "SELECT FROM leader WHERE epoch = $1 FOR SHARE";

/** SHA-256 over the blocks of a release in their order: what its journal entry promises of them. */
export class BlocksDigest {
  readonly #hash = createHash("sha256").update("firstprint/print-blocks\0");

  add({ block, firstPlace, places, bytes }: PrintBlock): void {
    const text = Buffer.from(places);
    this.#hash.update(`${block}|${firstPlace}|${text.length}|${bytes.length}|`);
    this.#hash.update(text).update(bytes);
  }

  hex(): string {
    return this.#hash.digest("hex");
  }
}

/** SHA-256 over the newest values as of a release, as its journal entry promises them. */
export class LatestDigest {
  readonly #hash = createHash("sha256").update("firstprint/print-latest\0");

  add({ block, bytes }: LatestBlock): void {
    this.#hash.update(`${block}|${bytes.length}|`).update(bytes);
  }

  hex(): string {
    return this.#hash.digest("hex");
  }
}

export class PrintStore {
  readonly #pool: Pool;
  readonly #leads: LeadingEpoch;

  /** Without `leads` it is only read from. */
  constructor(pool: Pool, leads: LeadingEpoch = () => undefined) {
    this.#pool = pool;
    this.#leads = leads;
  }

  /** On connections of its own. */
  static connect(config: PoolConfig, leads?: LeadingEpoch): PrintStore {
    return new PrintStore(poolOf(config), leads);
  }

  /**
   * Ask before looking at what the journal holds: what is staged under this epoch is stored only
   * if nobody else has led since.
   * @throws TermOver where this node does not lead
   */
  epoch(): number {
    const epoch = this.#leads();
    if (epoch === undefined) throw new TermOver();
    return epoch;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** A file on its way in; throws `TermOver` once this node no longer leads under `epoch`. */
  async *whileLeading(
    chunks: AsyncIterable<Uint8Array>,
    epoch: number,
  ): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.#leads() !== epoch) throw new TermOver();
      yield chunk;
    }
  }

  /** Blocks that the journal never accepted: a crash left them. Only a leader removes them. */
  async removeStrays(accepted: readonly BlockKey[]): Promise<void> {
    const epoch = this.#leads();
    if (epoch === undefined) return;
    for (const table of ["print_block", "print_latest"]) {
      await this.#pool.query(
        `WITH permit AS MATERIALIZED (${permitSql})
         DELETE FROM ${table} USING permit WHERE release_id <> ALL ($2::text[])`,
        [epoch, accepted],
      );
    }
  }

  /**
   * Opens the writing of a release; blocks of an earlier attempt at it give way. Nothing of it is
   * stored unless this node leads under `epoch` from before until the commit.
   */
  async stage(release: BlockKey, epoch: number): Promise<Staging> {
    const client = await this.#pool.connect();
    try {
      await client.query("BEGIN");
      // A node that stands still for ever must not keep the leader's rows locked for as long.
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_MILLIS}`);
      await client.query("DELETE FROM print_block WHERE release_id = $1", [release]);
      await client.query("DELETE FROM print_latest WHERE release_id = $1", [release]);
      return new Staging(client, release, epoch, () => this.#leads() === epoch);
    } catch (fault) {
      client.release(true);
      throw fault;
    }
  }

  /** In their order, a few at a time. */
  blocks(release: BlockKey): AsyncGenerator<PrintBlock> {
    const select = "SELECT block::bigint, first_place::bigint, places, bytes FROM print_block";
    return this.#inOrder(select, release, (row) => ({
      block: row.bigint(),
      firstPlace: row.bigint(),
      places: row.text() ?? "",
      bytes: row.bytes(),
    }));
  }

  /** The newest values as of a release, in their order; `readLatest` says which count. */
  latest(release: BlockKey): AsyncGenerator<LatestBlock> {
    const select = "SELECT block::bigint, bytes FROM print_latest";
    return this.#inOrder(select, release, (row) => ({ block: row.bigint(), bytes: row.bytes() }));
  }

  async *#inOrder<Row extends { readonly block: number }>(
    select: string,
    release: BlockKey,
    toRow: (row: BinaryRow) => Row,
  ): AsyncGenerator<Row> {
    const ask = (from: number) =>
      copyOut(
        this.#pool,
        `${select} WHERE release_id = ${escapeLiteral(release)} AND block >= ${from}
         ORDER BY block LIMIT ${BLOCKS_A_QUERY}`,
        toRow,
      );
    const slices = readAhead<readonly Row[]>((before) => {
      if (before === undefined) return ask(0);
      return before.length < BLOCKS_A_QUERY ? undefined : ask((before.at(-1)?.block ?? 0) + 1);
    });
    for await (const rows of slices) yield* rows;
  }

  /** The newest values as of releases that have a successor are of no more use. */
  async forgetLatest(releases: readonly BlockKey[], epoch: number): Promise<void> {
    await this.#pool.query(
      `WITH permit AS MATERIALIZED (${permitSql})
       DELETE FROM print_latest USING permit WHERE release_id = ANY ($2::text[])`,
      [epoch, releases],
    );
  }
}

/** One release on its way in: committed whole, or never there. */
export class Staging {
  readonly #client: PoolClient;
  readonly #release: BlockKey;
  readonly epoch: number;
  readonly #isLeading: () => boolean;
  /** The statement under way: the file is read on while PostgreSQL writes. */
  #pending: Promise<unknown> = Promise.resolve();

  constructor(client: PoolClient, release: BlockKey, epoch: number, isLeading: () => boolean) {
    this.#client = client;
    this.#release = release;
    this.epoch = epoch;
    this.#isLeading = isLeading;
  }

  add({ block, firstPlace, places, bytes }: PrintBlock): Promise<void> {
    const values = [this.#release, block, firstPlace, places, bytes, this.epoch];
    return this.#write(
      `INSERT INTO print_block (release_id, block, first_place, places, bytes, epoch)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      values,
    );
  }

  addLatest({ block, bytes }: LatestBlock): Promise<void> {
    const values = [this.#release, block, bytes, this.epoch];
    return this.#write(
      "INSERT INTO print_latest (release_id, block, bytes, epoch) VALUES ($1, $2, $3, $4)",
      values,
    );
  }

  /**
   * Whole, or not at all where it throws: `TermOver` when another node has led since the epoch that
   * this was begun under, whatever this one knows of it. If we stop after this, the blocks are
   * strays: no entry speaks for them, and the next start removes them.
   */
  async commit(): Promise<void> {
    try {
      await this.#pending;
      const { rowCount } = await this.#client.query(permitSql, [this.epoch]);
      if (rowCount !== 1) throw new TermOver();
      await this.#client.query("COMMIT");
    } catch (fault) {
      await this.abort();
      throw fault;
    }
    this.#client.release();
  }

  /** A connection that cannot say so is closed, which ends its transaction, too. */
  async abort(): Promise<void> {
    await this.#client.query("ROLLBACK").then(
      () => this.#client.release(),
      () => this.#client.release(true),
    );
  }

  /** Waits for the statement before; a fault of this one is met at the next, or at the commit. */
  async #write(text: string, values: readonly unknown[]): Promise<void> {
    await this.#pending;
    if (!this.#isLeading()) throw new TermOver();
    this.#pending = this.#client.query(text, [...values]);
    this.#pending.catch(() => undefined);
  }
}
