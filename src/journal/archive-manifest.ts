// The manifest of an archive: which objects hold a partition of the journal, each with its digest,
// and the signed heads that vouch for it.
// Invariant: written after everything it names; its own digest is noted in the database.
import { sha256Hex } from "#base/digest.ts";
import { invariant } from "#base/invariant.ts";
import type { LabelCount } from "./journal.ts";

const FORMAT = 1;

export interface ObjectDigest {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}

interface EntryObject extends ObjectDigest {
  readonly first: number;
  readonly last: number;
}

/** `term` and `sequence` of its first row. */
export interface TermObject extends ObjectDigest {
  readonly term: string;
  readonly sequence: number;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly first: number;
  readonly last: number;
  /** Of the entry before the first, and of the last. */
  readonly previousHash: string;
  readonly hash: string;
  /** Signed notes of the chain and of the transparency log, none newer than needed. */
  readonly checkpoint: string;
  readonly logCheckpoint: string;
  readonly counts: readonly LabelCount[];
  readonly entries: readonly EntryObject[];
  readonly terms: readonly TermObject[];
}

export const manifestOf = (parts: Omit<Manifest, "format">): Manifest => ({
  format: FORMAT,
  ...parts,
});

export const manifestBytes = (manifest: Manifest): Uint8Array =>
  Buffer.from(`${JSON.stringify(manifest, undefined, 1)}\n`);

export const digestOf = (bytes: Uint8Array): string => sha256Hex(bytes);

/** Digits so many that names sort as their numbers do. */
const padded = (value: number): string => String(value).padStart(16, "0");

const folderOf = ({ first, last }: { readonly first: number; readonly last: number }) =>
  `journal/${padded(first)}-${padded(last)}`;

export const manifestName = (part: { readonly first: number; readonly last: number }): string =>
  `${folderOf(part)}/manifest.json`;

export const blockName = (
  part: { readonly first: number; readonly last: number },
  kind: "entries" | "terms",
  at: number,
): string => `${folderOf(part)}/${kind}-${String(at).padStart(6, "0")}.zst`;

/** Its digest was compared before: only its format can be another. */
export function readManifest(bytes: Uint8Array): Manifest {
  const found: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  invariant(isManifest(found), `a manifest of format ${FORMAT}`);
  return found;
}

const isManifest = (value: unknown): value is Manifest =>
  typeof value === "object" && value !== null && "format" in value && value.format === FORMAT;
