// Sums over an account's markets, by hand: what is needed in each scenario and which one binds, an
// account too large for sums, quotes that hold cash back, and what an order adds to the cover.
// Invariant: 0.36 and 0.51 are what a contract short at 0.2 needs by the floor and in the scenario
// that takes it to 0.5; 0.40 and 0.5875 at the initial margin.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, accountId, marketId, type NodeId, nodeId } from "#base/ids.ts";
import { type Micros, micros, parseMicros } from "#base/money.ts";
import { type Lots, lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import { MOST_GROSS_LOTS } from "#core/margin/columns.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { PARTS_PER_MICRO } from "#core/margin/requirement.ts";
import type { Rates } from "#core/margin/sums.ts";
import type { Market } from "#core/records.ts";
import { noConcentration } from "#core/rules.ts";
import { holding, market, me, paidOut, quote } from "./exposure-records.ts";
import { tick } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);
const rates: Rates = { feeBps: 0, requirementBps: 500, concentration: noConcentration };
const [FIRST, SECOND] = [scenarios[0].id, scenarios[1].id];

/** At 0.2, and at 0.5 after one scenario. */
const risky = (name: string, worst = 0, place = "state:tx"): Market => {
  const one = market(name, "0.2");
  return {
    ...one,
    terms: { ...one.terms, nodeId: nodeId(place) },
    riskTicks: scenarios.map((_, at) => tick(at === worst ? "0.5" : "0.2")),
  };
};

function stage(markets: readonly Market[], terms: Rates = rates, openIn = new Map<NodeId, Lots>()) {
  const told: AccountId[] = [];
  const exposures = new Exposures(
    (account) => told.push(account),
    () => openIn,
  );
  exposures.ratesChanged(me, terms);
  for (const one of markets) exposures.marketChanged(one);
  told.length = 0;
  return { exposures, told };
}

const columnsOf = (exposures: Exposures) =>
  exposures
    .byColumn(me)
    .slice(0, 3)
    .map((one) => [one.id, one.maintenanceMicros, one.initialMicros, one.lockedMicros]);

test("each scenario has its need, the floor first, and orders are held back for beside", () => {
  const { exposures } = stage([risky("L")]);
  exposures.positionChanged(holding("L", -1n));
  assert.equal(exposures.byColumn(me).length, scenarios.length + 1);
  assert.deepEqual(columnsOf(exposures), [
    ["tier", usd("0.36"), usd("0.4"), usd("0.4")],
    [FIRST, usd("0.51"), usd("0.5875"), usd("0.5875")],
    [SECOND, usd("0.21"), usd("0.2125"), usd("0.2125")],
  ]);
  exposures.orderChanged(undefined, quote("L", "SELL", "0.05", 1n));
  assert.deepEqual(
    columnsOf(exposures).map((one) => one[3]),
    [usd("0.75"), usd("1.125"), usd("0.375")],
    "less the premium",
  );
  assert.equal(exposures.locked(me), usd("1.125"));
});

test("of columns the worst binds, of equal ones the first, and none is below nothing", () => {
  const { exposures } = stage([risky("L"), risky("M", 1), market("N", "0.2")]);
  const binding = () => exposures.shortTotals(me).binding;
  exposures.positionChanged(holding("L", -1n));
  assert.equal(binding(), FIRST);
  exposures.positionChanged(holding("M", -1n));
  // 0.72 by the floor, and as much in either scenario.
  assert.equal(exposures.shortTotals(me).maintenanceParts, usd("0.32") * PARTS_PER_MICRO);
  assert.equal(binding(), "tier");
  exposures.positionChanged(holding("M", -3n));
  assert.equal(binding(), SECOND);
  for (const name of ["L", "M"]) exposures.positionChanged(holding(name, 1n));
  assert.deepEqual(columnsOf(exposures)[1], [FIRST, 0n, 0n, 0n], "a long alone needs nothing");
  assert.equal(exposures.locked(me), 0n);
});

test("a long lowers what a short needs in its scenario, and the next one binds", () => {
  const { exposures } = stage([risky("L"), risky("M")]);
  exposures.positionChanged(holding("L", -1n));
  exposures.positionChanged(holding("M", 1n));
  const { binding, maintenanceParts, initialParts } = exposures.shortTotals(me);
  assert.deepEqual(
    [binding, maintenanceParts, initialParts],
    ["tier", usd("0.16") * PARTS_PER_MICRO, usd("0.2") * PARTS_PER_MICRO],
  );
});

