// The records of margin beside its sums: when an answer is given again, which change of a market
// values anybody anew, margin calls by their moment, and the bids of an auction.
// Invariant: one moment brings one command for all calls that end in it; bids are gone with theirs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, accountId, auctionId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import { putAccount, putBalance, putMarket, putPosition } from "#core/fold.ts";
import { isAskedAgain } from "#core/margin/asked-totals.ts";
import { highestBid } from "#core/margin/auction.ts";
import { coversKnown, knownOf, lackingOf, refuseCalled, toldOf } from "#core/margin/call.ts";
import { healthSteps, statusOf } from "#core/margin/health.ts";
import type { OrderChanges } from "#core/margin/one-market.ts";
import { ratesOf } from "#core/margin/one-market.ts";
import { foldAuction, putAuction } from "#core/margin/put-auction.ts";
import { putCall } from "#core/margin/put-call.ts";
import { riskOf, sameMarks } from "#core/margin/risk.ts";
import { asTotals, forgetAnswers, noExposure } from "#core/margin/sums.ts";
import { passOnKnown } from "#core/margin/takeover.ts";
import { markedOf, sameAllowed, sameValue } from "#core/margin/valued.ts";
import type { Market } from "#core/records.ts";
import { State } from "#core/state.ts";
import { beginStep, cashOf } from "#core/step.ts";
import { holding, market, me, paidOut, quote } from "./exposure-records.ts";
import { system, tick, World } from "./world.ts";

test("totals are given again to the same question, while nothing has changed", () => {
  const exposure = noExposure();
  const [one, two] = [quote("L", "BUY", "0.05", 1n), quote("L", "SELL", "0.05", 1n)];
  const changes: OrderChanges = [
    [one, 1n],
    [two, 1n],
  ];
  const fresh = new Map();
  const asked = { exposure, changes, fresh };
  const before = { ...asked, version: exposure.version, totals: asTotals(undefined) };
  assert.equal(isAskedAgain(before, asked), true);
  assert.equal(isAskedAgain(before, { ...asked, changes: [...changes] }), true);
  const other = (now: Partial<typeof asked>) => isAskedAgain(before, { ...asked, ...now });
  assert.equal(other({ exposure: noExposure() }), false, "another account");
  assert.equal(other({ fresh: new Map() }), false, "other first marks");
  assert.equal(other({ changes: changes.slice(1) }), false, "fewer orders");
  assert.equal(other({ changes: [...changes, [one, 1n]] }), false, "more orders");
  assert.equal(other({ changes: [...changes].reverse() }), false, "other orders");
  assert.equal(
    other({
      changes: [
        [one, 1n],
        [{ ...two }, 1n],
      ],
    }),
    false,
    "another record",
  );
  assert.equal(
    other({
      changes: [
        [one, 1n],
        [two, -1n],
      ],
    }),
    false,
    "one is taken away, not added",
  );
  forgetAnswers(exposure);
  assert.equal(isAskedAgain(before, asked), false, "the account has changed");
});

test("marks are the same where mark, stress and every column are", () => {
  const array = (last: string) => [...scenarios.slice(1).map(() => tick("0.1")), tick(last)];
  const marks = { markTick: tick("0.1"), stressedTick: tick("0.2"), riskTicks: array("0.3") };
  assert.equal(sameMarks(marks, { ...marks, riskTicks: array("0.3") }), true);
  assert.equal(sameMarks(marks, { ...marks }), true);
  assert.equal(sameMarks(marks, { ...marks, markTick: tick("0.11") }), false);
  assert.equal(sameMarks(marks, { ...marks, stressedTick: tick("0.21") }), false);
  assert.equal(sameMarks(marks, { ...marks, riskTicks: array("0.31") }), false);
  assert.equal(sameMarks(marks, { ...marks, riskTicks: array("0.3").slice(0, -1) }), false);
  assert.equal(sameMarks({ ...marks, riskTicks: array("0.3").slice(0, -1) }, marks), false);
  assert.equal(riskOf({ ...marks, riskTicks: [] })[0], 2_000, "no column at all: the stress");
});

