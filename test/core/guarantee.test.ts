// The guarantee fund: what its own shorts may cost it, what it can spare, and deposits into it.
// Invariant: payouts that are known are added up; what is not known is at its worst in one scenario
// for all of it together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, releaseId } from "#base/ids.ts";
import { type Micros, parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { CommandOf } from "#core/command.ts";
import { putBalance, putMarket, putPosition } from "#core/fold.ts";
import { fundNeedIn, fundNeeds, spareOfFund, worstOf } from "#core/margin/guarantee.ts";
import type { Market } from "#core/records.ts";
import { State } from "#core/state.ts";
import { GUARANTEE } from "#core/step.ts";
import { wordIn } from "#core/words/told.ts";
import { holding, market, paidOut } from "./exposure-records.ts";
import { root, tick, World } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

/** Worth so much after the first two scenarios, and a tick after all others. */
const after = (name: string, first: string, second: string): Market => ({
  ...market(name, "0.01"),
  riskTicks: scenarios.map((_, at) => tick([first, second][at] ?? "0.0001")),
});

const worst = (...all: readonly (readonly [Market, bigint])[]): Micros =>
  worstOf(
    new Map(all.map(([one]) => [one.id, one])),
    all.map(([{ id }, contracts]) => ({ marketId: id, shortLots: lots(contracts * 100n) })),
  );

test("shorts may cost what the scenario that is worst for all of them together takes", () => {
  assert.equal(worst(), 0n);
  const [one, two] = [after("A", "0.5", "0.1"), after("B", "0.2", "0.4")];
  assert.equal(worst([one, 10n]), usd("5"));
  assert.equal(worst([two, 10n]), usd("4"));
  assert.equal(worst([one, 10n], [two, 10n]), usd("7"), "5 and 2, not 5 and 4");
  assert.equal(worst([one, 10n], [two, 20n]), usd("9"), "1 and 8");
});

test("known payouts are added up, each rounded up to a micro-dollar, beside the scenarios", () => {
  const [known, other] = [
    paidOut(market("A", "0.2"), 250_000),
    paidOut(market("B", "0.2"), 333_333),
  ];
  assert.equal(worst([known, 10n]), usd("2.5"));
  const third = [{ marketId: other.id, shortLots: lots(1n) }];
  assert.equal(worstOf(new Map([[other.id, other]]), third), 3_334n, "of 3,333.33");
  assert.equal(worst([known, 10n], [other, 10n], [after("C", "0.5", "0.1"), 10n]), usd("10.83333"));
});

test("a market that nobody knows is a fault of the exchange", () => {
  const unknown = [{ marketId: marketId("X"), shortLots: lots(1n) }];
  assert.throws(() => worstOf(new Map(), unknown), /market X is known/);
});

/** A fund with 30 USD, short of ten contracts each in markets of all kinds, and long in one. */
function fundWith() {
  const state = new State();
  const markets = [
    after("open", "0.5", "0.1"),
    paidOut(market("here", "0.2"), 250_000, "rel-1"),
    paidOut(market("there", "0.2"), 750_000, "rel-2"),
    paidOut(market("long", "0.2"), 750_000, "rel-1"),
  ];
  for (const one of markets) {
    putMarket(state, one);
    const contracts = one.id === "long" ? 10n : -10n;
    putPosition(state, { ...holding(one.id, contracts), accountId: GUARANTEE });
  }
  putBalance(state, "guarantee", usd("30"));
  return state;
}

test("of a release: what its payouts need of the fund, and what all else may", () => {
  const needs = (id: string) => fundNeeds(fundWith(), releaseId(id));
  assert.deepEqual(needs("rel-1"), { resolved: usd("2.5"), beside: usd("12.5") });
  assert.deepEqual(needs("rel-2"), { resolved: usd("7.5"), beside: usd("7.5") });
  assert.deepEqual(needs("rel-3"), { resolved: 0n, beside: usd("15") });
});

test("a market needs of the fund what its short may cost; a long or nothing needs nothing", () => {
  const state = fundWith();
  const need = (name: string) => fundNeedIn(state, marketId(name));
  assert.deepEqual(["open", "here", "there", "long", "unknown"].map(need), [
    usd("5"),
    usd("2.5"),
    usd("7.5"),
    0n,
    0n,
  ]);
});

test("the fund can spare what it has beyond known payouts, and never less than nothing", () => {
  const state = fundWith();
  assert.equal(spareOfFund(state), usd("20"), "what is open is not set aside");
  putBalance(state, "guarantee", usd("9"));
  assert.equal(spareOfFund(state), 0n);
});

const funding = (dollars: string, layer?: "exchange"): CommandOf<"FundGuarantee"> => ({
  type: "FundGuarantee",
  amountMicros: usd(dollars),
  memo: null,
  ...(layer === undefined ? {} : { layer }),
});

test("a deposit goes into the fund or into the exchange's layer, from outside", () => {
  const world = new World();
  const told = (dollars: string, layer?: "exchange") =>
    world
      .do(root, funding(dollars, layer))
      .filter(({ type }) => type === "Posted" || type === "GuaranteeFunded");
  const posting = { from: "external", reason: "deposit", reference: GUARANTEE };
  assert.deepEqual(told("10"), [
    {
      type: "Posted",
      posting: { ...posting, to: "guarantee", amountMicros: usd("10") },
      fromMicros: usd("-10"),
      toMicros: usd("10"),
    },
    { type: "GuaranteeFunded", balanceMicros: usd("10") },
  ]);
  assert.deepEqual(told("5", "exchange"), [
    {
      type: "Posted",
      posting: { ...posting, to: "exchange-layer", amountMicros: usd("5") },
      fromMicros: usd("-15"),
      toMicros: usd("5"),
    },
    { type: "GuaranteeFunded", balanceMicros: usd("5") },
  ]);
  for (const dollars of ["0", "-1"]) {
    assert.throws(
      () => world.try(root, funding(dollars)),
      /the guarantee fund takes deposits only/,
    );
  }
});

test("beyond what one person moves in a day a deposit waits for a second word", () => {
  const world = new World();
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const waits = (dollars: string) => wordIn("open", world.do(olga.actor, funding(dollars)));
  assert.equal(waits("600000"), undefined);
  const waiting = waits("400000.000001") ?? assert.fail("it is above the limit");
  assert.equal(world.state.balance("guarantee"), usd("600000"), "nothing has moved");
  world.agree(otto.actor, waiting);
  assert.equal(world.state.balance("guarantee"), usd("1000000.000001"));
  assert.equal(waits("400000"), undefined, "what two agreed on counts for neither");
});

test("a person waits once for a second word about the fund: its newest amount", () => {
  const world = new World();
  const olga = world.open("olga", "operator");
  const otto = world.open("otto", "operator");
  world.do(olga.actor, funding("1000000.000001"));
  const repeated = world.refused(olga.actor, funding("1000000.000001"));
  assert.deepEqual(repeated, { code: "PROPOSAL_SAME_OPERATOR" });
  world.do(olga.actor, funding("1000000.000002"));
  world.do(otto.actor, funding("1000000.000001"));
  assert.equal(world.state.balance("guarantee"), 0n, "two amounts are two choices");
  world.do(otto.actor, funding("1000000.000002"));
  assert.equal(world.state.balance("guarantee"), usd("1000000.000002"));
});
