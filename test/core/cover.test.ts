// Cover-2: the loss of the two weakest owners, and the cash that the fund has for it.
// Invariant: accounts of one owner are one; cash that the fund owes itself is not there for others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros, parseMicros } from "#base/money.ts";
import { coverOf } from "#core/margin/cover.ts";
import { endCalls, endDefaults } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { stageOf } from "./waterfall-stage.ts";
import { order, root, system, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);

/** Sellers of 1,000 at 0.05 with 50 more than each of these; at 0.23 each owes 230 and needs 87. */
function sellers(...cash: readonly string[]) {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const maker = world.trader("maker", "100000");
  const all = cash.map((amount, at) => {
    const seller = world.trader(`s${at}`, amount, "enhanced");
    world.order(order(listing, "SELL", "1000", "0.05"), seller, at === 0 ? listing : null);
    world.order(order(listing, "BUY", "1000", "0.05"), maker);
    return seller;
  });
  const mark = (price: string, stressed = price) => {
    const marks = { markTick: tick(price), stressedTick: tick(stressed) };
    world.do(system, publishMarks([{ marketId: listing.marketId, ...marks }]));
  };
  return { world, all, mark, cover: () => coverOf(exchangeOf(world)) };
}

const exchangeOf = ({ state }: World) => ({
  accounts: state.accounts,
  markets: state.markets,
  exposures: state.exposures,
  balance: state.balance.bind(state),
});

test("sellers at health 1 and above need nothing of the fund", () => {
  const { mark, cover } = sellers("267", "300");
  mark("0.23");
  const { cover1Micros, cover2Micros, isCovered, lackingMicros } = cover();
  assert.deepEqual([cover1Micros, cover2Micros, isCovered, lackingMicros], [0n, 0n, true, 0n]);
});

test("the two that lack most count whichever was opened first, also while one is auctioned", () => {
  for (const cash of [
    ["230", "200", "220"],
    ["230", "220", "200"],
  ] as const) {
    const { world, mark, cover } = sellers(...cash);
    mark("0.23");
    const shown = () => [cover().cover1Micros, cover().cover2Micros];
    assert.deepEqual(shown(), [usd("67"), usd("114")]);
    endCalls(world);
    assert.equal(world.state.auctions.size, 3);
    assert.deepEqual(shown(), [usd("67"), usd("114")]);
  }
});

test("the exchange's layer and all contributions are there for the two, beside the fund", () => {
  const { world, mark } = stageOf({
    target: "10000",
    layer: "5",
    sold: [
      { contracts: 1_000, cash: "200" },
      { contracts: 3_000, cash: "800" },
    ],
  });
  const shown = () => {
    const { exchangeMicros, contributionsMicros, lackingMicros, isCovered } = coverOf(world.state);
    return [exchangeMicros, contributionsMicros, lackingMicros, isCovered];
  };
  assert.deepEqual(shown(), [usd("5"), usd("42"), 0n, true]);
  mark("0.1");
  assert.deepEqual(shown(), [usd("5"), usd("42"), 0n, true], "little is off");
  mark("0.9");
  const { cover2Micros, spareMicros } = coverOf(world.state);
  const contributions = coverOf(world.state).contributionsMicros;
  assert.ok(contributions > 0n);
  const lacking = cover2Micros - spareMicros - usd("5") - contributions;
  assert.ok(lacking > 0n);
  assert.deepEqual(shown(), [usd("5"), contributions, lacking, false]);
});

test("the two that lack most count, each beyond its own margin", () => {
  const { world, mark, cover } = sellers("200", "220", "230", "500");
  mark("0.23");
  // 317 less 250, 270 and 280.
  const { cover1Micros, cover2Micros, isCovered } = cover();
  assert.deepEqual([cover1Micros, cover2Micros], [usd("67"), usd("114")]);
  assert.equal(isCovered, false);
  const had = world.state.balance("guarantee");
  const fundTo = (wanted: bigint) => {
    const amountMicros = micros(wanted - world.state.balance("guarantee"));
    world.do(root, { type: "FundGuarantee", amountMicros, memo: null });
  };
  assert.ok(had < usd("93"));
  fundTo(usd("114") - 1n);
  assert.equal(cover().isCovered, false, "a micro-dollar is missing");
  fundTo(usd("114"));
  assert.equal(cover().isCovered, true);
});

test("accounts of one owner are one", () => {
  const { world, all, mark, cover } = sellers("200", "220", "230");
  const [first, , third] = all;
  if (first === undefined || third === undefined) return assert.fail();
  world.join(third, first);
  mark("0.23");
  const { cover1Micros, cover2Micros } = cover();
  assert.deepEqual([cover1Micros, cover2Micros], [usd("104"), usd("151")]);
});

test("what the fund's own shorts may cost is set aside first", () => {
  const { world, mark, cover } = sellers("200");
  mark("0.23", "0.4");
  endDefaults(world);
  const { cover2Micros, setAsideMicros, spareMicros, isCovered } = cover();
  assert.deepEqual([cover2Micros, setAsideMicros], [0n, usd("400")]);
  assert.equal(spareMicros, world.state.balance("guarantee") - usd("400"));
  assert.equal(isCovered, false, "it took over more than it was given");
});

test("cash beyond one account's margin lessens no other's lack, not of the same owner", () => {
  const { world, all, mark, cover } = sellers("200", "500", "220");
  const [first, rich] = all;
  if (first === undefined || rich === undefined) return assert.fail();
  world.join(rich, first);
  mark("0.23");
  assert.deepEqual([cover().cover1Micros, cover().cover2Micros], [usd("67"), usd("114")]);
  endDefaults(world);
  world.fund(first, usd("50"));
  assert.ok(world.state.account(first.id).inDefault === undefined);
  assert.equal(cover().cover1Micros, 0n, "nobody is called");
});

test("one whose positions are gone lacks nothing, whatever it owes the fund", () => {
  const { world, all, mark, cover } = sellers("200");
  mark("0.23");
  endDefaults(world);
  const { inDefault } = world.state.account(all[0]?.id ?? assert.fail());
  assert.ok(inDefault !== undefined && inDefault.owesMicros > 0n);
  assert.equal(cover().cover1Micros, 0n);
});
