// Entries found by the accounts and markets they touch: the store against a plain filter.
// Invariant: what an entry touches is told here from its events, in words of the test's own.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { apply } from "#core/apply.ts";
import { readEntry } from "#core/entry-bytes.ts";
import type { Event } from "#core/event.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { State } from "#core/state.ts";
import { noEntries } from "#journal/chain.ts";
import type { Head, SealedEntry, TouchRange } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { RULES } from "#journal/redraw.ts";
import { seal } from "#journal/seal.ts";
import { verifyJournal } from "#journal/verify.ts";
import type { Connection } from "#storage/embedded.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { createDatabase } from "#test/support/database.ts";
import { drawing } from "./sealed.ts";

const COMMANDS = 600;
const ignore = (): void => undefined;
const entries = sealedTrading(11);
const firstTold = ordersFirstTold();

/** A drawn run of trading, with settlements and voids, as the journal takes it. */
function sealedTrading(seed: number): readonly SealedEntry[] {
  const trading = new RandomTrading(seed);
  for (let at = 0; at < COMMANDS; at += 1) trading.next();
  const state = new State();
  let head: Head = noEntries;
  return trading.world.journal.map(({ sequence, envelope }) => {
    const outcome = apply(state, envelope, sequence);
    const stored = seal(head, { sequence, envelope, outcome }, state);
    head = { size: sequence, hash: stored.hash };
    return stored;
  });
}

/** By order: the entry that told of it first. */
function ordersFirstTold(): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { sequence, outcome } of entries.map(({ bytes }) => readEntry(bytes))) {
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type === "OrderChanged" && !first.has(event.order.id)) {
        first.set(event.order.id, sequence);
      }
    }
  }
  return first;
}

/** Fills are told by their parties, postings by the trader whose cash moved, and so on. */
function touchedBy(entry: Entry): ReadonlySet<string> {
  const touched = new Set<string>();
  if (isRejected(entry.outcome)) return touched;
  for (const event of entry.outcome.events) {
    if (event.type === "Filled") {
      for (const name of [event.fill.buyer, event.fill.seller, event.fill.marketId]) {
        touched.add(name);
      }
    }
    if (event.type === "Posted") {
      const { from, to } = event.posting;
      for (const name of [from, to]) {
        if (/^cash:/.test(name)) touched.add(name.split(":").slice(1).join(":"));
      }
    }
    if (event.type === "PositionChanged") {
      touched.add(event.position.accountId).add(event.position.marketId);
    }
    if (event.type === "MarketChanged" && entry.envelope.command.type !== "PublishMarks") {
      touched.add(event.market.id);
    }
  }
  for (const name of furtherOf(entry, entry.outcome.events)) touched.add(name);
  return touched;
}

/** Actions that an entry's own name hides, and whose orders went in what is about nobody. */
function furtherOf({ sequence, envelope }: Entry, events: readonly Event[]): readonly string[] {
  const { command, actor } = envelope;
  const gone = events.flatMap((event) =>
    event.type === "OrderChanged" && event.order.status === "CANCELLED" ? event.order : [],
  );
  // One that is amended, or waited while matching was held, was placed in an entry before.
  const takers = events.some(
    (event) => event.type === "Filled" && firstTold.get(event.fill.takerOrderId) === sequence,
  );
  const refused = new Set(
    events.flatMap((event) =>
      event.type === "QuoteRefused" || event.type === "OrderRefused" ? event.index : [],
    ),
  );
  const isBatch = command.type === "PlaceBatch" && command.orders.length > refused.size;
  const quoted =
    command.type === "MassQuote" &&
    command.quotes.some(({ bid, ask }, at) => (bid !== null || ask !== null) && !refused.has(at));
  const places = isBatch || command.type === "AcceptQuote" || quoted || takers;
  const isSomebodys =
    actor.type === "key" || "accountId" in command || command.type === "ExpireOrder";
  return [
    ...(places && command.type !== "PlaceOrder" ? ["action:order.placed"] : []),
    ...(gone.length > 0 && command.type !== "CancelOrder" ? ["action:order.cancelled"] : []),
    ...(isSomebodys ? [] : gone.map(({ accountId }) => accountId)),
  ];
}

