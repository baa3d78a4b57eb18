// One person wants a market gone: because it loses there, because a friend does, or for money.
// Invariant: a void needs two people, and a market that has resolved is never void.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor, Command } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { adminPermissions } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { voidSubject } from "#core/words/word.ts";
import { order, root, type Trader, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const DAY_MILLIS = 86_400_000;

/** Anna has sold Bela ten to December 2024; two operators, whose accounts root has opened. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "100"), world.trader("bela", "100")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const listing = world.listing("2024-12", layer);
  const { marketId } = listing;
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  const cancel = { type: "CancelMarket", marketId, reason: "drill" } as const;
  const withdraw = { type: "WithdrawVoid", marketId, reason: "drill" } as const;
  const market = () => world.state.market(marketId);
  const voices = () => world.voices(voidSubject(marketId));
  return { world, anna, bela, olga, otto, marketId, cancel, withdraw, market, voices };
}

/** Another key of the same account. */
function keyOf(world: World, { id, actor }: Trader): Actor {
  const key = {
    label: "second",
    prefix: "fp_test_bbbb",
    digest: "second",
    permissions: adminPermissions,
    ratePerMinute: null,
    expiresAtSeconds: null,
  };
  const [made] = world.do(actor, { type: "CreateKey", key });
  assert.ok(made?.type === "KeyChanged");
  return { type: "key", accountId: id, keyId: made.key.id };
}

test("one operator with two keys voids no market; a second person does", (t) => {
  const { world, anna, bela, olga, otto, cancel, market, voices } = stage();
  const otherKey = keyOf(world, olga);
  const before = [world.cash(anna), world.cash(bela)];
  world.do(olga.actor, cancel);
  assert.equal(market().status, "ACTIVE", "a first word reverses nothing");
  assert.deepEqual([world.cash(anna), world.cash(bela)], before);
  assert.deepEqual(voices(), [olga.id]);
  for (const same of [olga.actor, otherKey]) {
    assert.equal(world.refused(same, cancel).code, "VOID_SAME_OPERATOR");
  }
  t.diagnostic(`after: ${world.refused(otherKey, cancel).code}, ${market().status}`);
  world.do(otto.actor, { ...cancel, reason: "agreed" });
  assert.equal(market().status, "CANCELLED");
  assert.equal(market().reason, "drill", "the reason is the proposal's");
  assert.deepEqual(voices(), []);
  assert.equal(world.cash(bela), 100_000_000n);
});

test("root is one person, and so is an operator with the operators it has opened", () => {
  const { world, olga, cancel, market } = stage();
  world.do(root, cancel);
  assert.equal(world.refused(root, cancel).code, "VOID_SAME_OPERATOR");
  world.do(root, { type: "WithdrawVoid", marketId: cancel.marketId, reason: "no" });

  const puppet = world.openAs(olga.actor, "puppet", "operator");
  const puppetOfPuppet = world.openAs(puppet.actor, "strings", "operator");
  world.do(olga.actor, cancel);
  for (const { actor } of [puppet, puppetOfPuppet]) {
    assert.equal(world.refused(actor, cancel).code, "VOID_SAME_OPERATOR");
  }
  world.do(olga.actor, { type: "WithdrawVoid", marketId: cancel.marketId, reason: "no" });
  world.do(puppet.actor, cancel);
  assert.equal(world.refused(puppetOfPuppet.actor, cancel).code, "VOID_SAME_OPERATOR");
  assert.equal(market().status, "ACTIVE");
  world.do(root, cancel);
  assert.equal(market().status, "CANCELLED", "an account's opener alone is not who it is");
});

test("two accounts of one owner are one person", () => {
  const { world, olga, otto, cancel, market } = stage();
  world.do(olga.actor, cancel);
  const [waiting] = world.do(root, { type: "SetOwner", accountId: otto.id, owner: olga.id });
  assert.ok(waiting?.type === "WordChanged", "it decides how many people there are");
  world.agree(olga.actor, waiting.word);
  assert.equal(world.refused(otto.actor, cancel).code, "VOID_SAME_OPERATOR");
  assert.equal(market().status, "ACTIVE");
});

test("what a market has resolved to is changed by a dispute, by no void, of one or of two", () => {
  const { world, olga, otto, cancel, market, voices } = stage();
  world.do(olga.actor, cancel);
  world.runTo(Date.UTC(2025, 0, 20));
  world.do(olga.actor, cancel);
  world.print("2024-12", "240000");
  assert.equal(market().status, "RESOLVED");
  assert.deepEqual(voices(), [], "the proposal ends where the market resolves");
  for (const actor of [root, olga.actor, otto.actor]) {
    const refused = world.refused(actor, cancel);
    assert.deepEqual(refused, { code: "MARKET_STATE", details: { status: "RESOLVED" } });
  }
  assert.equal(market().status, "RESOLVED");
});

test("a word is taken back by its giver alone, and lapses by itself after ten days", () => {
  const { world, anna, olga, otto, cancel, withdraw, market, voices } = stage();
  assert.equal(world.refused(olga.actor, withdraw).code, "VOID_NOT_PROPOSED");
  world.do(olga.actor, cancel);
  assert.equal(world.refused(anna.actor, withdraw).code, "NOT_OPERATOR");
  assert.equal(world.refused(otto.actor, withdraw).code, "VOID_NOT_PROPOSED");
  assert.deepEqual(voices(), [olga.id], "another's stands");
  world.do(olga.actor, withdraw);
  assert.deepEqual(voices(), []);
  world.do(olga.actor, cancel);
  const { nowMillis } = world;
  world.runTo(nowMillis + DAY_MILLIS);
  world.do(olga.actor, withdraw);
  world.do(otto.actor, cancel);
  const seen: string[] = [];
  const see = ({ type }: Command) => seen.push(type);
  world.runTo(nowMillis + 11 * DAY_MILLIS - 1, see);
  assert.deepEqual(seen, [], "the one taken back brings nothing; the new one has its own time");
  world.runTo(nowMillis + 11 * DAY_MILLIS, see);
  assert.deepEqual(seen, ["LapseProposal"]);
  assert.deepEqual(voices(), []);
  assert.equal(isRejected(world.try(olga.actor, cancel)), false);
  assert.equal(market().status, "ACTIVE", "a word after that is a first one");
});

test("a restart forgets neither the proposal nor when it lapses", () => {
  const { world, olga, otto, cancel, market, voices } = stage();
  world.do(olga.actor, cancel);
  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state));
  world.state = restored;
  assert.deepEqual(voices(), [olga.id]);
  world.runTo(world.nowMillis + 10 * DAY_MILLIS);
  assert.deepEqual(voices(), []);
  world.do(otto.actor, cancel);
  assert.equal(market().status, "ACTIVE");
});
