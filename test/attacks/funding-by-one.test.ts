// An operator pays an accomplice: at once, in small parts, over a pool, with a puppet's help, after
// raising the limit by itself.
// Invariant: what one person moves in and out of the exchange in a day is bounded, whatever it is
// cut into; above it two people have agreed to each amount.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Micros, micros } from "#base/money.ts";
import { auditFacts } from "#core/audit.ts";
import type { Actor, CommandOf } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { ledgerTotal } from "#core/state.ts";
import { wordIn } from "#core/words/told.ts";
import { root, World } from "../core/world.ts";

const usd = (dollars: number): Micros => micros(BigInt(dollars) * 1_000_000n);
const DAY_MILLIS = 86_400_000;
const LIMIT = 1_000_000;

function stage() {
  const world = new World();
  const anna = world.trader("anna", "0");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const fund = (dollars: number): CommandOf<"FundAccount"> => ({
    type: "FundAccount",
    accountId: anna.id,
    amountMicros: usd(dollars),
    memo: null,
  });
  return { world, anna, olga, otto, fund };
}

const waits = (world: World, by: Actor, command: Parameters<World["do"]>[1]) =>
  wordIn("open", world.do(by, command));

test("above the limit a funding waits for a second person, and is done by that one's word", (t) => {
  const { world, anna, olga, otto, fund } = stage();
  const waiting = waits(world, olga.actor, fund(LIMIT + 1)) ?? assert.fail("one person paid");
  assert.equal(world.cash(anna), 0n);
  const confirm = {
    type: "ConfirmProposal",
    proposalId: waiting.id,
    key: { prefix: "p", digest: "d" },
  } as const;
  assert.equal(world.refused(olga.actor, confirm).code, "PROPOSAL_SAME_OPERATOR");
  assert.equal(world.refused(anna.actor, confirm).code, "NOT_OPERATOR");
  const { id } = waiting;
  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state));
  world.state = restored;
  assert.equal(world.state.words.get(id)?.by, olga.id, "a restart forgets no first word");
  t.diagnostic(`after: one person paid ${world.cash(anna)} of ${LIMIT + 1} USD at once`);
  world.do(otto.actor, confirm);
  assert.equal(world.cash(anna), usd(LIMIT + 1));
  assert.equal(world.refused(otto.actor, confirm).code, "PROPOSAL_NOT_FOUND", "it is done once");
  assert.equal(ledgerTotal(world.state), 0n);
});

test("in parts, out and in, into pools and by a puppet it is one day's limit still", () => {
  const { world, anna, olga, otto, fund } = stage();
  const puppet = world.openAs(olga.actor, "puppet", "operator");
  world.do(olga.actor, fund(400_000));
  world.do(olga.actor, { ...fund(100_000), amountMicros: usd(-100_000) });
  world.do(olga.actor, { type: "FundGuarantee", amountMicros: usd(100_000), memo: null });
  world.do(olga.actor, { type: "FundFinancing", amountMicros: usd(100_000), memo: null });
  world.do(puppet.actor, fund(300_000));
  for (const [dollars, actor] of [
    [1, olga.actor],
    [2, puppet.actor],
  ] as const) {
    assert.ok(waits(world, actor, fund(dollars)), "the limit is used up, to the dollar");
    const amountMicros = usd(dollars);
    assert.ok(waits(world, actor, { type: "FundGuarantee", amountMicros, memo: null }));
    assert.ok(waits(world, actor, { type: "FundFinancing", amountMicros, memo: null }));
  }
  assert.equal(waits(world, otto.actor, fund(LIMIT)), undefined, "another person has its own");
  world.runTo(world.nowMillis + DAY_MILLIS);
  assert.equal(waits(world, olga.actor, fund(LIMIT)), undefined, "and the next day is new");
  assert.equal(world.cash(anna), usd(2_600_000));
});

test("one person lowers the limit, two raise it; the other rules do not touch it", () => {
  const { world, olga, otto, fund } = stage();
  const limit = (dollars: number) =>
    ({ type: "SetFundingLimit", limitMicros: usd(dollars) }) as const;
  const raised = waits(world, olga.actor, limit(LIMIT * 100)) ?? assert.fail("raised alone");
  const rules = { ...world.state.rules, fundingLimitMicros: usd(LIMIT * 100) };
  world.do(olga.actor, { type: "SetRules", rules });
  assert.ok(waits(world, olga.actor, fund(LIMIT + 1)), "not by way of the rules either");
  world.agree(otto.actor, raised);
  assert.equal(waits(world, olga.actor, fund(LIMIT + 1)), undefined);
  world.do(otto.actor, limit(10));
  assert.ok(waits(world, otto.actor, fund(11)));
});

test("root alone funds without limit only while it founds the exchange", () => {
  const world = new World();
  const anna = world.trader("anna", "5000000");
  assert.equal(world.cash(anna), usd(5_000_000));
  world.open("olga", "operator");
  world.fund(anna, usd(5_000_000));
  world.open("otto", "operator");
  const amountMicros = usd(LIMIT + 1);
  const command = { type: "FundAccount", accountId: anna.id, amountMicros, memo: null } as const;
  assert.ok(waits(world, root, command));
});

test("the trail of an account says who proposed what it was paid, and who agreed", () => {
  const { world, anna, olga, otto, fund } = stage();
  const waiting = waits(world, olga.actor, fund(LIMIT + 1)) ?? assert.fail();
  const first = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.deepEqual(
    [first.actor, first.action, first.concerns],
    [olga.id, "account.funded", anna.id],
  );
  assert.deepEqual(first.details, {
    amount: "1000001",
    memo: null,
    carriedOut: false,
    proposalId: waiting.id,
  });
  world.agree(otto.actor, waiting);
  const second = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.deepEqual([second.actor, second.concerns], [otto.id, anna.id]);
  assert.deepEqual(second.actions, ["proposal.confirmed", "account.funded"]);
  assert.deepEqual(second.details, {
    proposalId: waiting.id,
    proposed: "account.funded",
    proposedBy: olga.id,
    accountId: anna.id,
    amount: "1000001",
    memo: null,
  });
});

test("what two agreed on is refused where it could not be done any more", () => {
  const { world, anna, olga, otto, fund } = stage();
  world.do(olga.actor, fund(1_000_000));
  world.do(otto.actor, fund(500_000));
  const out = { ...fund(0), amountMicros: usd(-1_200_000) };
  const waiting = waits(world, otto.actor, out) ?? assert.fail("one person paid");
  world.do(root, { ...fund(0), amountMicros: usd(-400_000) });
  const key = { prefix: "p", digest: "d" };
  const late = world.try(olga.actor, { type: "ConfirmProposal", proposalId: waiting.id, key });
  assert.ok(isRejected(late) && late.rejection.code === "INSUFFICIENT_BALANCE");
  assert.equal(world.state.words.size, 1, "it waits on, or lapses");
  assert.equal(world.cash(anna), usd(1_100_000));
});
