// An entry holds what was decided: no record that has not changed, and nothing twice.
// Invariant: whatever is left out is read back from the entry alone, to the last field.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, orderId } from "#base/ids.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { entryBytes, readAsked, readEntry } from "#core/entry-bytes.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Entry } from "#core/outcome.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const salt = "5".repeat(32);

class Stage {
  readonly world = new World();
  readonly anna: Trader;
  readonly bela: Trader;
  readonly listings: readonly Listing[];

  constructor() {
    this.world.print("2024-10", "300000");
    this.anna = this.world.trader("anna", "10000");
    this.bela = this.world.trader("bela", "10000");
    this.listings = [1, 2].map((place) =>
      this.world.listing("2025-06", { kind: "binary", strikeBps: 100 * place }),
    );
  }

  listing(at = 0): Listing {
    return this.listings[at] ?? assert.fail("no such listing");
  }

  /** As over HTTP: with a request id and an idempotency key; the entry as text and read back. */
  give(actor: Actor, command: Command): string {
    const idempotency = { key: "5d0c2f7e-31f4-4a6e-8c39-0d4a6f2b7c55", digest: "a1".repeat(32) };
    const requestId = "0f8b5d1c-7a53-4d7e-9d0a-6a1f9f4c2b11";
    const { nowMillis: timeMillis } = this.world;
    this.world.decide({ timeMillis, actor, requestId, idempotency, command });
    return told(this.world.journal.at(-1) ?? assert.fail("it is an entry"));
  }

  place({ actor }: Trader, input: OrderInput, listing: Listing | null = null): string {
    return this.give(actor, { type: "PlaceOrder", order: input, listing });
  }
}

function told(entry: Entry): string {
  const bytes = entryBytes(entry, salt);
  const again = readEntry(bytes);
  assert.deepEqual(again, entry);
  assert.deepEqual(readAsked(bytes), { envelope: entry.envelope, salt });
  // As replay does it: the command from the bytes, what came of it from deciding it again.
  assert.deepEqual(entryBytes({ ...again, outcome: entry.outcome }, salt), bytes);
  return Buffer.from(bytes).toString("utf8");
}

const timesIn = (text: string, part: string): number => text.split(part).length - 1;

test("an order that lists its market says the terms once, one that trades says none", () => {
  const stage = new Stage();
  const [listing, { anna, bela }] = [stage.listing(), stage];
  const listed = stage.place(anna, order(listing, "SELL", "10", "0.05"), listing);
  assert.equal(timesIn(listed, '"payoff"'), 1);
  assert.equal(timesIn(listed, listing.marketId), 2, "in the market's record, and as its listing");
  // A client that names the listing of a market that is there is kept at its word.
  stage.place(anna, order(listing, "SELL", "10", "0.06"), listing);
  const resting = stage.place(anna, order(listing, "SELL", "10", "0.051"));
  const filled = stage.place(bela, order(listing, "BUY", "4", "0.05"));
  const swept = stage.place(bela, order(listing, "BUY", "20", "0.06"));
  // A taker that sells is the seller.
  stage.place(anna, order(listing, "BUY", "3", "0.04"));
  stage.place(bela, order(listing, "SELL", "3", "0.04"));
  for (const text of [resting, filled, swept]) {
    assert.equal(timesIn(text, '"payoff"'), 0);
    assert.equal(timesIn(text, listing.marketId), 1, "its market is named once");
  }
  assert.ok(resting.length <= 650, `${resting.length} bytes of an order that rests`);
  assert.ok(filled.length <= 1_700, `${filled.length} bytes of one with a fill`);
});

test("orders of a batch, in two markets, of which one is listed by it, are read back", () => {
  const stage = new Stage();
  const [first, second] = [stage.listing(), stage.listing(1)];
  const { anna, bela } = stage;
  stage.place(
    anna,
    order(first, "SELL", "10", "0.05", { selfTradePrevention: "cancel_both" }),
    first,
  );
  const orders = [
    order(first, "BUY", "2", "0.05", { timeInForce: "IOC", clientOrderId: "one" }),
    order(second, "SELL", "3", "0.06", { postOnly: true }),
    order(first, "BUY", "30", "0.05", { outcomeIndex: 0 }),
    order(second, "BUY", "1", "0.04"),
  ];
  const batch = stage.give(bela.actor, { type: "PlaceBatch", orders, listings: [second] });
  assert.equal(timesIn(batch, '"payoff"'), 1);
  // Its own order in the way is cancelled before the new one is told.
  stage.place(bela, order(first, "SELL", "1", "0.04", { selfTradePrevention: "cancel_resting" }));
  stage.place(bela, order(first, "BUY", "1", "0.01", { timeInForce: "IOC" }));
  stage.give(bela.actor, { type: "CancelOrder", orderId: orderId("ord-4") });
  stage.give(bela.actor, { type: "CancelOrder", orderId: orderId("ord-99") });
});

