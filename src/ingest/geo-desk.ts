// Where an operator's hierarchy file becomes places: read whole, checked whole, put in one command.
// Invariant: a file with one bad row changes nothing.

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { parse } from "csv-parse";
import type { Submitted } from "#engine/engine.ts";
import { readHierarchy } from "#geo/hierarchy.ts";
import type { GeoTree } from "#geo/tree.ts";
import type { Submit } from "./desk.ts";

export type GeoLoading =
  | { readonly refusal: GeoRefusal }
  | {
      readonly rows: number;
      readonly added: number;
      readonly changed: number;
      readonly submitted: Submitted;
    };

export interface GeoRefusal {
  /** The header is row 1. */
  readonly row: number | null;
  readonly column: string | null;
  readonly message: string;
}

export class GeoDesk {
  readonly #known: GeoTree;

  constructor(known: GeoTree) {
    this.#known = known;
  }

  async load(upload: AsyncIterable<Uint8Array>, submit: Submit): Promise<GeoLoading> {
    const hash = createHash("sha256");
    const table: string[][] = [];
    const rows = parse({ relax_column_count: true });
    try {
      await pipeline(hashed(upload, hash), rows, async (read: AsyncIterable<string[]>) => {
        for await (const row of read) table.push(row);
      });
    } catch (fault) {
      if (!(fault instanceof CsvError)) throw fault;
      return { refusal: { row: table.length + 1, column: null, message: fault.message } };
    }
    const reading = readHierarchy(table, this.#known);
    if ("refusal" in reading) return { refusal: reading.refusal };

    const { nodes, added, changed } = reading;
    const submitted = await submit({ type: "LoadGeo", nodes, sha256: hash.digest("hex") });
    return { rows: nodes.length, added, changed, submitted };
  }
}

async function* hashed(
  upload: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of upload) {
    hash.update(chunk);
    yield chunk;
  }
}