test("a market is valued anew by its marks and its payout, not by what else becomes of it", () => {
  const one = { ...market("L", "0.2"), within: [nodeId("us")], markedOpenLots: lots(7n) };
  const riskTicks = scenarios.map(() => tick("0.3"));
  const marked = markedOf({ ...one, riskTicks });
  const { markTick, stressedTick, terms, within, markedOpenLots } = one;
  const all = { markTick, stressedTick, riskTicks, terms, within, markedOpenLots };
  assert.deepEqual(marked, { ...all, resolution: null });
  assert.equal("markedOpenLots" in markedOf(market("L", "0.2")), false);
  const paused: Market = { ...one, status: "PAUSED" };
  assert.equal(sameValue(one, paused), true);
  assert.equal(sameValue(one, market("L", "0.21")), false);
  const paid = (millionths: number) => paidOut(one, millionths);
  assert.equal(sameValue(one, paid(0)), false);
  assert.equal(sameValue(paid(0), one), false);
  assert.equal(sameValue(paid(1), paid(1)), true);
  assert.equal(sameValue(paid(1), paid(2)), false);
});

test("more that is open in a market changes what is allowed, for those asked for more", () => {
  const one = { ...market("L", "0.2"), markedOpenLots: lots(1_000n) };
  const concentration = { shareBps: 2_000, floorMicros: micros(1_000_000n), rateBps: 1_000 };
  const valuedFor = (...floors: readonly bigint[]) => ({
    marked: markedOf(one),
    isFinal: false,
    rates: new Map(
      floors.map((floor, at) => {
        const rules = { ...concentration, floorMicros: micros(floor) };
        return [at, ratesOf(one, { requirementBps: 500, concentration: rules })] as const;
      }),
    ),
  });
  const after = (open: bigint) => ({ ...one, markedOpenLots: lots(open) });
  assert.equal(sameAllowed(valuedFor(1_000_000n), after(1_004n)), true, "200 lots still");
  assert.equal(sameAllowed(valuedFor(1_000_000n), after(1_005n)), false);
  assert.equal(sameAllowed(valuedFor(9_000_000n), after(1_005n)), true, "below the floor");
  assert.equal(sameAllowed(valuedFor(9_000_000n, 1_000_000n), after(1_005n)), false, "of anybody");
  assert.equal(sameAllowed(valuedFor(), after(1_005n)), true, "of nobody");
  const known = ratesOf(paidOut(one, 1), { requirementBps: 500, concentration });
  const valued = { ...valuedFor(), rates: new Map([[500, known]]) };
  assert.equal(sameAllowed(valued, after(1_005n)), true, "a payout is known");
});

/** Two accounts that are in no call. */
function accounts() {
  const world = new World();
  const [anna, bela] = [world.trader("anna", "10"), world.trader("bela", "10")].map(({ id }) =>
    world.state.account(id),
  );
  assert.ok(anna !== undefined && bela !== undefined);
  return { anna, bela, state: new State() };
}

const call = (dueAtMillis: number) => ({
  ...{ calledAtMillis: 5, dueAtMillis, amountMicros: micros(1n) },
});
const dueIn = ({ callsDue }: State): readonly (readonly [number, readonly AccountId[]])[] =>
  [...callsDue].map(([at, ids]) => [at, [...ids]]);

function dueItems({ due }: State): readonly (readonly [number, string])[] {
  const items: (readonly [number, string])[] = [];
  for (let item = due.first(); item !== undefined; item = due.first()) {
    items.push([item.atMillis, item.command.type]);
    due.dropFirst();
  }
  return items;
}

test("calls that end in one moment bring one command; each is reported when it began", () => {
  const { anna, bela, state } = accounts();
  putCall(state, { ...anna, marginCall: call(90) }, undefined);
  putCall(state, { ...bela, marginCall: call(90) }, bela);
  assert.deepEqual(dueIn(state), [[90, [anna.id, bela.id]]]);
  assert.deepEqual(dueItems(state), [
    [5, "ReportMarginCall"],
    [5, "ReportMarginCall"],
    [90, "EndMarginCalls"],
  ]);
  assert.equal(state.marginQueue.size, 0);
});

