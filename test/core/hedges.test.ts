// Longs cover an account's shorts of one place and index, at the short's month or later; by hand.
// Invariant: 0.51 is what a contract short at 0.2 needs in the scenario that takes it to 0.5, 0.36
// by the floor; a long takes 0.30 off. At the initial margin 0.5875 and 0.40, and 0.30 as well.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, nodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { type Micros, micros, parseMicros } from "#base/money.ts";
import { printValue } from "#base/print-value.ts";
import { scenarios } from "#contract/scenarios.ts";
import { Exposures } from "#core/margin/exposure.ts";
import type { Market } from "#core/records.ts";
import { noConcentration } from "#core/rules.ts";
import { holding, market, me, paidOut, quote } from "./exposure-records.ts";
import { month, tick } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

/** At 0.2, and at 0.5 after the first scenario. */
function priced(name: string, end: string, place = "state:il", index: IndexKind = "zhvi"): Market {
  const one = market(name, "0.2");
  return {
    ...one,
    terms: { ...one.terms, index, nodeId: nodeId(place), measurementMonth: month(end) },
    riskTicks: scenarios.map((_, at) => tick(at === 0 ? "0.5" : "0.2")),
  };
}

function stage(...markets: readonly Market[]): Exposures {
  const exposures = new Exposures();
  exposures.ratesChanged(me, { feeBps: 0, requirementBps: 500, concentration: noConcentration });
  for (const one of markets) exposures.marketChanged(one);
  return exposures;
}

/** Held and locked in the first scenario. */
function inScenario(exposures: Exposures): readonly Micros[] {
  const column = exposures.byColumn(me)[1] ?? assert.fail();
  return [column.maintenanceMicros, column.initialMicros, column.lockedMicros];
}

const held = (exposures: Exposures, all: Readonly<Record<string, bigint>>): Exposures => {
  for (const [name, contracts] of Object.entries(all)) {
    exposures.positionChanged(holding(name, contracts));
  }
  return exposures;
};

const ALONE = [usd("0.51"), usd("0.5875"), usd("0.5875")];
const COVERED = [usd("0.21"), usd("0.2875"), usd("0.2875")];

test("a long of the place and index at the month or later covers; no other place, index or month", () => {
  const needs = (long: Market) =>
    inScenario(held(stage(priced("S", "2025-06"), long), { S: -1n, L: 1n }));
  assert.deepEqual(needs(priced("L", "2025-06")), COVERED);
  assert.deepEqual(needs(priced("L", "2026-06")), COVERED);
  assert.deepEqual(needs(priced("L", "2025-05")), ALONE);
  assert.deepEqual(needs(priced("L", "2025-06", "state:ia")), ALONE);
  assert.deepEqual(needs(priced("L", "2025-06", "county:il-cook")), ALONE);
  assert.deepEqual(needs(priced("L", "2025-06", "state:il", "zori")), ALONE);
});

test("nor does one that pays otherwise at some value: another layer, another first print", () => {
  const short = priced("S", "2025-06");
  const { terms } = priced("L", "2025-06");
  const baseline = terms.baseline ?? assert.fail();
  const needs = (changed: Partial<Market["terms"]>) => {
    const long = { ...priced("L", "2025-06"), terms: { ...terms, ...changed } };
    return inScenario(held(stage(short, long), { S: -1n, L: 1n }));
  };
  assert.deepEqual(needs({}), COVERED);
  assert.deepEqual(needs({ payoff: { kind: "layered", attachBps: 500, exhaustBps: 1500 } }), ALONE);
  assert.deepEqual(needs({ payoff: { kind: "binary", strikeBps: 500 } }), ALONE);
  const valueE15 = printValue(baseline.valueE15 + 1n);
  assert.deepEqual(needs({ baseline: { ...baseline, valueE15 } }), ALONE);
});

