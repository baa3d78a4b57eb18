// A loss of the fund as its layers bear it, by hand: each posting and debt, and each account told.
// Invariant: the parts of a loss are the loss, and a release asks nobody for more than its layers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { type Micros, parseMicros } from "#base/money.ts";
import type { Event } from "#core/event.ts";
import { putAccount, putBalance, putMarket, putPosition } from "#core/fold.ts";
import { contributionTo } from "#core/margin/contribution.ts";
import type { DrawnLoss } from "#core/margin/fund-record.ts";
import { owe } from "#core/margin/takeover.ts";
import { drawFor } from "#core/margin/waterfall.ts";
import { beginStep, cashOf, GUARANTEE } from "#core/step.ts";
import { holding, market, paidOut } from "./exposure-records.ts";
import { system, World } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);
const release = releaseId("rel-9");

interface Staged {
  /** Contracts that the fund owes 1 USD for each. */
  readonly owes: bigint;
  readonly fund?: string;
  readonly layer?: string;
  readonly own?: string;
  /** Of two others: the size of the contribution, what is left of it, and free cash. */
  readonly others?: readonly (readonly [size: string, has: string, cash: string])[];
}

const TWO = [
  ["10", "4", "1"],
  ["30", "8", "100"],
] as const;

function stage({ owes, fund = "0", layer = "0", own = "0", others = TWO }: Staged) {
  const world = new World();
  const [weak, ...rest] = ["weak", "b", "c"].map((name) => world.trader(name, "0"));
  world.trader("nobody asks this one", "100");
  assert.ok(weak !== undefined);
  const { state } = world;
  const paid = paidOut(market("M", "0.2"), 1_000_000);
  putMarket(state, paid);
  putPosition(state, { ...holding("M", -owes), accountId: GUARANTEE });
  putBalance(state, "guarantee", usd(fund));
  putBalance(state, "exchange-layer", usd(layer));
  const give = (id: typeof weak.id, size: string, has: string, cash: string) => {
    const contribution = { sizeMicros: usd(size), owesMicros: usd("0") };
    putAccount(state, { ...state.account(id), contribution });
    putBalance(state, contributionTo(id), usd(has));
    putBalance(state, cashOf(id), usd(cash));
  };
  give(weak.id, "5", own, "50");
  for (const [at, each] of others.entries()) give(rest[at]?.id ?? assert.fail(), ...each);
  const { nowMillis: timeMillis } = world;
  const envelope = { timeMillis, actor: system, requestId: null, idempotency: null };
  const step = beginStep(state, { ...envelope, command: { type: "EndMarginCalls" } }, 1);
  const drawn = (of: "default" | "release", amount: string) => {
    const from = step.events.length;
    const named = of === "default" ? { defaulter: weak.id } : { release };
    const paidByOwn = drawFor(step, { ...named, amountMicros: usd(amount) });
    const events = step.events.slice(from);
    const [loss] = events.flatMap((event) => (event.type === "LossDrawn" ? event.loss : []));
    return { events, loss, paidByOwn };
  };
  const [b = assert.fail(), c = assert.fail()] = rest;
  return { step, state, drawn, weak: weak.id, b: b.id, c: c.id, timeMillis };
}

const postedIn = (events: readonly Event[]) =>
  events.flatMap((event) => {
    if (event.type !== "Posted") return [];
    const { from, to, amountMicros, reason, reference } = event.posting;
    return [[from, to, amountMicros, reason, reference]];
  });

const toldIn = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === "AlertRaised"
      ? [[event.alert.accountId, event.alert.type, event.alert.message]]
      : [],
  );

/** In the order of the layers. */
const partsOf = (loss: DrawnLoss | undefined) =>
  loss === undefined
    ? undefined
    : [
        ...[loss.ownMicros, loss.exchangeMicros, loss.fundMicros, loss.contributionsMicros],
        ...[loss.assessedMicros, loss.assessedOwedMicros, loss.leftMicros],
      ];
const parts = (...amounts: readonly string[]) => amounts.map(usd);

