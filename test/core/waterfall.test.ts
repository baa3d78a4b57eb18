// The waterfall: which layer of the fund bears what of a default's loss, and in which order.
// Invariant: no layer gives while the one before it has something left; the parts are the loss.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { formatMicros, type Micros, micros, parseMicros } from "#base/money.ts";
import { auditFacts } from "#core/audit.ts";
import type { Event } from "#core/event.ts";
import { contributionTo } from "#core/margin/contribution.ts";
import { isRejected } from "#core/outcome.ts";
import { endCalls } from "./end-calls.ts";
import { fundOf, lossesIn, type Sold, stageOf } from "./waterfall-stage.ts";
import type { Trader } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

/** Two others of 1,000 and 3,000 contracts, and what they are asked for at 0.23 by target. */
const others = [
  { contracts: 1_000, cash: "2000" },
  { contracts: 3_000, cash: "9000" },
] as const satisfies readonly Sold[];
const weak = { contracts: 1_000, cash: "200" } as const;

test("contributions are held by loss in the worst scenario when a short is opened, and go back", () => {
  const { world, sellers, mark, setTarget } = stageOf({ target: "10000", sold: others });
  // 0.1 × (1 − 0.05) and a cent of each contract; a tenth of that, for the target is higher.
  const [one, three] = sellers;
  assert.deepEqual(fundOf(world, one), usd("10.5"));
  assert.deepEqual(fundOf(world, three), usd("31.5"));
  assert.equal(world.state.account(one?.id ?? assert.fail()).contribution?.sizeMicros, usd("10.5"));
  mark("0.1");
  assert.deepEqual(fundOf(world, one), usd("10.5"), "what moves by little stays");
  mark("0.02", "0.02");
  setTarget("0");
  mark("0.03");
  assert.deepEqual([fundOf(world, one), fundOf(world, three)], [0n, 0n]);
  assert.equal(world.state.account(three?.id ?? assert.fail()).contribution, undefined);
});

const contributedIn = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === "Posted" && event.posting.reason.startsWith("contribution")
      ? [[event.posting.reason, event.posting.reference, event.posting.amountMicros]]
      : [],
  );

test("what is asked beyond what is there is paid, and what is there beyond that goes back", () => {
  const { world, sellers, mark } = stageOf({ target: "10000", sold: others });
  const [one = assert.fail(), three = assert.fail()] = sellers;
  mark("0.1");
  // Stressed at 0.4: 0.3 and a spread of 0.075 of each contract.
  assert.deepEqual(contributedIn(mark("0.1", "0.4")), [
    ["contribution", one.id, usd("27")],
    ["contribution", three.id, usd("81")],
  ]);
  assert.deepEqual([fundOf(world, one), fundOf(world, three)], [usd("37.5"), usd("112.5")]);
  assert.deepEqual(contributedIn(mark("0.1")), [
    ["contribution-returned", one.id, usd("27.5")],
    ["contribution-returned", three.id, usd("82.5")],
  ]);
  const again = mark("0.1");
  assert.ok(!again.some(({ type }) => type === "AccountChanged"), "and nothing is told twice");
});

test("an account without free cash is asked for no more at marks, one with some for that", () => {
  const { world, sellers, mark } = stageOf({
    target: "10000",
    sold: [
      { contracts: 1_000, cash: "200" },
      { contracts: 1_000, cash: "536.25" },
    ],
  });
  mark("0.1", "0.4");
  const [called = assert.fail(), short = assert.fail()] = sellers;
  assert.ok(world.state.account(called.id).marginCall !== undefined);
  // 575.75 in cash less 100, and 1.25 times 375: of 27 more that are asked, 7 are free.
  assert.deepEqual([fundOf(world, called), fundOf(world, short)], [usd("10.5"), usd("17.5")]);
  assert.equal(world.available(short), 0n);
});

test("while a default is handled no contribution is set, whatever marks say", () => {
  const { world, sellers, mark } = stageOf({ target: "10000", sold: [weak, ...others] });
  mark("0.1");
  mark("0.23");
  endCalls(world);
  assert.equal(world.state.auctions.size, 1);
  const before = sellers.map((one) => fundOf(world, one));
  assert.deepEqual(contributedIn(mark("0.1", "0.4")), []);
  assert.deepEqual(
    sellers.map((one) => fundOf(world, one)),
    before,
  );
});

test("what fees and deposits have brought comes off what is asked", () => {
  const { world, sellers, mark } = stageOf({ target: "40", sold: others });
  const fees = world.state.balance("guarantee");
  mark("0.1");
  const given = sellers.map((one) => fundOf(world, one));
  assert.equal(
    given.reduce<bigint>((sum, one) => sum + one, fees),
    usd("30"),
  );
});

