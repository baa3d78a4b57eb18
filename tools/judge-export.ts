// Judges an audit export: every hash recomputed, every link, part, field and signed head compared.
// It runs the same in Node (`tools/verify-audit.ts`) and in a browser (the console's audit screen).
// Invariant: one entry is in memory at a time, and nothing of the exchange's own code is used.
import { actions } from "./audit-actions.ts";
import { Cutter, Unusable } from "./export-cutter.ts";
import {
  Broken,
  bytesOfEntry,
  contentOf,
  hashOf,
  member,
  parsed,
  type Shown,
} from "./exported-entry.ts";
import { GrowingTree, rootOfInclusion } from "./log-proofs.ts";
import { fromBase64, fromHex, toHex } from "./octets.ts";
import { openNote, readVerifierKey, renamed, type VerifierKey } from "./signed-note.ts";

const ZEROS = "0".repeat(64);
const noBytes = new Uint8Array();

// Checkpoints.

/** By size, what signed notes give: the hash of the last entry, and the root of the log. */
interface Heads {
  readonly chain: ReadonlyMap<number, string>;
  readonly log: ReadonlyMap<number, string>;
}

const noHeads: Heads = { chain: new Map(), log: new Map() };

/** Of one note, of many, or of a saved answer's; those of the log are signed by the same key. */
async function readCheckpoints(text: string, key: VerifierKey): Promise<Heads> {
  const answer = member(parsed(text), "data", "note");
  const notes = (typeof answer === "string" ? answer : text)
    .split(/(?<=\n\n(?:— [^\n]*\n)+)(?!— )/)
    .filter((note) => note.trim() !== "");
  if (notes.length === 0) throw new Unusable("the file of checkpoints holds no note");
  const heads = { chain: new Map<number, string>(), log: new Map<number, string>() };
  const logKey = renamed(key, `${key.name}/log`);
  for (const note of notes) {
    const isLog = note.startsWith(`${logKey.name}\n`);
    const head = await openNote(note, isLog ? logKey : key);
    if ("fault" in head) throw new Broken(undefined, head.fault);
    const known = isLog ? heads.log : heads.chain;
    const [{ size }, hash] = [head, toHex(head.root)];
    if ((known.get(size) ?? hash) !== hash) {
      throw new Broken(size, `two checkpoints of ${size} entries were signed over different heads`);
    }
    known.set(size, hash);
  }
  return heads;
}

// Entries.

/** Follows an export from its first entry to its last. */
class Walk {
  readonly #heads: Heads;
  readonly #isPartial: boolean;
  /** By account id, from the entries themselves or as first shown. */
  readonly #addresses = new Map<string, string>();
  first: number | undefined;
  last = 0;
  head = ZEROS;
  entries = 0;
  gaps = 0;
  /** Parts that are not shown. */
  hidden = 0;
  /** How many entries a checkpoint vouches for, and the size of the last one that does. */
  vouched = 0;
  agreed = 0;
  #unvouched = 0;
  /** Over all entries so far; it stops at a gap, and stays empty where the first is missing. */
  readonly #tree = new GrowingTree();

  constructor(heads: Heads, isPartial: boolean) {
    this.#heads = heads;
    this.#isPartial = isPartial;
  }

