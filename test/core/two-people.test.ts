// Accounts that two people decide on: an operator's account, and whose an operator is; and the
// orders and proposals that a halt takes with it.
// Invariant: a record says who opened an account and who agreed; root, which founds, is not named.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Actor, CommandOf } from "#core/command.ts";
import { adminPermissions, type Permission, permissions, type Role } from "#core/records.ts";
import { wordIn } from "#core/words/told.ts";
import { MOST_WORDS } from "#core/words/word.ts";
import { order, root, type Trader, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

function stage() {
  const world = new World();
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const opened = ({ id }: Trader) => {
    const { openedBy, vouchedBy, marginStatus } = world.state.account(id);
    return [openedBy, vouchedBy, marginStatus];
  };
  /** The opening of another operator's account, which waits for a second word. */
  const word = (by: Trader) => {
    const asked = { ...opening("operator", []), name: `by ${by.id}` };
    return wordIn("open", world.do(by.actor, asked)) ?? assert.fail("it waits");
  };
  return { world, olga, otto, opened, word };
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
    const waiting = wordIn("open", world.do(by, opening("operator", adminPermissions)));
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
  assert.ok(wordIn("open", world.do(narrow, opening("operator", ["admin:accounts"]))));
  const own = opening("operator", ["create:orders", "admin:accounts"]);
  assert.ok(wordIn("open", world.do(narrow, own)), "of a trader's permissions it has none");
  const anna = world.open("anna", "trader");
  const asked = { ...opening("trader", ["admin:funding"]).key, digest: "anna's" };
  const issue = { type: "IssueKey", accountId: anna.id, key: asked } as const;
  world.do(root, issue);
  const given = world.do(narrow, issue).find((event) => event.type === "KeyChanged");
  assert.ok(given?.type === "KeyChanged");
  assert.deepEqual(given.key.permissions, [], "a trader's key takes none of an operator's");
});

test("only an operator's first key holds permissions of operators, and each once", () => {
  const { world, otto } = stage();
  const first = (role: Role) => {
    const given = ["create:orders", "admin:read"] as const;
    const waiting = wordIn("open", world.do(root, opening(role, given)));
    if (waiting !== undefined) world.agree(otto.actor, waiting);
    return [...world.state.keys.values()].at(-1)?.permissions;
  };
  assert.deepEqual(first("trader"), permissions);
  assert.deepEqual(first("auditor"), permissions);
  assert.deepEqual(first("operator"), [...permissions, "admin:read"]);
});

test("two people say whose an account is, a trader's or an operator's, and when it is opened", () => {
  const { world, olga, otto } = stage();
  const [anna, bela] = [world.open("anna", "trader"), world.open("bela", "trader")];
  const owner = (one: Pick<Trader, "id">) => world.state.account(one.id).owner;
  const ofAnna = { type: "SetOwner", accountId: bela.id, owner: anna.id } as const;
  const said = wordIn("open", world.do(olga.actor, ofAnna)) ?? assert.fail("it waits");
  assert.equal(owner(bela), undefined);
  world.agree(otto.actor, said);
  assert.equal(owner(bela), anna.id);
  const next = { ...opening("trader", []), owner: anna.id };
  const asked = wordIn("open", world.do(olga.actor, next)) ?? assert.fail("it waits");
  const account = world
    .agree(otto.actor, asked)
    .find((event) => event.type === "AccountChanged")?.account;
  assert.equal(account?.owner, anna.id);
  assert.equal(account.vouchedBy, undefined, "nobody vouches for a trader");
  const third = world.open("third", "operator");
  const joins = { type: "SetOwner", accountId: third.id, owner: bela.id } as const;
  const waiting = wordIn("open", world.do(otto.actor, joins));
  assert.ok(waiting !== undefined);
  assert.equal(owner(third), undefined);
  world.agree(root, waiting);
  assert.equal(owner(third), anna.id);
});

test("a credit line is set for one account, by two where it is more, and nothing else changes", () => {
  const { world, olga } = stage();
  const anna = world.open("anna", "trader");
  const before = world.state.account(anna.id);
  assert.equal(before.marginStatus, "healthy");
  const creditMicros = micros(7_000_000n);
  const credit = { type: "SetCredit", accountId: anna.id, creditMicros } as const;
  world.do(root, credit);
  assert.deepEqual(world.state.account(anna.id), before);
  world.do(olga.actor, credit);
  assert.deepEqual(world.state.account(anna.id), { ...before, creditMicros });
});

test("a halted operator's proposals go; resuming one that was never halted takes nothing", () => {
  const { world, olga, otto, word } = stage();
  world.print("2024-10", "300000");
  const reason = "drill";
  const anna = world.trader("anna", "10");
  const listing = world.listing("2025-04", layer);
  const { id } = world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  const [ofOlga, ofOtto] = [word(olga), word(otto)];
  for (const { id: accountId } of [anna, olga]) {
    world.do(root, { type: "ResumeAccount", accountId, reason });
  }
  assert.equal(world.state.order(id).status, "OPEN");
  assert.ok(world.state.words.has(ofOlga.id));
  for (const { id: accountId } of [anna, olga]) {
    world.do(root, { type: "HaltAccount", accountId, reason });
  }
  assert.equal(world.state.order(id).cancelReason, "ACCOUNT_HALTED");
  assert.deepEqual([...world.state.words.keys()], [ofOtto.id]);
});