test("a call that ended is due no more, others of its moment are; a report is made once", () => {
  const { anna, bela, state } = accounts();
  const called = { ...anna, marginCall: { ...call(90), reported: true } as const };
  putCall(state, called, undefined);
  putCall(state, { ...bela, marginCall: call(90) }, undefined);
  putCall(state, anna, called);
  assert.deepEqual(dueIn(state), [[90, [bela.id]]]);
  putCall(state, bela, { ...bela, marginCall: call(90) });
  assert.deepEqual(dueIn(state), []);
  putCall(state, called, { ...anna, marginCall: call(90) });
  assert.deepEqual(dueIn(state), [[90, [anna.id]]]);
  assert.deepEqual(
    dueItems(state).filter(([, type]) => type === "ReportMarginCall").length,
    1,
    "that of the other",
  );
});

test("an account in default is looked at again after each change of its record", () => {
  const { anna, state } = accounts();
  putCall(state, { ...anna, inDefault: { sinceMillis: 0, owesMicros: micros(0n) } }, anna);
  assert.deepEqual([...state.marginQueue], [anna.id]);
  assert.deepEqual([dueIn(state), dueItems(state)], [[], []]);
});

test("auctions are counted, due at their close, and take their bids with them", () => {
  const state = new State();
  const auction = (number: number, closesAtMillis: number) => ({
    ...{ id: auctionId(`auc-${number}`), accountId: accountId(`acc-${number}`) },
    ...{ openedAtMillis: 0, closesAtMillis },
  });
  const [first, second] = [auction(1, 70), auction(2, 60)];
  foldAuction(state, { type: "AuctionOpened", auction: first });
  foldAuction(state, { type: "AuctionOpened", auction: second });
  assert.deepEqual([[...state.auctions.keys()], state.auctionCount], [["auc-1", "auc-2"], 2]);
  putAuction(state, first);
  assert.equal(state.auctionCount, 2, "one of a snapshot has been counted");
  const bid = ({ id }: typeof first, bidder: string, sequence: number) => ({
    ...{ auctionId: id, accountId: accountId(bidder), amountMicros: micros(1n), sequence },
  });
  const bids = [bid(first, "acc-7", 1), bid(first, "acc-8", 2), bid(second, "acc-7", 3)];
  for (const one of bids) foldAuction(state, { type: "BidChanged", bid: one, status: "placed" });
  const again = { ...bid(second, "acc-7", 9), amountMicros: micros(2n) };
  foldAuction(state, { type: "BidChanged", bid: again, status: "placed" });
  assert.deepEqual(
    [...state.bids.values()].map(({ sequence }) => sequence),
    [1, 2, 9],
  );
  const [withdrawn] = bids;
  assert.ok(withdrawn !== undefined);
  foldAuction(state, { type: "BidChanged", bid: withdrawn, status: "withdrawn" });
  assert.deepEqual([...state.bids.keys()], ["auc-1|acc-8", "auc-2|acc-7"]);
  const ended = { type: "AuctionEnded", accountId: first.accountId, takenBy: null } as const;
  foldAuction(state, { ...ended, auctionId: first.id, paidMicros: micros(0n) });
  assert.deepEqual(
    [[...state.auctions.keys()], [...state.bids.keys()]],
    [["auc-2"], ["auc-2|acc-7"]],
  );
  assert.deepEqual(dueItems(state).slice(0, 2), [
    [60, "CloseAuction"],
    [70, "CloseAuction"],
  ]);
});

test("known payouts are covered by exactly their sum, each rounded up to a micro-dollar", () => {
  const state = new State();
  for (const [name, millionths] of [
    ["A", 333_333],
    ["B", 500_000],
  ] as const) {
    putMarket(state, paidOut(market(name, "0.2"), millionths));
    putPosition(state, { ...holding(name, 0n), heldLots: lots(-1n) });
  }
  putMarket(state, market("open", "0.2"));
  putPosition(state, holding("open", -1n));
  // 3,333.33 and 5,000.
  assert.equal(knownOf(state, me), 8_334n);
  putBalance(state, cashOf(me), micros(8_334n));
  assert.equal(coversKnown(state, me), true);
  putBalance(state, cashOf(me), micros(8_333n));
  assert.equal(coversKnown(state, me), false);
});

