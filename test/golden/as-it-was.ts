// The golden journals beside the digests they had when they were written, and the words for others.
// Invariant: the same assertions for every journal, in the quick test or the long one.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import type { TestContext } from "node:test";
import { folder, journalFile, readJournal } from "./journal-file.ts";
import { replayed } from "./replay.ts";

export const expectedFile = new URL("expected.json", folder);
export const quotesFile = new URL("quotes.txt", folder);

export const HOW = "FIRSTPRINT_WRITE_GOLDENS=1 node --test test/golden/golden.test.ts";
export const otherwise = (name: string): string =>
  `test/golden/${name}.journal was written by this program and no longer replays to what it ` +
  "did: a journal that somebody keeps is read, decided, filed or hashed otherwise now. If nobody " +
  "meant that, it is the mistake this test is there to find. If it is meant: from 0.1.0 on raise " +
  "DECIDER_VERSION in src/core/decider.ts unless this release has done so; remove the journal " +
  `and write it anew, and say in the commit what in it is otherwise: ${HOW}`;
const shownOtherwise = (name: string): string =>
  `what readers are shown of test/golden/${name}.journal has changed; the journal itself holds. ` +
  `If that is meant, write it down: ${HOW}`;

interface Expected {
  readonly journals: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly quotes: string;
}

export const expected = (): Expected => JSON.parse(readFileSync(expectedFile, "utf8"));

/** Replays to its hashes, and is shown as it was. */
export async function assertAsItWas(t: TestContext, name: string): Promise<void> {
  const { shown, ...wanted } = expected().journals[name] ?? {};
  const found = await replayed(readJournal(name)).catch((cause) => {
    throw new Error(otherwise(name), { cause });
  });
  const { shown: shownNow, ...now } = found;
  assert.deepEqual(now, wanted, otherwise(name));
  assert.equal(shownNow, shown, shownOtherwise(name));
  t.diagnostic(`${now.entries} entries, head ${now.head.slice(0, 12)}`);
}

/** Replaying one takes up to a second, so that the quick test does the short ones. */
export const isShort = (name: string): boolean => statSync(journalFile(name)).size < 150_000;
