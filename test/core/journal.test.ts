// The core's side of a journal: the outcomes that are entries, bytes that read back, answers kept,
// things due in their order, and a snapshot that forgets nothing.
// Invariant: only what is journalled leaves a trace.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, marketId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { answerName } from "#core/apply.ts";
import type { Command } from "#core/command.ts";
import { DueQueue } from "#core/due-queue.ts";
import {
  entryBytes,
  inSections,
  ownerOfPart,
  readAsked,
  readEntry,
  type Sections,
  sectionsOf,
} from "#core/entry-bytes.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { order, root, type Trader, World } from "./world.ts";

const HOUR_MILLIS = 3_600_000;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const cancelNothing: Command = { type: "CancelOrder", orderId: orderId("ord-99") };

function small(): { world: World; anna: Trader } {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "10");
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  return { world, anna };
}

const salt = "5".repeat(32);

test("entries read back as they were written, refusals too", () => {
  const { world, anna } = small();
  const much = order({ marketId: marketIdOf(world) }, "BUY", "5000", "0.9");
  world.try(anna.actor, { type: "PlaceOrder", order: much, listing: null });
  assert.ok(world.journal.some(({ outcome }) => isRejected(outcome)));
  for (const entry of world.journal) {
    assert.deepEqual(readEntry(entryBytes(entry, salt)), entry);
  }
});

test("the bytes of an entry stay while others are written: short, long, not ASCII", () => {
  const { world } = small();
  const memos = ["plain", "größer", "x".repeat(30_000), "ü".repeat(4_000)];
  const entries = Array.from({ length: 200 }, (_, at) => {
    const command: Command = {
      type: "FundAccount",
      accountId: accountId("acc-1"),
      amountMicros: micros(1n),
      memo: `${at} ${memos[at % memos.length]}`,
    };
    const envelope = { timeMillis: world.nowMillis, actor: root, requestId: null, command };
    return {
      sequence: at + 1,
      envelope: { ...envelope, idempotency: null },
      outcome: { events: [] },
    };
  });
  const written = entries.map((entry) => entryBytes(entry, salt));
  for (const [at, bytes] of written.entries()) assert.deepEqual(readEntry(bytes), entries[at]);
});

