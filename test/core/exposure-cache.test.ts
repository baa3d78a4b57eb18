// The exposure of an account, market by market: the accounts a change concerns, the rest after a
// closed order, the worst short, and an account without any.
// Invariant: figures here are worked out by hand, for the very few positions and orders given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, marketId } from "#base/ids.ts";
import { micros, parseMicros } from "#base/money.ts";
import { lots, MICROS_PER_LOT } from "#base/quantity.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { worstLots } from "#core/margin/one-market.ts";
import { PARTS_PER_MICRO } from "#core/margin/requirement.ts";
import { Beside } from "#core/order/beside.ts";
import type { Market, Order } from "#core/records.ts";
import { noConcentration } from "#core/rules.ts";
import { holding, market, me, quote } from "./exposure-records.ts";

const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
const rates = { feeBps: 0, requirementBps: 1_000, concentration: noConcentration };

const gone = (open: Order): Order => ({ ...open, status: "CANCELLED", cancelReason: "REQUESTED" });

/** Of the tier enhanced, without fees, in these markets. */
function stage(...markets: readonly Market[]) {
  const told: AccountId[] = [];
  const exposures = new Exposures((account) => told.push(account));
  exposures.ratesChanged(me, rates);
  for (const one of markets) exposures.marketChanged(one);
  told.length = 0;
  return { exposures, told };
}

const nothing = {
  lockedMicros: 0n,
  fullMicros: 0n,
  outlayMicros: 0n,
  coverageMicros: 0n,
  openMicros: 0n,
  openPositions: 0,
  openOrders: 0,
};
const noShorts = {
  liabilityParts: 0n,
  maintenanceParts: 0n,
  initialParts: 0n,
  shortLots: 0n,
  binding: "tier",
};

test("an account that never did anything has nothing at stake", () => {
  const exposures = new Exposures();
  assert.equal(exposures.locked(me), 0n);
  assert.deepEqual(exposures.shortTotals(me), noShorts);
  assert.deepEqual(exposures.totals(me), nothing);
  assert.equal(exposures.coverageIn(me, marketId("L")), 0n);
  assert.deepEqual(exposures.shorts(me), []);
});

test("an account is judged again when its rates, a mark or its position change, else not", () => {
  const { exposures, told } = stage(market("L", "0.05"));
  const after = (change: () => void): readonly AccountId[] => {
    told.length = 0;
    change();
    return [...told];
  };
  assert.deepEqual(
    after(() => exposures.positionChanged(holding("L", -10n))),
    [me],
  );
  assert.deepEqual(
    after(() => exposures.positionChanged(holding("L", -10n))),
    [],
  );
  assert.deepEqual(
    after(() => exposures.ratesChanged(me, { ...rates })),
    [],
  );
  assert.deepEqual(
    after(() => exposures.ratesChanged(me, { ...rates, feeBps: 50 })),
    [me],
  );
  assert.deepEqual(
    after(() => exposures.ratesChanged(me, { ...rates, feeBps: 50, requirementBps: 500 })),
    [me],
  );
  assert.deepEqual(
    after(() => exposures.marketChanged({ ...market("L", "0.05"), status: "PAUSED" })),
    [],
  );
  assert.deepEqual(
    after(() => exposures.marketChanged(market("L", "0.05", "0.3"))),
    [me],
    "the stressed mark alone",
  );
  assert.deepEqual(
    after(() => exposures.marketChanged(market("L", "0.06", "0.3"))),
    [me],
    "the mark alone",
  );
});

test("who has left a market hears of it no more, and holds nothing of it", () => {
  const { exposures, told } = stage(market("L", "0.05"));
  const sale = quote("L", "SELL", "0.05", 5n);
  exposures.orderChanged(undefined, sale);
  exposures.positionChanged(holding("L", -10n));
  exposures.orderChanged(sale, gone(sale));
  exposures.positionChanged(holding("L", 0n));
  told.length = 0;
  exposures.marketChanged(market("L", "0.5"));
  assert.deepEqual(told, []);
  assert.deepEqual(exposures.totals(me), nothing);
  assert.deepEqual(exposures.shortTotals(me), noShorts);
});

