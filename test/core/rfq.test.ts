// Requests for quotes: what a quote holds back, what an accept does, and what ends both.
// Invariant: a quote that is open can be filled at its price, and its maker's cash pays for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, releaseId, rfqId, rfqQuoteId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { available } from "#core/step.ts";
import { bespoke, contracts, FIRST, HOUR, RFQ, refusalIn, rfqStage, SECOND } from "./rfq-stage.ts";
import { assertSameState } from "./same-state.ts";
import { order, root, system } from "./world.ts";

const usd = (dollars: number) => BigInt(Math.round(dollars * 1_000_000));

test("a quote is filled in all legs at once, at its prices, as a block", () => {
  const { world, buyer, maker, held, newest, open, quote, accept, rfqStatus } = rfqStage();
  assert.equal(refusalIn(open()), undefined);
  assert.equal(refusalIn(quote(["0.06", "0.07"])), undefined);
  const before = world.cash(maker);
  assert.equal(refusalIn(accept()), undefined);
  assert.deepEqual(
    [0, 1].map((at) => [held(buyer, at), held(maker, at)]),
    [
      [100_000n, -100_000n],
      [100_000n, -100_000n],
    ],
  );
  assert.equal(world.cash(maker) - before, usd(130), "the maker gets the premiums and pays no fee");
  const fills = newest().flatMap((event) => (event.type === "Filled" ? event.fill : []));
  assert.deepEqual(
    fills.map(({ yesTick, rfqId: id }) => [yesTick, id]),
    [
      [600, RFQ],
      [700, RFQ],
    ],
  );
  assert.equal(rfqStatus(), "filled");
  assert.ok(world.cash(buyer) < usd(100_000 - 130), "the requester pays premiums and the fee");
});

test("an open quote holds back the most it could cost, and frees it when it lapses", () => {
  const { world, maker, open, quote, statusOf } = rfqStage("2000");
  open();
  const free = () => available(world.state, maker.id);
  assert.equal(free(), usd(2000));
  quote(["0.06", "0.07"]);
  assert.equal(free(), usd(2000 - 940 - 930));
  world.runTo(world.nowMillis + 3 * HOUR);
  assert.equal(statusOf(), "lapsed");
  assert.equal(free(), usd(2000));
  assert.equal(world.state.rfqs.get(RFQ)?.status, "expired");
});

test("a maker can neither withdraw nor order with the cash behind its quote", () => {
  const { world, listings, maker, held, open, quote, accept } = rfqStage("1900");
  open();
  quote(["0.06", "0.07"]);
  const amountMicros = micros(-usd(100));
  const withdrawal = {
    type: "FundAccount",
    accountId: maker.id,
    amountMicros,
    memo: null,
  } as const;
  assert.equal(world.refused(root, withdrawal).code, "INSUFFICIENT_BALANCE");
  const [listing] = listings;
  assert.ok(listing !== undefined);
  const sale = order(listing, "SELL", "1000", "0.05");
  const refused = world.refused(maker.actor, { type: "PlaceOrder", order: sale, listing });
  assert.equal(refused.code, "INSUFFICIENT_BALANCE");
  assert.equal(refusalIn(accept()), undefined);
  assert.equal(held(maker), -100_000n);
  assert.ok(available(world.state, maker.id) >= 0n);
});

test("a quote without the cash for it is refused, and two quotes never share cash", () => {
  const { open, quote } = rfqStage("1900");
  open();
  open();
  assert.equal(refusalIn(quote(["0.06", "0.03"])), "INSUFFICIENT_BALANCE");
  assert.equal(refusalIn(quote(["0.06", "0.07"])), undefined);
  const again = quote(["0.06", "0.07"], undefined, rfqId("rfq-2"));
  assert.equal(refusalIn(again), "INSUFFICIENT_BALANCE");
});

test("the requester's own cash is asked at the accept; a refusal leaves the quote open", () => {
  const { world, buyer, held, open, quote, accept, statusOf } = rfqStage();
  open();
  quote(["0.06", "0.07"]);
  const amountMicros = micros(-usd(99_900));
  world.do(root, { type: "FundAccount", accountId: buyer.id, amountMicros, memo: null });
  assert.equal(refusalIn(accept()), "INSUFFICIENT_BALANCE");
  assert.deepEqual([held(buyer), held(buyer, 1), statusOf()], [0n, 0n, "open"]);
});

test("a maker betters its quote and never worsens it", () => {
  const { open, quote, improve, rival } = rfqStage();
  open();
  quote(["0.06", "0.07"]);
  assert.equal(refusalIn(improve(["0.06", "0.07"])), "RFQ_NOT_BETTER");
  assert.equal(refusalIn(improve(["0.05", "0.08"])), "RFQ_NOT_BETTER");
  assert.equal(refusalIn(improve(["0.06", "0.06"], rival)), "RFQ_QUOTE_NOT_FOUND");
  assert.equal(refusalIn(improve(["0.06"])), undefined);
  assert.equal(refusalIn(quote(["0.05"])), "RFQ_QUOTED");
});