test("an account of more lots than sums can hold covers everything in full, and comes back", () => {
  const beyond = { ...holding("L", 0n), heldLots: lots(-MOST_GROSS_LOTS - 1n) };
  const { exposures } = stage([risky("L"), paidOut(market("K", "0.2"), 250_000)]);
  exposures.positionChanged({ ...beyond, heldLots: lots(-MOST_GROSS_LOTS) });
  assert.equal(exposures.shortTotals(me).binding, FIRST, "exactly so many are summed");
  exposures.positionChanged(beyond);
  const { binding, maintenanceParts, initialParts, liabilityParts } = exposures.shortTotals(me);
  const face = (MOST_GROSS_LOTS + 1n) * 10_000n;
  assert.equal(binding, "full");
  assert.equal(liabilityParts + maintenanceParts, face * PARTS_PER_MICRO);
  assert.equal(initialParts, maintenanceParts);
  assert.equal(exposures.locked(me), face);
  assert.deepEqual(exposures.byColumn(me), [
    { id: "full", maintenanceMicros: face, initialMicros: face, lockedMicros: face },
  ]);
  exposures.positionChanged(holding("K", -4n));
  const known = exposures.byColumn(me)[0];
  assert.equal(known?.maintenanceMicros, face + usd("1"), "a known payout is what it is");
  exposures.positionChanged(holding("L", -1n));
  assert.equal(exposures.shortTotals(me).liabilityParts, usd("1.2") * PARTS_PER_MICRO);
  assert.equal(exposures.locked(me), usd("1.5875"));
});

test("beyond sums an order adds to the cover what it adds in full", () => {
  const { exposures } = stage([risky("L"), risky("M")]);
  exposures.positionChanged({ ...holding("L", 0n), heldLots: lots(-MOST_GROSS_LOTS - 1n) });
  const raised = (side: "BUY" | "SELL", price: string) =>
    exposures.coverRaised(me, micros(0n), [quote("M", side, price, 1n)], new Map());
  assert.equal(raised("SELL", "0.05"), usd("0.95"));
  assert.equal(raised("BUY", "0.05"), usd("0.05"));
  exposures.positionChanged(holding("M", -1n));
  assert.equal(raised("BUY", "0.05"), 0n, "it closes");
});

test("rates are others where any figure of them is", () => {
  const concentration = { shareBps: 2_000, floorMicros: usd("1"), rateBps: 1_000 };
  const { exposures, told } = stage([risky("L")], { ...rates, concentration });
  const after = (changed: Partial<typeof concentration>): number => {
    told.length = 0;
    exposures.ratesChanged(me, { ...rates, concentration: { ...concentration, ...changed } });
    const heard = told.length;
    exposures.ratesChanged(me, { ...rates, concentration });
    return heard;
  };
  assert.deepEqual(
    [{}, { shareBps: 1 }, { floorMicros: usd("2") }, { rateBps: 1 }].map(after),
    [0, 1, 1, 1],
  );
});

test("quotes for requests hold their cash back, and a long they sell offsets nothing", () => {
  const { exposures, told } = stage([risky("L"), risky("M")]);
  exposures.positionChanged(holding("L", -1n));
  exposures.positionChanged(holding("M", 1n));
  told.length = 0;
  const promise = { reservedMicros: usd("7"), sells: new Map([[marketId("M"), true]]) };
  assert.equal(exposures.locked(me), usd("0.4"));
  assert.equal(exposures.lockedWith(me, promise), usd("7.5875"));
  assert.equal(exposures.locked(me), usd("0.4"), "nothing is promised yet");
  exposures.reserve(me, promise);
  assert.equal(exposures.locked(me), usd("7.5875"));
  assert.equal(exposures.totals(me).fullMicros, usd("8"));
  assert.deepEqual(told, [me]);
  assert.equal(
    exposures.lockedWith(me, {
      reservedMicros: usd("1"),
      sells: new Map([[marketId("M"), false]]),
    }),
    usd("1.4"),
  );
  exposures.reserve(me, { reservedMicros: usd("0"), sells: new Map([[marketId("M"), false]]) });
  assert.equal(exposures.locked(me), usd("0.4"));
});

test("a promise made before a position is known when it comes", () => {
  const { exposures } = stage([risky("L"), risky("M")]);
  exposures.reserve(me, { reservedMicros: usd("0"), sells: new Map([[marketId("M"), true]]) });
  exposures.positionChanged(holding("L", -1n));
  exposures.positionChanged(holding("M", 1n));
  assert.equal(exposures.locked(me), usd("0.5875"));
});

