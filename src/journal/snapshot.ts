// Snapshots: the state at one entry, signed with the head and the hash it stands for.
// Invariant: what `openSnapshot` returns is what the node signed, and hashes to what it promised;
// no part is larger than a database, its client or a string of Node's can carry.
import { createHash } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { DECIDER_VERSION } from "#core/decider.ts";
import { decodeState, stateHash, writeState } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import type { Head, StoredSnapshot } from "./journal.ts";
import { openNote, type SigningKey, signNote } from "./note.ts";

/** The content of a snapshot's note. */
interface SnapshotPromise {
  readonly head: Head;
  readonly stateHash: string;
  readonly bytesHash: string;
}

/**
 * Text in a part, before it is compressed. PostgreSQL's client takes a value as one string of two
 * characters a byte, and a string ends at 512 MB: in one piece a snapshot of 268 MB, 2.7 million
 * orders, could be stored and never be read again.
 */
const PART_BYTES = 8 * 1024 * 1024;

/** Encodes the state at `head`; synchronous, about 3 µs a record: so it is done rarely. */
export function sealSnapshot(
  key: SigningKey,
  origin: string,
  head: Head,
  state: State,
): StoredSnapshot {
  const packer = new Packer();
  const stateDigest = writeState(state, (line) => packer.add(line));
  const parts = packer.end();
  const said = [nameOf(origin), head.size, head.hash, stateDigest, digest(parts)];
  return { size: head.size, note: signNote(key, nameOf(origin), `${said.join("\n")}\n`), parts };
}

/** Cuts text into parts, each compressed by itself. */
class Packer {
  readonly #parts: Uint8Array[] = [];
  readonly #text = Buffer.allocUnsafe(PART_BYTES);
  #length = 0;

  add(line: string): void {
    let bytes = Buffer.from(`${line}\n`);
    while (bytes.length > 0) {
      const copied = bytes.copy(this.#text, this.#length);
      this.#length += copied;
      bytes = bytes.subarray(copied);
      if (this.#length === PART_BYTES) this.#cut();
    }
  }

  end(): readonly Uint8Array[] {
    if (this.#length > 0) this.#cut();
    return this.#parts;
  }

  #cut(): void {
    this.#parts.push(zstdCompressSync(this.#text.subarray(0, this.#length)));
    this.#length = 0;
  }
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
  if (digest(snapshot.parts) !== promise.bytesHash) throw new Error("its bytes are damaged");
  const state = decodeState(linesOf(textsOf(snapshot.parts)));
  // Under older rules records may have had another text; its bytes are what was signed.
  const isOurs = state.deciderVersion === DECIDER_VERSION;
  if (isOurs && stateHash(state) !== promise.stateHash) {
    throw new Error("it decodes to another state");
  }
  return { head: promise.head, state };
}

const ZSTD_MAGIC = "28b52ffd";

/**
 * A part is a frame of its own; of snapshots from before there were parts, all pieces are one, so a
 * piece that begins no frame belongs to the one before it.
 */
function* textsOf(parts: readonly Uint8Array[]): Generator<Buffer> {
  let frame: Uint8Array[] = [];
  for (const part of parts) {
    const isFirst = Buffer.from(part.subarray(0, 4)).toString("hex") === ZSTD_MAGIC;
    if (isFirst && frame.length > 0) {
      yield zstdDecompressSync(Buffer.concat(frame));
      frame = [];
    }
    frame.push(part);
  }
  if (frame.length > 0) yield zstdDecompressSync(Buffer.concat(frame));
}

function* linesOf(texts: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** The beginning of a line that goes on in the next text. */
  let begun: Buffer[] = [];
  for (const text of texts) {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      const rest = text.subarray(from, end);
      yield decoder.decode(begun.length === 0 ? rest : Buffer.concat([...begun, rest]));
      begun = [];
      from = end + 1;
    }
    if (from < text.length) begun.push(text.subarray(from));
  }
  if (begun.length > 0) throw new Error("its last line is cut off");
}

/** The promise in the note; undefined when `key` did not sign it. */
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

/** Over all parts, one after another. */
function digest(parts: readonly Uint8Array[]): string {
  const all = createHash("sha256");
  for (const part of parts) all.update(part);
  return all.digest("hex");
}