test("an order that is done holds nothing back again, whatever changes after it", () => {
  const { exposures } = stage(market("L", "0.05"));
  const sale = quote("L", "SELL", "0.05", 5n);
  exposures.positionChanged(holding("L", 1n));
  exposures.orderChanged(undefined, sale);
  exposures.orderChanged(sale, gone(sale));
  exposures.ratesChanged(me, { ...rates, feeBps: 50, requirementBps: 10_000 });
  exposures.marketChanged(market("L", "0.5"));
  assert.deepEqual(exposures.totals(me), {
    ...nothing,
    coverageMicros: usd("1"),
    openPositions: 1,
  });
});

test("shorts come worst first, equal ones by name; what is held long is none of them", () => {
  // Each contract adds on 0.105, so B's 20 are the worst; A is long; C and D are alike.
  const held = { A: 30n, B: -20n, C: -10n, D: -10n };
  for (const names of [["A", "B", "C", "D"] as const, ["D", "C", "B", "A"] as const]) {
    const { exposures } = stage(...names.map((name) => market(name, "0.05")));
    for (const name of names) exposures.positionChanged(holding(name, held[name]));
    exposures.orderChanged(undefined, quote("A", "SELL", "0.05", 99n));
    const shorts = exposures.shorts(me).map((one) => `${one.marketId} ${one.shortLots}`);
    assert.deepEqual(shorts, ["B 2000", "C 1000", "D 1000"]);
  }
  const flat = stage(market("L", "0.05")).exposures;
  flat.orderChanged(undefined, quote("L", "SELL", "0.05", 5n));
  assert.deepEqual(flat.shorts(me), [], "an order is no short");
});

test("the worst short is the one with the largest add-on, not the most contracts", () => {
  const { exposures } = stage(market("L", "0.05"), market("M", "0.05", "0.9"));
  exposures.positionChanged(holding("L", -50n));
  exposures.positionChanged(holding("M", -10n));
  assert.deepEqual(
    exposures.shorts(me).map((one) => one.marketId),
    ["M", "L"],
  );
});

test("shorts add up over markets, and long positions pay for none of them", () => {
  const { exposures } = stage(market("L", "0.05"), market("M", "0.2"), market("N", "0.5"));
  exposures.positionChanged(holding("L", -100n));
  exposures.positionChanged(holding("M", -10n));
  exposures.positionChanged(holding("N", 1_000n));
  // L: 5, and 9.50 by the tier and 1 for the spread; M: 2, 0.80 and 0.10; a quarter more to open.
  assert.deepEqual(exposures.shortTotals(me), {
    liabilityParts: usd("7") * PARTS_PER_MICRO,
    maintenanceParts: usd("11.4") * PARTS_PER_MICRO,
    initialParts: usd("14.25") * PARTS_PER_MICRO,
    shortLots: 11_000n,
    binding: "tier",
  });
  assert.equal(exposures.locked(me), usd("21.25"));
});

test("the outlay is what buys cost; what is open counts buys and sells alike", () => {
  const { exposures } = stage(market("L", "0.05"), market("M", "0.2"));
  exposures.orderChanged(undefined, quote("L", "BUY", "0.04", 100n));
  exposures.orderChanged(undefined, quote("L", "SELL", "0.06", 30n));
  exposures.orderChanged(undefined, quote("M", "BUY", "0.5", 10n));
  assert.deepEqual(exposures.totals(me), {
    lockedMicros: usd("9"),
    fullMicros: usd("33.2"),
    outlayMicros: usd("9"),
    coverageMicros: usd("110"),
    openMicros: usd("140"),
    openPositions: 2,
    openOrders: 3,
  });
});

