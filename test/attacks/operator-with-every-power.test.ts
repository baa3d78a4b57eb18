// An operator wants to do everything alone: with a key that was given to read accounts, with a
// limit raised by itself, with a halt on whoever could object.
// Invariant: an operator's key does what it was given by name and nothing else; what it takes to be
// two people, no operator changes alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import type { Actor, Command, NewKey } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { type AdminPermission, adminPermissions, type Permission } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { wordIn } from "#core/words/told.ts";
import { decision, order, root, type Trader, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const DAY_MILLIS = 86_400_000;

const keyOf = (label: string, permissions: readonly Permission[]): NewKey => ({
  label,
  prefix: "fp_test_eeee",
  digest: label,
  permissions,
  ratePerMinute: null,
  expiresAtSeconds: null,
});

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  return { world, anna, bela, olga, otto, listing, marketId: listing.marketId };
}
type Stage = ReturnType<typeof stage>;

/** A further key of an operator's, which holds these of its permissions alone. */
function narrowed(world: World, { id, actor }: Trader, ...held: readonly Permission[]): Actor {
  const [made] = world.do(actor, { type: "CreateKey", key: keyOf(held.join(), held) });
  assert.ok(made?.type === "KeyChanged");
  return { type: "key", accountId: id, keyId: made.key.id };
}

/** A command of each permission, that would be taken from a key that holds it. */
function commandsOf({
  world,
  anna,
  bela,
  marketId,
}: Stage): readonly (readonly [AdminPermission, Command])[] {
  const reason = "drill";
  const one = micros(1n);
  const accept = world.release(world.observe("2024-11", "299000"));
  const { release } = accept;
  const open = { type: "OpenAccount", name: "c", role: "trader", address: "0xc" } as const;
  return [
    ["admin:accounts", { ...open, key: keyOf("c", []) }],
    ["admin:accounts", { type: "SetOwner", accountId: bela.id, owner: bela.id }],
    ["admin:accounts", decision(bela.id, "approve", "institutional", true)],
    ["admin:accounts", { type: "SetCaps", accountId: bela.id, maxOpenOrders: 1 }],
    ["admin:accounts", { type: "HaltAccount", accountId: bela.id, reason }],
    ["admin:accounts", { type: "ResumeAccount", accountId: bela.id, reason }],
    ["admin:accounts", { type: "IssueKey", accountId: bela.id, key: keyOf("b", []) }],
    ["admin:accounts", { type: "RevokeKeys", accountId: bela.id }],
    ["admin:accounts", { type: "ReadSubject", accountId: anna.id }],
    ["admin:accounts", { type: "EraseSubject", accountId: anna.id }],
    ["admin:funding", { type: "FundAccount", accountId: anna.id, amountMicros: one, memo: null }],
    ["admin:funding", { type: "FundGuarantee", amountMicros: one, memo: null }],
    ["admin:funding", { type: "FundFinancing", amountMicros: one, memo: null }],
    ["admin:funding", { type: "SetCredit", accountId: anna.id, creditMicros: one }],
    ["admin:markets", { type: "PauseMarket", marketId, reason }],
    ["admin:markets", { type: "ResumeMarket", marketId, reason }],
    ["admin:settle", { type: "CancelMarket", marketId, reason }],
    ["admin:settle", { type: "WithdrawVoid", marketId, reason }],
    ["admin:exchange", { type: "HaltExchange", reason }],
    ["admin:exchange", { type: "ResumeExchange", reason }],
    ["admin:exchange", { type: "SetRules", rules: world.state.rules }],
    ["admin:exchange", { type: "SetFundingLimit", limitMicros: one }],
    ["admin:exchange", { type: "SetRoot", on: false }],
    [
      "admin:releases",
      { type: "QuarantineRelease", release, reasons: [{ code: "DRILL", message: reason }] },
    ],
    ["admin:releases", { type: "RejectRelease", releaseId: release.id, reason }],
    ["admin:releases", { type: "LoadGeo", nodes: [], sha256: "" }],
  ];
}

test("a key does what it was given by name: nothing by default, nothing beside it", (t) => {
  const here = stage();
  const { world, olga } = here;
  const idle = world.openAs(root, "idle", "operator");
  const none = narrowed(world, idle, "read:portfolio", "manage:custody");
  let refusals = 0;
  for (const [permission, command] of commandsOf(here)) {
    const others = adminPermissions.filter((one) => one !== permission);
    for (const actor of [none, narrowed(world, olga, ...others)]) {
      const refused = world.refused(actor, command);
      assert.deepEqual(refused, { code: "PERMISSION_DENIED", details: { permission } });
      refusals += 1;
    }
    world.do(narrowed(world, olga, permission), command);
    for (const { id: keyId } of laterKeys(world, olga))
      world.do(olga.actor, { type: "RevokeKey", keyId });
  }
  t.diagnostic(`after: ${refusals} commands refused to keys that were not given them`);
});

/** The keys that a test has made of an account, beside its first. */
const laterKeys = ({ state }: World, { id }: Trader) =>
  state
    .keysOf(id)
    .slice(1)
    .filter((key) => key.revokedAtSeconds === null);

