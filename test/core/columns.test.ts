// The need and the offset of one lot in each column, worked out by hand; and the requirement of a
// short that stands alone.
// Invariant: quarters of a micro-dollar: a tick of a lot is four, at the initial margin five of
// the amount that is added on.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { IndexKind } from "#base/index-kind.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import {
  allowedLots,
  COLUMNS,
  columnRates,
  greatest,
  MOST_GROSS_LOTS,
} from "#core/margin/columns.ts";
import {
  liabilityOf,
  lotWorthOf,
  microsUp,
  shortRate,
  takeoverCharge,
} from "#core/margin/requirement.ts";
import type { Marked } from "#core/margin/risk.ts";
import { type ConcentrationRules, noConcentration } from "#core/rules.ts";
import { market, paidOut } from "./exposure-records.ts";
import { tick } from "./world.ts";

const FULL = 40_000;

/** Worth `first` after the first scenario, and `others` after each other one. */
const marked = (mark: string, stressed: string, first: string, others = mark): Marked => ({
  markTick: tick(mark),
  stressedTick: tick(stressed),
  riskTicks: scenarios.map((_, at) => tick(at === 0 ? first : others)),
});

const ratesOf = (one: Marked, requirementBps: number, concentration = noConcentration) =>
  columnRates(one, { requirementBps, concentration });

const rules = (changed: Partial<ConcentrationRules>): ConcentrationRules => ({
  shareBps: 2_000,
  floorMicros: micros(1_000_000n),
  rateBps: 1_000,
  ...changed,
});

test("there is a column for the floor, and one for each scenario", () => {
  assert.equal(COLUMNS, scenarios.length + 1);
  const { initial, maintenance } = ratesOf(marked("0.2", "0.2", "0.5"), 500);
  for (const { long, short, concentrated } of [initial, maintenance]) {
    assert.deepEqual([long.length, short.length, concentrated.length], Array(3).fill(COLUMNS));
  }
});

test("a scenario needs the mark, its rise and the spread; what falls needs no less", () => {
  // A quarter of the stress of 0.08 is the spread, 0.02.
  const { initial, maintenance } = ratesOf(marked("0.2", "0.28", "0.5", "0.1"), 500);
  assert.deepEqual(maintenance.short.slice(1, 3), [4 * 2_000 + 4 * 3_200, 4 * 2_000 + 4 * 200]);
  assert.deepEqual(initial.short.slice(1, 3), [4 * 2_000 + 5 * 3_200, 4 * 2_000 + 5 * 200]);
});

test("the spread is a quarter of the stress, rounded up, and at least a cent", () => {
  const spread = (stressed: string) =>
    ((ratesOf(marked("0.2", stressed, "0.2"), 500).maintenance.short[1] ?? 0) - 8_000) / 4;
  assert.deepEqual(
    ["0.1", "0.2", "0.24", "0.2401", "0.2404"].map(spread),
    [100, 100, 100, 101, 101],
  );
});

test("the floor is the tier's part of what is uncovered, or half of the worst rise", () => {
  const floors = (one: Marked, bps: number) => {
    const { initial, maintenance } = ratesOf(one, bps);
    return [maintenance.short[0], initial.short[0]];
  };
  // A twentieth of 0.8 is less than half of 0.3.
  assert.deepEqual(floors(marked("0.2", "0.2", "0.5"), 500), [
    8_000 + 6_000 + 400,
    8_000 + 7_500 + 500,
  ]);
  // Of an odd rise the initial half is rounded up.
  assert.deepEqual(floors(marked("0.2", "0.2", "0.5001"), 500), [
    8_000 + 6_002 + 400,
    8_000 + 7_503 + 500,
  ]);
  // 3.33 % of 0.8 is 266.4 ticks: 1,065.6 and 1,332 quarters.
  assert.deepEqual(floors(marked("0.2", "0.2", "0.2"), 333), [
    8_000 + 1_066 + 400,
    8_000 + 1_332 + 500,
  ]);
});

test("no column needs more than full collateral, of whatever size the account is", () => {
  const concentration = rules({ rateBps: 500 });
  const { initial, maintenance } = ratesOf(marked("0.9", "0.9", "0.98"), 10_000, concentration);
  assert.deepEqual(initial.short.slice(0, 3), [FULL, FULL, 36_500]);
  assert.deepEqual(maintenance.short.slice(0, 3), [FULL, 36_000 + 4 * 900, 36_400]);
  assert.deepEqual(maintenance.concentrated.slice(0, 3), [FULL, FULL, 36_400 + 2_000]);
  assert.deepEqual(initial.concentrated.slice(0, 3), [FULL, FULL, 36_500 + 2_000]);
});

test("a long offsets its scenario's rise, no more than it may still gain, never the floor", () => {
  const { terms } = market("L", "0.2");
  const low = { ...marked("0.2", "0.2", "0.5"), terms };
  for (const { long } of Object.values(sidesOf(ratesOf(low, 500)))) {
    assert.deepEqual(long.slice(0, 3), [0, 4 * 3_000, 0], "once, at the initial margin too");
  }
  const high = ratesOf({ ...marked("0.9", "0.9", "0.9999"), terms }, 500);
  assert.equal(high.maintenance.long[1], 4 * 999);
});

