// Every sequence of a few commands in a small world, on the core and on its reference model.
//
//   FIRSTPRINT_LONGER=1 node --test test/core/every-sequence.long.test.ts
//
// FIRSTPRINT_LONGER: by how many commands the sequences are longer than what fits into CI.
// Invariant: nothing is left out as alike: each sequence is given from its first command to a core
// that lives through all of it, and compared at its end; its beginnings were judged before it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { fork } from "./fork.ts";
import { decide } from "./model-decide.ts";
import { compareOutcomes, comparePictures } from "./model-picture.ts";
import { Pair } from "./pair.ts";
import type { ReferenceModel } from "./reference-model.ts";
import { order, type Trader } from "./world.ts";

const LONGER = sizeOfRun("FIRSTPRINT_LONGER", 0);

interface Choice {
  readonly words: string;
  readonly actor: Actor;
  /** The command it becomes in the model's present state. */
  readonly command: (model: ReferenceModel) => Command;
}

interface Given {
  readonly words: string;
  readonly actor: Actor;
  readonly command: Command;
}

class Walk {
  readonly #pair: Pair;
  readonly #choices: readonly Choice[];
  /** How often what came of a command. */
  readonly seen = new Map<string, number>();
  sequences = 0;

  constructor(pair: Pair, choices: readonly Choice[]) {
    this.#pair = pair;
    this.#choices = choices;
  }

  /** Every sequence that goes on by so many commands from where the model stands. */
  goOn(model: ReferenceModel, given: readonly Given[], by: number): void {
    for (const { words, actor, command } of this.#choices) {
      const next = { words, actor, command: command(model) };
      const sequence = [...given, next];
      const after = model.copy();
      if (by === 1) this.#judge(after, sequence);
      else {
        decide(after, actor, next.command, this.#pair.world.nowMillis);
        this.goOn(after, sequence, by - 1);
      }
    }
  }

  #judge(model: ReferenceModel, sequence: readonly Given[]): void {
    try {
      this.#end(model, sequence);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const lines = sequence.map(({ words }) => words);
      throw new Error([`after ${this.sequences} sequences`, ...lines, message].join("\n"), {
        cause,
      });
    }
  }

  /** The last command, which the model has not seen, after all before it, which it has. */
  #end(model: ReferenceModel, sequence: readonly Given[]): void {
    const last = sequence.at(-1);
    assert.ok(last !== undefined);
    const { state, nowMillis } = this.#pair.world;
    const core = fork(state);
    for (const before of sequence.slice(0, -1)) this.#apply(core, before);
    const fillsBefore = model.fills.length;
    const expected = decide(model, last.actor, last.command, nowMillis);
    const outcome = this.#apply(core, last);
    compareOutcomes(outcome, expected, model.fills.slice(fillsBefore));
    comparePictures(core, model);
    this.#count(outcome);
  }

  #apply(state: State, { actor, command }: Given): Outcome {
    const timeMillis = this.#pair.world.nowMillis;
    return apply(state, { timeMillis, actor, requestId: null, idempotency: null, command }, 1);
  }

  #count(outcome: Outcome): void {
    this.sequences += 1;
    const words = isRejected(outcome)
      ? [outcome.rejection.code]
      : outcome.events.flatMap((event) =>
          event.type === "OrderChanged" ? (event.order.cancelReason ?? event.order.status) : [],
        );
    for (const word of words) this.seen.set(word, (this.seen.get(word) ?? 0) + 1);
  }
}

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

const choicesOf = ({ actor, id }: Trader, orders: readonly OrderInput[]): readonly Choice[] => [
  ...orders.map((input) => ({
    words: `${id} ${inWords(input)}`,
    actor,
    command: (): Command => ({ type: "PlaceOrder", order: input, listing: null }),
  })),
  {
    words: `${id} cancels its oldest open order`,
    actor,
    command: (model) => ({
      type: "CancelOrder",
      orderId: model.open(id).at(0)?.id ?? orderId("ord-0"),
    }),
  },
];

/** Everything but whose and where, of which there is but one. */
const inWords = ({ marketId: _, clientOrderId: __, ...input }: OrderInput): string =>
  Object.entries(input)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

// One test, so that nothing more is walked once something has failed.
test("every sequence of a few commands: the core is as its model", (t) => {
  for (const { name, length, orders, wanted } of scopes) {
    const choices = pair.traders.flatMap((trader) => choicesOf(trader, orders));
    const walk = new Walk(pair, choices);
    const longest = length + LONGER;
    // The shortest first: what fails first cannot be shown by less.
    for (let by = 1; by <= longest; by += 1) walk.goOn(pair.model, [], by);
    const counts = [...walk.seen].map(([word, count]) => `${word} ${count}`).join(", ");
    t.diagnostic(`${name}: ${walk.sequences} sequences of up to ${longest} of ${choices.length}`);
    t.diagnostic(`at their ends ${counts}`);
    const missing = wanted.filter((word) => !walk.seen.has(word));
    assert.deepEqual(missing, [], `${name}: they met everything they are meant to meet`);
  }
});
