// A golden journal as it lies in a file: an entry a line, its hash and labels, then its bytes.
// Invariant: reading gives exactly what was written, byte for byte; nothing is computed anew.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { apply } from "#core/apply.ts";
import { auditFacts } from "#core/audit.ts";
import { readEntry } from "#core/entry-bytes.ts";
import type { Entry } from "#core/outcome.ts";
import { State } from "#core/state.ts";
import { noEntries } from "#journal/chain.ts";
import type { SealedEntry } from "#journal/journal.ts";
import { seal } from "#journal/seal.ts";

export const folder = new URL("./", import.meta.url);

export const journalFile = (name: string): URL => new URL(`${name}.journal`, folder);

/** Hash, time, action, severity, actor, whom it concerns, what it touches, the stored bytes. */
const FIELDS = 8;

export function writeJournal(entries: readonly Entry[]): string {
  const state = new State();
  let head = noEntries;
  const lines = entries.map((entry) => {
    apply(state, entry.envelope, entry.sequence);
    // The same for the same journal: nothing in a golden is anybody's.
    const salt = entry.sequence.toString(16).padStart(32, "0");
    const sealed = seal(head, entry, state, salt);
    head = { size: sealed.sequence, hash: sealed.hash };
    return lineOf(sealed);
  });
  return lines.join("");
}

function lineOf({ hash, bytes, touches, ...labels }: SealedEntry): string {
  const { timeMillis, action, severity, actor, concerns } = labels;
  const text = Buffer.from(bytes).toString("utf8");
  const fields = [hash, timeMillis, action, severity, actor, concerns ?? "", touches.join(" ")];
  const line = [...fields, text].join("\t");
  assert.equal(line.split("\t").length, FIELDS, "no field holds a tab");
  return `${line}\n`;
}

export function readJournal(name: string): readonly SealedEntry[] {
  const lines = readFileSync(journalFile(name), "utf8").split("\n").slice(0, -1);
  return lines.map((line, at) => {
    const fields = line.split("\t");
    assert.equal(fields.length, FIELDS, `${name}: line ${at + 1} has ${FIELDS} fields`);
    const [hash = "", time, action = "", severity = "", actor = "", concerns, touches, text] =
      fields;
    const bytes = Buffer.from(text ?? "", "utf8");
    const entry = readEntry(bytes);
    return {
      sequence: at + 1,
      entry,
      hash,
      timeMillis: Number(time),
      action,
      severity,
      actor,
      concerns: concerns === "" ? null : (concerns ?? null),
      resource: auditFacts(entry).resource,
      touches: touches === "" ? [] : (touches ?? "").split(" "),
      bytes,
    };
  });
}
