// Snapshots: the state at one entry, signed with the head and the hash it stands for.
// Invariant: what `openSnapshot` returns is what the node signed, and hashes to what it promised.
import { hash } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { DECIDER_VERSION } from "#core/decider.ts";
import { decodeState, encodeAndHash, stateHash } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import type { Head, StoredSnapshot } from "./journal.ts";
import { openNote, type SigningKey, signNote } from "./note.ts";

/** What a snapshot's note promises. */
interface SnapshotPromise {
  readonly head: Head;
  readonly stateHash: string;
  readonly bytesHash: string;
}

/**
 * Encodes the state at `head`; synchronous, about 3 µs a record: so it is done rarely. Compressed,
 * because PostgreSQL's client takes a value as one string, two characters a byte: a plain text of
 * 268 MB, some 600,000 orders, could be stored and never be read again.
 */
export function sealSnapshot(
  key: SigningKey,
  origin: string,
  head: Head,
  state: State,
): StoredSnapshot {
  const { lines, hash: stateDigest } = encodeAndHash(state);
  const bytes = zstdCompressSync(Buffer.concat(lines.map((line) => Buffer.from(`${line}\n`))));
  const said = [nameOf(origin), head.size, head.hash, stateDigest, digest(bytes)];
  return { size: head.size, note: signNote(key, nameOf(origin), `${said.join("\n")}\n`), bytes };
}

/** Throws, saying what is wrong, where the note or the bytes are not what was signed. */
export function openSnapshot(
  key: SigningKey,
  origin: string,
  snapshot: StoredSnapshot,
): { readonly head: Head; readonly state: State } {
  const promise = openPromise(key, origin, snapshot.note);
  if (promise === undefined || promise.head.size !== snapshot.size) {
    throw new Error("its note is not one that this node's key signed");
  }
  if (digest(snapshot.bytes) !== promise.bytesHash) throw new Error("its bytes are damaged");
  const state = decodeState(linesOf(zstdDecompressSync(snapshot.bytes)));
  // Under older rules records may have had another text; its bytes are what was signed.
  const isOurs = state.deciderVersion === DECIDER_VERSION;
  if (isOurs && stateHash(state) !== promise.stateHash) {
    throw new Error("it decodes to another state");
  }
  return { head: promise.head, state };
}

function* linesOf(text: Buffer): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    if (end < 0) throw new Error("its last line is cut off");
    yield decoder.decode(text.subarray(from, end));
    from = end + 1;
  }
}

/** What the note says; undefined when `key` did not sign it. */
export function openPromise(
  key: SigningKey,
  origin: string,
  note: string,
): SnapshotPromise | undefined {
  const text = openNote(key, nameOf(origin), note);
  const [name, size, head = "", state = "", bytes = ""] = text?.split("\n") ?? [];
  if (name !== nameOf(origin)) return undefined;
  return { head: { size: Number(size), hash: head }, stateHash: state, bytesHash: bytes };
}

/** Another name than a checkpoint's, so that neither passes for the other. */
const nameOf = (origin: string): string => `${origin}/snapshot`;

const digest = (bytes: Uint8Array): string => hash("sha256", bytes, "hex");