test("an entry lies in its sections as they are found in its bytes, not ASCII too", () => {
  const { world, anna } = small();
  const word = (memo: string): Command => ({
    type: "FundAccount",
    accountId: anna.id,
    amountMicros: micros(1n),
    memo,
  });
  for (const memo of ["plain", "größer ♞ 🏠", "x".repeat(30_000), "ü".repeat(9_000)]) {
    world.do(root, word(memo));
  }
  const owners = new Set<unknown>();
  let notAscii = 0;
  for (const entry of world.journal) {
    const { bytes, sections } = inSections(entry, salt);
    assert.deepEqual(Buffer.from(bytes), Buffer.from(entryBytes(entry, salt)));
    const found = sectionsOf(bytes);
    const textsOf = ({ open, salt: salted, closed }: Sections) => [
      salted,
      ...[open, ...closed].map((part) => Buffer.from(part).toString()),
    ];
    assert.deepEqual(textsOf(sections), textsOf(found));
    if (Buffer.from(bytes).toString().length < bytes.length) notAscii += 1;
    for (const part of found.closed) owners.add(ownerOfPart(part));
  }
  assert.equal(notAscii, 2);
  assert.ok(owners.has(anna.id) && owners.has("exchange") && !owners.has(undefined));
  const partOf = (text: string) => ownerOfPart(new TextEncoder().encode(text));
  assert.deepEqual(['{"of":"acc-7"}', "{}", "null", '"of"', "7"].map(partOf), [
    "acc-7",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("text that is not UTF-8 is no entry", () => {
  const bytes = Buffer.concat([Buffer.from('{"version":1,"sequence":1,"a":"'), Buffer.of(0xff)]);
  assert.throws(() => readEntry(Buffer.concat([bytes, Buffer.from('"}')])), TypeError);
});

const marketIdOf = (world: World) => [...world.state.markets.keys()].at(0) ?? assert.fail();

test("bytes that hold no entry are refused", () => {
  for (const text of [
    "{}",
    "[]",
    "null",
    '{"version":0,"sequence":1,"envelope":{},"outcome":{}}',
    '{"version":1,"sequence":1,"envelope":{},"outcome":{}}',
    '{"version":1,"sequence":1,"events":[[1,{"type":"Founded"}]]}',
    `{"version":1,"sequence":1,"events":[]}\u001e${salt}`,
    '{"version":1,"sequence":1,"events":[]}\u001eS\u001e{"of":"exchange"}',
  ]) {
    assert.throws(() => readEntry(new TextEncoder().encode(text)), /no entry/);
  }
  assert.throws(() => decodeState(["{}"]), /snapshot/);
});

test("an entry of an older form, or of a newer, is refused with what to do", () => {
  const [entry] = small().world.journal;
  assert.ok(entry !== undefined);
  const text = Buffer.from(entryBytes(entry, salt)).toString("utf8");
  for (const version of [0, 2]) {
    const bytes = Buffer.from(text.replace('{"version":1,', `{"version":${version},`));
    const refused = /no entry of version 1: start the version of this program that wrote the store/;
    assert.throws(() => readEntry(bytes), refused);
    assert.throws(() => readAsked(bytes), refused);
  }
});

test("a refusal is an entry when it matters to an auditor, or may be asked for again", () => {
  const { world, anna } = small();
  const head = world.sequence;
  const before = world.state.lastTimeMillis;
  world.nowMillis += 1;
  world.refused(anna.actor, cancelNothing);
  assert.equal(world.sequence, head, "a plain refusal is no entry");
  assert.equal(world.state.lastTimeMillis, before, "and leaves no trace, not even of its time");
  world.refused(root, { type: "CancelAll", marketId: null });
  assert.equal(world.sequence, head + 1, "a missing right is");
  world.try(anna.actor, cancelNothing, { key: "k", digest: "d" });
  assert.equal(world.sequence, head + 2, "a refusal with a key is");
});

test("answers are kept 24 hours, one space a caller, through a snapshot, outside the hash", () => {
  const { world, anna } = small();
  const hash = stateHash(world.state);
  world.try(anna.actor, cancelNothing, { key: "k", digest: "one" });
  world.try(root, { type: "LoadGeo", nodes: [], sha256: "" }, { key: "k", digest: "two" });
  const mine = answerName(anna.actor, "k");
  const theirs = answerName(root, "k");
  assert.notEqual(mine, theirs);
  assert.equal(stateHash(world.state), hash, "the hash covers neither answers nor time");
  const restored = decodeState(encodeState(world.state));
  assert.deepEqual([...restored.answers], [...world.state.answers]);
  assert.equal(restored.lastTimeMillis, world.state.lastTimeMillis);
  assert.equal(restored.answers.get(mine)?.digest, "one");

  world.nowMillis += 24 * HOUR_MILLIS - 1;
  world.fund(anna, micros(1n));
  assert.ok(world.state.answers.has(mine) && world.state.answers.has(theirs));
  world.nowMillis += 1;
  world.fund(anna, micros(1n));
  assert.equal(world.state.answers.size, 0);
});

test("things due come out by time, then by kind, then by age", () => {
  const kinds = fc.constantFrom(
    "ExpireKyc" as const,
    "FinalizeMarket" as const,
    "ExpireOrder" as const,
  );
  const items = fc.array(fc.tuple(fc.nat(6), kinds, fc.integer({ min: 1, max: 12 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(items, (drawn) => {
      const queue = new DueQueue();
      for (const [atMillis, kind, number] of drawn)
        queue.add({ atMillis, command: due(kind, number) });
      const order = ["ExpireOrder", "ExpireKyc", "FinalizeMarket"];
      const expected = drawn.toSorted(
        ([timeA, kindA, a], [timeB, kindB, b]) =>
          timeA - timeB || order.indexOf(kindA) - order.indexOf(kindB) || a - b,
      );
      for (const [atMillis, kind, number] of expected) {
        assert.deepEqual(queue.first(), { atMillis, command: due(kind, number) });
        queue.dropFirst();
      }
      assert.equal(queue.first(), undefined);
    }),
  );
});

function due(kind: "ExpireKyc" | "FinalizeMarket" | "ExpireOrder", number: number) {
  if (kind === "ExpireOrder") return { type: kind, orderId: orderId(`ord-${number}`) };
  if (kind === "ExpireKyc") return { type: kind, accountId: accountId(`acc-${number}`) };
  return { type: kind, marketId: marketId(`mkt-${number}`) };
}
