// Accounts that two people decide on: an operator's account, and whose an operator is; and the
// orders and proposals that a halt takes with it.
// Invariant: a record says who opened an account and who agreed; root, which founds, is not named.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import type { CommandOf } from "#core/command.ts";
import { proposalIn } from "#core/proposals/told.ts";
import { adminPermissions, type Permission, type Role } from "#core/records.ts";
import { order, root, type Trader, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

function stage() {
  const world = new World();
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const opened = ({ id }: Trader) => {
    const { openedBy, vouchedBy, marginStatus } = world.state.account(id);
    return [openedBy, vouchedBy, marginStatus];
  };
  return { world, olga, otto, opened };
}

const opening = (role: Role, permissions: readonly Permission[]): CommandOf<"OpenAccount"> => ({
  type: "OpenAccount",
  name: "new",
  role,
  address: "0xnew",
  key: {
    label: "first",
    prefix: "fp_test_aaaa",
    digest: "new",
    permissions,
    ratePerMinute: null,
    expiresAtSeconds: null,
  },
});

test("an account names the operator who opened it, and of an operator's the one who agreed", () => {
  const { world, olga, otto, opened } = stage();
  assert.deepEqual(opened(olga), [undefined, undefined, "healthy"], "root founds alone");
  assert.deepEqual(opened(world.open("anna", "trader")), [undefined, undefined, "healthy"]);
  const bela = world.openAs(olga.actor, "bela", "trader");
  assert.deepEqual(opened(bela), [olga.id, undefined, "healthy"]);
  for (const [by, agrees, names] of [
    [olga.actor, otto.actor, [olga.id, [otto.id], "healthy"]],
    [olga.actor, root, [olga.id, undefined, "healthy"]],
    [root, otto.actor, [undefined, [otto.id], "healthy"]],
  ] as const) {
    const waiting = proposalIn("open", world.do(by, opening("operator", adminPermissions)));
    assert.ok(waiting !== undefined, "one word opens none");
    world.agree(agrees, waiting);
    const newest = [...world.state.accounts.values()].at(-1) ?? assert.fail();
    assert.deepEqual([newest.openedBy, newest.vouchedBy, newest.marginStatus], names);
  }
});

test("a first key has the rate it is given, else six hundred requests a minute", () => {
  const { world } = stage();
  for (const [ratePerMinute, rate] of [
    [null, 600],
    [7, 7],
  ] as const) {
    const asked = opening("trader", []);
    world.do(root, { ...asked, key: { ...asked.key, ratePerMinute } });
    assert.equal([...world.state.keys.values()].at(-1)?.ratePerMinute, rate);
  }
});

test("an operator gives no permission that its own key lacks", () => {
  const { world, olga } = stage();
  const key = { ...opening("operator", []).key, permissions: ["admin:accounts"] as const };
  const [made] = world.do(olga.actor, { type: "CreateKey", key });
  assert.ok(made?.type === "KeyChanged");
  const narrow = { type: "key", accountId: olga.id, keyId: made.key.id } as const;
  assert.deepEqual(world.refused(narrow, opening("operator", ["admin:funding"])), {
    code: "KEY_ESCALATION",
    details: { limit: "permissions" },
    field: "permissions",
  });
  assert.ok(proposalIn("open", world.do(narrow, opening("operator", ["admin:accounts"]))));
});

test("one person says whose a trader is; whose an operator is takes two", () => {
  const { world, olga, otto } = stage();
  const [anna, bela] = [world.open("anna", "trader"), world.open("bela", "trader")];
  const owner = (one: Trader) => world.state.account(one.id).owner;
  world.do(olga.actor, { type: "SetOwner", accountId: bela.id, owner: anna.id });
  assert.equal(owner(bela), anna.id);
  const third = world.open("third", "operator");
  const joins = { type: "SetOwner", accountId: third.id, owner: bela.id } as const;
  const waiting = proposalIn("open", world.do(otto.actor, joins));
  assert.ok(waiting !== undefined);
  assert.equal(owner(third), undefined);
  world.agree(root, waiting);
  assert.equal(owner(third), anna.id);
});

test("a credit line is set for one account, and nothing else of it changes", () => {
  const { world } = stage();
  const anna = world.open("anna", "trader");
  const before = world.state.account(anna.id);
  assert.equal(before.marginStatus, "healthy");
  const creditMicros = micros(7_000_000n);
  world.do(root, { type: "SetCredit", accountId: anna.id, creditMicros });
  assert.deepEqual(world.state.account(anna.id), { ...before, creditMicros });
});

test("a halted operator's proposals go; resuming one that was never halted takes nothing", () => {
  const { world, olga, otto } = stage();
  world.print("2024-10", "300000");
  const reason = "drill";
  const anna = world.trader("anna", "10");
  const listing = world.listing("2025-04", layer);
  const { id } = world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  const word = (by: Trader) =>
    proposalIn("open", world.do(by.actor, opening("operator", []))) ?? assert.fail("it waits");
  const [ofOlga, ofOtto] = [word(olga), word(otto)];
  for (const { id: accountId } of [anna, olga]) {
    world.do(root, { type: "ResumeAccount", accountId, reason });
  }
  assert.equal(world.state.order(id).status, "OPEN");
  assert.ok(world.state.proposals.has(ofOlga.id));
  for (const { id: accountId } of [anna, olga]) {
    world.do(root, { type: "HaltAccount", accountId, reason });
  }
  assert.equal(world.state.order(id).cancelReason, "ACCOUNT_HALTED");
  assert.deepEqual([...world.state.proposals.keys()], [ofOtto.id]);
});

test("while root is off the last two people are not halted; who is not missed may be", () => {
  const { world, olga, otto } = stage();
  const anna = world.open("anna", "trader");
  const [first] = world.do(olga.actor, { type: "SetRoot", on: false });
  assert.ok(first?.type === "ProposalChanged");
  world.agree(otto.actor, first.proposal);
  const halt = ({ id: accountId }: Trader) =>
    ({ type: "HaltAccount", accountId, reason: "drill" }) as const;
  assert.deepEqual(world.refused(olga.actor, halt(otto)), { code: "OPERATORS_MISSING" });
  world.do(olga.actor, halt(anna));
  assert.ok(world.state.account(anna.id).halted);
  world.do(olga.actor, { type: "ResumeAccount", accountId: otto.id, reason: "drill" });
});