  take(text: string): void {
    const value = parsed(text);
    const shown = this.#read(value);
    const { sequence, hash, previousHash } = shown;
    this.#follow(shown);
    const hashed = hashOf(shown);
    if (hashed !== hash) {
      throw new Broken(sequence, `its bytes hash to ${hashed}, it shows ${hash}`);
    }
    this.#compareFields(value, shown);
    this.hidden += shown.hidden;
    this.#compareHead(sequence - 1, previousHash);
    this.first ??= sequence;
    this.last = sequence;
    this.head = hash;
    this.entries += 1;
    if (this.#isIncluded(value, shown)) this.vouched += 1;
    else this.#unvouched += 1;
    if (this.#tree.size === sequence - 1) this.#tree.add(fromHex(hash));
    const isHead = this.#compareHead(sequence, hash);
    if (this.#compareTree(sequence) || isHead) {
      this.vouched += this.#unvouched;
      this.#unvouched = 0;
    }
  }

  /** The export is over; `isWhole` is false where the file broke off. */
  end(isWhole: boolean): void {
    if (!isWhole) throw new Broken(this.last + 1, "the file breaks off here");
    if (this.#isPartial) return;
    const sizes = [...this.#heads.chain.keys(), ...this.#heads.log.keys()];
    const beyond = sizes.find((size) => size > this.last);
    if (beyond === undefined) return;
    throw new Broken(
      this.last + 1,
      `the export ends at entry ${this.last}, a checkpoint was signed at entry ${beyond}: ` +
        "the tail is cut off, or the export is older than the checkpoint",
    );
  }

  #read(shown: unknown): Shown {
    const sequence = member(shown, "sequence");
    const after = this.last + 1;
    if (typeof sequence !== "number" || !Number.isSafeInteger(sequence) || sequence < 1) {
      throw new Broken(after, "what stands here is no entry with a sequence");
    }
    const hash = member(shown, "hash");
    const previousHash = member(shown, "previousHash");
    if (!isHash(hash) || !isHash(previousHash)) {
      throw new Broken(sequence, "its hash or previousHash is not 64 hex characters");
    }
    const bytes = bytesOfEntry(shown);
    if (bytes === undefined) throw new Broken(sequence, "its bytes are not base64");
    return { sequence, hash, previousHash, bytes, ...contentOf(shown, bytes, sequence) };
  }

  #follow({ sequence, previousHash }: Shown): void {
    if (sequence === 1 && previousHash !== ZEROS) {
      throw new Broken(1, "the first entry's previousHash is not 64 zeros");
    }
    if (this.first === undefined) return;
    if (sequence <= this.last) {
      throw new Broken(this.last + 1, `entry ${sequence} stands after entry ${this.last}`);
    }
    if (sequence > this.last + 1) {
      if (!this.#isPartial) {
        throw new Broken(
          this.last + 1,
          `entry ${sequence} stands in its place; if this is one account's export, say --partial`,
        );
      }
      this.gaps += 1;
      this.#unvouched = 0;
    } else if (previousHash !== this.head) {
      throw new Broken(
        sequence,
        `its previousHash is ${previousHash}, entry ${this.last} hashes to ${this.head}`,
      );
    }
  }

  /** True where a checkpoint of this size agrees; throws where one does not. */
  #compareHead(size: number, hash: string): boolean {
    return this.#compare(size, "checkpoint", this.#heads.chain.get(size), hash);
  }

  /** The same of a head of the log, whose root needs every entry up to it. */
  #compareTree(size: number): boolean {
    const signed = this.#tree.size === size ? this.#heads.log.get(size) : undefined;
    if (signed === undefined) return false;
    return this.#compare(size, "head of the log", signed, toHex(this.#tree.root));
  }

  #compare(size: number, what: string, signed: string | undefined, found: string): boolean {
    if (signed === undefined) return false;
    if (signed !== found) {
      throw new Broken(
        this.agreed + 1,
        `at entry ${size} a ${what} was signed over ${signed}, the export has ${found}: ` +
          `something after entry ${this.agreed} was rewritten, and every later hash with it`,
      );
    }
    this.agreed = size;
    return true;
  }

  /** True where its proof leads to the root of a head that was given; throws where it does not. */
  #isIncluded(shown: unknown, { sequence, hash }: Shown): boolean {
    const size = member(shown, "inclusion", "treeSize");
    const signed = typeof size === "number" ? this.#heads.log.get(size) : undefined;
    if (typeof size !== "number" || signed === undefined) return false;
    const proof = member(shown, "inclusion", "proof");
    const hashes = Array.isArray(proof) ? proof.map((one) => fromBase64(one) ?? noBytes) : [];
    const root = rootOfInclusion(fromHex(hash), sequence - 1, size, hashes);
    if (root !== undefined && toHex(root) === signed) return true;
    throw new Broken(
      sequence,
      `it is not in the log: its proof does not lead to the root signed over ${size} entries`,
    );
  }

  /** Compares the fields beside the bytes with the bytes. */
  #compareFields(shown: unknown, { sequence, entry, parts }: Shown): void {
    const millis = member(entry, "timeMillis");
    const command = member(entry, "command");
    if (typeof millis !== "number" || typeof command !== "string") {
      throw new Broken(sequence, "its bytes are no entry");
    }
    const derived = {
      sequence: member(entry, "sequence"),
      id: `aud-${sequence}`,
      timestamp: Math.floor(millis / 1000),
      success: member(entry, "refused") !== true && command !== "RecordRefusal",
      action: actions.get(command) ?? member(shown, "action"),
      userId: this.#userOf([entry, ...parts], member(shown, "userId")),
    };
    for (const [name, said] of Object.entries(derived)) {
      const seen = member(shown, name);
      if (seen === said) continue;
      const words = `${JSON.stringify(said)}, it shows ${JSON.stringify(seen)}`;
      throw new Broken(sequence, `by its bytes ${name} is ${words}`);
    }
  }

  /** The sender of the command, as far as the shown parts name it. */
  #userOf(parts: readonly unknown[], shown: unknown): unknown {
    let [type, id]: unknown[] = [];
    for (const part of parts) {
      const events = member(part, "events");
      for (const event of Array.isArray(events) ? events : []) this.#keepAddress(event);
      type ??= member(part, "actor");
      // The part that names the key is that of the account whose key it is.
      if (member(part, "keyId") !== undefined) id ??= member(part, "of");
    }
    if (type !== "key") return type;
    if (typeof id !== "string") return shown;
    const known = this.#addresses.get(id);
    if (known === undefined && typeof shown === "string") this.#addresses.set(id, shown);
    return known ?? shown;
  }

  #keepAddress(event: unknown): void {
    const id = member(event, "account", "id");
    const address = member(event, "account", "address");
    if (typeof id === "string" && typeof address === "string") this.#addresses.set(id, address);
  }
}

