// An account of one cent grew the state until it could not restart: it placed an order of a
// millionth of a dollar and took it back, for ever, and every one of them stayed in every snapshot.
// FIRSTPRINT_ATTACK_ORDERS=10000000 carries it out at the size of the issue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { nextDue } from "#core/due.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { layer } from "#test/core/premiums.ts";
import { order, system, type Trader, World } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";

const ORDERS = Number(process.env.FIRSTPRINT_ATTACK_ORDERS ?? "60000");
/** A stranger's key of 600 requests a minute places so many in a day, and cancels as many. */
const ORDERS_A_DAY = Math.min(432_000, ORDERS / 3);
const DAY_MILLIS = 86_400_000;

/** Decides without a journal: at ten million, the entries themselves would not fit. */
class Attack {
  readonly world = new World();
  readonly view: ExchangeView;
  readonly attacker: Trader;
  readonly inputs: readonly OrderInput[];
  #sequence: number;

  constructor() {
    const { world } = this;
    world.print("2024-10", "300000");
    this.attacker = world.trader("attacker", "0.01");
    const listing = world.listing("2025-08", layer);
    world.order(order(listing, "BUY", "0.01", "0.0001"), this.attacker, listing);
    const tiny = (options: Partial<OrderInput>) => order(listing, "BUY", "0.01", "0.0001", options);
    this.inputs = [tiny({ timeInForce: "IOC" }), tiny({})];
    this.#sequence = world.sequence;
    this.view = ExchangeView.from(world.state);
  }

  carryOut(count: number): void {
    const { world, inputs, attacker } = this;
    const gap = DAY_MILLIS / ORDERS_A_DAY;
    const from = world.nowMillis;
    for (let placed = 0; placed < count; placed += 1) {
      world.nowMillis = Math.floor(from + placed * gap);
      this.#fallDue();
      const input = inputs[placed % 2];
      assert.ok(input !== undefined);
      this.#give(attacker.actor, { type: "PlaceOrder", order: input, listing: null });
      const id = orderId(`ord-${world.state.orderCount}`);
      if (placed % 2 === 1) this.#give(attacker.actor, { type: "CancelOrder", orderId: id });
    }
  }

  waitADay(): void {
    this.world.nowMillis += DAY_MILLIS + 60_000;
    this.#fallDue();
  }

  #fallDue(): void {
    const { state, nowMillis } = this.world;
    for (let due = nextDue(state, nowMillis); due; due = nextDue(state, nowMillis)) {
      this.#give(system, due.command, due.timeMillis);
    }
  }

  #give(actor: Actor, command: Command, timeMillis = this.world.nowMillis): void {
    const envelope = { timeMillis, actor, requestId: null, idempotency: null, command };
    this.#sequence += 1;
    const outcome = apply(this.world.state, envelope, this.#sequence);
    assert.ok(!isRejected(outcome), command.type);
    this.view.fold({ sequence: this.#sequence, envelope, outcome });
  }
}

const measured = ({ world }: Attack) => {
  const lines = encodeState(world.state);
  const began = performance.now();
  const copy = decodeState(lines);
  ExchangeView.from(copy);
  const startMillis = Math.round(performance.now() - began);
  assert.equal(stateHash(copy), stateHash(world.state));
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  return { orders: world.state.orders.size, bytes, startMillis };
};

test("an account of one cent cannot grow the state: what it placed leaves a day later", (t) => {
  const attack = new Attack();
  const { world, view } = attack;
  const before = measured(attack);
  attack.carryOut(ORDERS);
  const during = measured(attack);
  attack.waitADay();
  const after = measured(attack);

  assert.equal(world.state.orderCount, ORDERS + 1, "each was an order");
  // Half of them, those that rested, of the last day and its minute.
  assert.ok(during.orders <= ORDERS_A_DAY / 2 + ORDERS_A_DAY / 1_000 + 2, `${during.orders}`);
  assert.equal(after.orders, before.orders);
  assert.equal(view.orders.size, after.orders, "what readers see forgets alike");
  assert.ok(after.bytes < before.bytes + 500, `${after.bytes} bytes after ${before.bytes}`);
  assert.ok(world.state.due.size < 2_100, `${world.state.due.size} items wait`);
  const said = [
    `${ORDERS} orders placed`,
    `${during.orders} in the state (${during.bytes} bytes, read in ${during.startMillis} ms)`,
    `a day later ${after.orders} (${after.bytes} bytes, ${after.startMillis} ms)`,
  ];
  t.diagnostic(`after: ${said.join("; ")}`);
});

test("a stranger's listings leave too, and it has no more than its share of them", (t) => {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const attacker = world.trader("attacker", "0.01");
  const markets = () => world.state.markets.size;
  for (let strike = 1; strike <= 90; strike += 1) {
    const payoff = { kind: "binary", strikeBps: strike * 100 } as const;
    const listing = world.listing("2025-08", payoff);
    const tiny = order(listing, "BUY", "0.01", "0.0001", { timeInForce: "IOC" });
    world.order(tiny, attacker, listing);
  }
  const most = markets();
  world.runTo(world.nowMillis + DAY_MILLIS + 60_000);
  assert.equal(markets(), 0);
  t.diagnostic(`after: of ${most} markets listed for nothing ${markets()} are left a day later`);
});
