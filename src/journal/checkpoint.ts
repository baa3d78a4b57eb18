// Checkpoints: the size and head of the chain, signed (C2SP tlog-checkpoint; the root is the head).
// Invariant: a node signs only what is durable, and leads only a journal that holds all it signed.
import { ChainBreak } from "./chain.ts";
import { type Head, type JournalReader, JournalRefusal, type Note } from "./journal.ts";
import { openedByOne, openNote, type SigningKey, signNote } from "./note.ts";

/** The chain's name, and the name its key signs under. */
export const originOf = (chainId: string): string => `firstprint/${chainId}`;

/** Of the transparency log over the chain: its tree heads are another log's than the chain's. */
export const logOriginOf = (chainOrigin: string): string => `${chainOrigin}/log`;

export function signCheckpoint(key: SigningKey, origin: string, head: Head): Note {
  const text = `${origin}\n${head.size}\n${Buffer.from(head.hash, "hex").toString("base64")}\n`;
  return { size: head.size, note: signNote(key, origin, text) };
}

/** The head in the note; undefined when `key` did not sign it under `origin`. */
export function openCheckpoint(key: SigningKey, origin: string, note: string): Head | undefined {
  const [first, size = "", root = "", ...rest] = openNote(key, origin, note)?.split("\n") ?? [];
  if (first !== origin || !/^(0|[1-9][0-9]{0,15})$/.test(size) || rest.length !== 1) {
    return undefined;
  }
  return { size: Number(size), hash: Buffer.from(root, "base64").toString("hex") };
}

/** Only a key that was replaced has signed it, and the time in which it signs is over. */
const isSpent = (key: SigningKey, origin: string, note: string): boolean =>
  openedByOne(key, origin, note) === undefined &&
  (key.former ?? []).every(({ untilMillis }) => untilMillis < Date.now());

/** A newest checkpoint and where it was found. */
interface FoundCheckpoint {
  readonly place: string;
  readonly note: string | undefined;
}

/**
 * Refuses to lead a journal that is shorter than a checkpoint, has another hash at its size, is of
 * another chain, or comes with a checkpoint that our key did not sign.
 */
export async function checkWitnesses(
  journal: Pick<JournalReader, "read">,
  head: Head,
  key: SigningKey,
  origin: string | undefined,
  witnesses: readonly FoundCheckpoint[],
): Promise<void> {
  for (const { place, note } of witnesses) {
    if (note === undefined) continue;
    if (origin === undefined) throw new JournalRefusal(emptied(place, note));
    const signed = openCheckpoint(key, origin, note);
    if (signed === undefined) throw new JournalRefusal(unsigned(place, note, origin));
    if (signed.size === 0) continue;
    const [entry] = await journal.read(signed.size, 1);
    if (entry === undefined) {
      throw new JournalRefusal(
        `The journal ends at entry ${head.size}, but the checkpoint in ${place} was signed at ` +
          `entry ${signed.size}: its end has been cut off, or it is an older backup. ` +
          restore(signed.size),
      );
    }
    if (entry.sequence !== signed.size || entry.hash !== signed.hash) {
      throw new JournalRefusal(
        `The journal's hash at entry ${signed.size} is ${entry.hash}, but the checkpoint in ` +
          `${place} was signed over ${signed.hash}: the journal has been rewritten, or went on ` +
          `otherwise after an older backup. ${restore(signed.size)}`,
      );
    }
  }
}

const restore = (size: number): string =>
  "Keep this database as evidence, and restore a backup that holds that checkpoint. Where there " +
  `is none, what lies between the backup and entry ${size} is lost: docs/operating/backups.md ` +
  "says how to go on without it, by `firstprint accept-loss`.";

const emptied = (place: string, note: string): string =>
  `The journal is empty, but ${place} holds a checkpoint of ${said(note)}. Restore the database ` +
  "from a backup, or start a new exchange with an empty FIRSTPRINT_DATA_DIR of its own.";

const unsigned = (place: string, note: string, origin: string): string =>
  `The checkpoint in ${place}, of ${said(note)}, is not one that this node's checkpoint.key ` +
  `signed for ${origin}. Put the key that belongs to this journal into FIRSTPRINT_DATA_DIR, ` +
  "or find out who changed the checkpoint.";

/** The first two lines, as they may be forged: for a person to read, shortened. */
function said(note: string): string {
  const [origin = "", size = ""] = note.split("\n");
  return `${origin.slice(0, 80)} at entry ${size.slice(0, 16)}`;
}

/** Compares each signed head with the chain as a walk passes its size. */
export class CheckpointWalk {
  readonly #place: string;
  readonly #notes: AsyncIterator<string>;
  readonly #key: SigningKey;
  readonly #grows: boolean;
  #next: Head | "unread" | "end" = "unread";
  #last: string | undefined;
  #agreed = 0;

  /** `grows`: the node that leads goes on signing there, so the newest note is by its key. */
  constructor(place: string, notes: AsyncIterable<string>, key: SigningKey, grows = false) {
    this.#place = place;
    this.#notes = notes[Symbol.asyncIterator]();
    this.#key = key;
    this.#grows = grows;
  }

  /** How many entries at least one checkpoint has vouched for. */
  get agreed(): number {
    return this.#agreed;
  }

  /** The size of the next checkpoint that has something to say after `size` entries. */
  async nextSize(origin: string): Promise<number> {
    if (this.#next === "unread") this.#next = await this.#read(origin);
    return this.#next === "end" ? Number.POSITIVE_INFINITY : this.#next.size;
  }

  /** Judges every checkpoint of exactly this size. */
  async pass(head: Head, origin: string): Promise<void> {
    while ((await this.nextSize(origin)) <= head.size) {
      const signed = this.#next;
      if (typeof signed === "string") return;
      if (signed.size === head.size && signed.hash !== head.hash) {
        throw new ChainBreak(
          this.#agreed + 1,
          `the checkpoint in ${this.#place} at entry ${head.size} was signed over ` +
            `${signed.hash}, the entries hash to ${head.hash}: ` +
            `something after entry ${this.#agreed} was rewritten`,
        );
      }
      if (signed.size === head.size) this.#agreed = head.size;
      this.#next = "unread";
    }
  }

  /** The journal has ended: a checkpoint of more entries means that its tail was cut. */
  async end(head: Head, origin: string): Promise<void> {
    if (head.size === 0) {
      const { value, done } = await this.#notes.next();
      if (done === true) return;
      throw new ChainBreak(1, `the journal is empty, but ${this.#place} has ${said(value)}`);
    }
    const size = await this.nextSize(origin);
    if (this.#grows && this.#last !== undefined && isSpent(this.#key, origin, this.#last)) {
      throw new ChainBreak(
        this.#agreed,
        `the newest checkpoint in ${this.#place} is signed only by a key that was replaced, and ` +
          "whose time is over: somebody else has it, or a node still runs with it",
      );
    }
    if (size === Number.POSITIVE_INFINITY || size <= head.size) return;
    throw new ChainBreak(
      head.size + 1,
      `the journal ends, but the checkpoint in ${this.#place} was signed at entry ${size}`,
    );
  }

  async #read(origin: string): Promise<Head | "end"> {
    const { value, done } = await this.#notes.next();
    if (done === true) return "end";
    const signed = openCheckpoint(this.#key, origin, value);
    this.#last = value;
    if (signed !== undefined) return signed;
    throw new ChainBreak(
      this.#agreed + 1,
      `the checkpoint in ${this.#place} of ${said(value)} is not signed by this node's key`,
    );
  }
}
