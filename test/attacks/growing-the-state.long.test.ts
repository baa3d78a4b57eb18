// An account of one cent grew the state until it could not restart: it placed an order of a
// millionth of a dollar and took it back, for ever, and every one of them stayed in every snapshot.
// FIRSTPRINT_ATTACK_ORDERS=10000000 carries it out at the size of the issue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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
/** The first of them, after which everything is measured for the first time. */
const FEW = 10_000;
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

interface Measured {
  /** Of the state. */
  readonly records: number;
  readonly bytes: number;
  /** Until the state and what readers see stand again, from the lines of a snapshot. */
  readonly startMillis: number;
  /** Of the state and of what readers see, in this process. */
  readonly heapBytes: number;
}

/** The first readings of a process are slower than all later ones: the quickest is told. */
const READINGS = 5;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function measured({ world }: Attack): Measured {
  collect();
  const { heapUsed: heapBytes } = process.memoryUsage();
  const lines = encodeState(world.state);
  assert.equal(stateHash(decodeState(lines)), stateHash(world.state));
  let startMillis = Number.POSITIVE_INFINITY;
  for (let times = 0; times < READINGS; times += 1) {
    const began = performance.now();
    ExchangeView.from(decodeState(lines));
    startMillis = Math.min(startMillis, performance.now() - began);
  }
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  return { records: world.state.orders.size, bytes, startMillis, heapBytes };
}

const MB = 1e6;
const told = (when: string, { records, bytes, startMillis, heapBytes }: Measured): string =>
  `${when} ${records} orders in the state, a snapshot of ${bytes} bytes, ` +
  `read in ${startMillis.toFixed(1)} ms, a heap of ${(heapBytes / MB).toFixed(1)} MB`;

test("an account of one cent cannot grow the state: what it placed leaves a day later", (t) => {
  const attack = new Attack();
  const { world, view } = attack;
  attack.carryOut(FEW);
  attack.waitADay();
  const few = measured(attack);
  const began = performance.now();
  attack.carryOut(ORDERS - FEW);
  const orderMicros = (1_000 * (performance.now() - began)) / (ORDERS - FEW);
  const during = measured(attack);
  attack.waitADay();
  const many = measured(attack);

  assert.equal(world.state.orderCount, ORDERS + 1, "each was an order");
  // Half of them, those that rested, of the last day and its minute.
  const most = ORDERS_A_DAY / 2 + ORDERS_A_DAY / 1_000 + 2;
  assert.ok(during.records <= most, `${during.records}`);
  assert.equal(many.records, few.records);
  assert.equal(view.orders.size, many.records, "what readers see forgets alike");
  assert.ok(many.bytes < few.bytes + 500, `${many.bytes} bytes after ${few.bytes}`);
  assert.ok(many.heapBytes < few.heapBytes + 8 * MB, `${many.heapBytes} bytes of heap`);
  assert.ok(world.state.due.size < 2_100, `${world.state.due.size} items wait`);
  const heap = (many.heapBytes / few.heapBytes).toFixed(2);
  const said = [
    told(`of ${FEW} orders placed, a day later`, few),
    told(`of ${ORDERS}`, many),
    `${(many.bytes / few.bytes).toFixed(3)} times the bytes, ${heap} times the heap`,
    told("with the last day's", during),
    `${orderMicros.toFixed(0)} µs an order`,
  ];
  t.diagnostic(`after: ${said.join("; ")}`);
});