test("own contribution, exchange, fund, other contributions, an assessment: in this order", () => {
  const layers = ["4", "8", "60", "75", "180"].map((loss) => {
    const stage = stageOf({ target: "10000", layer: "5", sold: [weak, ...others] });
    stage.mark("0.1");
    return { ...stage.defaultWith(usd(loss)), stage };
  });
  for (const { loss, before, stage } of layers) {
    const { world, sellers } = stage;
    const [defaulter, ...rest] = sellers;
    const own = least(loss.lossMicros, fundIn(before, defaulter));
    assert.equal(loss.ownMicros, own, "the defaulter's own");
    const exchange = least(loss.lossMicros - own, before.get("exchange-layer") ?? 0n);
    assert.equal(loss.exchangeMicros, exchange, "the exchange's");
    const contributed = rest.reduce((sum, one) => sum + fundIn(before, one), 0n);
    const beyond = loss.lossMicros - own - exchange - loss.fundMicros;
    assert.equal(loss.contributionsMicros, least(beyond, contributed), "the others'");
    const uncovered = beyond - loss.contributionsMicros;
    const assessed = loss.assessedMicros + loss.assessedOwedMicros;
    assert.equal(assessed, least(uncovered, contributed), "so much again");
    assert.equal(loss.leftMicros, uncovered - assessed);
    assert.equal(world.state.balance("exchange-layer"), usd("5") - exchange);
  }
  const kinds = layers.map(({ loss }) => [
    loss.ownMicros > 0n,
    loss.exchangeMicros > 0n,
    loss.contributionsMicros > 0n,
    loss.assessedMicros > 0n,
    loss.leftMicros > 0n,
  ]);
  assert.ok(
    kinds.some(([own, exchange, all]) => own === true && exchange === true && all !== true),
  );
  assert.ok(kinds.some(([, , , assessed, left]) => assessed === true && left !== true));
  assert.ok(
    kinds.some(([, , , , left]) => left === true),
    "at last nobody is left to ask",
  );
});

test("an assessment is shared by contributions, and comes from cash", () => {
  const stage = stageOf({ target: "10000", sold: [weak, ...others] });
  stage.mark("0.1");
  const { loss, before } = stage.defaultWith(usd("60"));
  assert.ok(loss.assessedMicros > 0n && loss.assessedOwedMicros === 0n);
  const { world, sellers } = stage;
  const paid = sellers
    .slice(1)
    .map(({ id }) => (before.get(`cash:${id}`) ?? 0n) - world.state.balance(`cash:${id}`));
  assert.deepEqual(paid, [loss.assessedMicros / 4n, (3n * loss.assessedMicros) / 4n]);
});

test("a contributor without free cash owes its assessment, and pays it from the next", () => {
  const poor = { contracts: 3_000, cash: "9000" };
  const stage = stageOf({ target: "10000", sold: [weak, poor] });
  const { world, sellers } = stage;
  stage.mark("0.1");
  const member = sellers[1] ?? assert.fail();
  const { loss } = stage.defaultWith(usd("180"), () => stage.withdrawFree(member));
  assert.equal(loss.assessedMicros, 0n);
  assert.ok(loss.assessedOwedMicros > 0n);
  const { contribution } = world.state.account(member.id);
  assert.equal(contribution?.owesMicros, loss.assessedOwedMicros);
  const fund = world.state.balance("guarantee");
  const half = micros(loss.assessedOwedMicros / 2n);
  world.fund(member, half);
  assert.equal(world.state.balance("guarantee"), fund + half);
  world.fund(member, usd("1000"));
  assert.equal(world.state.balance("guarantee"), fund + loss.assessedOwedMicros);
  assert.equal(world.state.account(member.id).contribution?.owesMicros, 0n);
});

test("all losses of one default ask for one assessment", () => {
  const stage = stageOf({ target: "10000", sold: [weak, ...others] });
  stage.mark("0.1");
  const losses = stage.losses(...["11", "30", "5"].map(usd));
  const sizes = stage.sellers.slice(1).map((one) => fundOf(stage.world, one));
  const whole = sizes.reduce<bigint>((sum, one) => sum + one, 0n);
  const asked = losses.map((one) => one.assessedMicros + one.assessedOwedMicros);
  assert.equal(whole, usd("8"));
  assert.deepEqual(asked, [usd("3"), usd("5"), 0n]);
});

test("payouts beyond what the fund was paid for its shorts are borne by its layers", () => {
  const stage = stageOf({ target: "10000", sold: [{ ...weak, cash: "400" }, ...others] });
  stage.mark("0.1");
  const [loss] = lossesIn(stage.settleAbove());
  assert.ok(loss !== undefined);
  assert.ok(stage.world.state.releases.has(releaseId(loss.of)), "of the release");
  assert.ok(loss.contributionsMicros > 0n);
  assert.equal(loss.ownMicros + loss.assessedMicros + loss.assessedOwedMicros, 0n);
  assert.equal(stage.world.state.markets.values().next().value?.shortfallMicros, 0n, "paid whole");
});

test("an auditor reads the layers; a contributor is told what its contribution bore", () => {
  const stage = stageOf({ target: "10000", layer: "5", sold: [weak, ...others] });
  stage.mark("0.1");
  const { loss } = stage.defaultWith(usd("60"));
  const { world, sellers } = stage;
  const entry = world.journal.findLast(
    ({ outcome }) => !isRejected(outcome) && outcome.events.some(isLoss),
  );
  const { details, severity } = auditFacts(entry ?? assert.fail());
  assert.equal(severity, "critical");
  assert.deepEqual(details.losses, [
    {
      of: loss.of,
      loss: "60",
      ownContribution: "5",
      exchangeLayer: "5",
      fund: formatMicros(loss.fundMicros),
      contributions: formatMicros(loss.contributionsMicros),
      assessed: "0",
      assessedOwed: "0",
      uncovered: "0",
    },
  ]);
  const told = world.state.alerts.get(sellers[1]?.id ?? assert.fail()) ?? [];
  assert.ok(told.some(({ type }) => type === "fund_loss"));
});

const isLoss = (event: Event): boolean => event.type === "LossDrawn";
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const fundIn = (ledger: ReadonlyMap<string, bigint>, one: Trader | undefined): bigint =>
  one === undefined ? assert.fail() : (ledger.get(contributionTo(one.id)) ?? 0n);
