// One account in one market, by hand: what its position and its orders need in three columns, and
// what they count for elsewhere.
// Invariant: figures are quarters of a micro-dollar in columns, and lots or micro-dollars beside.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import { COLUMNS, noSums, type Sums } from "#core/margin/columns.ts";
import {
  addNeed,
  addOffsetting,
  addPosition,
  coverOfCell,
  drawn,
  type ExposureCell,
  fullNeed,
  grossLots,
  isEmpty,
  isHedge,
  needWithoutShort,
  noCell,
  type OrderChanges,
  ratesOf,
  stateIn,
  withOrders,
  worstLots,
  worstShort,
} from "#core/margin/one-market.ts";
import type { Marked } from "#core/margin/risk.ts";
import type { Order } from "#core/records.ts";
import { noConcentration } from "#core/rules.ts";
import { market, paidOut, quote } from "./exposure-records.ts";
import { tick } from "./world.ts";

/** At 0.2; the first scenario takes it to 0.5, the others leave it there. */
const marked: Marked = {
  ...market("L", "0.2"),
  riskTicks: scenarios.map((_, at) => tick(at === 0 ? "0.5" : "0.2")),
};
const requirementBps = 500;
const rates = ratesOf(marked, { requirementBps, concentration: noConcentration });
/** A lot short beyond 100 needs 0.1 of its coverage more: 4,000 quarters. */
const concentration = { shareBps: 0, floorMicros: micros(1_000_000n), rateBps: 1_000 };
const largeRates = ratesOf(marked, { requirementBps, concentration });
/** Three lots owe 9,999.99 micro-dollars. */
const known = ratesOf(paidOut(market("L", "0.2"), 333_333), { requirementBps, concentration });

/** A lot short at the initial margin: the floor, the first scenario, and each other one. */
const SHORT = [16_000, 23_500, 8_500];
const LONG = [0, 12_000, 0];

const cellOf = (changed: Partial<ExposureCell>): ExposureCell => ({ ...noCell, ...changed });

const withAll = (cell: ExposureCell, orders: readonly Order[], feeBps = 0, of = rates) =>
  withOrders(
    cell,
    orders.map((one) => [one, 1n] as const),
    feeBps,
    of,
  );

/** The floor and two scenarios; those behind are like the second. */
function three(sums: Sums): readonly number[] {
  assert.equal(sums.length, COLUMNS);
  for (const one of sums.slice(3)) assert.equal(one, sums[2]);
  return sums.slice(0, 3).map((one) => one + 0);
}

function needOf(cell: ExposureCell, of = rates, sign: 1 | -1 = 1): readonly number[] {
  const sums = noSums();
  addNeed(sums, cell, of, sign);
  return three(sums);
}

function offsettingOf(cell: ExposureCell): readonly number[] {
  const sums = noSums();
  addOffsetting(sums, cell, rates);
  return three(sums);
}

function positionOf(
  cell: ExposureCell,
  kind: "initial" | "maintenance",
  of = rates,
  sign: 1 | -1 = 1,
): readonly number[] {
  const sums = noSums();
  addPosition(sums, cell, of, kind, sign);
  return three(sums);
}

const times = (columns: readonly number[], factor: number): readonly number[] =>
  columns.map((one) => one * factor + 0);

test("a short needs its lots in each column, and gives them back", () => {
  const short = cellOf({ heldLots: -50n });
  assert.deepEqual(needOf(short), times(SHORT, 50));
  assert.deepEqual(needOf(short, rates, -1), times(SHORT, -50));
  assert.deepEqual(three(coverOfCell(short, rates)), times(SHORT, 50));
  const sums = noSums().map(() => 7);
  addNeed(sums, short, rates, 1);
  addNeed(sums, short, rates, -1);
  assert.deepEqual(three(sums), [7, 7, 7]);
});

test("a long by itself lowers nothing; where it offsets, in the scenario in which it gains", () => {
  const long = cellOf({ heldLots: 50n });
  assert.deepEqual(needOf(long), [0, 0, 0]);
  assert.deepEqual(offsettingOf(long), times(LONG, -50));
  const short = cellOf({ heldLots: -50n });
  assert.deepEqual(offsettingOf(short), needOf(short));
  const bought = withAll(long, [quote("L", "BUY", "0.5", 1n)]);
  // 2,000,000 quarters go out, and a hundred lots more gain 1,200,000.
  assert.deepEqual(offsettingOf(bought), [2_000_000, 200_000, 2_000_000]);
  assert.deepEqual(needOf(bought), [2_000_000, 2_000_000, 2_000_000]);
  assert.equal(needWithoutShort(bought), 2_000_000);
  assert.equal(needWithoutShort({ ...bought, flow: 600_000n }), 2_400_000);
});