test("nobody quotes, sees or accepts what is not theirs; owners do not meet themselves", () => {
  const { world, buyer, rival, open, quote, accept } = rfqStage();
  open({ audience: ["0xMAKER"] });
  assert.equal(refusalIn(quote(["0.06"], rival)), "RFQ_NOT_FOUND");
  assert.equal(refusalIn(quote(["0.06"], buyer)), "RFQ_OWN");
  assert.equal(refusalIn(quote(["0.06"])), undefined);
  assert.equal(refusalIn(accept(FIRST, rival)), "RFQ_NOT_FOUND");
  const cancel = { type: "CancelRfq", rfqId: RFQ } as const;
  assert.equal(world.refused(rival.actor, cancel).code, "RFQ_NOT_FOUND");
  open();
  world.join(rival, buyer);
  assert.equal(refusalIn(quote(["0.06"], rival, rfqId("rfq-2"))), "RFQ_OWN");
});

test("a bespoke leg is listed by its trade, with its terms, and has a book afterwards", () => {
  const { world, buyer, maker, open, quote, accept } = rfqStage();
  world.place = nodeId("zip:85001");
  const listing = world.listing("2025-10", bespoke);
  open({ legs: [{ listing, amountLots: contracts("10") }] });
  assert.equal(world.state.markets.size, 0, "asking lists nothing");
  quote(["0.06"]);
  assert.equal(world.state.markets.size, 0, "nor does a quote");
  assert.equal(refusalIn(accept()), undefined);
  assert.equal(world.state.market(listing.marketId).status, "ACTIVE");
  world.order(order(listing, "SELL", "1", "0.05"), buyer);
  world.order(order(listing, "BUY", "1", "0.06"), maker);
  assert.equal(world.state.position(buyer.id, listing.marketId)?.heldLots, 900n);
});

test("a window, a halt, a void and a new print end the request with all its quotes", () => {
  const ends: readonly ((stage: ReturnType<typeof rfqStage>) => void)[] = [
    ({ world }) => world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: null }),
    ({ world }) => world.do(root, { type: "HaltExchange", reason: "drill" }),
    ({ world, buyer }) =>
      world.do(root, { type: "HaltAccount", accountId: buyer.id, reason: null }),
    ({ world }) => {
      world.runTo(world.nowMillis + HOUR / 2);
      world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: releaseId("new") });
    },
    ({ world, listings: [listing], rival }) => {
      assert.ok(listing !== undefined);
      world.order(order(listing, "SELL", "1", "0.9"), rival, listing);
      world.do(root, { type: "PauseMarket", marketId: listing.marketId, reason: "drill" });
    },
  ];
  for (const [at, end] of ends.entries()) {
    const stage = rfqStage();
    const { world, maker, open, quote, accept, rfqStatus, statusOf } = stage;
    open();
    quote(["0.06"]);
    const free = available(world.state, maker.id);
    end(stage);
    assert.deepEqual([rfqStatus(), statusOf()], ["lapsed", "ended"], `end ${at}`);
    assert.ok(available(world.state, maker.id) > free, "the maker has its cash again");
    assert.equal(refusalIn(accept()), "RFQ_DONE");
  }
});

test("a maker that is halted has its quotes lapse; a tripped protection takes none back", () => {
  const { world, maker, rival, open, quote, accept, statusOf } = rfqStage();
  open();
  quote(["0.06"]);
  quote(["0.07"], rival);
  world.do(root, { type: "HaltAccount", accountId: maker.id, reason: null });
  assert.deepEqual([statusOf(FIRST), statusOf(SECOND)], ["lapsed", "open"]);
  world.do(rival.actor, {
    type: "SetProtection",
    withinSeconds: 60,
    maxLots: contracts("1"),
    maxFills: null,
  });
  assert.equal(refusalIn(accept(SECOND)), undefined);
  assert.equal(world.state.makerProtections.get(rival.id)?.trippedAtMillis, null);
});

test("times, legs and caps are kept to", () => {
  const { world, legs, open, quote } = rfqStage();
  assert.equal(refusalIn(open({ closesAtMillis: world.nowMillis + 29_999 })), "RFQ_TIMES");
  assert.equal(refusalIn(open({ closesAtMillis: world.nowMillis + 73 * HOUR })), "RFQ_TIMES");
  assert.equal(refusalIn(open({ legs: [] })), "RFQ_LEGS");
  assert.equal(refusalIn(open({ legs: [...legs("1"), ...legs("1")] })), "RFQ_LEGS");
  for (let at = 0; at < 10; at += 1) assert.equal(refusalIn(open()), undefined);
  assert.equal(refusalIn(open()), "RFQ_CAP");
  assert.equal(refusalIn(quote(["0.06", "0.06", "0.06"])), "RFQ_LEGS");
  world.runTo(world.nowMillis + HOUR);
  assert.equal(refusalIn(open()), undefined, "those that closed without quotes are over");
});

