// A preview against the placement itself: the same orders, on what is durable, told the same.
// Invariant: whatever a preview says of an order, placing it at that moment does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "#core/codec.ts";
import { isRejected } from "#core/outcome.ts";
import { stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { available } from "#core/step.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { ExchangeView } from "#views/exchange.ts";
import { previewCommand } from "#views/preview.ts";

const RUNS = sizeOfRun("FIRSTPRINT_PREVIEW_RUNS", 240);
/** Seeds from here on meet all that is wanted within the first eighty. */
const FIRST = 140;
const COMMANDS = 200;

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
    "CLIENT_ORDER_ID_USED",
    "PROTECTION_TRIPPED",
    "MARKET_CLOSED",
    "KYC_REQUIRED",
  ]) {
    assert.ok(met.has(word), `the runs met ${word}`);
  }
});