test("a long lowers nothing while it is offered, promised, or has brought in its cost", () => {
  const long = cellOf({ heldLots: 50n });
  const kept = offsettingOf({ ...long, flow: 1n });
  assert.deepEqual(kept, [4, 4, 4], "what a void takes back is kept");
  assert.deepEqual(offsettingOf({ ...long, isPromised: true }), [0, 0, 0]);
  assert.deepEqual(offsettingOf({ ...long, sellLots: 1n }), [0, 0, 0]);
  const hedges = [long, { ...long, buyLots: 1n }];
  const none = [{ flow: 1n }, { isPromised: true }, { sellLots: 1n }];
  assert.deepEqual(hedges.map(isHedge), [true, true]);
  assert.deepEqual(
    none.map((one) => isHedge({ ...long, ...one })),
    [false, false, false],
  );
});

test("the cash a void takes back is needed where it is more; cover leaves it out", () => {
  const received = cellOf({ heldLots: -1n, flow: 3_000n });
  assert.deepEqual(needOf(received), [16_000, 23_500, 12_000]);
  assert.deepEqual(three(coverOfCell(received, rates)), SHORT);
});

test("a known payout is owed in whole micro-dollars in every column, or the cash of a void", () => {
  const short = cellOf({ heldLots: -3n });
  assert.deepEqual(needOf(short, known), [40_000, 40_000, 40_000]);
  assert.deepEqual(needOf(short, known, -1), [-40_000, -40_000, -40_000]);
  assert.deepEqual(needOf({ ...short, flow: 10_001n }, known), times([1, 1, 1], 40_004));
  assert.deepEqual(needOf({ ...short, flow: 9_999n }, known), times([1, 1, 1], 40_000));
  assert.deepEqual(needOf(cellOf({ heldLots: 3n }), known), [0, 0, 0]);
});

test("a sell adds what its lots need less its premium; a buy what it costs beyond its lots", () => {
  const sell = withAll(noCell, [quote("L", "SELL", "0.05", 1n)]);
  // 100 lots, and 50,000 micro-dollars come in.
  assert.deepEqual(three(sell.opening), [1_400_000, 2_150_000, 650_000]);
  assert.deepEqual(three(sell.weakening), [0, 1_000_000, 0]);
  assert.deepEqual([sell.buyLots, sell.sellLots, sell.outlay], [0n, 100n, 0n]);
  assert.equal(sell.openingFull, 950_000n);
  const buy = withAll(noCell, [quote("L", "BUY", "0.5", 1n)]);
  // 500,000 micro-dollars go out.
  assert.deepEqual(three(buy.opening), [400_000, 0, 1_150_000]);
  assert.deepEqual(three(buy.weakening), [2_000_000, 800_000, 2_000_000]);
  assert.deepEqual([buy.buyLots, buy.sellLots, buy.outlay], [100n, 0n, 500_000n]);
  assert.equal(buy.openingFull, 0n);
  assert.deepEqual(three(noCell.opening), [0, 0, 0], "an empty cell stays one");
  assert.deepEqual(needOf(sell), [1_400_000, 2_150_000, 650_000]);
  assert.deepEqual(needOf(buy), [2_000_000, 2_000_000, 2_000_000]);
  assert.deepEqual(offsettingOf(buy), [2_000_000, 800_000, 2_000_000]);
});

test("orders hold their fee: of a sell it comes off the premium, and may be more than that", () => {
  const buy = withAll(noCell, [quote("L", "BUY", "0.5", 1n)], 100);
  assert.equal(buy.outlay, 505_000n);
  const sell = withAll(noCell, [quote("L", "SELL", "0.05", 1n)], 100);
  assert.deepEqual([sell.outlay, sell.openingFull], [0n, 950_500n]);
  const cheap = withAll(noCell, [quote("L", "SELL", "0.0001", 1n)], 10_000);
  // 100 come in, and the fee of a cent goes out.
  assert.equal(cheap.outlay, 9_900n);
  const dear = withAll(noCell, [quote("L", "BUY", "0.99", 1n)], 10_000);
  assert.deepEqual([dear.outlay, dear.openingFull], [1_000_000n, 0n]);
  const dearest = withAll(noCell, [quote("L", "BUY", "0.9999", 1n)], 10_000);
  assert.equal(dearest.openingFull, 9_900n);
});

test("an order taken away leaves the cell as it was; one that is done counts for nothing", () => {
  const [sell, buy] = [quote("L", "SELL", "0.05", 1n), quote("L", "BUY", "0.9999", 1n)];
  const before = cellOf({ heldLots: -7n, flow: 9n });
  const both = withAll(before, [sell, buy], 10_000, largeRates);
  const changes: OrderChanges = [
    [sell, -1n],
    [buy, -1n],
  ];
  assert.deepEqual(withOrders(both, changes, 10_000, largeRates), before);
  assert.deepEqual(withAll(before, [{ ...sell, status: "CANCELLED" }]), before);
  const replaced = withOrders(
    both,
    [
      [sell, -1n],
      [sell, 1n],
    ],
    10_000,
    largeRates,
  );
  assert.deepEqual(replaced, both);
  const kept = structuredClone(both);
  withAll(both, [sell], 10_000, largeRates);
  assert.deepEqual(both, kept, "sums that another cell has are copied");
});

