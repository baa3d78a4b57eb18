// Signed notes as the database gives them: a page at a time, rising by size.
// Invariant: a note is given once, and none is passed over.
import type { Note } from "./journal.ts";

/** Entries behind the head whose notes are all kept, and from which on one in so many is. */
const NOTES_WHOLE = 10_000;
export const NOTES_APART = 1_000;

/** Of the notes below this size the last in each `NOTES_APART` entries is kept. */
export const thinnedBelow = (size: number): number =>
  Math.floor((size - NOTES_WHOLE) / NOTES_APART) * NOTES_APART;

export async function* notesOf(
  page: (after: number) => Promise<readonly Note[]>,
): AsyncGenerator<Note, undefined> {
  let after = -1;
  for (;;) {
    const notes = await page(after);
    yield* notes;
    const last = notes.at(-1);
    if (last === undefined) return undefined;
    after = last.size;
  }
}

export async function* texts(notes: AsyncIterable<Note>): AsyncGenerator<string> {
  for await (const { note } of notes) yield note;
}

/** Somebody else than the log, which has the name of the note's first line, has signed it, too. */
export const isCosigned = (note: string): boolean => {
  const own = `— ${note.slice(0, note.indexOf("\n"))} `;
  return note.split("\n").some((line) => line.startsWith("— ") && !line.startsWith(own));
};

/** The same of a column `note`. */
export const IS_COSIGNED = "note ~ (E'\\n— (?!' || split_part(note, E'\\n', 1) || ' )')";
