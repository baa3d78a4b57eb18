// Archived partitions of the journal, read back: by sequence, and by what entries are found by.
// Invariant: nothing is taken from an object whose digest is not the one that was noted.
import { messageOf } from "#base/message-of.ts";
import type { ObjectStore } from "#storage/object-folder.ts";
import { decodeEntries, decodeTerms, type EntryBlock, type TermRun } from "./archive-block.ts";
import {
  digestOf,
  type Manifest,
  manifestName,
  type ObjectDigest,
  readManifest,
  type TermObject,
} from "./archive-manifest.ts";

/** A partition, and the digest of the manifest of its archive. */
export interface ArchivedPart {
  readonly first: number;
  readonly last: number;
  readonly manifest: string;
}

/** An object of an archive is missing or altered; the message names it and says what to do. */
export class ArchiveFault extends Error {
  override readonly name = "ArchiveFault";
  /** PostgreSQL's of an I/O error: the storage's fault, which an operator mends. */
  readonly code = "58030";
  /** The first entry that cannot be read. */
  readonly sequence: number;

  constructor(sequence: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.sequence = sequence;
  }
}

/** No store is named, or it fails or refuses: whether it has the object is not known. */
export class ArchiveOutOfReach extends Error {
  override readonly name = "ArchiveOutOfReach";
  readonly code = "58030";
}

/** Entries after `after` and before `before`, both exclusive, in this order. */
export interface SequenceRange {
  readonly after: number;
  readonly before: number;
  readonly order: "oldest" | "newest";
}

const CACHED_MANIFESTS = 32;
/** About 5 MB each. */
const CACHED_BLOCKS = 6;
const CACHED_TERMS = 8;

export class JournalArchive {
  readonly #store: ObjectStore | undefined;
  readonly #manifests = new Cache<Manifest>(CACHED_MANIFESTS);
  readonly #blocks = new Cache<EntryBlock>(CACHED_BLOCKS);
  readonly #terms = new Cache<readonly TermRun[]>(CACHED_TERMS);

  /** Undefined where this node was given none: each read then says so. */
  constructor(store: ObjectStore | undefined) {
    this.#store = store;
  }

  manifest(part: ArchivedPart): Promise<Manifest> {
    const name = manifestName(part);
    return this.#manifests.of(name, async () => {
      const bytes = await this.#get(part.first, { name, sha256: part.manifest });
      return read(part.first, name, async () => readManifest(bytes));
    });
  }

  /** The block that holds this entry of `part`. */
  async block(part: ArchivedPart, sequence: number): Promise<EntryBlock> {
    const { entries } = await this.manifest(part);
    const object = entries.find(({ last }) => sequence <= last);
    if (object === undefined || sequence < object.first) {
      throw new ArchiveFault(
        sequence,
        `The archive of entries ${part.first} to ${part.last} has no object with ${sequence}.`,
      );
    }
    const block = await this.#blocks.of(object.name, async () => {
      const bytes = await this.#get(object.first, object);
      return read(object.first, object.name, () => decodeEntries(bytes));
    });
    if (block.rows[0]?.sequence === object.first && block.rows.at(-1)?.sequence === object.last) {
      return block;
    }
    throw new ArchiveFault(
      object.first,
      `${object.name} holds other entries than its manifest says.`,
    );
  }

  /** Sequences of the entries that a term finds, block by block of the index. */
  async *found(part: ArchivedPart, term: string, range: SequenceRange): AsyncGenerator<number> {
    const { after, before, order } = range;
    const { terms } = await this.manifest(part);
    const wanted = terms.filter(
      (one, at) =>
        (one.term < term || (one.term === term && one.sequence < before)) &&
        reaches(terms[at + 1], term, after),
    );
    for (const object of order === "oldest" ? wanted : wanted.toReversed()) {
      const runs = await this.#termRuns(object, part);
      const run = runs.find((one) => one.term === term);
      const inside = (run?.sequences ?? []).filter((one) => one > after && one < before);
      yield* order === "oldest" ? inside : inside.toReversed();
    }
  }

  /** Terms from one, inclusive, to another, exclusive, and what they find: the last first. */
  async *termsDown(
    part: ArchivedPart,
    from: string,
    below: string,
  ): AsyncGenerator<[string, number]> {
    const { terms } = await this.manifest(part);
    const wanted = terms.filter(
      (one, at) => one.term < below && (terms[at + 1]?.term ?? below) >= from,
    );
    for (const object of wanted.toReversed()) {
      for (const { term, sequences } of (await this.#termRuns(object, part)).toReversed()) {
        if (term < from || term >= below) continue;
        for (const sequence of sequences.toReversed()) yield [term, sequence];
      }
    }
  }

  /** All of them, rising. */
  async *terms(part: ArchivedPart): AsyncGenerator<readonly [string, number], undefined> {
    for (const object of (await this.manifest(part)).terms) {
      for (const { term, sequences } of await this.#termRuns(object, part)) {
        for (const sequence of sequences) yield [term, sequence];
      }
    }
    return undefined;
  }

  #termRuns(object: TermObject, part: ArchivedPart): Promise<readonly TermRun[]> {
    return this.#terms.of(object.name, async () => {
      const bytes = await this.#get(part.first, object);
      return read(part.first, object.name, () => decodeTerms(bytes));
    });
  }

  async #get(sequence: number, { name, sha256 }: Pick<ObjectDigest, "name" | "sha256">) {
    if (this.#store === undefined) {
      throw new ArchiveOutOfReach(
        `Entries from ${sequence} on are archived in ${name}, and no archive is named here. ` +
          "Set FIRSTPRINT_ARCHIVE to the folder or bucket that holds it.",
      );
    }
    const { place } = this.#store;
    let bytes: Uint8Array | undefined;
    try {
      bytes = await this.#store.get(name);
    } catch (cause) {
      throw new ArchiveOutOfReach(unread(name, place, cause), { cause });
    }
    if (bytes === undefined) {
      throw new ArchiveFault(
        sequence,
        `${name} is missing in the archive ${place}. Restore it from a copy of the archive, or ` +
          "set FIRSTPRINT_ARCHIVE to the folder or bucket that holds it.",
      );
    }
    const digest = digestOf(bytes);
    if (digest === sha256) return bytes;
    throw new ArchiveFault(
      sequence,
      `${name} in the archive ${place} has SHA-256 ${digest}, noted is ${sha256}: ` +
        "it was altered. Keep it as evidence, and restore it from a copy of the archive.",
    );
  }
}

export const unread = (name: string, place: string, cause: unknown): string =>
  `${name} in the archive ${place} cannot be read: ${messageOf(cause)}. ` +
  "Make it readable for this node.";

/** Whether a block that ends before `next` may hold entries of `term` after `after`. */
const reaches = (next: TermObject | undefined, term: string, after: number): boolean =>
  next === undefined || next.term > term || (next.term === term && next.sequence > after + 1);

/** Its digest was right; where it cannot be read all the same, the digest was written anew too. */
async function read<T>(sequence: number, name: string, decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (cause) {
    throw new ArchiveFault(sequence, `${name} is no object of an archive: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The values used last, each fetched once at a time. */
class Cache<T> {
  readonly #most: number;
  readonly #values = new Map<string, Promise<T>>();

  constructor(most: number) {
    this.#most = most;
  }

  of(name: string, fetched: () => Promise<T>): Promise<T> {
    const value = this.#values.get(name) ?? fetched();
    this.#values.delete(name);
    this.#values.set(name, value);
    // An object that could not be read is asked for again.
    value.catch(() => this.#values.delete(name));
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break;
      this.#values.delete(oldest);
    }
    return value;
  }
}