test("new marks are told by their place among those that were sent", () => {
  const stage = new Stage();
  for (const listing of stage.listings) {
    stage.place(stage.anna, order(listing, "BUY", "1", "0.01"), listing);
  }
  const marks = stage.listings.map(({ marketId, markTick }, at) => ({
    marketId,
    markTick: at === 0 ? markTick : tick("0.07"),
    stressedTick: at === 0 ? markTick : tick("0.09"),
  }));
  const text = stage.give(system, publishMarks(marks, 1));
  assert.match(text, /"events":\[\{"marked":1\}\]/, "the first one says nothing new");
  assert.equal(timesIn(text, '"payoff"'), 0);
});

test("an account that root proposes or may not open is read back whole, with its owner", () => {
  const stage = new Stage();
  const olga = stage.world.open("olga", "operator");
  stage.world.open("otto", "operator");
  const terms = { label: "first", prefix: "fp_test_aaaa", digest: "new", permissions: [] };
  const key = { ...terms, ratePerMinute: null, expiresAtSeconds: null };
  const named = { type: "OpenAccount", name: "new", role: "operator", address: "0xnew" } as const;
  for (const owner of [olga.id, accountId("acc-99")]) {
    const text = stage.give(root, { ...named, key, owner });
    assert.match(text, /"command":\{"name":"new",[^}]+\},"owner":"acc-\d+"\}/);
  }
  const fund = { type: "SetOwner", accountId: accountId("guarantee"), owner: olga.id } as const;
  const text = stage.give(root, fund);
  assert.match(text, /"command":\{"accountId":"guarantee","owner":"acc-\d+"\}/);
});

/** The command that replay would decide, of an entry that holds this. */
function askedOf(open: object, part: object): unknown {
  const texts = [{ version: 1, timeMillis: 5, actor: "key", ...open }, part].map((one) =>
    JSON.stringify(one),
  );
  return readAsked(Buffer.from(texts.join(`\u001e${salt}\u001e`)))?.envelope.command;
}

test("a command that has events of its own is read to its end", () => {
  const command = { address: "https://example.org", events: [{ type: "Filled" }], since: "x" };
  const part = { of: "acc-1", command, events: [{ type: "Funded" }] };
  const asked = askedOf({ command: "SetWebhook" }, part);
  assert.deepEqual(asked, { type: "SetWebhook", ...command });
});

test("a market is found that is listed after a fill in another", () => {
  const marks = { markTick: 5, stressedTick: 6, riskTicks: [7] };
  const listing = { terms: { series: "s" }, ...marks, within: ["state:tx"] };
  const fill = { id: "fil-1", marketId: "first" };
  const events = [{ fill }, { fill }, { market: { id: "second", ...listing } }];
  const part = { of: "acc-1", command: { orders: [], listings: [{}] } };
  assert.deepEqual(askedOf({ command: "PlaceBatch", events }, part), {
    type: "PlaceBatch",
    orders: [],
    listings: [{ marketId: "second", ...listing }],
  });
});

test("a part of an entry reaches no object but the entry that is read", () => {
  const parts = [
    '{"version":1,"timeMillis":1,"actor":"root","command":"Fund","events":[]}',
    "0".repeat(32),
    '{"of":"acc-1","command":{"amount":{"value":1}}}',
  ];
  for (const part of [
    '{"of":"acc-2","__proto__":{"reached":1}}',
    '{"of":"acc-2","command":{"amount":{"__proto__":{"reached":1}}}}',
  ]) {
    const bytes = new TextEncoder().encode([...parts, part].join("\u001e"));
    assert.throws(() => readEntry(bytes), /no part of an entry has a member of that name/);
    assert.throws(() => readAsked(bytes), /no part of an entry has a member of that name/);
    assert.equal("reached" in {}, false);
  }
});