const isHash = (value: unknown): value is string =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

// The verdict.

export interface Verdict {
  readonly holds: boolean;
  readonly brokenAt?: number;
  readonly reason?: string;
  readonly entries: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly head: string | null;
  readonly gaps: number;
  /** How many entries a signed checkpoint vouches for. */
  readonly vouched: number;
  /** Parts of others, whose hashes are in the chain. */
  readonly hidden: number;
  readonly notProven: readonly string[];
}

function verdictOf(walk: Walk, fault: Broken | undefined, hasCheckpoint: boolean): Verdict {
  const { entries, first, last, head, gaps, vouched, hidden } = walk;
  return {
    holds: fault === undefined,
    ...(fault?.sequence === undefined ? {} : { brokenAt: fault.sequence }),
    ...(fault === undefined ? {} : { reason: fault.message }),
    entries,
    first: first ?? null,
    last: entries === 0 ? null : last,
    head: entries === 0 ? null : head,
    gaps,
    vouched,
    hidden,
    notProven: fault === undefined ? openQuestions(walk, hasCheckpoint) : [],
  };
}

function openQuestions(walk: Walk, hasCheckpoint: boolean): readonly string[] {
  const { entries, first = 1, gaps, vouched, hidden } = walk;
  const questions: string[] = [];
  if (!hasCheckpoint) {
    questions.push("Without --checkpoint a rewritten chain or a cut tail is not seen.");
  } else if (vouched < entries) {
    questions.push(
      `${entries - vouched} of the entries are vouched for by no checkpoint given: ` +
        "each agrees with itself and its neighbours, no more.",
    );
  }
  if (gaps > 0) {
    questions.push(`The export has ${gaps} gaps: what stood there, or should have, is not known.`);
  }
  if (hidden > 0) {
    questions.push(
      `${hidden} parts are of others: their hashes are in the chain, not their words.`,
    );
  }
  if (first > 1) questions.push(`It begins at entry ${first}: what came before is not in it.`);
  return questions;
}

export function inWords(verdict: Verdict): string {
  const { holds, brokenAt, reason, entries, first, last, head, vouched, notProven } = verdict;
  if (!holds) {
    const place = brokenAt === undefined ? "" : `Entry ${brokenAt}: `;
    return `The export does not hold. ${place}${reason}.`;
  }
  if (entries === 0) return ["The export is empty: it proves nothing.", ...notProven].join("\n");
  const range = entries === 1 ? `entry ${first}` : `${entries} entries from ${first} to ${last}`;
  return [
    `The export holds: ${range}, every hash recomputed from its bytes, every link looked at.`,
    ...(vouched > 0 ? [`A signed checkpoint vouches for ${vouched} of them.`] : []),
    `The last hash is ${head}.`,
    ...notProven,
  ].join("\n");
}

export interface Judging {
  /** The text of signed notes, or of a saved answer with one; goes with `key`. */
  readonly notes?: string | undefined;
  /** The exchange's verifier key, as it was pinned. */
  readonly key?: string | undefined;
  /** The export has gaps, as one account's has. */
  readonly isPartial: boolean;
}

/** @throws Unusable where there is nothing to judge */
export async function judgeExport(
  chunks: AsyncIterable<Uint8Array>,
  { notes, key, isPartial }: Judging,
): Promise<Verdict> {
  if ((notes === undefined) !== (key === undefined)) {
    throw new Unusable("a checkpoint and its key go together: a note proves nothing without a key");
  }
  const hasCheckpoint = notes !== undefined && key !== undefined;
  let walk = new Walk(noHeads, isPartial);
  let fault: Broken | undefined;
  try {
    if (hasCheckpoint) {
      walk = new Walk(await readCheckpoints(notes, readVerifierKey(key)), isPartial);
    }
    const cutter = new Cutter();
    for await (const chunk of chunks) for (const text of cutter.take(chunk)) walk.take(text);
    walk.end(cutter.end());
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    fault = error;
  }
  return verdictOf(walk, fault, hasCheckpoint);
}
