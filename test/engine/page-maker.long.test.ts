// Snapshots made from a state of their own: the pages of the state that deciding leads to, and of
// them only what changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command } from "#core/command.ts";
import { nextDue } from "#core/due.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { PageMaker, type Pages } from "#engine/page-maker.ts";
import { noEntries } from "#journal/chain.ts";
import type { SealedEntry, SnapshotPage } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { replay, seal } from "#journal/seal.ts";
import { openSnapshot, packed, sealPages, sealSnapshot } from "#journal/snapshot.ts";
import { layer } from "#test/core/premiums.ts";
import { order, system, World } from "#test/core/world.ts";
import { readJournal } from "#test/golden/journal-file.ts";
import { goldens } from "#test/golden/made.ts";
import { journalOf } from "#test/journal/sealed.ts";
import { FaultyJournal } from "./faulty-journal.ts";
import { fund } from "./requests.ts";

const key = generateSigningKey();
const origin = "firstprint/test";

/** The pages that a database would hold of the snapshots so far. */
class Kept {
  readonly #bytes = new Map<string, Uint8Array>();
  written = 0;

  keep(sealed: Pages): readonly SnapshotPage[] {
    this.written = sealed.pages.filter(({ bytes }) => bytes !== undefined).length;
    return sealed.pages.map(({ digest, bytes = this.#bytes.get(digest) }) => {
      assert.ok(bytes !== undefined, "a page without bytes was given before");
      this.#bytes.set(digest, bytes);
      return { digest, bytes };
    });
  }
}

/** Compares every `step` entries what a maker gives with what deciding them leads to. */
async function assertFollows(entries: readonly SealedEntry[], step: number): Promise<void> {
  const journal = await journalOf(entries);
  const maker = new PageMaker({ journal, key, log: assert.fail });
  const [kept, decided] = [new Kept(), new State()];
  let head = noEntries;
  for (let from = 0; from < entries.length; from += step) {
    for (const entry of entries.slice(from, from + step)) [head] = replay(decided, head, entry);
    const sealed = await maker.pages(head.size, from === 0);
    assert.deepEqual(sealed.head, head);
    const expected = sealSnapshot(key, origin, head, decided);
    const pages = kept.keep(sealed);
    assert.deepEqual(
      pages.map(({ digest }) => digest),
      expected.pages.map(({ digest }) => digest),
      `entry ${head.size}`,
    );
    const { note, size } = sealPages(key, origin, head, sealed.pages);
    assert.equal(note, expected.note);
    const opened = openSnapshot(key, origin, { size, note, pages });
    assert.equal(stateHash(opened.state), stateHash(decided), `entry ${head.size}`);
  }
}

for (const { name } of goldens) {
  test(`${name}: what the maker gives is what deciding leads to`, async () => {
    const entries = readJournal(name);
    await assertFollows(entries, Math.ceil(entries.length / 9));
  });
}

/** Entries of a world, decided without looking at all of it at each. */
class Busy {
  readonly world = new World();
  readonly #trader = this.world.trader("one", "1000");
  readonly entries: SealedEntry[] = [];
  #head = noEntries;

