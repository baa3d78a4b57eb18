// Requests for quotes at their edges: how long, how many legs, how many requests, what everybody
// learns of one, and why one is refused.
// Invariant: up to a bound is within it; a refusal says what is allowed, or what has become of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, rfqId, rfqQuoteId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import {
  contracts,
  FIRST,
  HOUR,
  RFQ,
  refusalIn,
  rejectionIn,
  rfqStage,
  SECOND,
} from "./rfq-stage.ts";
import { decision, root, tick } from "./world.ts";

test("a request lasts thirty seconds to three days", () => {
  const { world, open } = rfqStage();
  const lasting = (millis: number) =>
    rejectionIn(open({ closesAtMillis: world.nowMillis + millis }));
  for (const millis of [29_999, 72 * HOUR + 1]) {
    assert.deepEqual(lasting(millis), { code: "RFQ_TIMES", field: "closesAt" });
  }
  for (const millis of [30_000, 72 * HOUR]) assert.equal(lasting(millis), undefined);
});

test("a request has legs, each of something, and at most two hundred", () => {
  const { world, listings, open } = rfqStage();
  const [one] = listings;
  assert.ok(one !== undefined);
  const refused = { code: "RFQ_LEGS", details: { allowed: 200 }, field: "legs" };
  const [full, empty] = [contracts("1"), lots(0n)];
  const legs = listings.map((listing, at) => ({ listing, amountLots: at === 0 ? full : empty }));
  assert.deepEqual(rejectionIn(open({ legs: [] })), refused);
  assert.deepEqual(rejectionIn(open({ legs })), refused);
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => {
      world.place = nodeId(`zip:${10_000 + at}`);
      world.print("2024-10", "300000");
      return { listing: world.listing("2025-10", one.terms.payoff), amountLots: full };
    });
  const most = many(201);
  assert.deepEqual(rejectionIn(open({ legs: most })), refused);
  assert.equal(rejectionIn(open({ legs: most.slice(1) })), undefined);
});

test("ten requests are open at most, and a hundred of a day", () => {
  const { world, buyer, open } = rfqStage();
  for (let at = 0; at < 10; at += 1) assert.equal(refusalIn(open()), undefined);
  assert.deepEqual(rejectionIn(open()), { code: "RFQ_CAP", details: { allowed: 10 } });
  const cancel = (number: number) =>
    world.do(buyer.actor, { type: "CancelRfq", rfqId: rfqId(`rfq-${number}`) });
  for (let number = 1; number <= 90; number += 1) {
    cancel(number);
    assert.equal(refusalIn(open()), undefined, String(number));
  }
  cancel(91);
  assert.deepEqual(rejectionIn(open()), { code: "RFQ_CAP", details: { allowed: 100 } });
});

test("everybody learns indices, states and a band of size, and no more", () => {
  for (const [amount, size] of [
    ["49999.99", "under_100k"],
    ["50000", "100k_1m"],
    ["499999.99", "100k_1m"],
    ["500000", "1m_10m"],
    ["4999999.99", "1m_10m"],
    ["5000000", "over_10m"],
  ] as const) {
    const { newest, legs, open } = rfqStage();
    open({ legs: legs(amount).toReversed() });
    const told = newest().find(({ type }) => type === "RfqAnnounced");
    assert.deepEqual(
      told,
      {
        type: "RfqAnnounced",
        rfqId: RFQ,
        indexes: ["zhvi"],
        states: [nodeId("state:az"), nodeId("state:tx")],
        size,
      },
      amount,
    );
  }
});

test("a name is told where its owner says so, and nowhere else", () => {
  for (const [requesters, makers] of [
    [true, undefined],
    [undefined, true],
  ] as const) {
    const { world, maker, open } = rfqStage();
    open(requesters === undefined ? {} : { tellsName: requesters });
    world.do(maker.actor, {
      type: "QuoteRfq",
      rfqId: RFQ,
      ticks: [tick("0.06"), tick("0.07")],
      validUntilMillis: world.nowMillis + 2 * HOUR,
      ...(makers === undefined ? {} : { tellsName: makers }),
    });
    assert.equal(world.state.rfqs.get(RFQ)?.tellsName, requesters);
    assert.equal(world.state.rfqQuotes.get(FIRST)?.tellsName, makers);
  }
});

test("what is done is refused with what became of it, what is not there by its own name", () => {
  const { world, buyer, rival, open, quote, accept } = rfqStage();
  const cancel = (id = RFQ, who = buyer) =>
    rejectionIn(world.try(who.actor, { type: "CancelRfq", rfqId: id }));
  open();
  quote(["0.06", "0.07"]);
  assert.deepEqual(cancel(RFQ, rival), { code: "RFQ_NOT_FOUND" });
  assert.deepEqual(cancel(rfqId("rfq-9")), { code: "RFQ_NOT_FOUND" });
  const nowhere = rejectionIn(accept(rfqQuoteId("rqt-9")));
  assert.deepEqual(nowhere, { code: "RFQ_QUOTE_NOT_FOUND" });
  open();
  quote(["0.06", "0.07"], rival, rfqId("rfq-2"));
  assert.deepEqual(rejectionIn(accept(SECOND)), { code: "RFQ_QUOTE_NOT_FOUND" }, "of another");
  accept();
  const done = { code: "RFQ_DONE", details: { status: "filled" } };
  for (const refused of [accept(), quote(["0.05", "0.06"])]) {
    assert.deepEqual(rejectionIn(refused), done);
  }
  assert.deepEqual(cancel(), done);
});

test("a request whose time is over is closed while a quote stands, and expired without one", () => {
  const { world, open, quote, rfqStatus } = rfqStage();
  open();
  open();
  quote(["0.06", "0.07"]);
  world.runTo(world.nowMillis + HOUR);
  assert.equal(rfqStatus(), "closed");
  assert.equal(world.state.rfqs.get(rfqId("rfq-2"))?.status, "expired");
});

test("the request of an account that loses its clearance lapses, and its quote is over", () => {
  const { world, buyer, open, quote, accept, statusOf } = rfqStage();
  open();
  quote(["0.06", "0.07"]);
  world.do(root, decision(buyer.id, "reject", null, false));
  const lapsed = { code: "RFQ_DONE", details: { status: "lapsed" } };
  assert.deepEqual(rejectionIn(accept()), lapsed);
  assert.notEqual(statusOf(), "open");
});
