// One operator, by itself, decides nothing by being first: neither with a wrong word against two
// honest ones, nor with a word that outlives its halt and its keys.
// Invariant: two live people who say the same decide; what one said before is nobody's veto.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor, CommandOf } from "#core/command.ts";
import { order, root, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const DAY_MILLIS = 86_400_000;

/** Anna has sold bela ten to December; eve is the operator who is not honest. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [eve, otto] = [world.open("eve", "operator"), world.open("otto", "operator")];
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const listing = world.listing("2024-12", layer);
  const { marketId } = listing;
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  world.runTo(Date.UTC(2025, 0, 20));
  return { world, eve, otto, bela, marketId };
}

test("a wrong print that one operator upholds is amended by two honest ones", (t) => {
  const { world, eve, otto, bela, marketId } = stage();
  world.print("2024-12", "299000");
  world.do(bela.actor, { type: "OpenDispute", marketId, reason: "a digit", evidence: null });
  const { valueE15 } = world.observe("2024-12", "240000");
  const decide = (decision: "uphold" | "amend"): CommandOf<"DecideDispute"> => {
    const value = decision === "amend" ? valueE15 : null;
    return { type: "DecideDispute", marketId, decision, valueE15: value, evidence: null };
  };
  world.do(eve.actor, decide("uphold"));
  const honest: readonly Actor[] = [otto.actor, root];
  for (const by of honest) world.do(by, decide("amend"));
  const { dispute, resolution } = world.state.market(marketId);
  t.diagnostic(
    `after: two honest words against a first one, dispute ${dispute?.openedBy ?? "over"}`,
  );
  assert.equal(dispute, null);
  assert.equal(resolution?.outcome, "YES", "what the provider first published");
  const day = world.nowMillis + 3 * DAY_MILLIS;
  world.runTo(day);
  assert.equal(world.state.market(marketId).status, "FINALIZED");
});

test("its word stands in nobody's way once it is halted or has lost its keys", () => {
  for (const type of ["HaltAccount", "RevokeKeys"] as const) {
    const { world, eve, otto, bela, marketId } = stage();
    world.print("2024-12", "299000");
    world.do(bela.actor, { type: "OpenDispute", marketId, reason: "a digit", evidence: null });
    const uphold = { type: "DecideDispute", marketId, decision: "uphold" } as const;
    const word = { ...uphold, valueE15: null, evidence: null };
    world.do(eve.actor, word);
    world.do(root, { type, accountId: eve.id, reason: "not honest" });
    world.do(otto.actor, word);
    assert.notEqual(world.state.market(marketId).dispute, null, "one word of one who may speak");
    world.do(root, word);
    assert.equal(world.state.market(marketId).dispute, null);
  }
});

test("a held file is not let in by the word of one who was halted since", (t) => {
  const { world, eve, otto, marketId } = stage();
  const accept = world.release(world.observe("2024-12", "240000"));
  const reasons = [{ code: "MOVE_TOO_LARGE", message: "a fifth in two months" }];
  world.do(root, { type: "QuarantineRelease", release: accept.release, reasons });
  const approve = { type: "ApproveRelease", releaseId: accept.release.id } as const;
  world.do(eve.actor, approve);
  world.do(otto.actor, { type: "HaltAccount", accountId: eve.id, reason: "not honest" });
  const released = { ...accept, fromQuarantine: true } as const;
  const refused = world.refused(otto.actor, released).code;
  t.diagnostic(`after: ${refused}, ${world.state.market(marketId).status}`);
  assert.equal(refused, "RELEASE_HELD");
  assert.equal(world.state.market(marketId).status, "ACTIVE");
  world.do(root, approve);
  world.do(otto.actor, released);
  assert.equal(world.state.market(marketId).status, "RESOLVED");
});