test("no key of a trader or an auditor ever holds an operator's permission", () => {
  const { world, anna, otto } = stage();
  const ada = world.open("ada", "auditor");
  for (const { id, actor } of [anna, ada]) {
    const key = keyOf(`${id}'s`, adminPermissions);
    const told = world.do(root, { type: "IssueKey", accountId: id, key });
    const waiting = wordIn("open", told);
    if (waiting !== undefined) world.agree(otto.actor, waiting, "shown");
    const held = world.state.keysOf(id);
    assert.equal(held.length, 2, "its first key, and the one that was asked for");
    for (const { permissions } of held) {
      assert.ok(
        permissions.every((one) => !one.startsWith("admin:")),
        permissions.join(),
      );
    }
    const more = { type: "CreateKey", key: keyOf("more", ["admin:read"]) } as const;
    assert.equal(world.refused(actor, more).code, "KEY_ESCALATION");
    const halt = { type: "HaltExchange", reason: "drill" } as const;
    assert.equal(world.refused(actor, halt).code, "NOT_OPERATOR");
  }
});

test("an operator's accomplice is given no more than the operator holds", () => {
  const { world, olga } = stage();
  const actor = narrowed(world, olga, "admin:accounts");
  const opening = {
    type: "OpenAccount",
    name: "accomplice",
    role: "operator",
    address: "0xd",
    key: keyOf("accomplice", ["admin:accounts", "admin:funding"]),
  } as const;
  assert.equal(world.refused(actor, opening).code, "KEY_ESCALATION");
  const [waiting] = world.do(olga.actor, opening);
  assert.ok(waiting?.type === "WordChanged");
  assert.equal(world.state.operators.size, 2, "nobody was opened yet");
});

test("root is switched off by two operators, and then the admin secret does nothing", () => {
  const { world, anna, olga, otto } = stage();
  const off = { type: "SetRoot", on: false } as const;
  assert.equal(world.refused(root, off).code, "CONFLICT_OF_INTEREST");
  const [first] = world.do(olga.actor, off);
  assert.ok(first?.type === "WordChanged");
  const confirm = {
    type: "ConfirmProposal",
    proposalId: first.word.id,
    key: { prefix: "p", digest: "d" },
  } as const;
  assert.equal(world.refused(olga.actor, confirm).code, "PROPOSAL_SAME_OPERATOR");
  assert.equal(world.refused(root, confirm).code, "CONFLICT_OF_INTEREST");
  world.do(otto.actor, confirm);

  const amountMicros = micros(1n);
  const fund = { type: "FundAccount", accountId: anna.id, amountMicros, memo: null } as const;
  assert.equal(world.refused(root, fund).code, "ROOT_OFF");
  assert.equal(world.refused(root, { type: "SetRoot", on: true }).code, "ROOT_OFF");
  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state));
  world.state = restored;
  assert.equal(world.refused(root, fund).code, "ROOT_OFF", "a restart does not bring it back");
  world.do(olga.actor, fund);

  const [on] = world.do(otto.actor, { type: "SetRoot", on: true });
  assert.ok(on?.type === "WordChanged");
  assert.equal(world.refused(root, fund).code, "ROOT_OFF", "one word brings nothing back");
  world.agree(olga.actor, on.word);
  world.do(root, fund);
});

test("nobody brings root back by taking the other operator away", () => {
  const { world, anna, olga, otto } = stage();
  const [first] = world.do(olga.actor, { type: "SetRoot", on: false });
  assert.ok(first?.type === "WordChanged");
  world.agree(otto.actor, first.word);
  for (const command of [
    { type: "HaltAccount", accountId: otto.id, reason: "drill" },
    { type: "RevokeKeys", accountId: otto.id },
  ] as const) {
    assert.equal(world.refused(olga.actor, command).code, "OPERATORS_MISSING");
  }
  const [merged] = world.do(olga.actor, { type: "SetOwner", accountId: otto.id, owner: olga.id });
  assert.equal(merged?.type, "WordChanged", "one person makes no two people one");
  // One who gives up its own keys puts root in its own place, and there are two people as before.
  assert.ok(olga.actor.type === "key");
  world.do(olga.actor, { type: "RevokeKey", keyId: olga.actor.keyId });
  const amountMicros = micros(1n);
  world.do(root, { type: "FundAccount", accountId: anna.id, amountMicros, memo: null });
});

test("root is not switched off before two people can do without it", () => {
  const world = new World();
  const olga = world.open("olga", "operator");
  const off = { type: "SetRoot", on: false } as const;
  assert.equal(world.refused(olga.actor, off).code, "OPERATORS_MISSING");
  const otto = world.open("otto", "operator");
  assert.ok(!isRejected(world.try(otto.actor, off)));
});

test("words that nobody takes up lapse, and those of a halted operator are none", () => {
  const { world, olga, otto, anna } = stage();
  const [first] = world.do(olga.actor, { type: "SetRoot", on: false });
  assert.ok(first?.type === "WordChanged");
  world.do(otto.actor, { type: "HaltAccount", accountId: olga.id, reason: "stolen key" });
  assert.equal(world.state.words.size, 0);
  world.do(otto.actor, { type: "ResumeAccount", accountId: olga.id, reason: null });

  const funding = { type: "FundAccount", accountId: anna.id, memo: null } as const;
  const amountMicros = micros(2_000_000_000_000n);
  const accounts = Array.from({ length: 21 }, (_, at) => world.trader(`trader ${at}`, "0"));
  const [last, ...others] = accounts.map(({ id: accountId }) => {
    return { ...funding, accountId, amountMicros };
  });
  for (const one of others) world.do(otto.actor, one);
  assert.equal(world.refused(otto.actor, last ?? assert.fail()).code, "PROPOSAL_LIMIT");
  const seen: string[] = [];
  world.runTo(world.nowMillis + 10 * DAY_MILLIS, ({ type }) => seen.push(type));
  assert.equal(seen.filter((type) => type === "LapseProposal").length, 20);
  assert.equal(world.state.words.size, 0);
});
