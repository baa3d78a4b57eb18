// An operator has bet on a print, through an account of its owner, and sends the file itself.
// Invariant: a release that settles a market with a stake of whoever sends it is held, until two
// people without one have released it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReleaseId } from "#base/ids.ts";
import { publicEvents } from "#views/public-events.ts";
import { order, root, system, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, eve] = [world.trader("anna", "1000"), world.trader("eve", "1000")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.join(eve, olga);
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), eve);
  world.runTo(Date.UTC(2025, 0, 20));
  const settled = () => world.state.market(listing.marketId).status === "RESOLVED";
  return { world, olga, otto, settled, accept: world.release(world.observe("2024-12", "240000")) };
}

test("the print one has bet on is held, and released by two who have not", (t) => {
  const { world, olga, otto, settled, accept } = stage();
  world.do(olga.actor, accept);
  t.diagnostic(`after: settled by its holder alone: ${settled() ? "yes" : "no"}`);
  assert.equal(settled(), false);
  const { id } = accept.release;
  const held = world.state.quarantine.get(id) ?? assert.fail("it is held");
  assert.deepEqual(
    held.reasons.map(({ code }) => code),
    ["SENDER_HAS_STAKE"],
  );
  assert.equal(held.awaited?.length, 1);
  const approve = { type: "ApproveRelease", releaseId: id } as const;
  assert.equal(world.refused(olga.actor, approve).code, "CONFLICT_OF_INTEREST");
  world.do(otto.actor, approve);
  const release = { ...accept, fromQuarantine: true } as const;
  assert.equal(world.refused(olga.actor, release).code, "CONFLICT_OF_INTEREST");
  assert.equal(world.refused(otto.actor, release).code, "RELEASE_SAME_OPERATOR");
  world.do(root, release);
  assert.ok(settled());
});

test("the public is told nothing of prints that are held, and of all once they are released", () => {
  const { world, olga, otto, accept } = stage();
  const { id } = accept.release;
  // The public hears of a release that is accepted, with its publisher's name.
  const publisher = (release: ReleaseId): string =>
    world.state.releases.get(release)?.provider ?? assert.fail(`${release} is accepted`);
  const told = () => publicEvents(world.journal.at(-1) ?? assert.fail("it is there"), publisher);
  world.do(olga.actor, accept);
  assert.deepEqual(told(), []);
  world.do(otto.actor, { type: "ApproveRelease", releaseId: id });
  assert.deepEqual(told(), []);
  world.do(root, { ...accept, fromQuarantine: true });
  const types = told().map(({ type }) => type);
  assert.ok(types.includes("release") && types.includes("prints"), types.join(", "));
});

test("an operator without a stake, root, and the exchange's own download settle it at once", () => {
  for (const who of ["otto", "root", "system"] as const) {
    const { world, otto, settled, accept } = stage();
    world.do(who === "otto" ? otto.actor : who === "root" ? root : system, accept);
    assert.ok(settled(), who);
  }
});