async function filled(connection: Connection): Promise<void> {
  const journal = new PostgresJournal({ ...connection });
  const lead = await journal.lead(ignore);
  const draw = drawing(3);
  for (let from = 0; from < entries.length; ) {
    const size = 1 + draw(40);
    await lead.append(entries.slice(from, from + size));
    from += size;
  }
  await lead.release();
  await journal.close();
}

async function open(t: TestContext, connection: Connection): Promise<PostgresJournal> {
  const journal = new PostgresJournal({ ...connection });
  t.after(() => journal.close());
  return journal;
}

test("drawn ranges of drawn subjects: store, memory and a plain filter agree", async (t) => {
  const journal = await open(t, await createDatabase(t, filled));
  const memory = new MemoryJournal();
  const lead = await memory.lead(ignore);
  await lead.append(entries);
  const plain = entries.map(({ bytes }) => readEntry(bytes));
  const touched = plain.map(touchedBy);
  const subjects = [...new Set(touched.flatMap((names) => [...names])), "acc-999"];
  assert.ok(subjects.length > 6, "accounts and markets were touched");
  const draw = drawing(5);
  const pick = (): string => subjects[draw(subjects.length)] ?? "";
  let found = 0;
  for (let sample = 0; sample < 400; sample += 1) {
    const wanted = draw(2) === 0 ? ([pick()] as const) : ([pick(), pick()] as const);
    const after = draw(3) === 0 ? draw(entries.length) : 0;
    const before = draw(3) === 0 ? draw(entries.length) + 1 : entries.length + 1;
    const order = draw(2) === 0 ? "oldest" : "newest";
    const limit = 1 + draw(30);
    const range: TouchRange = { subjects: wanted, after, before, order };
    const expected = plain
      .filter(({ sequence }) => sequence > after && sequence < before)
      .filter(({ sequence }) => wanted.every((name) => touched[sequence - 1]?.has(name) === true))
      .map(({ sequence }) => sequence);
    if (order === "newest") expected.reverse();
    for (const source of [journal, memory]) {
      const given = await source.touching(range, limit);
      assert.deepEqual(
        given.map(({ sequence }) => sequence),
        expected.slice(0, limit),
        JSON.stringify(range),
      );
    }
    found += expected.length;
  }
  assert.ok(found > 500, `${found} entries were found`);
  assert.deepEqual(await journal.touches(1, 9_999), await memory.touches(1, 9_999));
});

test("pages by party, action and resource: store, memory and a plain filter agree", async (t) => {
  const journal = await open(t, await createDatabase(t, filled));
  const memory = new MemoryJournal();
  await (await memory.lead(ignore)).append(entries);
  const touched = entries.map(({ bytes }) => touchedBy(readEntry(bytes)));
  const party = (name: string) => (entry: SealedEntry) =>
    entry.concerns === name || touched[entry.sequence - 1]?.has(name) === true;
  const did = (action: string) => (entry: SealedEntry) =>
    entry.action === action || touched[entry.sequence - 1]?.has(`action:${action}`) === true;
  const placed = entries.find(({ action }) => action === "order.placed")?.resource ?? "";
  for (const [filter, isWanted] of [
    [{ party: "acc-1" }, party("acc-1")],
    [{ party: "acc-2", action: "order.cancelled" }, both(party("acc-2"), did("order.cancelled"))],
    [{ action: "order.placed" }, did("order.placed")],
    [{ action: "order.cancelled" }, did("order.cancelled")],
    [{ resource: placed }, ({ resource }: SealedEntry) => resource === placed],
  ] as const) {
    const expected = entries.filter(isWanted).map(({ sequence }) => sequence);
    assert.ok(expected.length > 0, JSON.stringify(filter));
    expected.reverse();
    for (const source of [journal, memory]) {
      const found = await source.newest(filter, 9_999, 7, 3);
      assert.deepEqual(
        found.map(({ sequence }) => sequence),
        expected.slice(3, 10),
        JSON.stringify(filter),
      );
      const after = expected[4] ?? 0;
      const newer = await source.newest({ ...filter, after }, 9_999, 7, 0);
      assert.deepEqual(
        newer.map(({ sequence }) => sequence),
        expected.slice(0, 7).filter((sequence) => sequence > after),
        `${JSON.stringify(filter)} after ${after}`,
      );
      const counts = await source.counts(filter, 9_999);
      const total = counts.reduce((sum, { count }) => sum + count, 0);
      assert.equal(total, expected.length, JSON.stringify(filter));
    }
  }
});

