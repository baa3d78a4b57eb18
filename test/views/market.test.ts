// A market and its resolution as they are shown, through every stage of a life.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { derivedIds, type Payoff } from "#contract/terms.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Market } from "#core/records.ts";
import type { GeoNode } from "#geo/node.ts";
import { GeoTree } from "#geo/tree.ts";
import { month, order, root, tick, World } from "#test/core/world.ts";
import { projectMarket, projectResolution } from "#views/market.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const strike = { kind: "binary", strikeBps: 500 } as const;
const attribution = "Data from Zillow";
const texas = GeoTree.builtIn().get("state:tx");

const empty = {
  node: texas,
  bestBid: undefined,
  bestAsk: undefined,
  spreadMaxTicks: 1_000,
  isMatchingHeld: false,
  isPrintOverdue: false,
  indicative: null,
  attribution,
};

const level = (comparator: "gte" | "lte", threshold: string): Payoff => {
  const thresholdE15 = parsePrintValue(threshold);
  assert.ok(thresholdE15 !== undefined);
  return { kind: "level", comparator, thresholdE15 };
};

/** A world with a market of these terms, listed by an order or by the operator. */
function listed(payoff: Payoff, mark = "0.05"): { world: World; listing: Listing } {
  const world = new World();
  world.print("2024-10", "300000.5");
  const listing = world.listing("2025-04", payoff, mark);
  if (payoff.kind === "level") {
    world.do(root, { type: "ListMarket", listing, frontendId: null });
  } else {
    const maker = world.trader("maker", "1000");
    world.order(order(listing, "SELL", "100", "0.06"), maker, listing);
  }
  return { world, listing };
}

const marketOf = ({ world, listing }: { world: World; listing: Listing }): Market =>
  world.state.market(listing.marketId);

test("every field of a layered market", () => {
  const market = marketOf(listed(layer));
  const ids = derivedIds(market.termsHash);
  const { description, createdAt, updatedAt, ...shown } = projectMarket(market, empty);
  assert.deepEqual(shown, {
    id: "srs.zhvi.state-tx.b2024-10.e2025-04.L0200-1000",
    frontendId: "mkt-001",
    onChainMarketId: ids.onChainMarketId,
    conditionId: ids.conditionId,
    zipCode: "",
    indicative: null,
    phase: "CONTINUOUS",
    marketType: "LAYERED",
    status: "ACTIVE",
    tradingClosed: false,
    matching: "open",
    printOverdue: false,
    geoNodeId: "state:tx",
    questionId: ids.questionId,
    outcomeCount: 2,
    resolutionTimestamp: "2025-05-20T00:00:00.000Z",
    threshold: "2",
    metricType: "zhvi_decline",
    comparator: "gte",
    measurementMonth: "2025-04",
    termsHash: market.termsHash,
    reason: null,
    shortfall: "0",
    haircut: "0",
    outcomes: [
      { index: 0, label: "YES", positionId: ids.positionIds[0], price: 0.05, priceBasis: "mark" },
      { index: 1, label: "NO", positionId: ids.positionIds[1], price: 0.95, priceBasis: "mark" },
    ],
    resolution: null,
    attribution,
  });
  assert.equal(createdAt, "2024-11-20T00:00:00.000Z");
  assert.equal(updatedAt, createdAt);
  for (const said of ["Texas", "2024-10 (300000.5)", "2025-04", "2 %", "10 %", "2025-05-20"]) {
    assert.ok(description.includes(said), `"${description}" says ${said}`);
  }
});

test("a binary decline and a level say their own threshold", () => {
  const decline = projectMarket(marketOf(listed(strike)), empty);
  assert.equal(decline.marketType, "BINARY");
  assert.equal(decline.threshold, "5");
  assert.match(decline.description, /if the decline is 5 % or more/);
  const market = marketOf(listed(strike));
  const uneven = { ...market.terms, payoff: { ...strike, strikeBps: 1275 } };
  assert.equal(projectMarket({ ...market, terms: uneven }, empty).threshold, "12.75");

  const under = projectMarket(marketOf(listed(level("lte", "299999.95"))), empty);
  assert.equal(under.marketType, "BINARY");
  assert.equal(under.metricType, "zhvi_level");
  assert.equal(under.comparator, "lte");
  assert.equal(under.threshold, "299999.95");
  assert.match(under.description, /at most 299999\.95/);
  assert.match(
    projectMarket(marketOf(listed(level("gte", "300000"))), empty).description,
    /at least 300000/,
  );
});