test("a market's coverage counts that market's open orders only", () => {
  const { exposures } = stage(market("L", "0.05"), market("M", "0.2"));
  exposures.positionChanged(holding("L", -10n));
  const done = gone(quote("L", "SELL", "0.05", 7n));
  const others = [quote("M", "SELL", "0.2", 50n), done];
  for (const order of others) exposures.orderChanged(undefined, order);
  assert.equal(exposures.coverageIn(me, marketId("L")), usd("10"));
  const beside = new Beside(exposures, me);
  beside.add(quote("L", "SELL", "0.06", 5n));
  const { here, openOrders } = beside.before(marketId("L"));
  assert.deepEqual([worstLots(here) * MICROS_PER_LOT, openOrders], [usd("15"), 2]);
});

test("orders are judged by a market's marks: without any there is no order", () => {
  const { exposures } = stage();
  const unmarked = /a market has marks before it has orders/;
  assert.throws(() => exposures.orderChanged(undefined, quote("L", "BUY", "0.5", 1n)), unmarked);
  const none = new Map();
  assert.throws(() => exposures.totalsWith(me, [quote("L", "BUY", "0.5", 1n)], none), unmarked);
});

test("totals, locked cash and shorts that were asked before are those of now", () => {
  const { exposures } = stage(market("L", "0.05"), market("M", "0.05"));
  const sale = quote("L", "SELL", "0.05", 5n);
  const fresh = new Map();
  const steps: readonly (() => void)[] = [
    () => exposures.positionChanged(holding("L", -10n)),
    () => exposures.orderChanged(undefined, quote("M", "SELL", "0.05", 3n)),
    () => exposures.reserve(me, { reservedMicros: micros(7n), sells: new Map() }),
    () => exposures.ratesChanged(me, { ...rates, requirementBps: 2_000 }),
    () => exposures.marketChanged(market("L", "0.06", "0.4")),
    () =>
      exposures.orderChanged(quote("M", "SELL", "0.05", 3n), gone(quote("M", "SELL", "0.05", 3n))),
  ];
  const answers = () => ({
    locked: exposures.locked(me),
    with: exposures.totalsWith(me, [sale], fresh),
    shorts: exposures.shortTotals(me),
  });
  const seen = [answers()];
  for (const step of steps) {
    step();
    seen.push(answers());
    const [before, now] = seen.slice(-2);
    assert.notDeepEqual(now, before);
    assert.notEqual(now?.with.lockedMicros, before?.with.lockedMicros);
    assert.deepEqual(answers(), now);
  }
  // One that was never asked meanwhile, and has known no other mark, says the same.
  const unasked = stage(market("L", "0.06", "0.4"), market("M", "0.05")).exposures;
  unasked.positionChanged(holding("L", -10n));
  unasked.reserve(me, { reservedMicros: micros(7n), sells: new Map() });
  unasked.ratesChanged(me, { ...rates, requirementBps: 2_000 });
  assert.deepEqual(seen.at(-1), {
    locked: unasked.locked(me),
    with: unasked.totalsWith(me, [sale], new Map()),
    shorts: unasked.shortTotals(me),
  });
});

test("sums stay whole numbers while a cell near the bound changes", () => {
  // 39,785 quarters a lot at the initial margin: an odd sum, two of which no double holds.
  const large = market("L", "0.9", "0.9605");
  const short = (lotsShort: bigint) => ({ ...holding("L", 0n), heldLots: lots(-lotsShort) });
  const { exposures } = stage(large);
  exposures.positionChanged(short(149_000_000_001n));
  exposures.positionChanged(short(149_000_000_002n));
  exposures.positionChanged(short(149_000_000_003n));
  const told = stage(large).exposures;
  told.positionChanged(short(149_000_000_003n));
  assert.deepEqual(exposures.shortTotals(me), told.shortTotals(me));
});

test("open orders lock what they would under rates that change, without a new mark", () => {
  const buy = quote("L", "BUY", "0.05", 5n);
  const dear = { ...rates, feeBps: 50 };
  const { exposures } = stage(market("L", "0.05"));
  exposures.orderChanged(undefined, buy);
  exposures.ratesChanged(me, dear);
  const told = stage(market("L", "0.05")).exposures;
  told.ratesChanged(me, dear);
  told.orderChanged(undefined, buy);
  assert.deepEqual(exposures.totals(me), told.totals(me));
});
