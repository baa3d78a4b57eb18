// The public side of the journal, folded by somebody who knows nothing else, against the state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import { encode } from "#core/codec.ts";
import { entryBytes, readEntry } from "#core/entry-bytes.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { at, type Json, numberAt, textAt } from "#test/support/exchange.ts";
import { publicEvents, publicEventTypes } from "#views/public-events.ts";

const attribution = (release: string): string => `Data from the maker of ${release}`;

const shownOf = (entry: Entry): readonly Json[] =>
  publicEvents(entry, attribution).map((event) => JSON.parse(JSON.stringify(event)));

/** A reader of the stream, in the stream's own words. */
class Follower {
  readonly levels = new Map<string, string>();
  readonly markets = new Map<string, string>();
  readonly marks = new Map<string, number>();
  readonly seen = new Set<string>();
  halted = false;

  fold(events: readonly Json[]): void {
    for (const event of events) this.#foldOne(event, textAt(event, "type"));
  }

  #foldOne(event: Json, type: string): void {
    this.seen.add(type);
    const text = JSON.stringify(event);
    if (/"value"|"settledValue"/.test(text)) assert.match(text, /"attribution":"Data from /);
    if (type === "halt") this.halted = at(event, "halted") === true;
    if (type === "level") {
      const name = `${textAt(event, "marketId")} ${textAt(event, "side")} ${at(event, "price")}`;
      const [amount, orders] = [textAt(event, "amount"), numberAt(event, "orders")];
      if (orders === 0) this.levels.delete(name);
      else this.levels.set(name, `${amount} in ${orders}`);
      assert.equal(amount === "0", orders === 0, "a level holds both or neither");
    }
    if (type !== "market" && type !== "mark" && type !== "delisted") return;
    const id = textAt(event, "marketId");
    if (type === "delisted") {
      assert.ok(this.markets.delete(id) && this.marks.delete(id), "what was shown is delisted");
      return;
    }
    this.marks.set(id, numberAt(event, "mark"));
    if (type === "mark") return;
    const stage = [at(event, "status"), at(event, "tradingClosed"), at(event, "disputed")];
    const settled = at(event, "resolution", "payoutFraction") ?? at(event, "resolution", "outcome");
    this.markets.set(id, JSON.stringify([...stage, settled ?? null]));
  }
}

function assertFollows(follower: Follower, state: State): void {
  const levels = new Map<string, string>();
  const marks = new Map<string, number>();
  const markets = new Map<string, string>();
  for (const [id, market] of state.markets) {
    const { terms, resolution, status, tradingClosed, dispute, markTick } = market;
    marks.set(id, tickPrice(markTick));
    const isLayered = terms.payoff.kind === "layered";
    const share = isLayered ? (resolution?.payoutMillionths ?? 0) / 1e6 : resolution?.outcome;
    const settled = resolution === null ? null : share;
    markets.set(id, JSON.stringify([status, tradingClosed, dispute !== null, settled]));
    for (const side of ["bids", "asks"] as const) {
      for (const { tick, lots, orders } of state.book(id)[side]()) {
        const name = `${id} ${side.slice(0, 3)} ${tickPrice(tick)}`;
        levels.set(name, `${formatLots(lots)} in ${orders}`);
      }
    }
  }
  assert.deepEqual([...follower.levels].sort(), [...levels].sort(), "the books");
  assert.deepEqual([...follower.marks].sort(), [...marks].sort(), "the marks");
  assert.deepEqual([...follower.markets].sort(), [...markets].sort(), "the markets");
  assert.equal(follower.halted, state.exchange?.halted, "the halt");
}

test("whoever follows the public events has every book, mark and stage, and attributions", () => {
  const seen = new Set<string>();
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const trading = new RandomTrading(seed);
    const { world } = trading;
    const follower = new Follower();
    let followed = 0;
    for (let count = 0; count < 300; count += 1) {
      trading.next();
      for (const entry of world.journal.slice(followed)) follower.fold(shownOf(entry));
      followed = world.journal.length;
      assertFollows(follower, world.state);
    }
    for (const type of follower.seen) seen.add(type);
  }
  // Busts are rare: test/attacks/busted-for-a-friend.test.ts has one on the stream.
  const usual = publicEventTypes.filter((type) => type !== "bust" || seen.has(type));
  assert.deepEqual([...seen].sort(), usual.sort(), "every type was met");
});

test("an entry read again from its bytes shows the same", () => {
  const trading = new RandomTrading(7);
  for (let count = 0; count < 300; count += 1) trading.next();
  for (const entry of trading.world.journal) {
    assert.deepEqual(shownOf(readEntry(entryBytes(entry, "5".repeat(32)))), shownOf(entry));
  }
});

test("no account, order, key or address of anybody is ever public", () => {
  const trading = new RandomTrading(8);
  for (let count = 0; count < 600; count += 1) trading.next();
  const { state, journal } = trading.world;
  const placed = journal.flatMap(({ outcome }) =>
    isRejected(outcome)
      ? []
      : outcome.events.flatMap((event) => (event.type === "OrderChanged" ? event.order : [])),
  );
  const canaries = [
    ...[...state.accounts.values()].flatMap(({ id, address }) => [id, address]),
    ...state.keys.keys(),
    ...placed.flatMap(({ id, clientOrderId }) => [
      id,
      ...(clientOrderId === null ? [] : [clientOrderId]),
    ]),
  ].map((canary) => new RegExp(`\\b${canary}\\b`));
  assert.ok(canaries.length > 100, "there was much to betray");
  const shown = journal.flatMap(shownOf).map((event) => JSON.stringify(event));
  assert.ok(shown.length > 100, "there was much to show");
  const text = shown.join("\n");
  for (const canary of canaries) assert.doesNotMatch(text, canary);
});

test("every trade of the journal is told once, at its price to the last digit", () => {
  const trading = new RandomTrading(9);
  for (let count = 0; count < 400; count += 1) trading.next();
  for (const entry of trading.world.journal) {
    const events = isRejected(entry.outcome) ? [] : entry.outcome.events;
    const fills = events.flatMap((event) => (event.type === "Filled" ? event.fill : []));
    const trades = shownOf(entry).filter((event) => at(event, "type") === "trade");
    assert.deepEqual(
      trades,
      fills.map(({ id, marketId, yesTick, amountLots, takerBuysYes }) => ({
        type: "trade",
        marketId,
        id,
        price: Number(`0.${String(yesTick).padStart(4, "0")}`),
        amount: formatLots(amountLots),
        side: takerBuysYes ? "BUY" : "SELL",
      })),
      encode(entry),
    );
  }
});
