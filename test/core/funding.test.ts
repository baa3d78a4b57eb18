// Cash into accounts and out of them: whom it is refused, what one person moves in a day, and what
// is told of it.
// Invariant: cash leaves an account only where an approval is in force and sanctions are cleared,
// and never more than is free.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { CommandOf } from "#core/command.ts";
import { fold } from "#core/fold.ts";
import { wordIn } from "#core/words/told.ts";
import { endCalls } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (dollars: number) => micros(BigInt(dollars) * 1_000_000n);

const fund = ({ id }: Pick<Trader, "id">, dollars: number): CommandOf<"FundAccount"> => ({
  type: "FundAccount",
  accountId: id,
  amountMicros: usd(dollars),
  memo: null,
});

test("an account that nobody opened is neither funded nor given credit, halted or resumed", () => {
  const world = new World();
  const id = accountId("acc-9");
  for (const command of [
    fund({ id }, 1),
    { type: "SetCredit", accountId: id, creditMicros: usd(1) },
    { type: "SetCaps", accountId: id, maxOpenOrders: 1 },
    { type: "HaltAccount", accountId: id, reason: "drill" },
    { type: "ResumeAccount", accountId: id, reason: "drill" },
  ] as const) {
    assert.deepEqual(world.refused(root, command), { code: "ACCOUNT_NOT_FOUND" }, command.type);
  }
});

test("nothing is paid to an auditor, and nothing to or from an account before an approval", () => {
  const world = new World();
  const [olga, ada] = [world.open("olga", "operator"), world.open("ada", "auditor")];
  assert.deepEqual(world.refused(root, fund(ada, 1)), { code: "ROLE_NOT_TRADER" });
  for (const dollars of [1, -1]) {
    assert.equal(world.refused(root, fund(olga, dollars)).code, "KYC_REQUIRED");
  }
});

test("a funding tells the cash it left and how much of it is free", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "10");
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "BUY", "10", "0.05"), anna, listing);
  const told = (dollars: number) =>
    world.do(root, fund(anna, dollars)).filter((event) => event.type === "Funded");
  // 10 contracts at 0.05 with their fee, half a percent.
  const held = 502_500n;
  const funded = { type: "Funded", accountId: anna.id } as const;
  assert.deepEqual(told(5), [{ ...funded, cashMicros: usd(15), availableMicros: usd(15) - held }]);
  assert.deepEqual(told(-4), [{ ...funded, cashMicros: usd(11), availableMicros: usd(11) - held }]);
  assert.deepEqual(world.refused(root, fund(anna, -11)), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: usd(11), availableMicros: usd(11) - held },
  });
});

test("cash comes from outside the exchange and goes there, each by its name", () => {
  const world = new World();
  const anna = world.trader("anna", "10");
  const moved = (dollars: number) =>
    world
      .do(root, fund(anna, dollars))
      .flatMap((event) => (event.type === "Posted" ? [event.posting] : []));
  const cash = `cash:${anna.id}`;
  const reference = anna.id;
  assert.deepEqual(moved(5), [
    { from: "external", to: cash, amountMicros: usd(5), reason: "deposit", reference },
  ]);
  assert.deepEqual(moved(-4), [
    { from: cash, to: "external", amountMicros: usd(4), reason: "withdrawal", reference },
  ]);
});

test("an approval of an old store whose sanctions were never cleared lets cash in, not out", () => {
  const world = new World();
  const anna = world.trader("anna", "10");
  const account = world.state.account(anna.id);
  const kyc = { ...account.kyc, sanctionsCleared: false };
  fold(world.state, { type: "AccountChanged", account: { ...account, kyc } }, world.nowMillis);
  world.do(root, fund(anna, 1));
  assert.deepEqual(world.refused(root, fund(anna, -1)), {
    code: "KYC_REQUIRED",
    details: { status: "approved" },
  });
});

/** An account that is 1,000 short and whose cash its margin takes whole. */
function called() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "200"), world.trader("bela", "1000")];
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "1000", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), bela);
  const mark = { marketId: listing.marketId, markTick: tick("0.3"), stressedTick: tick("0.4") };
  world.do(system, publishMarks([mark]));
  assert.ok(world.available(anna) < -usd(10));
  return { world, anna };
}

test("one that lacks more than a deposit may deposit, and takes out nothing in a call", () => {
  const { world, anna } = called();
  const before = world.cash(anna);
  world.do(root, fund(anna, 10));
  assert.equal(world.cash(anna), before + usd(10));
  assert.equal(world.refused(root, fund(anna, -1)).code, "MARGIN_CALL");
});

test("one in default is not resumed, nor pays itself out", () => {
  const { world, anna } = called();
  endCalls(world);
  assert.ok(world.state.account(anna.id).inDefault !== undefined);
  const resume = { type: "ResumeAccount", accountId: anna.id, reason: "drill" } as const;
  for (const command of [resume, fund(anna, -1)]) {
    assert.equal(world.refused(root, command).code, "IN_DEFAULT");
  }
});

test("a person funds up to a million a day, in any parts; more waits for a second word", () => {
  const world = new World();
  const anna = world.trader("anna", "0");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const waits = (by: Trader, dollars: number) =>
    wordIn("open", world.do(by.actor, fund(anna, dollars)));
  assert.equal(waits(olga, 600_000), undefined);
  assert.equal(waits(olga, -400_000), undefined, "to the dollar");
  const waiting = waits(olga, 1) ?? assert.fail("it is above the limit");
  assert.equal(world.cash(anna), usd(200_000));
  world.agree(otto.actor, waiting);
  assert.equal(world.cash(anna), usd(200_001));
});