test("where a payout is known, orders count lots and cash, and no column", () => {
  const cell = withAll(noCell, [quote("L", "BUY", "0.5", 1n)], 0, known);
  assert.deepEqual([cell.buyLots, cell.outlay], [100n, 500_000n]);
  assert.deepEqual(
    [three(cell.opening), three(cell.weakening)],
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
  );
});

test("each lot short beyond those an account may have needs the rate more", () => {
  const need = (held: bigint) => needOf(cellOf({ heldLots: held }), largeRates);
  assert.deepEqual(need(-100n), times(SHORT, 100));
  assert.deepEqual(need(-101n), [1_620_000, 2_377_500, 862_500]);
  assert.deepEqual(needOf(cellOf({ heldLots: -101n })), times(SHORT, 101), "without a rate");
  const position = (held: bigint, kind: "initial" | "maintenance") =>
    positionOf(cellOf({ heldLots: held }), kind, largeRates);
  assert.deepEqual(position(-101n, "initial"), [1_620_000, 2_377_500, 862_500]);
  assert.deepEqual(position(-101n, "maintenance"), [1_458_400, 2_064_400, 852_400]);
  assert.deepEqual(position(-100n, "maintenance"), times([14_400, 20_400, 8_400], 100));
});

test("orders that would make a short a large one need the rate for the lots beyond", () => {
  const sell = quote("L", "SELL", "0.05", 1n);
  const plain = withAll(cellOf({ heldLots: -1n }), [sell]);
  assert.deepEqual(three(plain.concentrating), [0, 0, 0], "nobody is asked for more");
  const large = withAll(cellOf({ heldLots: -1n }), [sell], 0, largeRates);
  assert.deepEqual(three(large.concentrating), [1_800_000, 2_550_000, 1_050_000]);
  // 101 lots short, one of them beyond; 200,000 come in.
  assert.deepEqual(needOf(large, largeRates), [1_420_000, 2_177_500, 662_500]);
  const buy = withAll(cellOf({ heldLots: -101n }), [quote("L", "BUY", "0.5", 1n)], 0, largeRates);
  // Filled, it leaves a lot short and 2,000,000 paid.
  assert.deepEqual(needOf(buy, largeRates), [2_016_000, 2_377_500, 2_008_500]);
});

test("of a state: what the cell would need more, were each lot short to need the rate", () => {
  const rise = (cell: ExposureCell, of = largeRates, sign: 1 | -1 = 1) => {
    const [sums, rises] = [noSums(), noSums()];
    addNeed(sums, cell, of, sign, rises);
    return three(rises);
  };
  assert.deepEqual(rise(cellOf({ heldLots: -50n })), times([4_000, 4_000, 4_000], 50));
  assert.deepEqual(rise(cellOf({ heldLots: -50n }), largeRates, -1), times([1, 1, 1], -200_000));
  assert.deepEqual(rise(cellOf({ heldLots: -150n })), times([1, 1, 1], 400_000), "50 have had it");
  assert.deepEqual(rise(cellOf({ heldLots: 50n })), [0, 0, 0]);
  const sell = withAll(noCell, [quote("L", "SELL", "0.05", 1n)], 0, largeRates);
  assert.deepEqual(rise(sell), [400_000, 400_000, 400_000]);
  const position = (held: bigint, kind: "initial" | "maintenance", sign: 1 | -1 = 1) => {
    const [sums, rises] = [noSums(), noSums()];
    addPosition(sums, cellOf({ heldLots: held }), largeRates, kind, sign, rises);
    return three(rises);
  };
  assert.deepEqual(position(-50n, "initial"), [200_000, 200_000, 200_000]);
  assert.deepEqual(position(-50n, "maintenance", -1), [-200_000, -200_000, -200_000]);
  assert.deepEqual(position(-150n, "maintenance"), [400_000, 400_000, 400_000]);
  assert.deepEqual(position(50n, "initial"), [0, 0, 0]);
});

