// The view against the state: whatever was journalled, folding it shows what the core decided.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { encode } from "#core/codec.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { order, root, World } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";
import { assertShows } from "./shows.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

const folded = (world: World): ExchangeView => {
  const view = ExchangeView.from(new State());
  for (const entry of world.journal) view.fold(entry);
  return view;
};

for (const seed of [1, 3, 4]) {
  test(`entry by entry the view shows what the state holds (seed ${seed})`, () => {
    const trading = new RandomTrading(seed);
    const { world } = trading;
    world.judgesRefusals = false;
    const view = ExchangeView.from(new State());
    let shown = 0;
    for (let at = 1; at <= 240; at += 1) {
      trading.next();
      for (const entry of world.journal.slice(shown)) view.fold(entry);
      shown = world.journal.length;
      if (at % 20 === 0) assertShows(view, world.state);
    }
    assertShows(view, world.state);
    assertShows(ExchangeView.from(world.state), world.state);
    assert.equal(view.sequence, world.sequence);
    assert.ok(view.marks.orderCount > 20 && view.markets.size > 0, "the run traded");
    assert.ok(view.orders.size < view.marks.orderCount, "and forgot");
  });
}

test("a view made in the middle and folded on is the view folded from the start", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "1000");
  const hedger = world.trader("hedger", "1000");
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  const middle = ExchangeView.from(world.state);
  const before = world.journal.length;
  world.order(order(listing, "BUY", "30", "0.05"), hedger);
  assert.equal(middle.cash(hedger.id), micros(1_000_000_000n), "nothing of the state is shared");
  assert.equal([...middle.book(listing.marketId).asks()][0]?.lots, 10_000n);

  for (const entry of world.journal.slice(before)) middle.fold(entry);
  assertShows(middle, world.state);
  assertShows(folded(world), world.state);
});

test("what readers fold leaves no trace in the state that their view was made of", () => {
  const trading = new RandomTrading(1);
  const { world } = trading;
  world.judgesRefusals = false;
  for (let at = 0; at < 120; at += 1) trading.next();
  const state = decodeState(encodeState(world.state));
  const before = world.journal.length;
  for (let at = 0; at < 120; at += 1) trading.next();

  assert.ok(state.orders.size > 5, "orders are open");
  const [listed, booked] = [listsOf(state), booksOf(state)];
  const view = ExchangeView.from(state);
  assert.deepEqual(listsOf(view.over()), listed, "the copy");
  assert.deepEqual(booksOf(view.over()), booked, "the copied books");
  for (const entry of world.journal.slice(before)) view.fold(entry);
  assertShows(view, world.state);
  assert.notDeepEqual(booksOf(view.over()), booked, "the view went on");
  assert.deepEqual(listsOf(state), listed);
  assert.deepEqual(booksOf(state), booked);
});

/** Where orders are looked for, and how many there were. */
function listsOf(state: State) {
  const { openOrders, reduceOnlyOrders, releaseOrders, groupOrders, groupsOf } = state;
  const sets = { openOrders, reduceOnlyOrders, releaseOrders, groupOrders, groupsOf };
  return {
    orders: [...state.orders.values()],
    ...Object.fromEntries(
      Object.entries(sets).map(
        ([name, map]: [string, ReadonlyMap<string, ReadonlySet<string>>]) => [
          name,
          [...map].map(([key, set]) => [key, ...set]),
        ],
      ),
    ),
    clientOrderIds: [...state.clientOrderIds],
    counts: [state.orders.size, state.orderCount, state.lastRank],
  };
}

const booksOf = ({ books }: State) =>
  [...books].map(([id, book]) => [id, ...book.against(true), ...book.against(false)]);

test("an entry twice, or one left out, is a breach", () => {
  const world = new World();
  world.trader("one", "10");
  const view = ExchangeView.from(new State());
  const [first, second, third] = world.journal;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  view.fold(first);
  assert.throws(() => view.fold(first), /follows/);
  assert.throws(() => view.fold(third), /follows/);
  view.fold(second);
  assert.equal(view.sequence, 2);
});

test("a refused attempt moves the time and nothing else", () => {
  const world = new World();
  const poor = world.trader("poor", "0");
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const view = folded(world);
  const before = encode([...view.accounts, ...view.orders.values(), ...view.ledger]);
  world.nowMillis += 5_000;
  const input = order(listing, "BUY", "100", "0.05");
  world.refused(poor.actor, { type: "PlaceOrder", order: input, listing });
  const [refusal] = world.journal.slice(-1);
  assert.ok(refusal !== undefined && isRejected(refusal.outcome), "the refusal is an entry");
  view.fold(refusal);
  assert.equal(view.timeMillis, world.nowMillis);
  assert.equal(encode([...view.accounts, ...view.orders.values(), ...view.ledger]), before);
  assert.equal(view.markets.size, 0);
});

test("accounts, keys and their addresses are found by what people send", () => {
  const world = new World();
  const trader = world.trader("Ann", "0");
  const view = folded(world);
  assert.equal(view.accountByAddress("0xANN")?.id, trader.id);
  assert.equal(view.accountByAddress("0xbob"), undefined);
  const [key] = view.keysOf(trader.id);
  assert.equal(view.keyByDigest("Ann")?.id, key?.id);
  assert.equal(view.keyByDigest("ann"), undefined, "a digest is exact");
});

test("a halt shows at once, with its reason, and ends", () => {
  const world = new World();
  world.do(root, { type: "HaltExchange", reason: "a bad print" });
  const view = folded(world);
  assert.deepEqual(view.facts, {
    clock: "sandbox",
    chainId: "test",
    halted: true,
    haltReason: "a bad print",
  });
  assert.equal(ExchangeView.from(world.state).facts.halted, true);
  world.do(root, { type: "ResumeExchange", reason: "checked" });
  assert.equal(folded(world).facts.halted, false);
});

test("places: the built-in states, and what was loaded over them", () => {
  const world = new World();
  const tx = folded(world).geo.get("STATE:TX");
  assert.equal(tx?.name, "Texas");
  assert.ok(tx !== undefined);
  const nodes = [{ ...tx, providerIds: ["zillow:54"] }];
  world.do(root, { type: "LoadGeo", nodes, sha256: "" });
  assert.equal(folded(world).geo.byProviderId("zillow:54")?.id, "state:tx");
  assert.equal(ExchangeView.from(world.state).geo.size, 51);
  assert.throws(() => ExchangeView.from(new State()).facts, /founds/);
});
