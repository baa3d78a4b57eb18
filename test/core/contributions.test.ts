// Contributions to the guarantee fund: how much an account is asked for, when a contribution that
// is off is set anew, and when a debt of one is paid.
// Invariant: a debt stays in the account's record until it is paid, whatever else goes back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Micros, micros, parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import type { CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { putAccount, putBalance } from "#core/fold.ts";
import { contributionTo, exchangeTarget } from "#core/margin/contribution.ts";
import { foundingRules } from "#core/rules.ts";
import { endDefaults } from "./end-calls.ts";
import { setRules } from "./set-rules.ts";
import { fundOf, stageOf } from "./waterfall-stage.ts";
import { order, root, type Trader, tick, World } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

/** At 0.1 a tenth of what 1,000 and 3,000 contracts need beyond the mark is 10 and 30. */
const others = [
  { contracts: 1_000, cash: "2000" },
  { contracts: 3_000, cash: "9000" },
] as const;

/** Puts another contribution in the place of the account's, and what is beyond it into its cash. */
function contribute({ state }: World, { id }: Trader, has: string, owes = "0"): void {
  const [layer, cash] = [contributionTo(id), `cash:${id}`] as const;
  const all = state.balance(layer) + state.balance(cash);
  const contribution = { sizeMicros: usd(has), owesMicros: usd(owes) };
  putAccount(state, { ...state.account(id), contribution });
  putBalance(state, layer, usd(has));
  putBalance(state, cash, micros(all - usd(has)));
  state.marginQueue.clear();
}

function stage(target = "10000") {
  const made = stageOf({ target, sold: others });
  const [one = assert.fail(), three = assert.fail()] = made.sellers;
  made.mark("0.1");
  return { ...made, one, three };
}

const movedIn = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === "Posted" ? [[event.posting.reason, event.posting.amountMicros]] : [],
  );

test("a contribution off by a tenth of what is asked is set anew, one by less is not", () => {
  for (const [has, moved] of [
    ["9", [["contribution", usd("1")]]],
    ["9.000001", []],
    ["10", []],
    ["10.999999", []],
    ["11", [["contribution-returned", usd("1")]]],
    ["0", [["contribution", usd("10")]]],
  ] as const) {
    const { world, one, mark } = stage();
    contribute(world, one, has);
    assert.deepEqual(movedIn(mark("0.1")), moved, has);
    const after = moved.length === 0 ? usd(has) : usd("10");
    assert.equal(fundOf(world, one), after);
    assert.equal(world.state.account(one.id).contribution?.sizeMicros, after, has);
  }
});

test("accounts are asked in the order they were opened, however they came here", () => {
  const { world, one, three, mark } = stage();
  for (const each of [one, three]) contribute(world, each, "0");
  const { accounts } = world.state;
  const first = world.state.account(one.id);
  accounts.delete(one.id);
  accounts.set(one.id, first);
  const asked = mark("0.1").flatMap((event) =>
    event.type === "Posted" ? [event.posting.reference] : [],
  );
  assert.deepEqual(asked, [one.id, three.id]);
});

test("the fund asks for its target less a quarter, and no more where its own shorts lack", () => {
  assert.equal(exchangeTarget(foundingRules), 0n, "no target, no layer");
  const { world, sellers, mark } = stageOf({
    target: "40",
    sold: [{ contracts: 1_000, cash: "200" }, ...others],
  });
  assert.equal(exchangeTarget(world.state.rules), usd("10"));
  mark("0.3");
  endDefaults(world);
  const rest = sellers.slice(1);
  for (const each of rest) contribute(world, each, "0");
  mark("0.3", "0.6");
  const lacks = world.state.exposures.shortTotals(sellers[0]?.id ?? assert.fail());
  assert.equal(lacks.shortLots, 0n, "the fund has the first one's shorts");
  assert.ok(world.state.balance("guarantee") < usd("600"), "which may cost it 600");
  assert.deepEqual(
    rest.map((each) => fundOf(world, each)),
    [usd("7.5"), usd("22.5")],
    "by loss, of 37.5 and 112.5",
  );
});

