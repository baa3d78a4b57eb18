// Reading history: an export is whole, whatever the size of the slices the journal gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HistoryBusy } from "#engine/engine.ts";
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
    logFile: undefined,
    log: () => undefined,
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
  for await (const { entry } of history.export({ action: "guarantee.funded" })) {
    funded.push(entry.sequence);
  }
  assert.equal(funded.at(-1), 18);
  assert.equal(funded.length, 16);
});

test("entries beyond what can be asked at once are refused, not a slice under way", async () => {
  const journal = await journalOf(sealedEntries(4));
  let release: () => void = () => undefined;
  const held = new Promise<void>((go) => {
    release = go;
  });
  const history = new JournalHistory({
    journal: new Proxy(journal, {
      get: (_target, name) => {
        const own = Reflect.get(journal, name).bind(journal);
        return name === "newest" ? (...asked: object[]) => held.then(() => own(...asked)) : own;
      },
    }),
    key: generateSigningKey(),
    file: undefined,
    logFile: undefined,
    log: () => undefined,
    durableSequence: () => 4,
    checkpoint: () => undefined,
  });
  const exported = history.export({})[Symbol.asyncIterator]();
  assert.equal((await exported.next()).done, false);
  const pages = Array.from({ length: 32 }, () => history.page({}, 1_000, 0));
  await assert.rejects(history.page({}, 1_000, 0), HistoryBusy);
  await assert.rejects(history.entry(1), HistoryBusy);
  assert.equal((await exported.next()).done, false);
  assert.equal((await history.after(0, 10)).length, 4, "readers of the stream take turns");
  release();
  for (const page of await Promise.all(pages)) assert.equal(page.length, 4);
  assert.equal((await history.page({}, 1_000, 0)).length, 4);
});