const both =
  (one: (entry: SealedEntry) => boolean, other: (entry: SealedEntry) => boolean) =>
  (entry: SealedEntry): boolean =>
    one(entry) && other(entry);

test("a store of before: its next leader draws what stands beside the entries", async (t) => {
  const connection = await createDatabase(t, filled);
  const client = new Client({ ...connection });
  client.on("error", ignore);
  await client.connect();
  t.after(() => client.end());
  const key = generateSigningKey();
  await client.query("UPDATE journal SET resource = 'another'");
  await client.query("DELETE FROM journal_touch WHERE subject LIKE 'action:%'");
  await client.query("INSERT INTO journal_touch (sequence, subject) VALUES (1, 'acc-1')");
  await client.query("UPDATE drawn SET rules = 0");
  const journal = await open(t, connection);
  assert.equal((await verifyJournal(journal, { key })).valid, false);
  await (await journal.lead(ignore)).release();
  const verified = await verifyJournal(journal, { key });
  assert.deepEqual([verified.valid, verified.reason], [true, undefined]);
  const { rows } = await client.query("SELECT rules FROM drawn");
  assert.deepEqual(rows, [{ rules: RULES }]);
});

/**
 * An order that marks cancel because it would do harm now is found by its account and its own name.
 */
function cancelledBy({ outcome }: Entry): readonly string[] {
  assert.ok(!isRejected(outcome));
  const touched = new Set<string>();
  for (const event of outcome.events) {
    if (event.type !== "OrderChanged") continue;
    const { accountId, id, clientOrderId, status, cancelReason } = event.order;
    assert.deepEqual([status, cancelReason], ["CANCELLED", "MARGIN"]);
    const number = id.slice("ord-".length).padStart(16, "0");
    touched.add(accountId).add("action:order.cancelled").add(`order:${accountId}|${number}`);
    if (clientOrderId !== null) touched.add(`client:${accountId}|${clientOrderId}`);
  }
  return [...touched].sort();
}

test("marks touch no market, and a refusal touches nobody", () => {
  const touches = entries.map((stored) => ({ ...stored, entry: readEntry(stored.bytes) }));
  const marks = touches.filter(({ entry }) => entry.envelope.command.type === "PublishMarks");
  assert.ok(marks.length > 0, "marks were published");
  for (const { entry, touches: found } of marks) assert.deepEqual(found, cancelledBy(entry));
  assert.ok(
    marks.some(({ touches: none }) => none.length === 0),
    "most touch nothing",
  );
  const refused = touches.filter(({ entry }) => isRejected(entry.outcome));
  assert.ok(refused.length > 0, "something was refused");
  for (const { touches: none } of refused) assert.deepEqual(none, []);
});

test("a touch taken away or added is found at its entry", async (t) => {
  const connection = await createDatabase(t, filled);
  const journal = await open(t, connection);
  const client = new Client({ ...connection });
  client.on("error", ignore);
  await client.connect();
  t.after(() => client.end());
  const key = generateSigningKey();
  const judged = () => verifyJournal(journal, { key });
  assert.equal((await judged()).valid, true);

  const [touch] = await journal.touches(40, entries.length);
  assert.ok(touch !== undefined);
  const { sequence, subject } = touch;
  const change = async (sql: string, values: readonly unknown[], undo: string) => {
    await client.query(sql, [...values]);
    const { brokenAt, reason = "" } = await judged();
    assert.equal(brokenAt, sequence, reason);
    assert.match(reason, /filed as touching/);
    await client.query(undo, [sequence, subject]);
    assert.equal((await judged()).valid, true);
  };
  const place = "sequence = $1 AND subject = $2";
  const put = "INSERT INTO journal_touch (sequence, subject) VALUES ($1, $2)";
  await change(`DELETE FROM journal_touch WHERE ${place}`, [sequence, subject], put);
  await change(
    put,
    [sequence, "acc-999"],
    "DELETE FROM journal_touch WHERE sequence = $1 AND subject <> $2 AND subject = 'acc-999'",
  );
});
