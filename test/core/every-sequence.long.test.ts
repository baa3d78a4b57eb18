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
import { lots } from "#base/quantity.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
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
    for (const [at, before] of sequence.slice(0, -1).entries()) this.#apply(core, before, at + 1);
    const fillsBefore = model.fills.length;
    const expected = decide(model, last.actor, last.command, nowMillis);
    const outcome = this.#apply(core, last, sequence.length);
    compareOutcomes(outcome, expected, model.fills.slice(fillsBefore));
    comparePictures(core, model);
    this.#count(outcome);
  }

  #apply(state: State, { actor, command }: Given, sequence: number): Outcome {
    const timeMillis = this.#pair.world.nowMillis;
    return apply(
      state,
      { timeMillis, actor, requestId: null, idempotency: null, command },
      sequence,
    );
  }

  #count(outcome: Outcome): void {
    this.sequences += 1;
    const words = isRejected(outcome)
      ? [outcome.rejection.code]
      : outcome.events.flatMap((event) =>
          event.type === "OrderChanged"
            ? (event.order.cancelReason ?? event.order.status)
            : event.type === "MandateUsed"
              ? `gives ${event.use.usedLots}`
              : [],
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

/** Five lots of full collateral each: cash ends what is given as often as budgets do. */
const poor = new Pair({ traders: 2, markets: 1, cash: "0.05" });

function mandateChoices(): readonly Choice[] {
  const [market] = poor.listings;
  const [maker, taker] = poor.traders;
  assert.ok(market !== undefined && maker !== undefined && taker !== undefined);
  const terms = (side: "BUY" | "SELL", spreadTicks: number, most: bigint): MandateTerms => ({
    scope: {
      ...{ index: "zhvi", places: [market.terms.nodeId], levels: null, payoffs: null },
      ...{ minMonths: 1, maxMonths: 60 },
    },
    ...{ side, spreadTicks, spreadTicksPerYear: 12, expirySeconds: 0, collateral: "margin" },
    ...{ mostInMarketLots: lots(most), mostInStateLots: lots(9n), mostInAllLots: lots(4n) },
  });
  const sets = ({ actor, id }: Trader, words: string, of: MandateTerms): Choice => ({
    words: `${id} sets ${words}`,
    actor,
    command: () => ({ type: "SetMandate", mandateId: null, terms: of }),
  });
  const orders = (trader: Trader, ...inputs: readonly OrderInput[]) =>
    choicesOf(trader, inputs).slice(0, inputs.length);
  const at = (price: string, amount: string, options: Partial<OrderInput> = {}) =>
    order(market, "BUY", amount, price, options);
  return [
    sets(maker, "near", terms("SELL", 98, 3n)),
    sets(maker, "far", terms("SELL", 198, 9n)),
    sets(maker, "to buy", terms("BUY", 98, 9n)),
    sets(taker, "near", terms("SELL", 98, 9n)),
    { words: "all off", actor: maker.actor, command: () => ({ ...off }) },
    ...orders(maker, order(market, "SELL", "0.02", "0.06"), order(market, "SELL", "0.01", "0.04")),
    ...orders(
      taker,
      at("0.06", "0.03"),
      at("0.07", "0.06"),
      at("0.07", "0.05", { timeInForce: "FOK" }),
      at("0.065", "0.02", { postOnly: true }),
      order(market, "SELL", "0.06", "0.04"),
    ),
  ];
}

const off = { type: "CancelMandates", mandateId: null } as const;

test("every sequence of mandates and orders: the core gives what the model finds by trying", (t) => {
  const walk = new Walk(poor, mandateChoices());
  const longest = 4 + LONGER;
  for (let by = 1; by <= longest; by += 1) walk.goOn(poor.model, [], by);
  const counts = [...walk.seen].map(([word, count]) => `${word} ${count}`).join(", ");
  t.diagnostic(
    `mandates: ${walk.sequences} sequences of up to ${longest}; at their ends ${counts}`,
  );
  const wanted = ["gives 1", "gives 2", "gives 3", "gives 4", "FILL_OR_KILL", "FILLED"];
  const missing = [...wanted, "POST_ONLY_WOULD_CROSS"].filter((word) => !walk.seen.has(word));
  assert.deepEqual(missing, [], "they met everything they are meant to meet");
});
