// Snapshots: the state at one entry in pages, signed with the head they stand for.
// Invariant: what `openSnapshot` returns is what the node signed; a page in which nothing changed
// has the digest it had; none is larger than a database or its client can carry.
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { sha256Hex } from "#base/digest.ts";
import { messageOf } from "#base/message-of.ts";
import { decodeState, orderPage, orderPages, restPages } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import type { Head, SealedPage, SealedSnapshot, SnapshotPage, StoredSnapshot } from "./journal.ts";
import { openNote, type SigningKey, signNote } from "./note.ts";

/** The content of a snapshot's note. */
interface SnapshotPromise {
  readonly head: Head;
  /** Over the digests of the pages. */
  readonly pagesHash: string;
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
  const [said, size, hash = "", pages = ""] = openNote(key, name, note)?.split("\n") ?? [];
  if (said !== name) return undefined;
  return { head: { size: Number(size), hash }, pagesHash: pages };
}

/** Another name than a checkpoint's, so that neither passes for the other. */
const nameOf = (origin: string): string => `${origin}/pages`;