test("an order holds back what it adds in a column that needs more than the cash", () => {
  const { exposures } = stage([risky("L")]);
  exposures.positionChanged(holding("L", -1n));
  const sell = quote("L", "SELL", "0.05", 1n);
  const raised = (cash: string) => exposures.coverRaised(me, usd(cash), [sell], new Map());
  assert.equal(raised("0.587499"), usd("0.5375"), "by the scenario");
  assert.equal(raised("0.5875"), 0n, "none lacks anything");
  exposures.orderChanged(undefined, sell);
  assert.equal(exposures.holdsBack(sell, usd("1.124999")), true);
  assert.equal(exposures.holdsBack(sell, usd("1.125")), false);
  assert.equal(exposures.cover(me), usd("1.125"));
  assert.equal(exposures.cover(accountId("nobody")), 0n);
});

test("cover leaves out the cash that a void would take back", () => {
  const { exposures } = stage([risky("L")]);
  exposures.positionChanged(holding("L", -1n, 900_000n));
  assert.equal(exposures.locked(me), usd("0.9"));
  assert.equal(exposures.cover(me), usd("0.5875"));
});

test("standing tells a market's lots with orders, and its maintenance at another position", () => {
  const { exposures } = stage([risky("L"), risky("M")]);
  exposures.positionChanged(holding("L", -1n));
  const resting = quote("L", "BUY", "0.05", 1n);
  exposures.orderChanged(undefined, resting);
  const more = [quote("L", "SELL", "0.05", 2n), quote("M", "SELL", "0.05", 9n)];
  const standing = exposures.standingWith(me, marketId("L"), more, new Map(), resting);
  const { heldLots, buyLots, sellLots, liability, feeBps } = standing;
  assert.deepEqual([heldLots, buyLots, sellLots, feeBps], [-100n, 0n, 200n, 0]);
  assert.equal(liability, 2_000n * PARTS_PER_MICRO);
  assert.equal(standing.maintenanceAt(-200n), usd("0.62") * PARTS_PER_MICRO);
  assert.equal(standing.maintenanceAt(0n), 0n);
  assert.equal(exposures.shortTotals(me).shortLots, 100n, "nothing has changed");
});

const large: Rates = {
  ...rates,
  concentration: { shareBps: 2_000, floorMicros: usd("1"), rateBps: 1_000 },
};

test("counted states are told to those who are short there, and to nobody else", () => {
  const open = new Map<NodeId, Lots>();
  const { exposures, told } = stage([risky("L"), risky("M", 0, "state:ca")], large, open);
  exposures.positionChanged(holding("L", -1n));
  exposures.positionChanged(holding("M", 5n));
  told.length = 0;
  exposures.statesCounted([nodeId("state:ca")]);
  exposures.statesCounted([]);
  assert.deepEqual(told, []);
  exposures.statesCounted([nodeId("state:ca"), nodeId("state:tx")]);
  assert.deepEqual(told, [me]);
});

test("of a state each lot beyond the allowed ones needs the rate, over all its markets", () => {
  const open = new Map([[nodeId("state:tx"), lots(750n)]]);
  const { exposures } = stage([risky("L"), risky("M"), risky("N", 0, "state:ca")], large, open);
  exposures.positionChanged(holding("L", -1n));
  assert.equal(exposures.locked(me), usd("0.5875"));
  exposures.positionChanged(holding("M", -1n));
  // A fifth of 750 is 150: 50 of the 200 lots need 0.1 of 0.01 more.
  assert.equal(exposures.locked(me), usd("1.175") + usd("0.05"));
  assert.equal(exposures.shortTotals(me).maintenanceParts, usd("0.67") * PARTS_PER_MICRO);
  exposures.positionChanged(holding("N", -1n));
  assert.equal(exposures.locked(me), usd("1.7625") + usd("0.05"), "another state is free");
  open.set(nodeId("state:tx"), lots(1_000n));
  exposures.statesCounted([nodeId("state:tx")]);
  assert.equal(exposures.locked(me), usd("1.7625"), "exactly its part");
  exposures.positionChanged(holding("M", -1n));
  const sell = quote("L", "SELL", "0.05", 1n);
  const raised = exposures.coverRaised(me, micros(0n), [sell], new Map());
  assert.equal(raised, usd("0.5375") + usd("0.1"), "all of it is beyond");
  exposures.orderChanged(undefined, sell);
  assert.equal(exposures.locked(me), usd("1.7625") + raised);
  assert.equal(exposures.holdsBack(sell, micros(0n)), true);
});