test("after the first two layers the fund bears what it has beyond its worst shorts", () => {
  const { drawn, weak, b, c, state } = stage({ owes: 100n, fund: "70", layer: "10", own: "5" });
  const { events, loss, paidByOwn } = drawn("default", "60");
  // With both layers it has 85 of 100: the others give 15 of the 45 that are left.
  assert.deepEqual(partsOf(loss), parts("5", "10", "30", "12", "3", "0", "0"));
  assert.deepEqual([loss?.of, loss?.lossMicros, paidByOwn], [weak, usd("60"), usd("5")]);
  assert.deepEqual(postedIn(events), [
    [contributionTo(weak), "guarantee", usd("5"), "fund-loss", weak],
    ["exchange-layer", "guarantee", usd("10"), "fund-loss", weak],
    [contributionTo(b), "guarantee", usd("4"), "fund-loss", weak],
    [contributionTo(c), "guarantee", usd("8"), "fund-loss", weak],
    [cashOf(b), "guarantee", usd("0.75"), "assessment", b],
    [cashOf(c), "guarantee", usd("2.25"), "assessment", c],
  ]);
  const took = (amount: string) =>
    `A loss of the fund took ${amount} USD of the account's contribution`;
  assert.deepEqual(toldIn(events), [
    [b, "fund_loss", took("4")],
    [c, "fund_loss", took("8")],
    [b, "fund_loss", "The fund assessed the account: 0.75 USD"],
    [c, "fund_loss", "The fund assessed the account: 2.25 USD"],
  ]);
  assert.equal(state.balance("guarantee"), usd("100"));
  const changed = events.flatMap((event) =>
    event.type === "AccountChanged" ? [event.account.id] : [],
  );
  assert.deepEqual(changed, [weak], "nobody else owes anything");
  const alerts = events.flatMap((event) => (event.type === "AlertRaised" ? event.alert.id : []));
  assert.deepEqual(alerts, ["alr-1", "alr-2", "alr-3", "alr-4"]);
});

test("a fund that lacks nothing bears all that the first two layers do not", () => {
  const { drawn } = stage({ owes: 10n, fund: "70", layer: "10", own: "5" });
  const { events, loss } = drawn("default", "60");
  assert.deepEqual(partsOf(loss), parts("5", "10", "45", "0", "0", "0", "0"));
  assert.deepEqual(toldIn(events), [], "nobody else is asked");
});

test("a loss that the first layer bears touches no other", () => {
  const { drawn } = stage({ owes: 1_000n, layer: "10", own: "5" });
  assert.deepEqual(partsOf(drawn("default", "4").loss), parts("4", "0", "0", "0", "0", "0", "0"));
  assert.deepEqual(partsOf(drawn("default", "11").loss), parts("1", "10", "0", "0", "0", "0", "0"));
});

test("all losses of a default assess each account once, and its debts add up", () => {
  const { drawn, weak, b, c, state, timeMillis } = stage({ owes: 1_000n, layer: "10", own: "5" });
  const first = drawn("default", "60");
  // 45 less 12 of contributions; 33 of the 40 are 8.25 and 24.75, and b has a dollar.
  assert.deepEqual(partsOf(first.loss), parts("5", "10", "0", "12", "25.75", "7.25", "0"));
  assert.deepEqual(toldIn(first.events).slice(2), [
    [b, "fund_loss", "The fund assessed the account: 8.25 USD; it owes 7.25 USD of that"],
    [c, "fund_loss", "The fund assessed the account: 24.75 USD"],
  ]);
  assert.deepEqual(state.account(b).contribution, {
    sizeMicros: usd("10"),
    owesMicros: usd("7.25"),
  });
  assert.deepEqual(state.account(weak).inDefault, {
    sinceMillis: timeMillis,
    owesMicros: 0n,
    assessedMicros: usd("33"),
  });
  const second = drawn("default", "20");
  assert.deepEqual(partsOf(second.loss), parts("0", "0", "0", "0", "5.25", "1.75", "13"));
  assert.equal(state.account(b).contribution?.owesMicros, usd("9"));
  assert.equal(state.account(weak).inDefault?.assessedMicros, usd("40"));
  assert.deepEqual(
    toldIn(second.events).map(([id]) => id),
    [b, c],
  );
  const third = drawn("default", "1");
  assert.deepEqual(partsOf(third.loss), parts("0", "0", "0", "0", "0", "0", "1"));
  assert.deepEqual(third.events.length, 1, "it is told, and changes nobody");
});

