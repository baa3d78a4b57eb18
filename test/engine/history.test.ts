// Reading history: an export is whole, whatever the size of the slices the journal gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HistoryBusy } from "#engine/engine.ts";
import { JournalHistory } from "#engine/history.ts";
import { SLICE_ENTRIES } from "#journal/journal.ts";
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

test("a page is read a slice at a time, as it is taken, whatever came meanwhile", async () => {
  const journal = await journalOf(sealedEntries(1_400));
  const asked: number[] = [];
  let durable = 1_300;
  const history = new JournalHistory({
    journal: Object.assign(Object.create(journal), {
      newest: (filter: object, upTo: number, limit: number, offset: number) => {
        asked.push(limit);
        return journal.newest(filter, upTo, limit, offset);
      },
    }),
    key: generateSigningKey(),
    file: undefined,
    logFile: undefined,
    log: () => undefined,
    durableSequence: () => durable,
    checkpoint: () => undefined,
  });
  const page: number[] = [];
  for await (const { entry } of history.newest({}, 1_000, 50)) {
    if (page.length < SLICE_ENTRIES) assert.deepEqual(asked, [SLICE_ENTRIES]);
    durable = 1_400;
    page.push(entry.sequence);
  }
  assert.deepEqual(
    page,
    Array.from({ length: 1_000 }, (_, at) => 1_250 - at),
  );
  assert.deepEqual(asked, [SLICE_ENTRIES, 1_000 - SLICE_ENTRIES]);
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
  const pages = Array.from({ length: 64 }, () => Array.fromAsync(history.newest({}, 1_000, 0)));
  await assert.rejects(Array.fromAsync(history.newest({}, 1_000, 0)), HistoryBusy);
  await assert.rejects(history.entry(1), HistoryBusy);
  assert.equal((await exported.next()).done, false);
  assert.equal((await history.after(0, 10)).length, 4, "readers of the stream take turns");
  release();
  for (const page of await Promise.all(pages)) assert.equal(page.length, 4);
  assert.equal((await Array.fromAsync(history.newest({}, 1_000, 0))).length, 4);
});
