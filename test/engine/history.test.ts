// Reading history: an export is whole, whatever the size of the slices the journal gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JournalHistory } from "#engine/history.ts";
import { generateSigningKey } from "#journal/note.ts";
import { journalOf, sealedEntries } from "#test/journal/sealed.ts";

test("an export goes on after a short slice, and ends at the durable sequence", async () => {
  const entries = sealedEntries(20);
  const journal = await journalOf(entries);
  const asked: number[] = [];
  const history = new JournalHistory({
    journal: Object.assign(Object.create(journal), {
      oldest: (filter: object, after: number, upTo: number, limit: number) => {
        asked.push(after);
        return journal.oldest(filter, after, upTo, Math.min(limit, 3));
      },
    }),
    key: generateSigningKey(),
    file: undefined,
    durableSequence: () => 18,
    checkpoint: () => undefined,
  });
  const exported: number[] = [];
  for await (const { entry } of history.export({})) exported.push(entry.sequence);
  assert.deepEqual(
    exported,
    Array.from({ length: 18 }, (_, at) => at + 1),
  );
  assert.deepEqual(asked, [0, 3, 6, 9, 12, 15], "nothing is asked for beyond the end");
  const funded: number[] = [];
  for await (const { entry } of history.export({ action: "account.funded" })) {
    funded.push(entry.sequence);
  }
  assert.equal(funded.at(-1), 18);
  assert.equal(funded.length, 16);
});