const sidesOf = ({ initial, maintenance }: ReturnType<typeof ratesOf>) => ({
  initial,
  maintenance,
});

test("home values and rents offset; a vacancy rate or the weather moves alone", () => {
  const offset = (index: IndexKind) => {
    const terms = { ...market("L", "0.2").terms, index };
    return ratesOf({ ...marked("0.2", "0.2", "0.5"), terms }, 500).initial.long[1];
  };
  assert.deepEqual(
    (["zhvi", "zori", "vacancy", "weather"] as const).map(offset),
    [12_000, 12_000, 0, 0],
  );
});

test("an account may have its share of what is open, at least the floor, at most all of it", () => {
  const allowed = (open: bigint | undefined, changed: Partial<ConcentrationRules> = {}) =>
    allowedLots(open === undefined ? {} : { markedOpenLots: lots(open) }, rules(changed));
  assert.equal(allowed(undefined), 100, "the floor of 1 USD");
  assert.equal(allowed(499n), 100);
  assert.equal(allowed(504n), 100, "a fifth is rounded down");
  assert.equal(allowed(505n), 101);
  const most = Number(MOST_GROSS_LOTS);
  assert.equal(allowed(505n, { rateBps: 0 }), most, "nobody is asked for more");
  const large = { shareBps: 10_000 };
  assert.equal(allowed(MOST_GROSS_LOTS - 1n, large), most - 1);
  assert.equal(allowed(MOST_GROSS_LOTS + 1n, large), most);
  const own = ratesOf(
    { ...marked("0.2", "0.2", "0.2"), markedOpenLots: lots(505n) },
    500,
    rules({}),
  );
  assert.equal(own.allowedLots, 101);
});

test("of columns the greatest counts, the first one too, and below zero as well", () => {
  assert.equal(greatest([7, 3, 5]), 7);
  assert.equal(greatest([3, 5, 4]), 5);
  assert.equal(greatest([3, 4, 5]), 5);
  assert.equal(greatest([-3, -2]), -2);
  assert.equal(greatest([]), 0);
});

test("a short by hand: liability, add-on by rule and by stress, capped at full collateral", () => {
  const micro = 20_000n;
  const rows: readonly [string, string, number, bigint, bigint, bigint][] = [
    // mark, stressed, requirement bps → liability, maintenance, initial of 100 contracts
    ["0.05", "0.05", 10_000, 5_000_000n, 95_000_000n, 95_000_000n],
    // 9.5 by the tier, 1 for the spread of an auction.
    ["0.05", "0.05", 1_000, 5_000_000n, 10_500_000n, 13_125_000n],
    // 20 by the stress, a quarter of it for the spread.
    ["0.05", "0.25", 1_000, 5_000_000n, 25_000_000n, 31_250_000n],
    ["0.05", "0.95", 1_000, 5_000_000n, 95_000_000n, 95_000_000n],
    ["0.3", "0.1", 500, 30_000_000n, 4_500_000n, 5_625_000n],
  ];
  for (const [mark, stressed, bps, liability, maintenance, initial] of rows) {
    assert.deepEqual(shortRate(marked(mark, stressed, stressed, stressed), bps), {
      liability: (liability * micro) / 10_000n,
      maintenance: (maintenance * micro) / 10_000n,
      initial: (initial * micro) / 10_000n,
      isResolved: false,
    });
  }
  const odd = shortRate(marked("0.3333", "0.3333", "0.3333"), 500);
  assert.equal(
    odd.maintenance,
    (333_500_000n * 20_000n) / 1_000_000n + 2_000_000n,
    "333.5 µ + 100",
  );
});

test("a payout that is known is the worth of a lot, and all that a short of it needs", () => {
  const known = paidOut(market("L", "0.2"), 333_333);
  assert.equal(lotWorthOf(market("L", "0.2")), 2_000n * 20_000n);
  assert.equal(lotWorthOf(known), 66_666_600n);
  assert.deepEqual(shortRate(known, 500), {
    liability: 66_666_600n,
    maintenance: 0n,
    initial: 0n,
    isResolved: true,
  });
});

test("a known payout is owed in whole micro-dollars, a mark exactly", () => {
  const known = paidOut(market("L", "0.2"), 333_333);
  // Three lots pay 9,999.99 micro-dollars.
  assert.equal(liabilityOf(3n, known), 10_000n * 20_000n);
  assert.equal(liabilityOf(3n, market("L", "0.2")), 6_000n * 20_000n);
  assert.deepEqual([20_000n, 20_001n, 39_999n, 0n].map(microsUp), [1n, 2n, 2n, 0n]);
});

test("the fund is paid the strictest tier's part, whoever it takes a short over from", () => {
  // A twentieth of 0.8 and a cent for the spread, a lot.
  assert.equal(takeoverCharge(market("L", "0.2")), 500n * 20_000n);
});
