// Checkpoints outside the database: notes one after another in one file, each fsynced.
// Invariant: after `append` returns, the note survives a power cut; a torn last note is no note.
// The newest note never leaves the file, and of the old ones the last in each thousand entries.
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "#base/error-code.ts";
import { syncFolder } from "#storage/secret-file.ts";
import { JournalRefusal } from "./journal.ts";
import { NOTES_APART, thinnedBelow } from "./note-pages.ts";

/** Of the chain, and of the transparency log over it. */
const FILES = { chain: "checkpoints", log: "log-checkpoints" } as const;
type Signed = keyof typeof FILES;

const TAIL_BYTES = 4096;
/** A file of this size is thinned out, and again when it is twice as long as that left it. */
const THINNED_FROM_BYTES = 16 * 2 ** 20;
const LINES_IN_NOTE = 5;
/** Starts the last line of every note. */
const SIGNATURE_MARK = Buffer.from("\n— ");

/** Checkpoints that somebody with the database in hand cannot reach. */
export interface CheckpointLog {
  /** For a person to find it by. */
  readonly path: string;
  newest(): string | undefined;
  append(note: string): Promise<void>;
  /** Those kept, oldest first. */
  notes(): AsyncIterable<string>;
}

export class CheckpointFile implements CheckpointLog {
  readonly path: string;
  #file: FileHandle;
  #newest: string | undefined;
  /** Where the last whole note ends. */
  #end: number;
  #isTorn = false;
  #thinnedAt = THINNED_FROM_BYTES;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, file: FileHandle, newest: string | undefined, end: number) {
    this.path = path;
    this.#file = file;
    this.#newest = newest;
    this.#end = end;
  }

  /** Opens `<dataDir>/checkpoints` for appending; what a crash left half-written is cut away. */
  static async open(dataDir: string, of: Signed = "chain"): Promise<CheckpointFile> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const path = join(dataDir, FILES[of]);
    const file = await open(path, "a+", 0o644);
    try {
      const { size } = await file.stat();
      if (size === 0) await syncFolder(dataDir);
      const { newest, end } = await lastNote(file, size, path);
      if (end < size) {
        await file.truncate(end);
        await file.sync();
      }
      return new CheckpointFile(path, file, newest, end);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  newest(): string | undefined {
    return this.#newest;
  }

  /** One after another: a term that is over may still be writing when the next one begins. */
  append(note: string): Promise<void> {
    const writing = this.#last.then(() => this.#write(note));
    this.#last = writing.catch(() => undefined);
    return writing;
  }

  async #write(note: string): Promise<void> {
    if (note === this.#newest) return;
    // A note cut in half by a full disk would stand in the middle of all later notes.
    if (this.#isTorn) await this.#file.truncate(this.#end);
    this.#isTorn = true;
    await this.#file.appendFile(note);
    await this.#file.datasync();
    this.#isTorn = false;
    this.#end += Buffer.byteLength(note);
    this.#newest = note;
    if (this.#end > this.#thinnedAt) await this.#thin();
  }

  /** Writes the notes that stay beside the file, and puts them in its place. */
  async #thin(): Promise<void> {
    const beside = `${this.path}.thinned`;
    await rm(beside, { force: true });
    const file = await open(beside, "a+", 0o644);
    try {
      await writeFile(file, stayingOf(this.notes(), sizeIn(this.#newest ?? "")));
      await file.sync();
      await rename(beside, this.path);
      await syncFolder(dirname(this.path));
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#file.close();
    this.#file = file;
    this.#end = (await file.stat()).size;
    this.#thinnedAt = Math.max(THINNED_FROM_BYTES, 2 * this.#end);
  }

  notes(): AsyncIterable<string> {
    return notesOf(this.path);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** The notes kept in `<dataDir>/checkpoints`, oldest first; none where there is no file. */
export const checkpointNotes = (dataDir: string, of: Signed = "chain"): AsyncIterable<string> =>
  notesOf(join(dataDir, FILES[of]));

/** Without the notes that another of the same thousand entries follows, far behind the newest. */
async function* stayingOf(notes: AsyncIterable<string>, newest: number): AsyncGenerator<string> {
  const below = thinnedBelow(newest);
  let before: string | undefined;
  for await (const note of notes) {
    if (before !== undefined && !(sizeIn(note) < below && isSameThousand(before, note))) {
      yield before;
    }
    before = note;
  }
  if (before !== undefined) yield before;
}

const isSameThousand = (one: string, other: string): boolean =>
  Math.floor(sizeIn(one) / NOTES_APART) === Math.floor(sizeIn(other) / NOTES_APART);

/** Entries that a note speaks of: its second line. */
const sizeIn = (note: string): number => Number(note.split("\n", 2)[1]);

async function* notesOf(path: string): AsyncGenerator<string> {
  let lines: string[] = [];
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
      const pieces = `${rest}${chunk}`.split("\n");
      // A line without its newline is still being written, or was torn by a crash.
      rest = pieces.pop() ?? "";
      for (const line of pieces) {
        lines.push(line);
        if (lines.length < LINES_IN_NOTE) continue;
        yield `${lines.join("\n")}\n`;
        lines = [];
      }
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** The last whole note and the offset at which it ends. */
async function lastNote(
  file: FileHandle,
  size: number,
  path: string,
): Promise<{ readonly newest: string | undefined; readonly end: number }> {
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - from);
  await file.read(tail, 0, tail.length, from);
  const { newest, length } = wholeNote(tail);
  const rest = tail.subarray(length);
  // A crash can tear only the last note; anything more was not written by us.
  if (rest.toString("latin1").split("\n").length > LINES_IN_NOTE || rest.length === TAIL_BYTES) {
    throw new JournalRefusal(
      `${path} ends in something that is no checkpoint. Restore it from a backup, ` +
        "or find out who changed it.",
    );
  }
  return { newest, end: from + length };
}

/** The last note in `tail` that has its signature line to the end, and where it ends. */
function wholeNote(tail: Buffer): { readonly newest: string | undefined; readonly length: number } {
  let mark = tail.lastIndexOf(SIGNATURE_MARK);
  while (mark > 0) {
    const newline = tail.indexOf("\n", mark + 1);
    if (newline >= 0) {
      const lines = tail.subarray(0, newline).toString("utf8").split("\n");
      return { newest: `${lines.slice(-LINES_IN_NOTE).join("\n")}\n`, length: newline + 1 };
    }
    mark = tail.lastIndexOf(SIGNATURE_MARK, mark - 1);
  }
  return { newest: undefined, length: 0 };
}
