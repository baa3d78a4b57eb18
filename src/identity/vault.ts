// Personal data, sealed under a key of its own for each subject: the data in the database, the key
// in a file beside it, so that neither a dump nor a backup of the database says who somebody is.
// Invariant: once a subject's key is destroyed, nothing that was ever stored can be read again.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Pool, type PoolConfig } from "pg";
import { readSubject, type Subject } from "./subject.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_SUFFIX = ".key";
const subjectIdForm = /^sub-[0-9a-f]{32}$/;

/** Drawn at random: an id says nothing of its subject. */
export const newSubjectId = (): string => `sub-${randomBytes(16).toString("hex")}`;

export class Vault {
  readonly #pool: Pool;
  readonly #folder: string;

  private constructor(pool: Pool, folder: string) {
    this.#pool = pool;
    this.#folder = folder;
  }

  /** `folder` holds the keys: back it up for no longer than an erased subject may come back. */
  static async open(config: PoolConfig, folder: string): Promise<Vault> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const pool = new Pool({ ...config, max: 2 });
    // An idle connection that breaks is replaced at the next use, which meets the fault itself.
    pool.on("error", () => undefined);
    return new Vault(pool, folder);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Durable when it returns. If we stop in between, `keepOnly` destroys what no account names. */
  async keep(id: string, subject: Subject): Promise<void> {
    const key = randomBytes(KEY_BYTES);
    const file = await open(this.#keyPath(id), "wx", 0o600);
    try {
      await file.writeFile(key);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.#syncFolder();
    await this.#pool.query("INSERT INTO kyc_subject (subject_id, sealed) VALUES ($1, $2)", [
      id,
      seal(key, id, JSON.stringify(subject)),
    ]);
  }

  /** Undefined where nothing is kept under the id, or its key is destroyed. */
  async read(id: string): Promise<Subject | undefined> {
    const key = await readFile(this.#keyPath(id)).catch(undefinedWhenAbsent);
    if (key === undefined) return undefined;
    const { rows } = await this.#pool.query<{ sealed: Buffer }>(
      "SELECT sealed FROM kyc_subject WHERE subject_id = $1",
      [id],
    );
    const [row] = rows;
    return row === undefined ? undefined : readSubject(unseal(key, id, row.sealed));
  }

  /** The key first: from then on the rest is noise. Doing it again does nothing. */
  async destroy(id: string): Promise<void> {
    await this.#destroyKey(id);
    await this.#pool.query("DELETE FROM kyc_subject WHERE subject_id = $1", [id]);
  }

  /** Destroys every subject that is not in force: what a crash left behind, at a start. */
  async keepOnly(inForce: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const id = name.slice(0, -KEY_SUFFIX.length);
      if (name.endsWith(KEY_SUFFIX) && subjectIdForm.test(id) && !inForce.has(id)) {
        await this.#destroyKey(id);
      }
    }
    await this.#pool.query("DELETE FROM kyc_subject WHERE subject_id <> ALL ($1::text[])", [
      [...inForce],
    ]);
  }

  async #destroyKey(id: string): Promise<void> {
    const path = this.#keyPath(id);
    const file = await open(path, "r+").catch(undefinedWhenAbsent);
    if (file === undefined) return;
    try {
      // Overwritten where it lies, in case the name's removal leaves the bytes.
      await file.write(randomBytes(KEY_BYTES), 0, KEY_BYTES, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await rm(path, { force: true });
    await this.#syncFolder();
  }

  #keyPath(id: string): string {
    if (!subjectIdForm.test(id)) throw new Error(`${id} is no subject's id`);
    return join(this.#folder, `${id}${KEY_SUFFIX}`);
  }

  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** AES-256-GCM: nonce, tag, ciphertext; the id is authenticated, so that rows cannot be swapped. */
function seal(key: Uint8Array, id: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(id));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function unseal(key: Uint8Array, id: string, sealed: Buffer): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce)
    .setAAD(Buffer.from(id))
    .setAuthTag(tag);
  const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
}

function undefinedWhenAbsent(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
