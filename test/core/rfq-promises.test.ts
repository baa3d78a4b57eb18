// Promises of open quotes for requests, read from their records: cash held back, orders that limits
// count, markets sold in; and the accounts that may see a request, or learn of the other side.
// Invariant: a quote holds back the most its fill could cost, on either side.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, marketId, nodeId, rfqId, rfqQuoteId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { isInAudience } from "#core/rfq/checks.ts";
import { promisedBy, promisedIn, promisedWith } from "#core/rfq/promises.ts";
import { areKnown, makerSide, nothingPromised, reserveOf, rfqNumber } from "#core/rfq/record.ts";
import { contracts, FIRST, RFQ, refusalIn, rejectionIn, rfqStage, SECOND } from "./rfq-stage.ts";
import { tick } from "./world.ts";

const usd = (dollars: number) => micros(BigInt(Math.round(dollars * 1_000_000)));

test("a seller of protection holds back the rest of each payout, a buyer its price", () => {
  const { legs } = rfqStage();
  const of = (side: "BUY" | "SELL", ...prices: readonly string[]) =>
    reserveOf({ legs: legs("1000"), side }, prices.map(tick));
  assert.equal(of("BUY", "0.06", "0.07"), usd(940 + 930), "its maker sells");
  assert.equal(of("SELL", "0.06", "0.07"), usd(60 + 70), "its maker buys");
  assert.equal(of("SELL", "0.06"), usd(60 + 1000), "of a leg without a price, all of it");
  assert.deepEqual([makerSide({ side: "BUY" }), makerSide({ side: "SELL" })], ["SELL", "BUY"]);
  assert.equal(rfqNumber(rfqId("rfq-17")), 17);
});

test("a maker that buys pays its price, and its quote sells nowhere", () => {
  const { world, buyer, maker, listings, open, quote, accept, held } = rfqStage();
  open({ side: "SELL" });
  assert.equal(refusalIn(quote(["0.06", "0.07"])), undefined);
  const { reservedMicros, sells } = promisedBy(world.state, maker.id);
  assert.deepEqual([reservedMicros, [...sells.values()]], [usd(130), [false, false]]);
  const before = world.cash(maker);
  accept();
  assert.deepEqual([held(maker), held(buyer)], [100_000n, -100_000n]);
  assert.equal(before - world.cash(maker), usd(130));
  assert.equal(world.state.positions.size, 2 * listings.length);
});

test("open quotes are counted together, one in place of itself, and none without an order", () => {
  const { world, maker, rival, listings, open, quote, improve } = rfqStage();
  open();
  open({ side: "SELL" });
  quote(["0.06", "0.07"]);
  quote(["0.05", "0.04"], maker, rfqId("rfq-2"));
  const markets = listings.map((listing) => listing.marketId);
  const sells = new Map(markets.map((market) => [market, true]));
  const sums = { reservedMicros: usd(940 + 930 + 50 + 40), sells };
  assert.deepEqual(promisedBy(world.state, maker.id), sums);
  const first = world.state.rfqQuotes.get(FIRST) ?? assert.fail();
  const rfq = world.state.rfqs.get(RFQ) ?? assert.fail();
  const dearer = { ...first, reservedMicros: usd(1) };
  const inItsPlace = promisedWith(world.state, rfq, dearer, first);
  assert.deepEqual(inItsPlace, { reservedMicros: usd(91), sells });
  const beside = { ...dearer, id: rfqQuoteId("rqt-9") };
  assert.equal(promisedWith(world.state, rfq, beside, undefined).reservedMicros, usd(1961));
  assert.deepEqual(promisedBy(world.state, rival.id), { reservedMicros: 0n, sells: new Map() });

  const [one = assert.fail()] = markets;
  const lots = contracts("1000");
  assert.deepEqual(promisedIn(world.state, maker.id, one), { buyLots: lots, sellLots: lots });
  assert.equal(refusalIn(improve(["0.05", "0.07"])), undefined);
  assert.equal(promisedBy(world.state, maker.id).reservedMicros, usd(950 + 930 + 50 + 40));
  assert.deepEqual(promisedIn(world.state, maker.id, one), { buyLots: lots, sellLots: lots });
  assert.equal(world.state.quotedLots.get(maker.id), 4n * lots);
  assert.deepEqual(promisedIn(world.state, rival.id, one), nothingPromised);
  assert.deepEqual(promisedIn(world.state, maker.id, marketId("reno")), nothingPromised);
});

test("what a quote promised is gone with it", () => {
  const { world, buyer, maker, listings, open, quote } = rfqStage();
  open();
  open({ side: "SELL" });
  quote(["0.06", "0.07"]);
  quote(["0.05", "0.04"], maker, rfqId("rfq-2"));
  world.do(buyer.actor, { type: "CancelRfq", rfqId: RFQ });
  const [listing = assert.fail()] = listings;
  const bought = { buyLots: contracts("1000"), sellLots: 0n };
  assert.deepEqual(promisedIn(world.state, maker.id, listing.marketId), bought);
  const left = promisedBy(world.state, maker.id);
  assert.deepEqual([left.reservedMicros, [...left.sells.values()]], [usd(90), [false, false]]);
  world.do(buyer.actor, { type: "CancelRfq", rfqId: rfqId("rfq-2") });
  const { promisedLots, quotedLots, reservedMicros } = world.state;
  assert.deepEqual([promisedLots.size, quotedLots.size, reservedMicros.size], [0, 0, 0]);
});

test("both sides learn of each other where both have wished so, and once it is filled", () => {
  const { world, open, quote } = rfqStage();
  open({ tellsName: true });
  quote(["0.06", "0.07"]);
  const rfq = world.state.rfqs.get(RFQ) ?? assert.fail();
  const stands = world.state.rfqQuotes.get(FIRST) ?? assert.fail();
  const filled = { ...stands, status: "filled", tellsName: true } as const;
  const { tellsName: _, ...silent } = rfq;
  assert.equal(areKnown(rfq, filled), true);
  assert.equal(areKnown(rfq, { ...filled, status: "open" }), false);
  assert.equal(areKnown(silent, filled), false);
  assert.equal(areKnown(rfq, { ...stands, status: "filled" }), false);
});

test("a request is for the accounts it names, its own, or everybody", () => {
  const { world, buyer, maker, rival } = rfqStage();
  const sees = (audience: readonly string[] | null) =>
    [buyer, maker, rival].map(({ id }) =>
      isInAudience(world.state, { audience, accountId: buyer.id }, id),
    );
  assert.deepEqual(sees(null), [true, true, true]);
  assert.deepEqual(sees([]), [true, false, false]);
  assert.deepEqual(sees(["0xnobody", "0xmaker"]), [true, true, false]);
  const nobody = { audience: ["0xmaker"], accountId: buyer.id };
  assert.equal(isInAudience(world.state, nobody, accountId("acc-99")), false);
});

test("a leg that may not trade is named by its place in the request", () => {
  const { world, listings, legs, open, quote, accept } = rfqStage();
  const [first, second] = legs("1000");
  assert.ok(first !== undefined && second !== undefined);
  open();
  quote(["0.06", "0.07"]);
  accept();
  const [, other] = listings;
  assert.ok(other !== undefined);
  const stale = { ...other, terms: { ...other.terms, successor: nodeId("state:ok") } };
  const outcome = open({ legs: [first, { ...second, listing: stale }] });
  assert.deepEqual(rejectionIn(outcome), { code: "LISTING_STALE", details: { index: 1 } });
  assert.equal(world.state.rfqQuotes.get(SECOND), undefined);
});
