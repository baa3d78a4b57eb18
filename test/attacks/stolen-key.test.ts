// A key is stolen, or an operator's is; and an operator would like the key of the second person.
// Invariant: every key of an account ends with one command, a halt leaves nothing resting, and it
// takes two people to give a key to an operator.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import type { Actor, NewKey } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { type Permission, permissions } from "#core/records.ts";
import { wordIn } from "#core/words/told.ts";
import { order, root, type Trader, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

const newKey = (label: string): NewKey => ({
  label,
  prefix: "fp_test_dddd",
  digest: label,
  permissions,
  ratePerMinute: null,
  expiresAtSeconds: null,
});

const powers = (...held: readonly Permission[]): NewKey => ({
  ...newKey(held.join()),
  permissions: held,
});

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "1000");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const listing = world.listing("2024-12", layer);
  const rest = world.order(order(listing, "BUY", "10", "0.05"), anna, listing);
  return { world, anna, olga, otto, listing, rest };
}

/** By two people: root asks for it, and this operator is shown it. */
function issue(world: World, by: Actor, { id }: Trader, label: string): Actor {
  const command = { type: "IssueKey", accountId: id, key: newKey(label) } as const;
  world.do(root, command);
  const made = world.do(by, command).find((event) => event.type === "KeyChanged");
  assert.ok(made?.type === "KeyChanged");
  return { type: "key", accountId: id, keyId: made.key.id };
}

test("every key of an account ends at once, those the thief has made too; a new one works", (t) => {
  const { world, anna, olga, listing } = stage();
  const [made] = world.do(anna.actor, { type: "CreateKey", key: newKey("thief's") });
  assert.ok(made?.type === "KeyChanged");
  const thief: Actor = { type: "key", accountId: anna.id, keyId: made.key.id };
  const events = world.do(olga.actor, { type: "RevokeKeys", accountId: anna.id });
  assert.equal(events.length, 2, "each key that was live, once");
  const input = order(listing, "BUY", "1", "0.05");
  for (const actor of [anna.actor, thief]) {
    const refused = world.refused(actor, { type: "PlaceOrder", order: input, listing: null });
    assert.equal(refused.code, "UNAUTHENTICATED");
  }
  t.diagnostic(`after: all ${events.length} keys are revoked at once`);
  assert.deepEqual(world.do(root, { type: "RevokeKeys", accountId: anna.id }), []);
  const fresh = issue(world, olga.actor, anna, "anna's again");
  world.do(fresh, { type: "PlaceOrder", order: input, listing: null });
});

test("an operator gives itself no key of another operator, of its own person, or of nobody", () => {
  const { world, anna, olga, otto } = stage();
  const ada = world.open("ada", "auditor");
  const give = (to: Trader["id"], by: Actor) =>
    world.refused(by, { type: "IssueKey", accountId: to, key: newKey("k") }).code;
  const [waiting] = world.do(olga.actor, {
    type: "IssueKey",
    accountId: otto.id,
    key: newKey("otto's, for olga"),
  });
  assert.ok(waiting?.type === "WordChanged", "nothing is given yet");
  const { id: proposalId } = waiting.word;
  const confirm = { type: "ConfirmProposal", proposalId, key: newKey("x") } as const;
  assert.equal(world.refused(olga.actor, confirm).code, "PROPOSAL_SAME_OPERATOR");
  assert.equal(world.refused(otto.actor, confirm).code, "CONFLICT_OF_INTEREST");
  const narrow = world.do(olga.actor, { type: "CreateKey", key: powers("admin:accounts") });
  assert.ok(narrow[0]?.type === "KeyChanged");
  const accounts: Actor = { type: "key", accountId: olga.id, keyId: narrow[0].key.id };
  assert.equal(give(ada.id, accounts), "KEY_ESCALATION", "an auditor reads more than this key");
  world.join(anna, olga);
  assert.equal(give(anna.id, olga.actor), "CONFLICT_OF_INTEREST");
  assert.equal(give(anna.id, anna.actor), "NOT_OPERATOR");

  assert.equal(give(accountId("acc-99"), root), "ACCOUNT_NOT_FOUND");
  const asked = wordIn(
    "open",
    world.do(root, {
      type: "IssueKey",
      accountId: otto.id,
      key: powers("admin:accounts"),
    }),
  );
  const agreed = world.agree(olga.actor, asked ?? assert.fail("it waits"));
  const vouched = agreed.find((event) => event.type === "AccountChanged");
  const made = agreed.find((event) => event.type === "KeyChanged");
  assert.ok(vouched !== undefined && made !== undefined);
  assert.deepEqual(vouched.account.vouchedBy, [olga.id], "olga was shown it: they are one now");
  const fresh: Actor = { type: "key", accountId: otto.id, keyId: made.key.id };
  world.do(fresh, { type: "HaltAccount", accountId: ada.id, reason: null });
});

test("an account has no more keys by the operator's hand than by its own", () => {
  const { world, anna, olga } = stage();
  for (let count = 1; count < 50; count += 1) {
    const made = world.do(anna.actor, { type: "CreateKey", key: newKey(`key ${count}`) });
    assert.equal(made[0]?.type, "KeyChanged");
  }
  const one = { type: "IssueKey", accountId: anna.id, key: newKey("one more") } as const;
  assert.equal(world.refused(olga.actor, one).code, "KEY_LIMIT");
});

test("a halt takes what an account has resting off the book", () => {
  const { world, anna, olga, rest } = stage();
  world.do(olga.actor, { type: "HaltAccount", accountId: anna.id, reason: "a stolen key" });
  const { status, cancelReason } = world.state.order(rest.id);
  assert.deepEqual([status, cancelReason], ["CANCELLED", "ACCOUNT_HALTED"]);
  assert.equal(world.available(anna), world.cash(anna), "it holds nothing back");
});

test("a halted operator operates nothing, and lifts no halt", () => {
  const { world, anna, olga, otto } = stage();
  world.do(root, { type: "HaltAccount", accountId: olga.id, reason: "a stolen key" });
  const orders = [
    { type: "HaltExchange", reason: "drill" },
    { type: "ResumeAccount", accountId: olga.id, reason: null },
    { type: "IssueKey", accountId: anna.id, key: newKey("k") },
  ] as const;
  for (const command of orders) {
    assert.equal(world.refused(olga.actor, command).code, "ACCOUNT_HALTED", command.type);
  }
  world.do(otto.actor, { type: "ResumeAccount", accountId: olga.id, reason: null });
  assert.ok(!isRejected(world.try(olga.actor, { type: "HaltExchange", reason: "drill" })));
});