test("what a default has been told stays in its record while it is assessed", () => {
  const { drawn, weak, state } = stage({ owes: 1_000n });
  const inDefault = { sinceMillis: 7, owesMicros: usd("3") };
  putAccount(state, { ...state.account(weak), inDefault });
  drawn("default", "13");
  const assessed = { ...inDefault, assessedMicros: usd("1") };
  assert.deepEqual(state.account(weak).inDefault, assessed);
});

test("payouts of a release draw on the layers that are there, and assess nobody", () => {
  const { drawn, weak, b } = stage({ owes: 1_000n, layer: "10", own: "5" });
  const { events, loss, paidByOwn } = drawn("release", "60");
  // All contributions are of others: 5, 4 and 8.
  assert.deepEqual(partsOf(loss), parts("0", "10", "0", "17", "0", "0", "33"));
  assert.deepEqual([loss?.of, paidByOwn], [release, 0n]);
  assert.deepEqual(postedIn(events)[1], [
    contributionTo(weak),
    "guarantee",
    usd("5"),
    "fund-loss",
    release,
  ]);
  assert.ok(toldIn(events).every(([, type]) => type === "fund_loss"));
  assert.equal(toldIn(events).at(1)?.[0], b);
});

test("of a release that finds every layer empty nothing is told; of a default it is", () => {
  const empty = { owes: 1_000n, others: [] } as const;
  const { drawn } = stage(empty);
  assert.deepEqual(drawn("release", "60").events, []);
  const told = stage(empty).drawn("default", "60");
  assert.deepEqual(partsOf(told.loss), parts("0", "0", "0", "0", "0", "0", "60"));
  const spared = stage({ owes: 10n, fund: "70", others: [] }).drawn("release", "60");
  assert.deepEqual(spared.events, [], "it is the fund's own cash that pays");
});

test("an account whose contribution is used up is told of no loss, and assessed", () => {
  const others = [
    ["10", "0", "100"],
    ["30", "8", "100"],
  ] as const;
  const { drawn, b, c } = stage({ owes: 1_000n, others });
  const { events, loss } = drawn("default", "12");
  assert.deepEqual(partsOf(loss), parts("0", "0", "0", "8", "4", "0", "0"));
  assert.deepEqual(
    toldIn(events).map(([id]) => id),
    [c, b, c],
  );
});

test("an account whose part of an assessment is nothing is told of none", () => {
  const others = [
    ["0", "0", "100"],
    ["30", "0", "100"],
  ] as const;
  const { drawn, c } = stage({ owes: 1_000n, others });
  const { events, loss } = drawn("default", "12");
  assert.deepEqual(partsOf(loss), parts("0", "0", "0", "0", "12", "0", "0"));
  assert.deepEqual(
    toldIn(events).map(([id]) => id),
    [c],
  );
});

test("an account that lacks cash for its own positions owes all of its assessment", () => {
  const { drawn, state, b } = stage({ owes: 1_000n });
  putMarket(state, market("own", "0.2"));
  putPosition(state, { ...holding("own", -50n), accountId: b });
  const { loss } = drawn("default", "13");
  assert.deepEqual(partsOf(loss), parts("0", "0", "0", "12", "0.75", "0.25", "0"));
  assert.equal(state.account(b).contribution?.owesMicros, usd("0.25"));
});

test("accounts give in the order they were opened, however they came here", () => {
  const { drawn, state, b, c } = stage({ owes: 1_000n });
  const first = state.account(b);
  state.accounts.delete(b);
  state.accounts.set(b, first);
  const told = toldIn(drawn("default", "13").events).map(([id]) => id);
  assert.deepEqual(told, [b, c, b, c]);
});

test("an account owes what the fund bears for it beyond its own contribution", () => {
  const { step, weak, state } = stage({ owes: 10n, fund: "70", own: "5" });
  owe(step, weak, usd("0"));
  assert.deepEqual(step.events, []);
  owe(step, weak, usd("20"));
  assert.equal(state.account(weak).inDefault?.owesMicros, usd("15"));
  owe(step, weak, usd("2"));
  assert.equal(state.account(weak).inDefault?.owesMicros, usd("17"));
});