test("the text says what its own terms have for a print that does not come", () => {
  const market = marketOf(listed(layer));
  const said = (terms: Partial<Market["terms"]>): string => {
    const text = projectMarket({ ...market, terms: { ...market.terms, ...terms } }, empty);
    return /If there is none.*$/.exec(text.description)?.[0] ?? "";
  };
  const place = said({ successor: nodeId("state:tx") });
  assert.match(place, /first that applies: the growth of state:tx .*; the last level.*; sealed/);
  assert.match(place, /else the market is void and its payments are reversed\.$/);
  const alone = said({ successor: null });
  assert.match(alone, /first that applies: the last level/);
  const ofLevel = said({ successor: null, baseline: null });
  assert.match(ofLevel, /first that applies: sealed marks/);
});

test("a zip market carries its zip", () => {
  const zip: GeoNode = {
    id: nodeId("zip:10001"),
    level: "zip",
    name: "10001",
    stateCode: "NY",
    fips: null,
    aliases: [],
    parentIds: [],
    housingUnits: 0,
    active: true,
    providerIds: [],
  };
  const shown = projectMarket(marketOf(listed(layer)), { ...empty, node: zip });
  assert.equal(shown.zipCode, "10001");
  assert.ok(shown.description.includes("10001, NY"));
});

test("the price is the payout, else a narrow book's middle, the last trade, the mark", () => {
  const fresh = marketOf(listed(layer));
  const traded: Market = { ...fresh, lastTick: tick("0.07"), tradedSinceMark: true };
  const priceOf = (market: Market, bid?: string, ask?: string) => {
    const bestBid = bid === undefined ? undefined : tick(bid);
    const bestAsk = ask === undefined ? undefined : tick(ask);
    const [yes, no] = projectMarket(market, { ...empty, bestBid, bestAsk }).outcomes;
    assert.equal(yes.priceBasis, no.priceBasis);
    assert.ok(Math.abs(yes.price + no.price - 1) < 1e-12, "YES and NO add up to 1");
    return [yes.price, yes.priceBasis];
  };
  assert.deepEqual(priceOf(fresh), [0.05, "mark"]);
  assert.deepEqual(priceOf(traded), [0.07, "trade"]);
  assert.deepEqual(priceOf(traded, "0.06"), [0.07, "trade"], "one side is no book");
  const { tradedSinceMark: _, ...older } = traded;
  assert.deepEqual(priceOf(older), [0.05, "mark"], "a trade from before the mark");
  assert.deepEqual(priceOf(fresh, undefined, "0.06"), [0.05, "mark"]);
  assert.deepEqual(priceOf(traded, "0.0601", "0.0604"), [0.06025, "book"]);
  assert.deepEqual(priceOf(traded, "0.06", "0.16"), [0.11, "book"]);
  assert.deepEqual(priceOf(traded, "0.06", "0.1601"), [0.07, "trade"]);
  const { world, listing } = listed(layer);
  world.order(order(listing, "BUY", "1", "0.06"), world.trader("buyer", "1000"));
  world.runTo(Date.UTC(2025, 4, 20));
  world.print("2025-04", "287000");
  const resolved = { ...world.state.market(listing.marketId), lastTick: tick("0.07") };
  const { payoutMillionths } = resolved.resolution ?? assert.fail();
  assert.deepEqual(priceOf(resolved), [payoutMillionths / 1_000_000, "payout"]);
  assert.ok(payoutMillionths > 0 && payoutMillionths < 1_000_000);
});

