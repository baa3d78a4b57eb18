// Rows in PostgreSQL's binary form: the driver's own queries read each value as text, so bytes come
// as hex digits, twice as many, and are made bytes again.
// Invariant: all rows of the query, as the server sent them, or none.
import { type Pool, Query } from "pg";
import { invariant } from "#base/invariant.ts";

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
/** The signature, flags, and the length of an extension that no server sends. */
const HEADER_BYTES = SIGNATURE.length + 8;
const NO_MORE = -1;
const NULL = -1;

/** The driver treats it as a query of its own: its place in the line, time-outs, faults. */
class CopyOut extends Query {
  readonly #pieces: Buffer[] = [];

  /** The driver calls it with a piece of its own memory, and writes over that memory later. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#pieces.push(Buffer.from(chunk));
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/** The rows that `select` finds, each as `toRow` reads it. */
export async function copyOut<Row>(
  pool: Pool,
  select: string,
  toRow: (row: BinaryRow) => Row,
): Promise<readonly Row[]> {
  const query = new CopyOut(`COPY (${select}) TO STDOUT (FORMAT binary)`);
  const done: unknown = pool.query(query);
  await done;
  const row = new BinaryRow(query.bytes);
  const rows: Row[] = [];
  while (row.next()) rows.push(toRow(row));
  return rows;
}

/** One row after the other; each column is asked for by its type, from left to right. */
export class BinaryRow {
  readonly #bytes: Buffer;
  #at = HEADER_BYTES;

  constructor(bytes: Buffer) {
    const isSigned = bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
    invariant(isSigned, "rows in binary form begin with its signature");
    this.#bytes = bytes;
  }

  next(): boolean {
    const columns = this.#bytes.readInt16BE(this.#at);
    this.#at += 2;
    return columns !== NO_MORE;
  }

  bigint(): number {
    const at = this.#skip(this.#length());
    return this.#bytes.readInt32BE(at) * 2 ** 32 + this.#bytes.readUInt32BE(at + 4);
  }

  bytes(): Buffer {
    const length = this.#length();
    const at = this.#skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  hex(): string {
    const length = this.#length();
    const at = this.#skip(length);
    return this.#bytes.toString("hex", at, at + length);
  }

  text(): string | null {
    const length = this.#length();
    if (length === NULL) return null;
    const at = this.#skip(length);
    return this.#bytes.toString("utf8", at, at + length);
  }

  #length(): number {
    return this.#bytes.readInt32BE(this.#skip(4));
  }

  /** Where what is skipped begins. */
  #skip(length: number): number {
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