test("a call asks for the cash lacking of health 1, rounded up, and says until when", () => {
  const totals = {
    ...{ liabilityParts: 20_001n, maintenanceParts: 20_000n, initialParts: 0n },
    ...({ shortLots: lots(1n), binding: "tier" } as const),
  };
  assert.equal(lackingOf(micros(1n), totals), 2n);
  const until = Date.UTC(2024, 11, 5, 15, 0, 7, 999);
  assert.equal(
    toldOf({ ...call(until), amountMicros: micros(1_500_000n) }),
    "deposit 1.5 USD or reduce the short positions by 2024-12-05T15:00:07Z, " +
      "else the account defaults",
  );
});

test("an account in a call or in default is refused with what it owes, any other is not", () => {
  const { anna } = accounts();
  assert.equal(refuseCalled(anna), undefined);
  const called = { ...anna, marginCall: { ...call(90), amountMicros: micros(7n) } };
  assert.deepEqual(refuseCalled(called), {
    code: "MARGIN_CALL",
    details: { requiredMicros: 7n },
  });
  const inDefault = { sinceMillis: 0, owesMicros: micros(9n) };
  assert.deepEqual(refuseCalled({ ...called, inDefault }), {
    code: "IN_DEFAULT",
    details: { requiredMicros: 9n },
  });
});

test("a threshold of health that is met is met, and a micro-dollar less is not", () => {
  const totals = {
    ...{ liabilityParts: 150n * 20_000n, maintenanceParts: 100n * 20_000n, initialParts: 0n },
    ...({ shortLots: lots(1n), binding: "tier" } as const),
  };
  const named = [300n, 299n, 270n, 269n, 250n, 249n, 0n].map((cash) =>
    statusOf(micros(cash), totals),
  );
  const [w, c, l] = ["warning", "critical", "liquidation"] as const;
  assert.deepEqual(named, ["healthy", w, w, c, c, l, l]);
  assert.equal(healthSteps(micros(269n), totals), 11_900n);
  assert.equal(healthSteps(micros(149n), totals), -100n);
});

test("a bid takes no cash that known payouts need", () => {
  const state = new State();
  putMarket(state, paidOut(market("A", "0.2"), 500_000));
  putMarket(state, market("open", "0.2"));
  putPosition(state, holding("A", -10n));
  putPosition(state, holding("open", -10n));
  const most = (dollars: bigint) => {
    putBalance(state, cashOf(me), micros(dollars * 1_000_000n));
    return highestBid(state, me);
  };
  // Five are known; the fund asks two, a twentieth of eight and a cent each: 2.50.
  assert.deepEqual([4n, 5n, 6n, 7n, 8n].map(most), [0n, 0n, 1_000_000n, 2_000_000n, 2_500_000n]);
});

test("the fund takes known payouts over from an account that cannot pay, and only then", () => {
  const { anna, state } = accounts();
  putAccount(state, anna);
  putMarket(state, paidOut(market("A", "0.2"), 500_000));
  putPosition(state, { ...holding("A", -10n), accountId: anna.id });
  const envelope = { timeMillis: 0, actor: system, requestId: null, idempotency: null };
  const step = beginStep(state, { ...envelope, command: { type: "EndMarginCalls" } }, 1);
  putBalance(state, cashOf(anna.id), micros(5_000_000n));
  passOnKnown(step, anna.id);
  assert.deepEqual(step.events, []);
  putBalance(state, cashOf(anna.id), micros(4_999_999n));
  passOnKnown(step, anna.id);
  assert.equal(state.position(anna.id, market("A", "0.2").id)?.heldLots, 0n);
  assert.equal(state.account(anna.id).inDefault?.owesMicros, 1n);
});
