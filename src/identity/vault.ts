// Personal data, sealed under a key of its own for each subject. Both are in the database, where
// every node that leads finds them; the key is sealed in turn under a secret that never is.
// Invariant: without that secret no dump and no backup of the database says who somebody is; a
// subject whose key is destroyed cannot be read again from this database.
import { hkdfSync, randomBytes } from "node:crypto";
import type { Pool, PoolConfig } from "pg";
import { poolOf } from "#storage/with-client.ts";
import { KEY_BYTES, seal, unseal } from "./sealing.ts";
import { readSubject, type Subject } from "./subject.ts";

/** Drawn at random: an id says nothing of its subject. */
export const newSubjectId = (): string => `sub-${randomBytes(16).toString("hex")}`;

/** Nothing of a deposed node is written, or destroyed, once the next one has raised the epoch. */
const permit = "permit AS MATERIALIZED (SELECT FROM leader WHERE epoch = $1 FOR SHARE)";

/** A subject's key is sealed under another name than the data under it. */
const keyName = (id: string): string => `key of ${id}`;

export class Vault {
  readonly #pool: Pool;
  readonly #secret: Uint8Array;

  private constructor(pool: Pool, secret: Uint8Array) {
    this.#pool = pool;
    this.#secret = secret;
  }

  /** `secret`: the one that all nodes share. */
  static open(config: PoolConfig, secret: string): Vault {
    const pool = poolOf({ ...config, max: 2 });
    const key = hkdfSync("sha256", secret, "", "firstprint/subjects", KEY_BYTES);
    return new Vault(pool, new Uint8Array(key));
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /**
   * Durable when it returns; false where another node has led since `epoch`. If we stop before an
   * account names it, `keepOnly` destroys it.
   */
  async keep(id: string, subject: Subject, epoch: number): Promise<boolean> {
    const key = randomBytes(KEY_BYTES);
    const sealed = seal(key, id, Buffer.from(JSON.stringify(subject)));
    const { rowCount } = await this.#pool.query(
      `WITH ${permit},
       kept AS (INSERT INTO kyc_key (subject_id, sealed, epoch) SELECT $2, $3, $1 FROM permit)
       INSERT INTO kyc_subject (subject_id, sealed) SELECT $2, $4 FROM permit`,
      [epoch, id, seal(this.#secret, keyName(id), key), sealed],
    );
    return rowCount === 1;
  }

  /** Undefined where nothing is kept under the id, or its key is destroyed. */
  async read(id: string): Promise<Subject | undefined> {
    const { rows } = await this.#pool.query<{ key: Buffer; sealed: Buffer }>(
      `SELECT kyc_key.sealed AS key, kyc_subject.sealed
       FROM kyc_key JOIN kyc_subject USING (subject_id) WHERE subject_id = $1`,
      [id],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const key = unseal(this.#secret, keyName(id), row.key);
    return readSubject(unseal(key, id, row.sealed).toString("utf8"));
  }

  /** Doing it again does nothing. A deposed node does nothing: the next leader destroys it. */
  async destroy(id: string, epoch: number): Promise<void> {
    await this.#pool.query(
      `WITH ${permit},
       gone AS (DELETE FROM kyc_key USING permit WHERE subject_id = $2)
       DELETE FROM kyc_subject USING permit WHERE subject_id = $2`,
      [epoch, id],
    );
  }

  /**
   * At the beginning of a term: destroys every subject of an earlier one that is not in force, left
   * behind by a crash. One that this term is just being given stays.
   */
  async keepOnly(inForce: ReadonlySet<string>, epoch: number): Promise<void> {
    await this.#pool.query(
      `WITH ${permit},
       gone AS (
         DELETE FROM kyc_key USING permit WHERE epoch < $1 AND subject_id <> ALL ($2::text[])
       )
       DELETE FROM kyc_subject USING permit
       WHERE subject_id <> ALL ($2::text[]) AND NOT EXISTS (
         SELECT FROM kyc_key
         WHERE kyc_key.subject_id = kyc_subject.subject_id AND kyc_key.epoch >= $1)`,
      [epoch, [...inForce]],
    );
  }
}
