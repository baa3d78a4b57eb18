// Snapshots: the state at one entry in pages, signed with the head they stand for.
// Invariant: what `openSnapshot` returns is what the node signed; a page in which nothing changed
// has the digest it had; none is larger than a database or its client can carry.
import { createHash } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { sha256Hex } from "#base/digest.ts";
import { messageOf } from "#base/message-of.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { decodeState, orderPage, orderPages, restPages, stateHash } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import type { Head, SealedPage, SealedSnapshot, SnapshotPage, StoredSnapshot } from "./journal.ts";
import { openNote, type SigningKey, signNote } from "./note.ts";

/** The content of a snapshot's note. */
interface SnapshotPromise {
  readonly head: Head;
  /** Over the digests of the pages; of a snapshot from before there were pages, undefined. */
  readonly pagesHash: string | undefined;
  /** Of one from before there were pages. */
  readonly stateHash: string;
  readonly bytesHash: string;
}

/** Text in a page, before it is compressed; most pages have far less. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** The state at `head`; synchronous, about 3 µs a record. */
export function sealSnapshot(
  key: SigningKey,
  origin: string,
  head: Head,
  state: State,
): StoredSnapshot {
  const pages = [...pagesOf(state)];
  return { ...sealPages(key, origin, head, pages), pages };
}

/** Pages in the order in which they are read. */
export function sealPages(
  key: SigningKey,
  origin: string,
  { size, hash }: Head,
  pages: readonly SealedPage[],
): SealedSnapshot {
  const name = nameOf(origin);
  const text = `${[name, size, hash, digestOf(pages.map(({ digest }) => digest))].join("\n")}\n`;
  return { size, note: signNote(key, name, text), pages };
}

/** The same for equal states, however they were led to. */
export function pagesHash(state: State): string {
  const digests: string[] = [];
  for (const text of textsOf(state)) digests.push(sha256Hex(text));
  return digestOf(digests);
}

const digestOf = (digests: readonly string[]): string =>
  sha256Hex(Buffer.from(digests.join(""), "hex"));

/** Of the whole state, each made when it is asked for. */
export function* pagesOf(state: State): Generator<SnapshotPage> {
  for (const pieces of piecesOfPages(state)) yield* packed(pieces);
}

function* textsOf(state: State): Generator<Buffer> {
  for (const pieces of piecesOfPages(state)) yield* cut(pieces);
}

function* piecesOfPages(state: State): Generator<Iterable<string>> {
  yield* restPages(state);
  for (const page of orderPages(state)) yield orderPage(state, page);
}

/** One page, or as many as it takes. */
export function* packed(pieces: Iterable<string>): Generator<SnapshotPage> {
  for (const text of cut(pieces)) {
    yield { digest: sha256Hex(text), bytes: zstdCompressSync(text) };
  }
}

function* cut(pieces: Iterable<string>): Generator<Buffer> {
  let texts: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    let bytes = Buffer.from(piece);
    while (length + bytes.length > PAGE_BYTES) {
      texts.push(bytes.subarray(0, PAGE_BYTES - length));
      bytes = bytes.subarray(PAGE_BYTES - length);
      yield Buffer.concat(texts);
      [texts, length] = [[], 0];
    }
    texts.push(bytes);
    length += bytes.length;
  }
  if (length > 0) yield Buffer.concat(texts);
}

/** Throws, saying what is wrong, where the note or the pages are not what was signed. */
export function openSnapshot(
  key: SigningKey,
  origin: string,
  { size, note, pages }: StoredSnapshot,
): { readonly head: Head; readonly state: State } {
  const promise = openPromise(key, origin, note);
  if (promise === undefined || promise.head.size !== size) {
    throw new Error("its note is not one that this node's key signed");
  }
  if (promise.pagesHash === undefined) return openParts(promise, pages);
  const isWhole = digestOf(pages.map(({ digest }) => digest)) === promise.pagesHash;
  if (!isWhole) throw new Error("its bytes are damaged: its pages are not those that were signed");
  return { head: promise.head, state: decodeState(linesOf(signedTexts(pages))) };
}

function* signedTexts(pages: readonly SnapshotPage[]): Generator<Buffer> {
  for (const { digest, bytes } of pages) {
    const text = textOf(bytes);
    if (sha256Hex(text) !== digest) throw new Error(`its bytes are damaged: those of ${digest}`);
    yield text;
  }
}

function textOf(bytes: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(bytes);
  } catch (error) {
    throw new Error(`its bytes are damaged: ${messageOf(error)}`);
  }
}

/** One from before there were pages: its text is cut where it may be, and its bytes are signed. */
function openParts(
  promise: SnapshotPromise,
  pages: readonly SnapshotPage[],
): { readonly head: Head; readonly state: State } {
  const parts = pages.map(({ bytes }) => bytes);
  if (digestOfAll(parts) !== promise.bytesHash) throw new Error("its bytes are damaged");
  const state = decodeState(linesOf(framesOf(parts)));
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
function* framesOf(parts: readonly Uint8Array[]): Generator<Buffer> {
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
  const name = nameOf(origin);
  const paged = openNote(key, name, note)?.split("\n");
  const lines = paged ?? openNote(key, partsNameOf(origin), note)?.split("\n") ?? [];
  const [said, size, hash = "", third = "", bytesHash = ""] = lines;
  const head = { size: Number(size), hash };
  if (said === name) return { head, pagesHash: third, stateHash: "", bytesHash: "" };
  if (said !== partsNameOf(origin)) return undefined;
  return { head, pagesHash: undefined, stateHash: third, bytesHash };
}

/** Another name than a checkpoint's, so that neither passes for the other. */
const nameOf = (origin: string): string => `${origin}/pages`;

/** Of snapshots from before there were pages. */
const partsNameOf = (origin: string): string => `${origin}/snapshot`;

/** Over all parts, one after another. */
function digestOfAll(parts: readonly Uint8Array[]): string {
  const all = createHash("sha256");
  for (const part of parts) all.update(part);
  return all.digest("hex");
}
