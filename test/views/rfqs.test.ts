// The lists of requests for quotes, by reader, against a walk over all requests; and the ascending
// numbers they are made of against an array that is sorted anew.
// Invariant: nothing of the index is asked to say what it should hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId, RfqId } from "#base/ids.ts";
import { rfqNumber } from "#core/rfq/record.ts";
import { State } from "#core/state.ts";
import { Dice } from "#test/core/dice.ts";
import { RfqHistory } from "#test/core/rfq-history.ts";
import { Ascending } from "#views/ascending.ts";
import { ExchangeView } from "#views/exchange.ts";

/** By walking over all requests. */
function readableIn(state: State, account: AccountId): readonly RfqId[] {
  const address = state.account(account).address.toLowerCase();
  const readable = [...state.rfqs.values()].filter((rfq) => {
    const quotes = [...state.rfqQuotes.values()].filter(({ rfqId }) => rfqId === rfq.id);
    if (rfq.accountId === account) return true;
    if (rfq.doneMillis !== undefined) return quotes.some((one) => one.accountId === account);
    return rfq.audience === null || rfq.audience.includes(address);
  });
  return readable.map(({ id }) => id).sort((a, b) => rfqNumber(b) - rfqNumber(a));
}

function pagesOf(view: ExchangeView, account: AccountId, most: number): readonly RfqId[] {
  const found: RfqId[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = view.rfqs.listFor(account, below, most);
    found.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined) return found;
    below = rfqNumber(last.id);
  }
}

test("each reader's pages are what a walk over all requests leaves, entry by entry", () => {
  const met = { own: 0, named: 0, done: 0, forgotten: 0 };
  for (let seed = 1; seed <= 12; seed += 1) {
    const view = ExchangeView.from(new State());
    let shown = 0;
    const compare = (history: RfqHistory): void => {
      const { state, journal } = history.stage.world;
      for (const entry of journal.slice(shown)) view.fold(entry);
      shown = journal.length;
      for (const account of state.accounts.keys()) {
        const readable = readableIn(state, account);
        assert.deepEqual(pagesOf(view, account, 3), readable, `${account} in history ${seed}`);
        for (const id of state.rfqs.keys()) {
          const isShown = view.rfqs.oneFor(account, id) !== undefined;
          assert.equal(isShown, readable.includes(id), `${account} and ${id}`);
        }
      }
      for (const { audience, doneMillis } of state.rfqs.values()) {
        if (audience !== null) met.named += 1;
        if (doneMillis !== undefined) met.done += 1;
      }
      met.own += state.rfqsOf.size;
      met.forgotten += state.rfqCount - state.rfqs.size;
    };
    const history = RfqHistory.drawn(seed, (_given, drawn) => compare(drawn));
    const { world } = history.stage;
    for (const hours of [1, 30, 200]) {
      world.runTo(world.nowMillis + hours * 3_600_000);
      compare(history);
      const anew = ExchangeView.from(world.state);
      for (const account of world.state.accounts.keys()) {
        assert.deepEqual(pagesOf(anew, account, 100), pagesOf(view, account, 100));
      }
    }
    assert.equal(world.state.rfqs.size, 0, "all are forgotten in the end");
  }
  for (const [name, times] of Object.entries(met)) assert.ok(times > 0, name);
});

test("ascending numbers are those of an array that is sorted anew", () => {
  const dice = new Dice(1);
  for (let run = 0; run < 4; run += 1) {
    const numbers = new Ascending();
    const plain = new Set<number>();
    for (let step = 0; step < 4_000; step += 1) {
      const value = 1 + dice.below(1_500);
      const isAdded = dice.chance(step < 2_500 ? 75 : 20);
      if (isAdded) numbers.add(value);
      else numbers.remove(value);
      if (isAdded) plain.add(value);
      else plain.delete(value);
      if (step % 50 > 0) continue;
      const below = dice.below(1_600);
      const expected = [...plain].filter((one) => one < below).sort((a, b) => b - a);
      assert.deepEqual([...numbers.below(below)], expected);
    }
    for (const value of plain) numbers.remove(value);
    assert.equal(numbers.isEmpty, true);
  }
});

test("numbers that only grow stand in full chunks, and each is found", () => {
  const numbers = new Ascending();
  for (let value = 1; value <= 2_000; value += 1) numbers.add(value);
  assert.deepEqual([...numbers.below(4)], [3, 2, 1]);
  assert.equal(numbers.below(Number.MAX_SAFE_INTEGER).next().value, 2_000);
  assert.deepEqual([...numbers.below(2_001)].length, 2_000);
});
