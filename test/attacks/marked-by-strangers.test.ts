// Three owners sell .01 contracts somewhere and mark a market that is settled in cash at nothing.
// Invariant: a mark weighs what its owner has been short for 30 days; the model has the rest.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layer, Stage } from "#test/core/marks-stage.ts";

const CENT_SELLERS = [0, 1, 2];

/** One has sold 20,000 contracts, the other three .01 each; the claim is of 10 contracts. */
test("three owners that sold next to nothing do not decide what a market pays", (t) => {
  const stage = new Stage(true, layer, ["0.01", "0.01", "0.01", "20000"]);
  stage.call();
  for (const at of CENT_SELLERS) stage.give(at, 0);
  stage.give(3, 3_100);
  stage.modelSays("0.3");
  const before = stage.cash(stage.bela);
  stage.close();
  stage.runTo(stage.nowMillis + 4 * 86_400_000);
  const paid = stage.cash(stage.bela) - before;
  t.diagnostic(`after: ${Number(paid) / 1e6} of 3 USD paid, with the model at 0.3`);
  assert.equal(paid, 3_000_000n);
});