test("done requests leave after a day by an entry, and no snapshot changes what comes", () => {
  const { world, open, quote, accept } = rfqStage();
  open();
  quote(["0.06"]);
  quote(["0.07"], undefined, rfqId("rfq-1"));
  const copy = decodeState(encodeState(world.state));
  assert.equal(stateHash(copy), stateHash(world.state));
  assert.equal(
    copy.exposures.locked(world.state.rfqQuotes.get(FIRST)?.accountId ?? assert.fail()) > 0n,
    true,
  );
  accept();
  world.runTo(world.nowMillis + 25 * HOUR);
  const { rfqs, rfqQuotes, doneRfqs, rfqsOf, rfqQuotesOf, quotesForRfq } = world.state;
  assert.deepEqual(
    [rfqs.size, rfqQuotes.size, doneRfqs.size, rfqsOf.size, rfqQuotesOf.size, quotesForRfq.size],
    [0, 0, 0, 0, 0, 0],
  );
  assert.equal(rfqQuoteId(`rqt-${world.state.rfqQuoteCount}`), "rqt-1");
});

test("requests that are done at one moment leave in one order, after a restart too", () => {
  const { world, buyer, open } = rfqStage();
  for (let times = 0; times < 3; times += 1) open();
  for (const id of ["rfq-2", "rfq-1", "rfq-3"].map(rfqId)) {
    world.do(buyer.actor, { type: "CancelRfq", rfqId: id });
  }
  const restored = decodeState(encodeState(world.state));
  assert.deepEqual([...restored.doneRfqs], [...world.state.doneRfqs]);
  assertSameState(restored, world.state);
  assert.equal(stateHash(restored), stateHash(world.state));
});

test("an accept is held to the limits of the requester's tier, as an order is", () => {
  const { world, legs, open, quote, accept, rfqStatus } = rfqStage();
  const small = world.trader("small", "100000", "basic");
  assert.equal(refusalIn(open({ legs: legs("6000") }, small)), undefined);
  assert.equal(refusalIn(quote(["0.06", "0.07"])), undefined);
  assert.equal(refusalIn(accept(undefined, small)), "POSITION_LIMIT");
  assert.equal(rfqStatus(), "open", "it may still cancel, or ask for less");
});

test("open quotes count in the limits of their maker's orders and of blocks it takes", () => {
  const { world, listings, legs, rival, open, quote, accept, statusOf } = rfqStage();
  const [listing] = listings;
  assert.ok(listing !== undefined);
  const small = world.trader("small", "100000", "basic");
  const { basic } = world.state.rules.tiers;
  const allow = (limits: Partial<typeof basic>) =>
    world.do(root, { type: "SetRules", rules: { tiers: { basic: { ...basic, ...limits } } } });
  allow({ maxPositionMicros: micros(usd(1_500)) });
  open();
  assert.equal(refusalIn(quote(["0.06"], small)), undefined);
  const sell = (amount: string) =>
    world.try(small.actor, {
      type: "PlaceOrder",
      order: order(listing, "SELL", amount, "0.05"),
      listing,
    });
  assert.equal(refusalIn(sell("501")), "POSITION_LIMIT", "1,000 are promised");
  assert.equal(refusalIn(sell("500")), undefined);
  world.do(small.actor, { type: "CancelAll", marketId: null });
  allow({ maxTotalMicros: micros(usd(2_400)) });
  assert.equal(refusalIn(sell("401")), "POSITION_LIMIT", "2,000 are promised in all");
  assert.equal(refusalIn(sell("400")), undefined);
  allow({ maxPositionMicros: micros(usd(1_500)) });
  world.do(small.actor, { type: "CancelAll", marketId: null });

  const sold = { legs: legs("501"), side: "SELL" } as const;
  assert.equal(refusalIn(open(sold, small)), undefined);
  assert.equal(refusalIn(quote(["0.04"], rival, rfqId("rfq-2"))), undefined);
  const taken = world.try(small.actor, {
    type: "AcceptRfq",
    rfqId: rfqId("rfq-2"),
    quoteId: SECOND,
  });
  assert.equal(refusalIn(taken), "POSITION_LIMIT", "its own quote may still be accepted");
  assert.equal(refusalIn(accept()), undefined);
  assert.equal(statusOf(), "filled");
});
