// The content of every trader's export, over all stories and many random histories.
// Invariant: nothing of another account; every hash follows from what is shown; an auditor has all.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { AccountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { apply } from "#core/apply.ts";
import { encode } from "#core/codec.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Account, Key, KycTier } from "#core/records.ts";
import { State } from "#core/state.ts";
import { JournalHistory } from "#engine/history.ts";
import { exportedEntry, isSealedWhole } from "#http/trading/audit-entry.ts";
import { noEntries } from "#journal/chain.ts";
import type { SealedEntry } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { seal } from "#journal/seal.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { order, World } from "#test/core/world.ts";
import { governance } from "#test/golden/governance.ts";
import { operations } from "#test/golden/operations.ts";
import { Scenario } from "#test/scenarios/exchange.ts";
import { tell } from "#test/scenarios/language.ts";
import { entryShown, hashOfPart, hashOfShown, namedParts } from "#test/support/disclosed.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { ExchangeView } from "#views/exchange.ts";

const stories = new URL("../scenarios/", import.meta.url);

function* told(): Generator<readonly [string, readonly Entry[]]> {
  for (const name of readdirSync(stories).filter((file) => file.endsWith(".txt"))) {
    const story = new Scenario();
    story.world.judgesRefusals = false;
    for (const line of readFileSync(new URL(name, stories), "utf8").split("\n")) {
      if (line.startsWith("> ")) tell(story, line.slice(2));
    }
    yield [name, story.world.journal];
  }
  yield ["governance", governance()];
  yield ["operations", operations()];
  yield ["opened by an operator", opened()];
  for (const seed of [11, 23, 47, 88, 1297]) {
    const trading = new RandomTrading(seed);
    trading.world.judgesRefusals = false;
    for (let count = 0; count < 250; count += 1) trading.next();
    yield [`seed ${seed}`, trading.world.journal];
  }
}

/** Traders' accounts that an operator opened: one alone, one beside another of its owner. */
function opened(): readonly Entry[] {
  const world = new World();
  const anna = world.trader("anna", "10");
  const olga = world.open("olga", "operator");
  const bela = world.openAs(olga.actor, "bela", "trader", anna.id);
  const cleo = world.openAs(olga.actor, "cleo", "trader");
  for (const one of [bela, cleo]) {
    world.approve(one, "basic");
    world.fund(one, micros(1_000_000n));
  }
  return world.journal;
}

interface Kept {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly state: State;
  readonly sealed: readonly SealedEntry[];
  exportOf(account: Account): Promise<readonly object[]>;
}

async function kept(name: string, entries: readonly Entry[]): Promise<Kept> {
  const state = new State();
  let head = noEntries;
  const sealed = entries.map((entry) => {
    apply(state, entry.envelope, entry.sequence);
    const stored = seal(head, entry, state);
    head = { size: stored.sequence, hash: stored.hash };
    return stored;
  });
  const journal = new MemoryJournal();
  await (await journal.lead(() => undefined)).append(sealed);
  const history = new JournalHistory({
    journal,
    key: generateSigningKey(),
    file: undefined,
    durableSequence: () => head.size,
    checkpoint: () => undefined,
    logFile: undefined,
    log: () => undefined,
  });
  const view = ExchangeView.from(state);
  const exportOf = async (account: Account) => {
    const scope = account.role === "trader" ? { party: account.id } : {};
    const actor = { type: "system" } as const;
    const caller = { type: "key" as const, actor, account, key: keyOf(state, account.id) };
    const shown: object[] = [];
    for await (const chained of history.export(scope)) {
      shown.push(JSON.parse(JSON.stringify(exportedEntry(chained, caller, { view }))));
    }
    return shown;
  };
  return { name, entries, state, sealed, exportOf };
}

/** Drawn and sealed once: no test changes them. */
const histories: readonly Kept[] = await Promise.all(
  Array.from(told(), ([name, entries]) => kept(name, entries)),
);

function keyOf(state: State, id: AccountId): Key {
  return [...state.keys.values()].find(({ accountId }) => accountId === id) ?? assert.fail(id);
}

const textOf = (value: unknown): string =>
  Buffer.from(textAt(value, "bytes"), "base64").toString("utf8");

