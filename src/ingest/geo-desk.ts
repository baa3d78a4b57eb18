// Where an operator's hierarchy file becomes places: read whole, checked whole, put in one command.
// Invariant: a file with one bad row changes nothing.

import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { isRejected } from "#core/outcome.ts";
import type { Submitted } from "#engine/engine.ts";
import { readHierarchy } from "#geo/hierarchy.ts";
import type { GeoTree } from "#geo/tree.ts";
import type { Submit } from "./desk.ts";

type GeoLoading =
  | { readonly nodes: number; readonly added: number; readonly changed: number }
  | { readonly refusal: GeoRefusal }
  /** The file was good; this is what became of its command. */
  | { readonly failed: Submitted };

interface GeoRefusal {
  readonly code: "BAD_HIERARCHY";
  readonly message: string;
  /** The header is line 1. */
  readonly line: number | null;
  readonly column: string | null;
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
      return refused(table.length + 1, null, fault.message);
    }
    const reading = readHierarchy(table, this.#known);
    if ("refusal" in reading) {
      const { row, column, message } = reading.refusal;
      return refused(row, column, message);
    }

    const { nodes, added, changed } = reading;
    const submitted = await submit({ type: "LoadGeo", nodes, sha256: hash.digest("hex") });
    const isDone = "answer" in submitted && !isRejected(submitted.answer.outcome);
    return isDone ? { nodes: nodes.length, added, changed } : { failed: submitted };
  }
}

const refused = (line: number, column: string | null, message: string): GeoLoading => ({
  refusal: { code: "BAD_HIERARCHY", message, line, column },
});

async function* hashed(
  upload: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of upload) {
    hash.update(chunk);
    yield chunk;
  }
}
