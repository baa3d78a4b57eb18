// One operator wants to be two: it opens a second operator's account, or has a key given to one
// that is there, and agrees to its own proposals with it.
// Invariant: it takes two people to open an operator's account or to give it a key, and whoever did
// is one person with it from then on.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor, CommandOf } from "#core/command.ts";
import { adminPermissions } from "#core/records.ts";
import { wordIn } from "#core/words/told.ts";
import { order, root, type Trader, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

const opening = (name: string): CommandOf<"OpenAccount"> => ({
  type: "OpenAccount",
  name,
  role: "operator",
  address: `0x${name}`,
  key: {
    label: "first",
    prefix: "fp_test_ffff",
    digest: name,
    permissions: adminPermissions,
    ratePerMinute: null,
    expiresAtSeconds: null,
  },
});

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  const cancel = { type: "CancelMarket", marketId: listing.marketId, reason: "drill" } as const;
  return {
    world,
    anna,
    olga,
    otto,
    cancel,
    withdraw: { ...cancel, type: "WithdrawVoid" } as const,
  };
}

test("root alone opens the first two, and after that nobody opens one alone", (t) => {
  const { world, olga, otto } = stage();
  let alone = 0;
  for (const actor of [root, olga.actor, otto.actor]) {
    const events = world.do(actor, opening(`by ${actor.type}`));
    const waiting = wordIn("open", events) ?? assert.fail("it was opened by one person");
    assert.equal(events.length, 1);
    if (world.state.operators.size > 2) alone += 1;
    world.do(actor, { type: "WithdrawProposal", proposalId: waiting.id });
  }
  assert.equal(world.state.operators.size, 2);
  t.diagnostic(`after: ${alone} of 3 operators opened by one person`);
});

test("whoever opened an operator, or agreed to it, is one person with it", () => {
  const { world, olga, otto, cancel, withdraw } = stage();
  const waiting = wordIn("open", world.do(olga.actor, opening("puppet"))) ?? assert.fail();
  const made = world.agree(otto.actor, waiting, "puppet").find(({ type }) => type === "KeyChanged");
  assert.ok(made?.type === "KeyChanged");
  const { accountId, id: keyId, permissions } = made.key;
  assert.ok(permissions.includes("admin:settle"));
  const puppet: Trader = { id: accountId, actor: { type: "key", accountId, keyId } };
  const { openedBy, vouchedBy } = world.state.account(accountId);
  assert.deepEqual([openedBy, vouchedBy], [olga.id, [otto.id]]);
  for (const first of [olga, otto]) {
    world.do(first.actor, cancel);
    assert.equal(world.refused(puppet.actor, cancel).code, "VOID_SAME_OPERATOR");
    world.do(first.actor, withdraw);
  }
  // The key that both were shown goes, and what it made with it; who vouched stays.
  const [own] = world.do(puppet.actor, { type: "CreateKey", key: opening("its own").key });
  assert.ok(own?.type === "KeyChanged");
  const later: Actor = { type: "key", accountId, keyId: own.key.id };
  world.do(puppet.actor, { type: "RevokeKey", keyId });
  for (const first of [olga, otto]) {
    world.do(first.actor, cancel);
    assert.equal(world.refused(later, cancel).code, "VOID_SAME_OPERATOR");
    world.do(first.actor, withdraw);
  }
  world.do(root, cancel);
  world.do(later, cancel);
  assert.equal(world.state.market(cancel.marketId).status, "CANCELLED", "with root it is two");
});

test("an operator shown a key of another one's account is that one from then on", () => {
  const { world, olga, otto, cancel } = stage();
  const { key } = opening("otto's again");
  const asked = world.do(root, { type: "IssueKey", accountId: otto.id, key });
  world.agree(olga.actor, wordIn("open", asked) ?? assert.fail(), "shown to olga");
  world.do(olga.actor, cancel);
  assert.equal(world.refused(otto.actor, cancel).code, "VOID_SAME_OPERATOR");
});

test("operators may be opened without authority: root alone gives it to the first two", () => {
  const world = new World();
  const [olga, otto, cleo] = ["olga", "otto", "cleo"].map((name) => world.openIdle(name));
  assert.ok(olga !== undefined && otto !== undefined && cleo !== undefined);
  for (const { id: accountId } of [olga, otto]) {
    const { key } = opening(`${accountId}'s`);
    const [made] = world.do(root, { type: "IssueKey", accountId, key });
    assert.equal(made?.type, "KeyChanged");
  }
  const { key } = opening("cleo's");
  const [waiting] = world.do(root, { type: "IssueKey", accountId: cleo.id, key });
  assert.equal(waiting?.type, "WordChanged");
});