  constructor() {
    this.world.print("2024-10", "300000");
    const listing = this.world.listing("2025-08", layer);
    this.world.order(order(listing, "BUY", "0.01", "0.0001"), this.#trader, listing);
    for (const entry of this.world.journal) this.#seal(entry);
  }

  /** Orders that rest but are taken back at once, all but every hundredth. */
  place(count: number): void {
    const input = order(this.world.listing("2025-08", layer), "BUY", "0.01", "0.0001");
    for (let at = 1; at <= count; at += 1) {
      this.give({ type: "PlaceOrder", order: input, listing: null });
      if (at % 100 !== 0) this.cancel(this.world.state.orderCount);
    }
  }

  cancel(number: number): void {
    this.give({ type: "CancelOrder", orderId: orderId(`ord-${number}`) });
  }

  waitADay(): void {
    this.world.nowMillis += 86_400_000 + 60_000;
    const { state, nowMillis } = this.world;
    for (let due = nextDue(state, nowMillis); due; due = nextDue(state, nowMillis)) {
      this.give(due.command, system, due.timeMillis);
    }
  }

  give(command: Command, actor: Actor = this.#trader.actor, at = this.world.nowMillis): void {
    const envelope = { timeMillis: at, actor, requestId: null, idempotency: null, command };
    const sequence = this.#head.size + 1;
    const outcome = apply(this.world.state, envelope, sequence);
    assert.ok(!isRejected(outcome), command.type);
    this.#seal({ sequence, envelope, outcome });
  }

  #seal(entry: Entry): void {
    const sealed = seal(this.#head, entry, this.world.state);
    this.#head = { size: sealed.sequence, hash: sealed.hash };
    this.entries.push(sealed);
  }
}

test("only pages that entries changed are written again; those that emptied are gone", async () => {
  const busy = new Busy();
  busy.place(9_000);
  const journal = new MemoryJournal();
  const lead = await journal.lead(() => undefined);
  let stored = 0;
  const maker = new PageMaker({ journal, key, log: assert.fail });
  const kept = new Kept();
  const next = async (): Promise<{ readonly written: number; readonly pages: number }> => {
    await lead.append(busy.entries.slice(stored));
    stored = busy.entries.length;
    const pages = kept.keep(await maker.pages(stored, false));
    const expected = sealSnapshot(key, origin, noEntries, busy.world.state).pages;
    assert.deepEqual(
      pages.map(({ digest }) => digest),
      expected.map(({ digest }) => digest),
    );
    return { written: kept.written, pages: pages.length };
  };
  const first = await next();
  assert.equal(first.written, first.pages, "all of it is new");
  assert.ok(first.pages >= 6, `${first.pages} pages, three of them of orders`);
  // The order is one of the second page; when it was done goes to the end of another.
  busy.cancel(5_001);
  assert.deepEqual(await next(), { written: 2, pages: first.pages });
  busy.waitADay();
  const later = await next();
  assert.ok(later.pages < first.pages, `${later.pages} pages`);
  busy.give(fund(1), { type: "root" });
  assert.deepEqual(await next(), { written: 1, pages: later.pages }, "no order changed");
});

test("a maker that failed begins again from what is stored", async () => {
  const busy = new Busy();
  busy.place(300);
  const memory = await journalOf(busy.entries);
  const journal = new FaultyJournal(memory, { operation: "read", call: 2, kind: "failed" });
  const maker = new PageMaker({ journal, key, log: assert.fail });
  const size = busy.entries.length;
  await assert.rejects(() => maker.pages(size, false), /planned/);
  const { pages } = await maker.pages(size, false);
  assert.ok(pages.every(({ bytes }) => bytes !== undefined));
  await assert.rejects(() => maker.pages(size + 1, false), /is not there/);
});

test("a page with another text, or pages in another order, are not what was signed", async () => {
  const entries = readJournal("trading");
  const state = new State();
  let head = noEntries;
  for (const entry of entries) [head] = replay(state, head, entry);
  const { size, note, pages } = sealSnapshot(key, origin, head, state);
  assert.ok(pages.length > 1);
  assert.equal(openSnapshot(key, origin, { size, note, pages }).head.size, head.size);
  const [first, ...others] = pages;
  assert.ok(first !== undefined);
  const [exchanged] = packed(['["orders",[]]\n']);
  const forged = [...others, { digest: first.digest, bytes: exchanged?.bytes ?? first.bytes }];
  for (const wrong of [pages.toReversed(), others, [...pages, first]]) {
    const opening = () => openSnapshot(key, origin, { size, note, pages: wrong });
    assert.throws(opening, /its bytes are damaged: its pages are not those/);
  }
  const swapped = [...forged.slice(-1), ...forged.slice(0, -1)];
  const opening = () => openSnapshot(key, origin, { size, note, pages: swapped });
  assert.throws(opening, /its bytes are damaged: those of /);
});