test("resolution fields are null until their stage, then filled and never emptied", () => {
  const { world, listing } = listed(layer);
  const buyer = world.trader("buyer", "1000");
  world.order(order(listing, "BUY", "10", "0.06"), buyer);
  const shown = () => projectResolution(world.state.market(listing.marketId), attribution);

  assert.deepEqual(shown(), {
    marketId: listing.marketId,
    frontendId: "mkt-001",
    status: "ACTIVE",
    tradingClosed: false,
    geoNodeId: "state:tx",
    metric: "zhvi_decline",
    comparator: "gte",
    threshold: 2,
    thresholdUnit: "percent",
    decline: null,
    measurementMonth: "2025-04",
    outcome: null,
    settledValue: null,
    comparisonValue: null,
    resolvedAt: null,
    disputeWindowEndsAt: null,
    finalizedAt: null,
    observation: null,
    payoutFraction: null,
    disputed: false,
    fallbackSince: null,
    fallback: null,
    attribution,
  });

  world.runTo(Date.UTC(2025, 4, 20));
  assert.equal(shown().tradingClosed, true);
  assert.equal(shown().outcome, null);

  // The history is 1 % higher in this release: 303,000.505 then, 6 % less now.
  world.print("2025-04", "284820.4747", "303000.505");
  const resolved = shown();
  assert.equal(resolved.status, "RESOLVED");
  assert.equal(resolved.outcome, "YES");
  assert.equal(resolved.settledValue, 284_820.4747);
  assert.equal(shown().decline, "6");
  assert.equal(resolved.comparisonValue, 303_000.505);
  assert.equal(resolved.payoutFraction, 0.5);
  assert.equal(resolved.resolvedAt, "2025-05-20T00:00:00.000Z");
  assert.equal(resolved.disputeWindowEndsAt, "2025-05-23T00:00:00.000Z");
  assert.equal(resolved.finalizedAt, null);
  assert.deepEqual(resolved.observation, {
    value: 284_820.4747,
    dataMonth: "2025-04",
    releaseId: "rel-2",
    ingestedAt: "2025-05-20T00:00:00.000Z",
  });
  assert.deepEqual(projectMarket(world.state.market(listing.marketId), empty).resolution, {
    outcome: "YES",
    settledValue: 284_820.4747,
    resolvedAt: "2025-05-20T00:00:00.000Z",
    disputeWindowEndsAt: "2025-05-23T00:00:00.000Z",
    finalizedAt: null,
    payoutFraction: 0.5,
  });

  const dispute = { marketId: listing.marketId, reason: "wrong month", evidence: null };
  world.do(buyer.actor, { type: "OpenDispute", ...dispute });
  assert.equal(shown().disputed, true);
});

test("only a layered market has a payout fraction, and only a final one a finalizedAt", () => {
  const { world, listing } = listed(level("gte", "300000"));
  world.runTo(Date.UTC(2025, 4, 20));
  world.print("2025-04", "299999.999");
  world.runTo(Date.UTC(2025, 4, 24));
  const shown = projectResolution(world.state.market(listing.marketId), attribution);
  assert.equal("payoutFraction" in shown, false);
  assert.equal(shown.status, "FINALIZED");
  assert.equal(shown.outcome, "NO");
  assert.equal(shown.comparisonValue, 300_000);
  assert.equal(shown.threshold, 300_000);
  assert.deepEqual([shown.thresholdUnit, shown.decline], ["USD", null]);
  assert.equal(shown.finalizedAt, "2025-05-23T00:00:00.000Z");
  assert.equal(listing.terms.measurementMonth, month("2025-04"));
});

test("a decline that misses its strike by the last decimal never shows the strike", () => {
  const { world, listing } = listed(strike);
  const buyer = world.trader("buyer", "1000");
  world.order(order(listing, "BUY", "10", "0.06"), buyer);
  world.runTo(Date.UTC(2025, 4, 20));
  world.print("2025-04", "285000.4750003");
  const { decline, outcome } = projectResolution(world.state.market(listing.marketId), attribution);
  assert.deepEqual([decline, outcome], ["4.9999999999", "NO"]);
});
