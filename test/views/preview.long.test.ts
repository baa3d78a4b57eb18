// A preview against the placement itself: the same orders, on what is durable, told the same.
// Invariant: whatever a preview says of an order, placing it at that moment does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lots } from "#base/quantity.ts";
import { encode } from "#core/codec.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { available } from "#core/step.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { order, World } from "#test/core/world.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { ExchangeView } from "#views/exchange.ts";
import { previewCommand } from "#views/preview.ts";

const RUNS = sizeOfRun("FIRSTPRINT_PREVIEW_RUNS", 240);
const FIRST = 140;
const COMMANDS = 200;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

function run(seed: number, met: Set<string>): void {
  const trading = new RandomTrading(seed);
  const { world } = trading;
  const view = ExchangeView.from(new State());
  let folded = 0;
  for (let at = 0; at < COMMANDS; at += 1) {
    const [actor, command] = trading.draw();
    for (; folded < world.journal.length; folded += 1) {
      const entry = world.journal[folded];
      if (entry !== undefined) view.fold(entry);
    }
    if (actor.type !== "key" || (command.type !== "PlaceOrder" && command.type !== "PlaceBatch")) {
      world.try(actor, command);
      continue;
    }
    const { accountId } = actor;
    const before = at % 20 === 0 ? [stateHash(world.state), available(world.state, accountId)] : [];
    const previewed = previewCommand(view, actor, command, world.nowMillis);
    if (at % 20 === 0) {
      assert.deepEqual([stateHash(world.state), view.available(accountId)], before, "no trace");
    }
    const outcome = world.try(actor, command);
    if (isRejected(outcome) || "rejection" in previewed) {
      assert.equal(encode(previewed), encode(outcome));
      met.add(isRejected(outcome) ? outcome.rejection.code : "");
      continue;
    }
    assert.equal(encode(previewed.events), encode(outcome.events));
    assert.equal(previewed.availableAfterMicros, available(world.state, accountId));
    for (const { type } of outcome.events) met.add(type);
    met.add(command.type);
  }
}

test(`${RUNS} runs of ${COMMANDS} commands: a preview is what placing then does`, () => {
  const met = new Set<string>();
  for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
    try {
      run(seed, met);
    } catch (cause) {
      throw new Error(`seed ${seed}`, { cause });
    }
  }
  for (const word of [
    "PlaceOrder",
    "PlaceBatch",
    "Filled",
    "Posted",
    "POSITION_LIMIT",
    "INSUFFICIENT_BALANCE",
    "MARKET_CLOSED",
    "KYC_REQUIRED",
  ]) {
    assert.ok(met.has(word), `the runs met ${word}`);
  }
});

test("a name in use and a protection that has tripped are refused as placing refuses them", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [maker, taker] = [world.trader("maker", "1000"), world.trader("taker", "1000")];
  const listing = world.listing("2025-04", layer);
  const offer = order(listing, "SELL", "10", "0.05", { clientOrderId: "mine" });
  const limits = { withinSeconds: 60, maxLots: lots(100n), maxFills: null };
  world.order(offer, maker, listing);
  world.do(maker.actor, { type: "SetProtection", ...limits });
  const codes = ["mine", "another"].map((clientOrderId) => {
    const command = { type: "PlaceOrder", order: { ...offer, clientOrderId }, listing } as const;
    const view = ExchangeView.from(decodeState(encodeState(world.state)));
    assert.ok(maker.actor.type === "key");
    const previewed = previewCommand(view, maker.actor, command, world.nowMillis);
    assert.ok("rejection" in previewed);
    assert.deepEqual(previewed.rejection, world.refused(maker.actor, command));
    world.order(order(listing, "BUY", "5", "0.05"), taker);
    return previewed.rejection.code;
  });
  assert.deepEqual(codes, ["CLIENT_ORDER_ID_USED", "PROTECTION_TRIPPED"]);
});
