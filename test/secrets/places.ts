// Where an exchange leaves something behind: rows of its database, files, processes.
// Invariant: what is compressed there is given as it was before.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { Client, type ClientConfig } from "pg";

/** Every value of every row of every table that is not PostgreSQL's own, as it is given out. */
export async function* valuesOf(config: ClientConfig): AsyncGenerator<Uint8Array> {
  const client = new Client(config);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    assert.ok(tables.length >= 8, JSON.stringify(tables));
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
      for (const value of rows.flatMap((row) => Object.values(row))) {
        yield Buffer.isBuffer(value) ? unpacked(value) : Buffer.from(String(value));
      }
    }
  } finally {
    await client.end();
  }
}

const ZSTD = "28b52ffd";

/** A page of a snapshot, or the first chunk of a raw file; the files of the tests have one. */
const unpacked = (value: Buffer): Buffer =>
  value.toString("hex", 0, 4) === ZSTD ? zstdDecompressSync(value) : value;

interface Kept {
  /** From the folder on. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export async function* filesIn(folder: string): AsyncGenerator<Kept> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    yield { path: relative(folder, path), bytes: unpacked(bytes) };
  }
}

/** A process and those it started, and those they did. */
export async function family(pid: number): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    const status = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const [, parent] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  // The list grows while it is gone through: children's children come too.
  for (const one of found) {
    for (const [child, parent] of parents) if (parent === one) found.push(child);
  }
  return found;
}

/** The arguments of a process, which anybody on the machine may read. */
export const commandLine = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");