/** Every text in a JSON value, and every name that is not a field's. */
function* words(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!/^([a-z][A-Za-z0-9]*|[0-9]+)$/.test(name)) yield name;
    yield* words(inner);
  }
}

/** Names of people in stories that an entry has its own use for. */
const vocabulary = new Set(["maker", "taker", "trader"]);

const namesOf = (state: State, id: AccountId): readonly string[] => {
  const account = state.account(id);
  const keys = [...state.keys.values()].filter(({ accountId }) => accountId === id);
  const orders = [...state.orders.values()].filter(({ accountId }) => accountId === id);
  const accepted = [...state.acceptances.values()].filter(({ accountId }) => accountId === id);
  return [
    ...[id, `cash:${id}`],
    account.name,
    // The operators of the exchange are known; the other traders are not.
    ...(account.role === "trader" ? [account.address] : []),
    ...keys.flatMap((key) => [key.id, key.label, key.digest]),
    ...orders.flatMap((order) => [order.id, order.clientOrderId ?? order.id]),
    ...accepted.map((acceptance) => acceptance.id),
  ].filter((name) => !vocabulary.has(name));
};

/** Records that name no account, but are somebody's: the balance a posting left, a refusal. */
function checkOwn(part: unknown, id: AccountId): void {
  assert.equal(at(part, "of"), id);
  for (const event of at(part, "events") === undefined ? [] : listAt(part, "events")) {
    for (const [side, left] of [
      ["from", "fromMicros"],
      ["to", "toMicros"],
    ] as const) {
      if (at(event, left) === undefined) continue;
      // A side that is left out is that of whose part it is.
      const name = at(event, "posting", side) ?? `cash:${id}`;
      assert.equal(name, `cash:${id}`, `what is ${left} is its own`);
    }
    for (const record of ["order", "position", "acceptance", "alert", "protection", "key"]) {
      const whose = at(event, record, "accountId") ?? id;
      if (at(event, record) !== undefined) assert.equal(whose, id, record);
    }
    const account = at(event, "account", "id");
    if (account !== undefined) assert.equal(account, id);
  }
}

/** A bid has its bidder; a quote that lapses may end the request of another account. */
function partiesOf(entry: Entry | undefined): number {
  if (entry === undefined || isRejected(entry.outcome)) return 1;
  const ids = entry.outcome.events.flatMap((event) =>
    "accountId" in event ? [event.accountId] : [],
  );
  return Math.max(1, new Set(ids).size);
}

/** The records of an entry that every party to it sees. */
const openRecords = new Set(["level", "market", "fill"]);
/** A request for quotes, as everybody learns of it. */
const announced = new Set(["type", "rfqId", "indexes", "states", "size"]);

test("no trader's export tells of another account, and each proves itself", async (t) => {
  let [exports, entries, parts] = [0, 0, 0];
  for (const { name, state, exportOf } of histories) {
    const accounts = [...state.accounts.values()];
    for (const account of accounts.filter(({ role }) => role === "trader")) {
      const own = new Set(namesOf(state, account.id));
      const others = new Set(
        accounts.flatMap(({ id }) => (id === account.id ? [] : namesOf(state, id))),
      );
      const foreign = [...others].filter((word) => !own.has(word)).map(literal);
      const telling = new RegExp(`(?<!\\w)(?:${foreign.join("|") || "(?!)"})(?!\\w)`);
      exports += 1;
      for (const item of await exportOf(account)) {
        const about = `${name}: ${account.id} in entry ${at(item, "sequence")}`;
        entries += 1;
        assert.equal(hashOfShown(item), at(item, "hash"), about);
        const hashes = namedParts(item);
        const shown = listAt(item, "parts");
        assert.ok(
          shown.every((part) => hashes.includes(hashOfPart(part))),
          about,
        );
        parts += shown.length;
        const open = JSON.parse(textOf(item));
        const mine = shown.map((part) => JSON.parse(textOf(part)));
        for (const part of mine) checkOwn(part, account.id);
        for (const event of at(open, "events") === undefined ? [] : listAt(open, "events")) {
          const known = Object(event).type === "RfqAnnounced" ? announced : openRecords;
          for (const record of Object.keys(Object(event))) {
            assert.ok(known.has(record), `${about}: ${record}`);
          }
        }
        // A value it made up itself, and was refused, tells it nothing; nor does whom it asked.
        const isOwn = !at(item, "success") || at(open, "command") === "OpenRfq";
        const asked = new Set(isOwn ? words(at(mine[0], "command")) : []);
        for (const word of words([{ ...item, bytes: "", parts: [] }, open, mine])) {
          assert.ok(asked.has(word) || !telling.test(word), `${about}: ${word}`);
        }
      }
    }
  }
  t.diagnostic(`${exports} exports, ${entries} entries, ${parts} parts in clear`);
});