test("each long covers the latest short that it can, and no short twice", () => {
  const markets = ["2025-06", "2025-07", "2025-08"].map((end, at) => priced(`${at}`, end));
  const need = (...positions: readonly bigint[]) => {
    const all = Object.fromEntries(positions.map((one, at) => [`${at}`, one]));
    return inScenario(held(stage(...markets), all))[0];
  };
  assert.equal(need(-1n, -1n, 1n), usd("0.72"), "one of two");
  assert.equal(need(-1n, 1n, -1n), usd("0.72"), "the one before it");
  assert.equal(need(1n, -1n, -1n), usd("1.02"), "both are later");
  assert.equal(need(1n, -1n, 1n), usd("0.21"));
  assert.equal(need(-2n, 1n, 1n), usd("0.42"));
  // 1.02 of shorts; longs that could gain 1.5 cover that, and the rest covers nothing else.
  assert.equal(need(-2n, 0n, 5n), 0n);
  assert.equal(need(-2n, 5n, -1n), usd("0.51"));
});

test("what covers one place is no cover of another, however much it gains", () => {
  const markets = [priced("S", "2025-06"), priced("L", "2025-06"), priced("X", "2025-06", "us")];
  assert.deepEqual(inScenario(held(stage(...markets), { S: -1n, L: 9n, X: -1n })), ALONE);
});

test("an order is held back for by what it takes of a hedge too", () => {
  const exposures = held(stage(priced("S", "2025-06"), priced("L", "2025-06")), { S: -1n, L: 1n });
  assert.equal(exposures.locked(me), usd("0.4"), "the floor binds");
  const sell = quote("L", "SELL", "0.05", 1n);
  const raised = (cash: string) => exposures.coverRaised(me, usd(cash), [sell], new Map());
  // As soon as it is offered the long covers nothing: 0.5875 instead of 0.2875.
  assert.equal(raised("0.25"), usd("0.3"));
  assert.equal(exposures.totalsWith(me, [sell], new Map()).lockedMicros, usd("0.5875"));
  assert.equal(exposures.locked(me), usd("0.4"), "it was tried out");
  exposures.orderChanged(undefined, sell);
  assert.deepEqual(inScenario(exposures), ALONE);
  assert.equal(exposures.holdsBack(sell, usd("0.25")), true);
  exposures.orderChanged(sell, { ...sell, status: "CANCELLED", cancelReason: "REQUESTED" });
  assert.deepEqual(inScenario(exposures), COVERED);
});

test("of two orders that are tried together one may be what the other covers", () => {
  const markets = [priced("S", "2025-06"), priced("L", "2025-06"), priced("X", "2025-06", "us")];
  const exposures = held(stage(...markets), { X: -1n });
  const both = [quote("S", "SELL", "0.2", 1n), quote("L", "BUY", "0.05", 1n)];
  // Where only the short fills, 0.5875 less the premium of 0.20. The long gains more than it costs.
  assert.equal(exposures.totalsWith(me, both, new Map()).lockedMicros, usd("0.975"));
  assert.equal(exposures.coverRaised(me, micros(0n), both, new Map()), usd("0.3875"));
});

test("a long that brought in what it cost covers nothing, in what a void leaves out neither", () => {
  const exposures = held(stage(priced("S", "2025-06"), priced("L", "2025-06")), { S: -1n });
  exposures.positionChanged(holding("L", 1n, 1n));
  assert.equal(inScenario(exposures)[0], ALONE[0]);
  assert.equal(exposures.cover(me), usd("0.5875"));
  exposures.positionChanged(holding("L", 1n, 0n));
  assert.equal(exposures.cover(me), usd("0.4"));
});

test("a payout that is known covers no more, and what is gone leaves nothing behind", () => {
  const exposures = held(stage(priced("S", "2025-06"), priced("L", "2025-06")), { S: -1n, L: 1n });
  exposures.marketChanged(paidOut(priced("L", "2025-06"), 1_000_000));
  assert.deepEqual(inScenario(exposures), ALONE);
  exposures.marketChanged(priced("L", "2025-06"));
  assert.deepEqual(inScenario(exposures), COVERED);
  held(exposures, { L: 0n });
  assert.deepEqual(inScenario(exposures), ALONE);
  held(exposures, { S: 0n });
  assert.deepEqual(inScenario(exposures), [0n, 0n, 0n]);
  exposures.reserve(me, { reservedMicros: micros(0n), sells: new Map([[marketId("L"), true]]) });
  held(exposures, { S: -1n, L: 1n });
  assert.deepEqual(inScenario(exposures), ALONE, "it is promised to somebody");
});
