// Two owners sell each other protection on two places, so that each is long where the other is
// short: Illinois and Iowa. Every made-up scenario lets both places fall together, so each long
// once lowered the margin of the other short to about half; one place fell and the other did not.
// Invariant: two owners take out no more than they brought: the guarantee fund pays none of it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { parseMicros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { Payoff } from "#contract/terms.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { DAY_MILLIS } from "../core/premiums.ts";
import { month, order, root, type Trader, tick, World } from "../core/world.ts";
import { takeOut, text } from "./take-out.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
const CONTRACTS = "100000";

/** As the product valued three years of either state in July 2006: little, and nearly all. */
const july2006 = (listing: Listing): Listing => ({
  ...listing,
  markTick: tick("0.0213"),
  stressedTick: tick("0.0314"),
  riskTicks: scenarios.map(({ direction, id }) =>
    tick(direction === "up" || id === "missing-print" ? "0.0213" : "0.9999"),
  ),
});

interface Sold {
  readonly place: string;
  readonly end: string;
  readonly index?: IndexKind;
  readonly payoff?: Payoff;
}

/** The first sells `first` to the second, and the second sells `second` to the first. */
function stage(first: Sold, second: Sold) {
  const world = new World();
  world.judgesRefusals = false;
  world.do(root, { type: "FundGuarantee", amountMicros: usd("1000000"), memo: null });
  const printed = new Set<string>();
  const list = ({ place, end, index = "zhvi", payoff = layer }: Sold): Listing => {
    world.place = nodeId(place);
    world.index = index;
    if (!printed.has(`${index} ${place}`)) world.print("2024-10", "200000");
    printed.add(`${index} ${place}`);
    return july2006(world.listing(end, payoff));
  };
  const [one, other] = [list(first), list(second)];
  const [seller, buyer] = [world.trader("one", "200000"), world.trader("other", "200000")];
  const trade = (listing: Listing, from: Trader, to: Trader): void => {
    world.order(order(listing, "SELL", CONTRACTS, "0.0213"), from, listing);
    world.order(order(listing, "BUY", CONTRACTS, "0.0213"), to);
  };
  trade(one, seller, buyer);
  trade(other, buyer, seller);
  return { world, seller, buyer };
}

const illinois: Sold = { place: "state:il", end: "2025-06" };

/** Cash that does not leave while both trades stand. */
function boundBy(second: Sold, first = illinois) {
  const played = stage(first, second);
  const { world, seller, buyer } = played;
  const free = [seller, buyer].map((one) => takeOut(world, one));
  return { ...played, bound: 2n * usd("200000") - free.reduce((sum, one) => sum + one, 0n) };
}

/** Once all is settled: the two have no more than they bound, and none of it is the fund's. */
function judge(t: TestContext, { world, seller, buyer, bound }: ReturnType<typeof boundBy>): void {
  world.runTo(world.nowMillis + 60 * DAY_MILLIS);
  const taken = [seller, buyer].reduce((sum, one) => sum + takeOut(world, one), 0n);
  const fund = usd("1000000") - world.state.balance("guarantee");
  const figures = `bound ${text(bound)}, took out ${text(taken)}; of the fund ${text(fund)}`;
  assert.ok(taken <= bound && fund <= 0n, figures);
  t.diagnostic(`after: ${figures}`);
}

test("one place falls and the other does not: no margin was lent to either side", (t) => {
  const played = boundBy({ ...illinois, place: "state:ia" });
  const { world } = played;
  world.runTo(monthEndMillis(month("2025-06")) + 20 * DAY_MILLIS);
  for (const [place, value] of [
    ["state:il", "160000"],
    ["state:ia", "200000"],
  ] as const) {
    world.place = nodeId(place);
    world.print("2025-06", value);
  }
  judge(t, played);
});

test("one place falls to between two strikes: the lower one is no cover of the higher one", (t) => {
  const strike = (strikeBps: number): Payoff => ({ kind: "binary", strikeBps });
  const higher = { ...illinois, payoff: strike(500) };
  const played = boundBy({ ...illinois, payoff: strike(1_000) }, higher);
  const { world } = played;
  world.runTo(monthEndMillis(month("2025-06")) + 20 * DAY_MILLIS);
  world.place = nodeId("state:il");
  world.print("2025-06", "186000");
  judge(t, played);
});

test("nor does a county lower its state's margin, nor rents that of values, nor a month before", () => {
  const whole = 2n * usd(CONTRACTS);
  const spared = 2n * usd("1000");
  for (const second of [
    { ...illinois, place: "county:il-cook" },
    { ...illinois, index: "zori" },
  ] as const) {
    const { bound } = boundBy(second);
    assert.ok(bound >= whole - spared, `${second.place}: ${text(bound)} bound for ${text(whole)}`);
  }
  // One of the two is the other's hedge: the later month, long.
  const { bound } = boundBy({ ...illinois, end: "2025-05" });
  assert.ok(bound >= usd(CONTRACTS) - spared, `${text(bound)} for the month that nothing covers`);
});