test("the defaulter's contribution keeps its size while it owes the fund", () => {
  const { world, sellers, mark } = stageOf({
    target: "10000",
    sold: [{ contracts: 1_000, cash: "200" }, ...others],
  });
  mark("0.1");
  mark("0.6");
  endDefaults(world);
  const [weak = assert.fail()] = sellers;
  const { inDefault, contribution } = world.state.account(weak.id);
  assert.ok(inDefault !== undefined && inDefault.auctionId === undefined);
  assert.ok(contribution !== undefined && fundOf(world, weak) === 0n, "it went first");
  const changed = mark("0.1").flatMap((event) =>
    event.type === "AccountChanged" ? event.account.id : [],
  );
  assert.ok(changed.length > 0 && !changed.includes(weak.id));
  assert.deepEqual(world.state.account(weak.id).contribution, contribution);
});

test("a debt that nothing is free for stays in the record when the contribution goes back", () => {
  const { world, three, mark, setTarget, withdrawFree } = stage();
  const record = () => world.state.account(three.id).contribution;
  contribute(world, three, "10");
  setTarget("0");
  withdrawFree(three);
  contribute(world, three, "10", "4");
  // 26.25 more are margin, and ten come back.
  mark("0.11");
  assert.ok(world.available(three) < 0n);
  assert.deepEqual(record(), { sizeMicros: 0n, owesMicros: usd("4") });
  mark("0.1");
  assert.equal(record(), undefined, "it is paid, and nothing is left to be said");
  assert.equal(world.available(three), usd("6"));
});

test("a debt is paid from free cash, in parts, and what is free beyond it stays", () => {
  const { world, one, withdrawFree } = stage();
  withdrawFree(one);
  contribute(world, one, "10.5", "4");
  const owes = () => world.state.account(one.id).contribution?.owesMicros;
  world.state.marginQueue.add(one.id);
  const halted = world.do(root, { type: "HaltExchange", reason: "drill" });
  assert.ok(!halted.some(({ type }) => type === "AccountChanged"), "nothing is free");
  const told = (dollars: string) => {
    const amountMicros = usd(dollars);
    const funding = { type: "FundAccount", accountId: one.id, amountMicros, memo: null } as const;
    return movedIn(world.do(root, funding));
  };
  assert.deepEqual(told("3"), [
    ["deposit", usd("3")],
    ["assessment", usd("3")],
  ]);
  assert.equal(owes(), usd("1"));
  assert.deepEqual(told("2"), [
    ["deposit", usd("2")],
    ["assessment", usd("1")],
  ]);
  assert.equal(owes(), 0n);
  assert.equal(world.available(one), usd("1"));
  assert.deepEqual(told("2"), [["deposit", usd("2")]]);
});

/**
 * A seller of 1,000 at 0.05 has to cover 0.05 and 1.25 times 0.105, to contribute 0.0105, and half a
 * dollar for the fee, which a maker is not charged.
 */
const NEEDED = 192_250_000n;
const FEE = 500_000n;
const PREMIUM = 50_000_000n;

function opener(more: bigint) {
  const { world, mark } = stage();
  mark("0.05");
  const [{ id: marketId } = assert.fail()] = [...world.state.markets.values()];
  const anna = world.trader("anna", "0", "enhanced");
  world.fund(anna, micros(NEEDED - PREMIUM + more));
  const bela = world.trader("bela", "1000");
  const ask = { ...order({ marketId }, "SELL", "1000", "0.05") };
  return { world, mark, anna, bela, ask, bid: order({ marketId }, "BUY", "1000", "0.05") };
}