test("while root is off the last two people are not halted; who is not missed may be", () => {
  const { world, olga, otto } = stage();
  const anna = world.open("anna", "trader");
  const [first] = world.do(olga.actor, { type: "SetRoot", on: false });
  assert.ok(first?.type === "WordChanged");
  world.agree(otto.actor, first.word);
  const halt = ({ id: accountId }: Trader) =>
    ({ type: "HaltAccount", accountId, reason: "drill" }) as const;
  assert.deepEqual(world.refused(olga.actor, halt(otto)), { code: "OPERATORS_MISSING" });
  world.do(olga.actor, halt(anna));
  assert.ok(world.state.account(anna.id).halted);
  world.do(olga.actor, { type: "ResumeAccount", accountId: otto.id, reason: "drill" });
});

test("an operator shown a key of another's is one person with it, and shown no second one", () => {
  const { world, olga, otto } = stage();
  const third = world.open("third", "operator");
  const { key } = opening("operator", ["admin:read"]);
  const issue = { type: "IssueKey", accountId: third.id, key } as const;
  const vouched = () => world.state.account(third.id).vouchedBy;
  assert.deepEqual(vouched(), [olga.id], "she agreed to the account");
  const waiting = (by: Actor) => wordIn("open", world.do(by, issue)) ?? assert.fail("it waits");
  world.agree(root, waiting(otto.actor), "one");
  assert.deepEqual(vouched(), [olga.id], "root founds: nobody is one person with it");
  world.agree(otto.actor, waiting(root), "two");
  assert.deepEqual(vouched(), [olga.id, otto.id]);
  assert.equal(world.refused(otto.actor, issue).code, "CONFLICT_OF_INTEREST");
});

test("a key has the rate asked for; of nobody none is revoked; its words go with it", () => {
  const { world, olga, otto, word } = stage();
  const { key } = opening("trader", []);
  const anna = world.open("anna", "trader");
  const give = (more: Partial<typeof key>, digest: string) => {
    const asked = { ...key, ...more, digest };
    const issue = { type: "IssueKey", accountId: anna.id, key: asked } as const;
    world.do(olga.actor, issue);
    const made = world.do(root, issue).find((event) => event.type === "KeyChanged");
    return made?.key ?? assert.fail("a key");
  };
  assert.equal(give({ ratePerMinute: 7 }, "seven").ratePerMinute, 7);
  assert.equal(give({}, "usual").ratePerMinute, 600);
  const permissions = ["admin:read", "create:orders"] as const;
  assert.deepEqual(give({ permissions }, "both").permissions, ["create:orders"]);
  const nobody = accountId("acc-99");
  const refused = world.refused(root, { type: "RevokeKeys", accountId: nobody });
  assert.deepEqual(refused, { code: "ACCOUNT_NOT_FOUND" });
  const [, ofOtto] = [word(olga), word(otto)];
  world.do(root, { type: "RevokeKeys", accountId: olga.id });
  assert.deepEqual([...world.state.words.keys()], [ofOtto.id]);
});

test("whose proposal waits may take it back, and it is told as withdrawn", () => {
  const { world, olga, otto, word } = stage();
  const [ofOlga, ofOtto] = [word(olga), word(otto)];
  const taken = { type: "WithdrawProposal", proposalId: ofOlga.id } as const;
  assert.deepEqual(world.refused(otto.actor, taken), { code: "PROPOSAL_OF_ANOTHER" });
  const events = world.do(olga.actor, { type: "WithdrawProposal", proposalId: ofOlga.id });
  assert.deepEqual(events, [{ type: "WordChanged", word: ofOlga, status: "withdrawn" }]);
  const lapsed: string[] = [];
  world.runTo(world.nowMillis + 11 * 86_400_000, (_, told) => {
    for (const one of told) if (one.type === "WordChanged") lapsed.push(one.status);
  });
  assert.deepEqual([world.state.words.has(ofOtto.id), lapsed], [false, ["lapsed"]]);
});

test("each operator has so many first words open, whatever the others have", () => {
  const { world, olga, otto } = stage();
  for (let one = 0; one < MOST_WORDS; one += 1) {
    world.do(olga.actor, { ...opening("operator", []), name: `operator ${one}` });
  }
  assert.deepEqual(world.refused(olga.actor, opening("operator", [])), {
    code: "PROPOSAL_LIMIT",
    details: { allowed: MOST_WORDS },
  });
  assert.ok(wordIn("open", world.do(otto.actor, opening("operator", []))));
});

test("switching root off drops the words of root, and no other; switching it on drops none", () => {
  const { world, olga, otto } = stage();
  const ofRoot = wordIn("open", world.do(root, opening("operator", [])));
  const other = { ...opening("operator", []), name: "other" };
  const ofOlga = wordIn("open", world.do(olga.actor, other));
  assert.ok(ofRoot !== undefined && ofOlga !== undefined);
  const switched = (on: boolean) => {
    const waiting = wordIn("open", world.do(otto.actor, { type: "SetRoot", on }));
    world.agree(olga.actor, waiting ?? assert.fail("it waits"));
  };
  switched(true);
  assert.deepEqual([...world.state.words.keys()], [ofRoot.id, ofOlga.id]);
  switched(false);
  assert.deepEqual([...world.state.words.keys()], [ofOlga.id]);
});

test("before there are two operators root alone decides alone", () => {
  const world = new World();
  const olga = world.open("olga", "operator");
  const limitMicros = micros(world.state.rules.fundingLimitMicros + 1n);
  const raise = { type: "SetFundingLimit", limitMicros } as const;
  assert.ok(wordIn("open", world.do(olga.actor, raise)));
  assert.equal(world.do(root, raise)[0]?.type, "RulesChanged");
});

test("a funding limit set as it stands is one person's", () => {
  const { world, olga } = stage();
  const limitMicros = world.state.rules.fundingLimitMicros;
  const [event] = world.do(olga.actor, { type: "SetFundingLimit", limitMicros });
  assert.equal(event?.type, "RulesChanged");
});