test("an auditor's export has every part, and each changed byte of one is found", async () => {
  for (const { name, entries, state, sealed, exportOf } of histories) {
    // One that bids and quotes nothing: of what is sealed it has no part of its own.
    const some = [...state.accounts.values()].findLast(({ role }) => role !== "trader");
    const [first] = state.accounts.values();
    const reader = some ?? first;
    if (reader === undefined) continue;
    const shown = await exportOf({ ...reader, role: "auditor" });
    assert.equal(shown.length, entries.length);
    for (const [place, item] of shown.entries()) {
      const about = `${name}: entry ${place + 1}`;
      assert.equal(hashOfShown(item), sealed[place]?.hash, about);
      const parts = listAt(item, "parts");
      const named = namedParts(item);
      const bid = entries[place] !== undefined && isSealedWhole(entries[place]);
      if (bid) {
        // Of what is sealed each party alone has its part; its hash is here as of all others.
        assert.equal(
          named.filter((hash) => !parts.map(hashOfPart).includes(hash)).length,
          partiesOf(entries[place]),
          about,
        );
      } else {
        assert.deepEqual(parts.map(hashOfPart), named, `${about}: all of them, in order`);
        assert.equal(canonical(entryShown(item)), canonical(entries[place]), about);
      }
      for (const [at, part] of parts.entries()) {
        const bytes = Buffer.from(textAt(part, "bytes"), "base64");
        const bit = (place * 31 + at * 7) % (bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const changed = { salt: textAt(part, "salt"), bytes: bytes.toString("base64") };
        assert.ok(!namedParts(item).includes(hashOfPart(changed)), about);
      }
    }
  }
});

interface Person {
  readonly name: string;
  readonly cash: string;
  readonly tier: KycTier;
  readonly clientOrderId: string;
}

/** A trade, as one side's export tells it in clear: all but hashes and salts. */
async function seenBy(side: "maker" | "taker", people: { maker: Person; taker: Person }) {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", { kind: "layered", attachBps: 800, exhaustBps: 2000 });
  const [maker, taker] = [people.maker, people.taker].map(({ name, cash, tier }) =>
    world.trader(name, cash, tier),
  );
  assert.ok(maker !== undefined && taker !== undefined);
  const named = ({ clientOrderId }: Person) => ({ clientOrderId });
  world.order({ ...order(listing, "SELL", "10", "0.05"), ...named(people.maker) }, maker, listing);
  world.order({ ...order(listing, "BUY", "4", "0.05"), ...named(people.taker) }, taker, listing);
  const { state, exportOf } = await kept("", world.journal);
  const { id } = side === "maker" ? maker : taker;
  return (await exportOf(state.account(id))).map((item) => {
    const shown = { ...item, hash: "", previousHash: "", bytes: "", parts: "" };
    const open = { ...JSON.parse(textOf(item)), parts: namedParts(item).length };
    return encode([shown, open, listAt(item, "parts").map(textOf)]);
  });
}

test("what one side is told does not depend on who the other is or what it has", async () => {
  const me = { name: "me", cash: "1000", tier: "enhanced", clientOrderId: "mine" } as const;
  const rich = { name: "rich", cash: "98765", tier: "institutional", clientOrderId: "a" } as const;
  const poor = { name: "poor", cash: "4321", tier: "enhanced", clientOrderId: "bb" } as const;
  const asMaker = await seenBy("maker", { maker: me, taker: rich });
  assert.deepEqual(await seenBy("maker", { maker: me, taker: poor }), asMaker);
  const asTaker = await seenBy("taker", { maker: rich, taker: me });
  assert.deepEqual(await seenBy("taker", { maker: poor, taker: me }), asTaker);
  assert.match(asMaker.join(""), /\bmade\b/);
  assert.match(asTaker.join(""), /\btook\b/);
});

/** Pieces are joined in another order of names. */
const canonical = (value: unknown): string => encode(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
