// Every sequence of a few orders around a release window in a small world, on the core and on its
// reference model: what is held, when it meets, and at which price of all that could be.
//
//   FIRSTPRINT_LONGER=1 node --test test/core/every-window.long.test.ts
//
// Invariant: as of every sequence of orders: each is lived through from its first command.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMonth } from "#base/month.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { expectedMillis } from "./model-window.ts";
import { nextFour } from "./model-window-times.ts";
import { Pair } from "./pair.ts";
import { publishMarks } from "./publish-marks.ts";
import type { ReferenceModel } from "./reference-model.ts";
import { type Choice, choicesOf, Walk } from "./walk.ts";
import { order, root, system } from "./world.ts";

const LONGER = sizeOfRun("FIRSTPRINT_LONGER", 0);
const HOUR_MILLIS = 3_600_000;
const QUARTER_MILLIS = HOUR_MILLIS / 4;
const TEN_DAYS_MILLIS = 10 * 24 * HOUR_MILLIS;

/** With all four as much trades, and is left over, above 0.5 as below: the mark decides. */
function stage() {
  const pair = new Pair({ traders: 2, markets: 1, cash: "3" });
  const [listing] = pair.listings;
  const [buyer, seller] = pair.traders;
  assert.ok(listing !== undefined && buyer !== undefined && seller !== undefined);
  const bids = [order(listing, "BUY", "1", "0.55"), order(listing, "BUY", "2", "0.5")];
  const asks = [order(listing, "SELL", "1", "0.45"), order(listing, "SELL", "2", "0.5001")];
  const [high, ...lessAndCancel] = choicesOf(buyer, bids);
  assert.ok(high !== undefined);
  return { pair, listing, high, lessAndCancel, asks: choicesOf(seller, asks) };
}

const passes = (words: string, millis: (model: ReferenceModel) => number): Choice => ({
  ...{ words, actor: root },
  command: (model) => ({ type: "Wait", millis: millis(model) }),
});

const calls: Choice = {
  ...{ words: "root says that a print is out", actor: root },
  command: () => ({ type: "OpenWindow", index: "zhvi", reason: "drill" }),
};

const marks: Choice = {
  ...{ words: "marks come", actor: system },
  command: () => publishMarks([]),
};

interface Scope {
  readonly name: string;
  readonly pair: Pair;
  /** Every sequence begins with these. */
  readonly first: readonly Choice[];
  readonly choices: readonly Choice[];
  readonly longest: number;
}

/** The word of an operator, which nothing follows: it holds for a day. */
function word(): Scope {
  const { pair, high, lessAndCancel, asks } = stage();
  const day = passes("a day passes", () => 24 * HOUR_MILLIS);
  const choices = [calls, high, ...lessAndCancel, ...asks.slice(0, 2), day];
  return { name: "a word of an operator", pair, first: [calls], choices, longest: 5 };
}

/** The stage, an order that rests, the day of the print, and what may come after it. */
function awaited() {
  const { pair, listing, high, lessAndCancel, asks } = stage();
  const { world } = pair;
  const resting = choicesOf(pair.traders[0] ?? assert.fail(), [
    order(listing, "BUY", "1", "0.47"),
  ]).slice(0, 1);
  const day = passes(
    "the day of the print comes",
    (model) => (expectedMillis(model) ?? assert.fail("a print is expected")) - model.nowMillis,
  );
  const command = world.release(world.observe("2024-11", "299000"));
  const print: Choice = {
    ...{ words: "the print comes, or it is there and an hour passes", actor: root },
    command: ({ newest }) => {
      const isThere = newest === parseMonth("2024-11");
      return isThere ? { type: "Wait", millis: HOUR_MILLIS } : command;
    },
  };
  const orders = [high, ...lessAndCancel.slice(1), ...asks.slice(0, 2)];
  return { pair, first: [...resting, day], choices: [print, marks, ...orders] };
}

/** The day of a print: it is waited for, comes, and marks of it, and half an hour. */
function release(): Scope {
  const { choices, ...rest } = awaited();
  const half = passes("half an hour passes", () => HOUR_MILLIS / 2);
  return { ...rest, name: "the day of a print", choices: [half, ...choices], longest: 5 };
}

/** Ten days later it is still not there: markets meet once a day, until it comes. */
function late(): Scope {
  const { choices, ...rest } = awaited();
  const four = passes("four o'clock comes", ({ nowMillis }) => nextFour(nowMillis) - nowMillis);
  const quarter = passes("a quarter to four comes, once the print is late", (model) => {
    const { nowMillis, window } = model;
    const lateMillis =
      window === null || window.isOverdue ? 0 : window.sinceMillis + TEN_DAYS_MILLIS;
    const afterMillis = Math.max(lateMillis, nowMillis) + QUARTER_MILLIS;
    return nextFour(afterMillis) - QUARTER_MILLIS - nowMillis;
  });
  return { ...rest, name: "a late print", choices: [quarter, four, ...choices], longest: 5 };
}

for (const { name, pair, first, choices, longest } of [word(), release(), late()]) {
  test(`every sequence around a window (${name}): the core is as its model`, (t) => {
    const walk = new Walk(pair, choices);
    walk.upTo(longest + LONGER, first);
    const counts = [...walk.seen].map(([one, count]) => `${one} ${count}`).join(", ");
    t.diagnostic(`${walk.sequences} sequences of up to ${longest + LONGER} of ${choices.length}`);
    t.diagnostic(`at their ends ${counts}`);
    const wanted = ["held", "met", "FILLED", "PARTIALLY_FILLED", "INSUFFICIENT_BALANCE"];
    const missing = walk.missing(wanted);
    assert.deepEqual(missing, [], "they met everything they are meant to meet");
  });
}