test("a position alone: a short, a known payout; nothing of a long, or where flat", () => {
  const short = cellOf({ heldLots: -50n, flow: 1_000_000n });
  assert.deepEqual(positionOf(short, "initial"), times(SHORT, 50));
  assert.deepEqual(positionOf(short, "maintenance"), times([14_400, 20_400, 8_400], 50));
  assert.deepEqual(
    positionOf(short, "maintenance", rates, -1),
    times([14_400, 20_400, 8_400], -50),
  );
  const long = cellOf({ heldLots: 50n });
  assert.deepEqual(positionOf(long, "maintenance"), [0, 0, 0]);
  assert.deepEqual(positionOf({ ...long, sellLots: 1n }, "initial"), [0, 0, 0]);
  assert.deepEqual(positionOf(noCell, "initial"), [0, 0, 0]);
  assert.deepEqual(
    positionOf(cellOf({ heldLots: -3n }), "initial", known),
    times([1, 1, 1], 40_000),
  );
  assert.deepEqual(
    positionOf(cellOf({ heldLots: -3n }), "maintenance", known, -1),
    times([1, 1, 1], -40_000),
  );
  assert.deepEqual(positionOf(cellOf({ heldLots: 3n }), "initial", known), [0, 0, 0]);
});

test("in full: the face of what may end short, the cash that leaves, or what a void takes", () => {
  assert.equal(fullNeed(cellOf({ heldLots: -5n })), 50_000n);
  assert.equal(fullNeed(cellOf({ heldLots: -5n, openingFull: 7n })), 50_007n);
  assert.equal(fullNeed(cellOf({ heldLots: 5n, openingFull: 60_000n })), 10_000n);
  assert.equal(fullNeed(cellOf({ heldLots: -5n, outlay: 50_001n })), 50_001n);
  assert.equal(fullNeed(cellOf({ heldLots: 5n })), 0n);
  assert.equal(fullNeed(cellOf({ heldLots: 5n, flow: 1n })), 1n);
  assert.equal(fullNeed(cellOf({ heldLots: -5n, flow: 50_001n })), 50_001n);
});

test("lots are counted for limits, for a bound on sums, and for states", () => {
  const cell = cellOf({ heldLots: -5n, buyLots: 30n, sellLots: 7n });
  assert.equal(worstLots(cell), 25n, "30 bought");
  assert.equal(worstLots({ ...cell, buyLots: 1n }), 12n, "7 sold");
  assert.equal(worstLots(cellOf({ heldLots: 5n, sellLots: 30n })), 25n);
  assert.equal(grossLots(cell), 5n + 2n * 37n);
  assert.equal(grossLots({ ...cell, heldLots: 5n }), 79n);
  assert.equal(grossLots({ ...cell, flow: 1n }), 80n, "a part of a lot is one");
  assert.equal(grossLots({ ...cell, flow: 29_999n }), 82n);
  assert.equal(grossLots({ ...cell, flow: 0n }), 79n);
  const shorts = [
    { heldLots: -5n },
    { heldLots: 5n, sellLots: 7n },
    { heldLots: 7n, sellLots: 7n },
  ];
  assert.deepEqual(
    shorts.map((one) => worstShort(cellOf(one))),
    [5, 2, 0],
  );
  assert.equal(worstShort(cellOf({ heldLots: 9n, sellLots: 7n })), 0);
});

test("a cell is empty without position, orders and flow", () => {
  assert.equal(isEmpty(noCell), true);
  const some = [{ heldLots: -1n }, { buyLots: 1n }, { sellLots: 1n }, { flow: -1n }];
  for (const one of some) assert.equal(isEmpty(cellOf(one)), false, Object.keys(one).join());
  assert.equal(isEmpty(cellOf({ isPromised: true })), true);
});

test("a cell is drawn anew from its position, its flow and its orders", () => {
  const sell = { ...quote("L", "SELL", "0.05", 1n), amountLots: lots(100n) };
  const stale = cellOf({
    ...{ heldLots: -5n, flow: 3n, isPromised: true, sellLots: 9n, outlay: 9n, openingFull: 9n },
    opening: noSums().map(() => 9),
  });
  const now = drawn(stale, new Map([[orderId("SELL-L"), sell]]), 100, rates);
  const alone = cellOf({ heldLots: -5n, flow: 3n, isPromised: true });
  assert.deepEqual(now, withAll(alone, [sell], 100));
  assert.deepEqual(drawn(stale, undefined, 100, rates), alone);
});

test("a market lies in the state of its place, or is it, or in none", () => {
  const { terms } = market("L", "0.2");
  const at = (place: string) => ({ ...terms, nodeId: nodeId(place) });
  const within = [nodeId("us"), nodeId("state:ca")];
  assert.equal(stateIn({ ...marked, terms: at("state:tx"), within }), "state:tx");
  assert.equal(stateIn({ ...marked, terms: at("zip:90210"), within }), "state:ca");
  const { terms: _, ...unnamed } = marked;
  assert.equal(stateIn({ ...unnamed, within }), "state:ca");
  assert.equal(stateIn(unnamed), undefined);
  assert.equal(stateIn({ ...marked, terms: at("us") }), undefined);
  assert.equal(ratesOf(marked, { requirementBps, concentration }).stateId, "state:tx");
  assert.equal(known.columns, undefined);
});
