// An operator whose friend has sold protection wants the market void, or settled on an older level.
// Invariant: neither one person nor two choose the step, nor the prints it rests on by the moment
// they ask in; a fall that was printed is paid.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FallbackTaken } from "#core/settlement/fallback-step.ts";
import { wordIn } from "#core/words/told.ts";
import { Stage, settling, zip } from "../core/fallback-stage.ts";
import { order, root, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const DUE = Date.UTC(2025, 8, 20) + 60 * 86_400_000;

/** A fall of 20 % is printed in the last month but one; the last one never comes. */
function stage() {
  const world = new World();
  world.successor = null;
  world.print("2024-10", "300000");
  const [seller, buyer] = [world.trader("seller", "100"), world.trader("buyer", "100")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const listing = world.listing("2025-08", layer);
  world.order(order(listing, "SELL", "10", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "10", "0.05"), buyer);
  const chained = () => {
    const point = world.state.chainPoints.get("zhvi|state:tx") ?? assert.fail();
    const { month, valueE15, releaseId } = point;
    return { month, valueE15, levelE12: point.levelE12 ?? assert.fail(), releaseId };
  };
  const baseline = chained();
  world.runTo(Date.UTC(2025, 6, 20));
  world.print("2025-06", "297000");
  const early = chained();
  world.runTo(Date.UTC(2025, 7, 20));
  world.print("2025-07", "240000");
  const { marketId } = listing;
  const settle = (taken: FallbackTaken) => settling(world.state, marketId, taken);
  return { world, buyer, olga, otto, marketId, settle, baseline, early, last: chained() };
}

test("no void, of one or of two, and no older level", (t) => {
  const { world, buyer, olga, otto, marketId, settle, baseline, early, last } = stage();
  world.runTo(DUE);
  const cancel = { type: "CancelMarket", marketId, reason: "no print" } as const;
  const forged = { ...last, levelE12: early.levelE12 };
  for (const { actor } of [olga, otto]) {
    assert.equal(world.refused(actor, cancel).code, "VOID_AFTER_PRINT");
    for (const taken of [
      { step: "void" } as const,
      { step: "last-level", last: baseline } as const,
      { step: "last-level", last: early } as const,
      { step: "last-level", last: forged } as const,
      { step: "successor", last, from: last, to: last } as const,
    ]) {
      assert.equal(world.refused(actor, settle(taken)).code, "FALLBACK_STEP");
    }
  }
  const taken = { step: "last-level", last } as const;
  const waiting = wordIn("open", world.do(olga.actor, settle(taken)));
  world.agree(otto.actor, waiting ?? assert.fail());
  world.runTo(DUE + 4 * 86_400_000);
  const dollars = Number(world.cash(buyer)) / 1e6;
  t.diagnostic(`after: neither; settled on the newest level, 100 USD are ${dollars} USD`);
  assert.equal(world.cash(buyer), 100_000_000n - 502_500n + 10_000_000n);
});

test("a step drawn before a fall is not taken after it, however many prints came at once", (t) => {
  const stage = new Stage(null);
  stage.runTo(Date.UTC(2025, 7, 25));
  stage.at(zip, "2025-06", "297000");
  stage.runTo(DUE);
  const drawn = stage.step({ step: "last-level", last: stage.of(zip, "2025-06") });
  // The place was held: its release puts the fall in, and with it a month past the term.
  stage.at(zip, "2025-07", "240000");
  stage.at(zip, "2025-09", "235000");
  assert.equal(stage.refused(stage.olga.actor, drawn).code, "FALLBACK_STEP");
  assert.equal(stage.state.words.size, 0);

  const before = stage.cash(stage.bela);
  stage.takeInTwo({ step: "last-level", last: stage.of(zip, "2025-07") });
  stage.runTo(stage.nowMillis + 4 * 86_400_000);
  const paid = stage.cash(stage.bela) - before;
  t.diagnostic(`before: a fall of 20 % paid 0 USD; after: ${Number(paid) / 1e6} USD`);
  assert.equal(paid, 10_000_000n);
});

test("one operator with two keys is one person, and so is the founder alone", () => {
  const { world, olga, settle, last } = stage();
  world.runTo(DUE);
  const taken = { step: "last-level", last } as const;
  const waiting = wordIn("open", world.do(olga.actor, settle(taken))) ?? assert.fail();
  const key = {
    label: "second",
    prefix: "fp_test_bbbb",
    digest: "second",
    permissions: ["admin:settle"],
    ratePerMinute: null,
    expiresAtSeconds: null,
  } as const;
  const [made] = world.do(olga.actor, { type: "CreateKey", key });
  assert.ok(made?.type === "KeyChanged");
  const other = { type: "key", accountId: olga.id, keyId: made.key.id } as const;
  const word = { prefix: "fp_test_aaaa", digest: "x" };
  const confirm = { type: "ConfirmProposal", proposalId: waiting.id, key: word } as const;
  assert.equal(world.refused(other, confirm).code, "PROPOSAL_SAME_OPERATOR");

  const founding = new World();
  founding.successor = null;
  founding.print("2024-10", "300000");
  const [seller, buyer] = [founding.trader("s", "100"), founding.trader("b", "100")];
  const listing = founding.listing("2025-08", layer);
  founding.order(order(listing, "SELL", "1", "0.05"), seller, listing);
  founding.order(order(listing, "BUY", "1", "0.05"), buyer);
  founding.runTo(DUE);
  const { marketId } = listing;
  founding.do(root, settling(founding.state, marketId, { step: "void" }));
  assert.equal(founding.state.market(marketId).status, "ACTIVE");
  assert.equal(founding.state.words.size, 1);
});
