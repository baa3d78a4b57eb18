// A basket's batch is offered where the exchange takes it; where it does not, the reason is said.
// Invariant: each answer is compared with the exchange's own, to the same orders.
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInStates } from "#geo/states.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { whyNoBatch } from "../../console/src/screens/lender/batch.ts";
import { LAST_MONTH, monthAfter, PublicWorld } from "../http/public-world.ts";

const printed = builtInStates.filter(({ stateCode }) => stateCode !== "WY");

interface Asked {
  readonly legs: number;
  readonly expiry: string;
  readonly exhaustBps?: number;
}

/** The words of the page, and the exchange's answer to the batch: "taken", or the code. */
async function judged({ world }: PublicWorld, secret: string, asked: Asked) {
  const { legs, expiry, exhaustBps = 2_000 } = asked;
  const quotes = printed.slice(0, legs).map(({ id: node }) => ({
    ...{ node, expiry, notional: 1, index: "zhvi", kind: "layered" },
    ...{ attachBps: 800, exhaustBps },
  }));
  const { body } = await world.post("/api/quotes/bulk", secret, { quotes });
  const given = listAt(JSON.parse(body), "data").map((one) => {
    const series = at(one, "quote", "seriesMarketId");
    return {
      seriesMarketId: typeof series === "string" ? series : null,
      rfq: at(one, "quote", "rfq") === true,
      asOfMonth: textAt(one, "quote", "asOfMonth"),
    };
  });
  const limits = at((await world.get("/api/limits")).json(), "data", "orders");
  const of = (name: string): number => Number(at(limits, name));
  const most = {
    maxBatchOrders: of("maxBatchOrders"),
    maxOtherListings: of("maxOtherListings"),
  };
  const orders = given.map(({ seriesMarketId }) => ({
    ...{ marketId: seriesMarketId ?? "srs.none", outcomeIndex: 0, side: "BUY" },
    ...{ amount: "1", price: 0.01 },
  }));
  const answer = await world.post("/api/trading/orders/batch", secret, { orders });
  const told = answer.statusCode === 200 ? "taken" : textAt(answer.json(), "error", "code");
  return { words: whyNoBatch(given, most), told };
}

test("from a quarter's end: standard series in any number, of others 20", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi", LAST_MONTH);
  const newest = monthAfter(LAST_MONTH, -1);
  const of = async (months: number, legs: number, more: Partial<Asked> = {}) => {
    const { secret } = await world.world.trader(`${months} ${legs} ${more.exhaustBps}`);
    return judged(world, secret, { legs, expiry: monthAfter(newest, months), ...more });
  };
  for (const months of [12, 24, 36]) {
    assert.deepEqual(await of(months, 50), { words: undefined, told: "taken" });
  }
  assert.deepEqual(await of(6, 20), { words: undefined, told: "taken" });
  const { words = "", told } = await of(18, 21);
  assert.match(words, /^21 of 21 legs are no standard series, .* list 20 such at a time/);
  assert.equal(told, "SERIES_NOT_STANDARD");
  const own = await of(12, 3, { exhaustBps: 2_500 });
  assert.match(own.words ?? "", /^Orders take falls .* 3 of 3 legs are none/);
  assert.notEqual(own.told, "taken");
});

test("from another month's print no standard series can be listed, and none is few", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const { secret } = await world.world.trader("a");
  const found = await judged(world, secret, { legs: 50, expiry: monthAfter(LAST_MONTH, 6) });
  assert.deepEqual(found, { words: undefined, told: "taken" });
});

test("a batch has a size", () => {
  const quote = { seriesMarketId: "srs.a", rfq: false, asOfMonth: "2027-03" };
  const limits = { maxBatchOrders: 100, maxOtherListings: 20 };
  assert.equal(whyNoBatch(Array(100).fill(quote), limits), undefined);
  assert.match(whyNoBatch(Array(101).fill(quote), limits) ?? "", /takes 100 orders.* 101 legs/);
});
