// Every sequence of a few commands in a small world, on the core and on its reference model.
//
//   FIRSTPRINT_LONGER=1 node --test test/core/every-sequence.long.test.ts
//
// FIRSTPRINT_LONGER: by how many commands the sequences are longer than what fits into CI.
// Invariant: nothing is left out as alike: each sequence is given from its first command to a core
// that lives through all of it, and compared at its end; its beginnings were judged before it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderInput } from "#core/command.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { Pair } from "./pair.ts";
import { choicesOf, Walk } from "./walk.ts";
import { order } from "./world.ts";

const LONGER = sizeOfRun("FIRSTPRINT_LONGER", 0);

interface Scope {
  readonly name: string;
  readonly length: number;
  /** The orders each of the two traders may place, beside taking back his oldest open order. */
  readonly orders: readonly OrderInput[];
  /** The cases that must have come up on the way. */
  readonly wanted: readonly string[];
}

const pair = new Pair({ traders: 2, markets: 1, cash: "2" });
const [listing] = pair.listings;
assert.ok(listing !== undefined);
const sides = ["BUY", "SELL"] as const;
const usual = ["OPEN", "PARTIALLY_FILLED", "FILLED", "REQUESTED", "SELF_TRADE", "ORDER_NOT_FOUND"];

const pricesAndSizes = ["0.3333", "0.5", "0.6667"].flatMap((price) =>
  ["1", "2"].flatMap((amount) => sides.map((side) => order(listing, side, amount, price))),
);

const outcomes = ["0.4", "0.6"].flatMap((price) =>
  ([0, 1] as const).flatMap((outcomeIndex) =>
    sides.map((side) =>
      order(listing, side, outcomeIndex === 0 ? "1" : "2", price, { outcomeIndex }),
    ),
  ),
);

const options = sides.flatMap((side) => [
  order(listing, side, "1", "0.5"),
  order(listing, side, "2", "0.5"),
  ...[
    { timeInForce: "IOC" } as const,
    { timeInForce: "FOK" } as const,
    { postOnly: true },
    { reduceOnly: true },
    { selfTradePrevention: "cancel_resting" } as const,
    { selfTradePrevention: "cancel_both" } as const,
  ].map((option) => order(listing, side, "2", "0.5", option)),
]);

const scopes: readonly Scope[] = [
  {
    name: "options",
    length: 3,
    orders: options,
    wanted: [
      ...usual,
      ...["UNFILLED_IMMEDIATE", "FILL_OR_KILL", "POST_ONLY_WOULD_CROSS", "REDUCE_ONLY"],
    ],
  },
  { name: "outcomes", length: 4, orders: outcomes, wanted: usual },
  {
    name: "prices and sizes",
    length: 4,
    orders: pricesAndSizes,
    wanted: [...usual, "INSUFFICIENT_BALANCE", "POSITION_LIMIT"],
  },
];

// One test, so that nothing more is walked once something has failed.
test("every sequence of a few commands: the core is as its model", (t) => {
  for (const { name, length, orders, wanted } of scopes) {
    const choices = pair.traders.flatMap((trader) => choicesOf(trader, orders));
    const walk = new Walk(pair, choices);
    const longest = length + LONGER;
    walk.upTo(longest);
    const counts = [...walk.seen].map(([word, count]) => `${word} ${count}`).join(", ");
    t.diagnostic(`${name}: ${walk.sequences} sequences of up to ${longest} of ${choices.length}`);
    t.diagnostic(`at their ends ${counts}`);
    const missing = walk.missing(wanted);
    assert.deepEqual(missing, [], `${name}: they met everything they are meant to meet`);
  }
});
