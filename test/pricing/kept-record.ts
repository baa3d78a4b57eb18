// The scores of a record as they were last worked out, and of what: working them out takes minutes,
// and gives the same as long as neither the code nor the files change.
// Invariant: scores are believed only of the code and the files that they were worked out from.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "#test/support/exchange.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null;

interface Run {
  readonly inputs: string;
  readonly scores: Readonly<Record<string, Fields>>;
}

interface Kept {
  readonly code: string;
  readonly runs: Readonly<Record<string, Run>>;
}

/** `kept` believes what is kept, `write` keeps what was worked out; else all is worked out. */
const mode = process.env.FIRSTPRINT_RECORDS ?? "anew";
assert.match(mode, /^(kept|write|anew)$/, "FIRSTPRINT_RECORDS");

export function digestOf(files: readonly string[]): string {
  return hash("sha256", files.map((file) => hash("sha256", readFileSync(file))).join("\n"));
}

/** Of files, and of those in folders, named from the checkout. */
export function codeDigest(sources: readonly string[]): string {
  const names = sources.flatMap((source) => {
    if (source.endsWith(".ts")) return [source];
    const within = readdirSync(join(checkout, source), { recursive: true, encoding: "utf8" });
    return within.filter((name) => name.endsWith(".ts")).map((name) => `${source}/${name}`);
  });
  const sorted = names.toSorted();
  return hash(
    "sha256",
    `${sorted.join("\n")}\n${digestOf(sorted.map((name) => join(checkout, name)))}`,
  );
}

export class KeptRecord {
  readonly #path: string;
  readonly #code: string;
  readonly #kept: Kept;
  readonly #found: Record<string, Run> = {};

  /** The file, named from the checkout, keeps scores; the digest is that of the code as it is. */
  constructor(file: string, code: string) {
    this.#path = join(checkout, file);
    this.#code = code;
    this.#kept = JSON.parse(readFileSync(this.#path, "utf8"));
  }

  /** The scores that are kept of this run; undefined when it must be worked out. Files may be absent. */
  scoresOf(name: string, inputs: string | undefined): Map<string, Fields> | undefined {
    const run = this.#kept.runs[name];
    if (mode !== "kept" || run === undefined || this.#kept.code !== this.#code) return undefined;
    if (inputs !== undefined && run.inputs !== inputs) return undefined;
    return new Map(Object.entries(run.scores));
  }

  found(name: string, inputs: string, scores: Map<string, Fields>): Map<string, Fields> {
    this.#found[name] = { inputs, scores: Object.fromEntries(scores) };
    return scores;
  }

  /** After all runs: what was worked out is what is kept, or is kept from now on. */
  close(): void {
    const found: Kept = { code: this.#code, runs: this.#found };
    if (mode === "write") writeFileSync(this.#path, `${JSON.stringify(found, null, 2)}\n`);
    else if (Object.keys(this.#found).length > 0) {
      const runs = { ...this.#kept.runs, ...this.#found };
      const how = "run this file with FIRSTPRINT_RECORDS=write, then npm run format";
      assert.deepEqual({ code: this.#code, runs }, this.#kept, `to keep what was found, ${how}`);
    }
  }
}
