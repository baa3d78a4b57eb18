// Journals of this program's past replay to the very hashes they had, and are shown as they were.
// Invariant: FIRSTPRINT_WRITE_GOLDENS=1 writes the journals that are missing, and none over
// another.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { before, test } from "node:test";
import { readEntry } from "#core/entry-bytes.ts";
import { entryHash } from "#journal/chain.ts";
import type { SealedEntry } from "#journal/journal.ts";
import { wordsOf } from "#test/core/words.ts";
import { actions } from "../../tools/audit-actions.ts";
import {
  assertAsItWas,
  expected,
  expectedFile,
  HOW,
  isShort,
  otherwise,
  quotesFile,
} from "./as-it-was.ts";
import { digests } from "./digests.ts";
import { journalFile, readJournal, writeJournal } from "./journal-file.ts";
import { type Golden, goldens } from "./made.ts";
import { quoteLines } from "./quotes.ts";
import { replayed } from "./replay.ts";

const asked = process.env.FIRSTPRINT_WRITE_GOLDENS;
assert.ok(asked === undefined || asked === "1", "FIRSTPRINT_WRITE_GOLDENS is 1 or not set");
const writes = asked === "1";

function writeMissing({ name, make }: Golden): void {
  const file = journalFile(name);
  if (!existsSync(file)) writeFileSync(file, writeJournal(make()));
}

before(async () => {
  if (!writes) return;
  const known = existsSync(expectedFile) ? expected().journals : {};
  for (const golden of goldens) writeMissing(golden);
  const found = await digests();
  for (const [name, { head, stateHash }] of Object.entries(found.journals)) {
    const past = known[name];
    if (past?.head === head) assert.equal(stateHash, past.stateHash, otherwise(name));
  }
  writeFileSync(expectedFile, `${JSON.stringify(found, null, 2)}\n`);
  writeFileSync(quotesFile, [...quoteLines()].map((line) => `${line}\n`).join(""));
});

for (const { name, meets } of goldens) {
  if (isShort(name)) {
    test(`${name}: replays to its hashes, and is shown as it was`, (t) => assertAsItWas(t, name));
  }

  test(`${name}: meets what it is for`, () => {
    const words = new Set(readJournal(name).flatMap(({ bytes }) => [...wordsOf(readEntry(bytes))]));
    assert.deepEqual(
      meets.filter((word) => !words.has(word)),
      [],
      "written anew from a seed that draws otherwise by now: take another in test/golden/made.ts",
    );
  });
}

test("every command there is has been accepted in one of them", () => {
  const words = new Set<string>();
  for (const { name } of goldens) {
    for (const { bytes } of readJournal(name)) {
      for (const word of wordsOf(readEntry(bytes))) words.add(word);
    }
  }
  assert.deepEqual(
    [...actions.keys()].filter((command) => !words.has(command)),
    [],
    "extend test/golden/operations.ts",
  );
});

/** The entry in which somebody pays, with one digit of it another. */
function tampered(entries: readonly SealedEntry[], reseals: boolean): readonly SealedEntry[] {
  const pays = Buffer.from('"amountMicros":"');
  const at = entries.findLastIndex(({ bytes }) => Buffer.from(bytes).includes(pays));
  let previous = entries[at - 1]?.hash ?? "";
  return entries.map((entry, index) => {
    if (index < at) return entry;
    const text = Buffer.from(entry.bytes).toString("utf8");
    const changed = text.replace(/"amountMicros":"\d/, (found) => {
      return found.slice(0, -1) + ((Number(found.at(-1)) % 9) + 1);
    });
    const bytes = Buffer.from(index === at ? changed : text, "utf8");
    if (!reseals) return { ...entry, bytes };
    previous = entryHash(previous, entry.sequence, bytes);
    return { ...entry, bytes, hash: previous };
  });
}

test("a digit changed is found; with every later hash made to fit, it is found too", async () => {
  const entries = readJournal("trading");
  await assert.rejects(replayed(tampered(entries, false)), /its bytes hash to/);
  const found = /gives another outcome|decided again|adds up/;
  await assert.rejects(replayed(tampered(entries, true)), found);
});

test("quotes and marks are what they were, to the last digit", (t) => {
  const written = readFileSync(quotesFile, "utf8").split("\n").slice(0, -1);
  const now = [...quoteLines()];
  for (const [at, line] of now.entries()) {
    assert.equal(line, written[at], `the model answers otherwise; if that is meant: ${HOW}`);
  }
  assert.equal(now.length, written.length);
  const priced = now.filter((line) => line.includes('"price"')).length;
  assert.ok(priced > 150, `${priced} are priced`);
  t.diagnostic(`${now.length} questions, ${priced} quotes`);
});