test("a short is opened with its contribution or not at all, and none is withdrawn", () => {
  const lacking = opener(-1n);
  const place = { type: "PlaceOrder", order: lacking.ask, listing: null } as const;
  assert.deepEqual(lacking.world.refused(lacking.anna.actor, place), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: NEEDED - PREMIUM, availableMicros: NEEDED - PREMIUM - 1n },
  });

  const { world, mark, anna, bela, ask, bid } = opener(0n);
  const out: CommandOf<"FundAccount"> = {
    ...{ type: "FundAccount", accountId: anna.id, amountMicros: micros(-1n), memo: null },
  };
  const { id } = world.order(ask, anna);
  assert.equal(world.available(anna), 0n, "the order holds it back while it rests");
  assert.equal(world.refused(root, out).code, "INSUFFICIENT_BALANCE");
  world.do(anna.actor, { type: "CancelOrder", orderId: id });
  assert.equal(world.available(anna), NEEDED - PREMIUM);

  world.order(ask, anna);
  world.order(bid, bela);
  assert.equal(fundOf(world, anna), usd("10.5"), "at once, before any marks");
  assert.deepEqual([world.cash(anna), world.available(anna)], [NEEDED - usd("10.5"), FEE]);
  world.do(root, { ...out, amountMicros: micros(-FEE) });
  assert.equal(world.refused(root, out).code, "INSUFFICIENT_BALANCE");
  mark("0.05");
  assert.equal(fundOf(world, anna), usd("10.5"));
});

test("an order that closes a short, or a target of none, holds nothing back for the fund", () => {
  const { world, anna, bela, ask, bid } = opener(usd("100"));
  world.order(ask, anna);
  world.order(bid, bela);
  const free = world.available(anna);
  const { id } = world.order({ ...bid, priceTick: tick("0.01") }, anna);
  assert.equal(world.available(anna), free, "what closes holds nothing");
  world.do(anna.actor, { type: "CancelOrder", orderId: id });
  const more = { ...ask, amountLots: lots(100n) };
  world.order({ ...more, priceTick: tick("0.9") }, anna);
  const without = world.available(anna);
  setRules(world, { fund: { targetMicros: micros(0n) } });
  assert.equal(world.available(anna) - without, 10_500n, "0.0105 of the contract on offer");
});

test("an order without cash to contribute goes when a target comes", () => {
  const { world, anna, ask } = opener(-10_500_000n);
  setRules(world, { fund: { targetMicros: micros(0n) } });
  const { id } = world.order(ask, anna);
  assert.equal(world.available(anna), 0n);
  setRules(world, { fund: { targetMicros: usd("10000") } });
  const { status, cancelReason } = world.state.order(id);
  assert.deepEqual([status, cancelReason], ["CANCELLED", "MARGIN"]);
});

/** Fifty dollars, nearly all of it held back by an order, and a debt of twenty. */
function bidder() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "50");
  const listing = world.listing("2025-04", { kind: "layered", attachBps: 200, exhaustBps: 1000 });
  const { id: orderId } = world.order(order(listing, "BUY", "99.5", "0.5"), anna, listing);
  contribute(world, anna, "0", "20");
  return { world, anna, orderId };
}

test("a debt is paid from the cash that a cancelled order has freed", () => {
  const { world, anna, orderId } = bidder();
  assert.equal(world.available(anna), usd("0.00125"));
  const events = world.do(anna.actor, { type: "CancelOrder", orderId });
  assert.deepEqual(movedIn(events), [["assessment", usd("20")]]);
  assert.equal(world.state.account(anna.id).contribution, undefined);
  assert.equal(world.cash(anna), usd("30"));
});

test("no cash that a debt is due from is taken out", () => {
  const world = new World();
  const anna = world.trader("anna", "50");
  contribute(world, anna, "0", "20");
  const out = (dollars: string): CommandOf<"FundAccount"> => ({
    ...{ type: "FundAccount", accountId: anna.id, amountMicros: usd(`-${dollars}`), memo: null },
  });
  assert.deepEqual(world.refused(root, out("30.000001")), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: usd("30.000001"), availableMicros: usd("30") },
  });
  world.do(root, out("30"));
  assert.equal(world.cash(anna), 0n);
  assert.equal(world.state.account(anna.id).contribution, undefined);
});
