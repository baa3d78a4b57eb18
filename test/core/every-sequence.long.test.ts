// Every sequence of a few commands in a small world, on the core and on its naive twin.
//
//   FIRSTPRINT_SEQUENCES=5 node --test test/core/every-sequence.long.test.ts
//
// FIRSTPRINT_SEQUENCES: the length, instead of what fits into CI.
// Invariant: each prefix is walked once; after each command answers, fills and pictures are equal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { fork } from "./fork.ts";
import { differences, Pair, predict } from "./pair.ts";
import type { Twin } from "./twin.ts";
import { fillsOfCore, fillsOfTwin, pictureOfCore, pictureOfTwin } from "./twin-picture.ts";
import { order, type Trader } from "./world.ts";

type Choice = (twin: Twin) => readonly [Actor, Command];

const places = ({ actor }: Trader, input: OrderInput): Choice => {
  const command = { type: "PlaceOrder", order: input, listing: null } as const;
  return () => [actor, command];
};

const cancelsOldest =
  ({ actor, id }: Trader): Choice =>
  (twin) => [actor, { type: "CancelOrder", orderId: twin.open(id).at(0)?.id ?? orderId("ord-0") }];

class Walk {
  readonly #choices: readonly Choice[];
  readonly #nowMillis: number;
  nodes = 0;
  constructor(choices: readonly Choice[], nowMillis: number) {
    this.#choices = choices;
    this.#nowMillis = nowMillis;
  }

  from(state: State, twin: Twin, length: number): void {
    if (length === 0) return;
    for (const choice of this.#choices) {
      const [core, other] = [fork(state), twin.copy()];
      this.#step(core, other, choice(twin));
      this.from(core, other, length - 1);
    }
  }

  #step(state: State, twin: Twin, [actor, command]: readonly [Actor, Command]): void {
    this.nodes += 1;
    const timeMillis = this.#nowMillis;
    const before = twin.fills.length;
    const expected = predict(twin, actor, command, timeMillis);
    const outcome = apply(
      state,
      { timeMillis, actor, requestId: null, idempotency: null, command },
      1,
    );
    const refused = isRejected(outcome) ? outcome.rejection.code : undefined;
    assert.equal(refused, expected);
    const fills = fillsOfCore(isRejected(outcome) ? [] : outcome.events);
    assert.equal(fills, fillsOfTwin(twin.fills.slice(before)));
    const [core, other] = [pictureOfCore(state), pictureOfTwin(twin)];
    if (core !== other) assert.fail(differences(core, other));
  }
}

test("all", (t) => {
  const pair = new Pair({ traders: 2, markets: 1, cash: "3" });
  const [listing] = pair.listings;
  assert.ok(listing);
  const choices = pair.traders.flatMap((trader) => [
    ...["0.3333", "0.5", "0.6667"].flatMap((price) =>
      ["1", "2"].flatMap((amount) =>
        (["BUY", "SELL"] as const).map((side) =>
          places(trader, order(listing, side, amount, price)),
        ),
      ),
    ),
    cancelsOldest(trader),
  ]);
  const walk = new Walk(choices, pair.world.nowMillis);
  walk.from(pair.world.state, pair.twin, 3);
  t.diagnostic(`${choices.length} choices, ${walk.nodes} nodes`);
});
