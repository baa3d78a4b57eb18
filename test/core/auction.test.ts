// Default auctions: what is offered, who may bid, which bid wins, and what the defaulter keeps.
// Invariant: nobody takes more for the positions than the fund asks, nor more than there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { auctionId, type KeyId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { apply } from "#core/apply.ts";
import { auditFacts, auditFactsFor } from "#core/audit.ts";
import { nextDue } from "#core/due.ts";
import { highestBid } from "#core/margin/auction.ts";
import { isRejected } from "#core/outcome.ts";
import { type AlertType, permissions } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { GUARANTEE } from "#core/step.ts";
import { touchesOf } from "#journal/touches.ts";
import { FIRST, stage, usd, WEDNESDAY } from "./auction-stage.ts";
import { endAuctions, endCalls } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { setRules } from "./set-rules.ts";
import { order, root, system, type Trader, tick, type World } from "./world.ts";

const fund = { id: GUARANTEE };
const alertsOf = (world: World, { id }: Trader): readonly AlertType[] =>
  (world.state.alerts.get(id) ?? []).map(({ type }) => type);

test("the positions stay the defaulter's while they are auctioned, and its cash is locked", () => {
  const { world, seller, held, fail, refusedAs } = stage();
  fail();
  const [auction] = world.state.auctions.values();
  assert.deepEqual(auction, {
    id: FIRST,
    accountId: seller.id,
    openedAtMillis: WEDNESDAY + 86_400_000,
    closesAtMillis: WEDNESDAY + 2 * 86_400_000,
  });
  assert.equal(held(seller), -100_000n);
  assert.equal(world.cash(seller), usd("280"));
  const { halted, marginStatus, marginCall, inDefault } = world.state.account(seller.id);
  assert.deepEqual([halted, marginStatus, marginCall], [true, "liquidation", undefined]);
  assert.deepEqual(inDefault, {
    sinceMillis: WEDNESDAY + 86_400_000,
    owesMicros: 0n,
    auctionId: FIRST,
  });
  const out = { type: "FundAccount", accountId: seller.id, memo: null } as const;
  assert.equal(world.refused(root, { ...out, amountMicros: micros(-1n) }).code, "IN_DEFAULT");
  const resume = { type: "ResumeAccount", accountId: seller.id, reason: null } as const;
  assert.equal(world.refused(root, resume).code, "IN_DEFAULT");
  assert.equal(refusedAs(seller, "1"), "AUCTION_OWN");
});

test("the least bid wins, of equal ones the earlier, and the rest is the defaulter's", () => {
  const { world, seller, one, two, bid, fail, held } = stage();
  fail();
  const three = world.trader("three", "5000");
  bid(one, "251");
  bid(three, "240");
  bid(two, "240");
  const fundBefore = world.state.balance("guarantee");
  endAuctions(world);
  assert.deepEqual([held(seller), held(three), held(two)], [0n, -100_000n, 0n]);
  assert.equal(world.cash(three), usd("5240"));
  assert.equal(world.cash(seller), usd("40"));
  assert.equal(world.state.balance("guarantee"), fundBefore, "the fund bears and takes nothing");
  assert.equal(world.state.account(seller.id).inDefault, undefined);
  assert.equal(world.state.account(seller.id).marginStatus, "healthy");
  assert.equal(world.state.account(seller.id).halted, true, "an operator resumes it");
  assert.deepEqual([world.state.bids.size, world.state.auctions.size], [0, 0]);
  assert.deepEqual(alertsOf(world, one), [], "a losing bidder is in no alert");
  assert.deepEqual(alertsOf(world, three), ["auction"]);
  world.do(root, { type: "ResumeAccount", accountId: seller.id, reason: null });
  world.fund(seller, usd("-40"));
});

test("the fund takes what nobody asks less for: the marks and its charge, and no more", () => {
  const { world, seller, fail, held } = stage();
  fail();
  const before = world.state.balance("guarantee");
  endAuctions(world);
  assert.deepEqual([held(seller), held(fund)], [0n, -100_000n]);
  assert.equal(world.cash(seller), usd("1.5"));
  assert.equal(world.state.balance("guarantee") - before, usd("278.5"));
});

test("nobody may ask more than the fund, nor more than the defaulter has", () => {
  const rich = stage();
  rich.fail();
  assert.equal(highestBid(rich.world.state, rich.seller.id), usd("278.5"));
  assert.equal(rich.refusedAs(rich.one, "278.500001"), "BID_TOO_HIGH");
  assert.equal(rich.refusedAs(rich.one, "278.5"), undefined);
  endAuctions(rich.world);
  assert.equal(rich.held(rich.one), -100_000n, "the fund bids last");
  const poor = stage("200");
  poor.fail();
  assert.equal(highestBid(poor.world.state, poor.seller.id), usd("250"));
  assert.equal(poor.refusedAs(poor.one, "250.000001"), "BID_TOO_HIGH");
});

test("a bid is replaced and withdrawn up to the close", () => {
  const { world, one, two, bid, fail, held } = stage();
  fail();
  bid(one, "232");
  bid(one, "250");
  bid(two, "245");
  assert.equal(world.state.bids.size, 2);
  world.runTo(WEDNESDAY + 2 * 86_400_000 - 1);
  world.do(two.actor, { type: "WithdrawBid", auctionId: FIRST });
  const again = world.refused(two.actor, { type: "WithdrawBid", auctionId: FIRST });
  assert.equal(again.code, "BID_NOT_FOUND");
  endAuctions(world);
  assert.equal(held(one), -100_000n);
  assert.equal(world.cash(one), usd("5250"));
  const late = world.refused(two.actor, { type: "WithdrawBid", auctionId: FIRST });
  assert.equal(late.code, "AUCTION_NOT_FOUND");
});

test("a bidder needs initial margin for all of it, when it bids and at the close", () => {
  const { world, one, two, bid, fail, held, refusedAs } = stage();
  const thin = world.trader("thin", "108.749999", "enhanced");
  fail();
  // Of 1,000 at 0.23: 230, and 1.25 times 77 and the spread of 10 beyond it.
  assert.equal(refusedAs(thin, "230"), "INSUFFICIENT_BALANCE");
  world.fund(thin, usd("0.000001"));
  assert.equal(refusedAs(thin, "230"), undefined);
  bid(one, "240");
  bid(two, "235");
  world.fund(thin, usd("-0.000001"));
  world.fund(two, usd("-4990"));
  endAuctions(world);
  assert.deepEqual([held(thin), held(two), held(one)], [0n, 0n, -100_000n]);
});

test("who is halted, called, uncleared or of the owner is passed over at the close", () => {
  const { world, seller, one, two, bid, fail, held } = stage();
  const three = world.trader("three", "5000");
  const four = world.trader("four", "5000");
  fail();
  for (const [who, amount] of [
    [one, "1"],
    [two, "2"],
    [three, "3"],
    [four, "4"],
  ] as const) {
    bid(who, amount);
  }
  world.do(root, { type: "HaltAccount", accountId: one.id, reason: null });
  world.join(two, seller);
  world.do(root, {
    type: "DecideKyc",
    accountId: three.id,
    decision: "reject",
    tier: null,
    countryCode: null,
    sanctionsCleared: false,
    pepScreened: false,
    adverseMediaCleared: false,
    listVersion: null,
    provider: "manual",
    accreditation: null,
  });
  endAuctions(world);
  assert.deepEqual([held(one), held(two), held(three), held(four)], [0n, 0n, 0n, -100_000n]);
});

test("what the fund bears is owed to it, first of all from whatever comes in", () => {
  const { world, seller, fail, mark } = stage("200");
  fail();
  // 278.50 are asked, and 250 are there.
  endAuctions(world);
  assert.equal(world.cash(seller), 0n);
  assert.equal(world.state.account(seller.id).inDefault?.owesMicros, usd("28.5"));
  mark("0.01");
  const before = world.state.balance("guarantee");
  world.fund(seller, usd("10"));
  assert.equal(world.cash(seller), 0n);
  assert.equal(world.state.balance("guarantee") - before, usd("10"));
  world.fund(seller, usd("20"));
  assert.equal(world.cash(seller), usd("1.5"));
  assert.equal(world.state.account(seller.id).inDefault, undefined);
  world.do(root, { type: "ResumeAccount", accountId: seller.id, reason: null });
});

test("a defaulter's longs pay what the fund bears for its shorts", () => {
  const { world, seller, maker, other, mark } = stage("200");
  world.order(order(other, "SELL", "100", "0.5"), maker, other);
  world.order(order(other, "BUY", "100", "0.5"), seller);
  mark("0.5");
  endCalls(world);
  endAuctions(world);
  const owes = world.state.account(seller.id).inDefault?.owesMicros ?? assert.fail();
  // 500, 25 and the spread of 10, of 250 less 50 and a half.
  assert.equal(owes, usd("335.5"));
  // A fall of 10 %: the layer pays all of what the fund took over; nothing of it comes back.
  world.runTo(Date.UTC(2025, 4, 20));
  world.print("2025-04", "270000");
  world.runTo(Date.UTC(2025, 6, 20));
  // The strike pays 100 USD.
  world.print("2025-06", "270000");
  const { resolution } = world.state.market(other.marketId);
  world.runTo(resolution?.disputeWindowEndsAtMillis ?? assert.fail());
  assert.equal(world.state.market(other.marketId).status, "FINALIZED");
  assert.equal(world.cash(seller), 0n);
  assert.equal(world.state.account(seller.id).inDefault?.owesMicros, owes - usd("100"));
});

test("a default is final: no deposit or mark ends the auction, and the rest is kept", () => {
  const { world, seller, one, bid, fail, mark, held } = stage();
  fail();
  bid(one, "60");
  world.fund(seller, usd("1000"));
  mark("0.06");
  assert.equal(world.state.account(seller.id).marginStatus, "liquidation");
  endAuctions(world);
  assert.equal(held(one), -100_000n);
  assert.equal(world.cash(seller), usd("1220"));
  assert.equal(world.state.account(seller.id).inDefault, undefined);
});

test("a leg that is resolved meanwhile drops out, and the defaulter pays it first", () => {
  const { world, seller, one, listing, other, mark, bid, held } = stage("380", 2);
  world.runTo(Date.UTC(2025, 5, 2));
  mark("0.42");
  endCalls(world);
  assert.equal(world.state.auctions.size, 1);
  bid(one, "100");
  world.print("2025-04", "294000");
  assert.equal(world.state.market(listing.marketId).resolution?.payoutMillionths, 0);
  const most = highestBid(world.state, seller.id);
  // Ten at 0.05, a twentieth of 9.50, and a cent each.
  assert.equal(most, usd("1.075"));
  const before = world.cash(seller);
  endAuctions(world);
  assert.deepEqual([held(one, other), held(fund, other)], [0n, -1_000n], "100 is too much by now");
  assert.equal(before - world.cash(seller), most);
});

test("known payouts that are not covered go to the fund at once, and its loss is owed", () => {
  const { world, seller, other, held } = stage("200", 2);
  world.runTo(Date.UTC(2025, 4, 20));
  world.print("2025-04", "270000");
  assert.deepEqual([held(seller), held(fund)], [0n, -100_000n]);
  assert.equal(world.cash(seller), 0n);
  assert.equal(world.state.account(seller.id).inDefault?.owesMicros, usd("749.5"));
  assert.equal(held(seller, other), -1_000n, "the other is auctioned");
  endAuctions(world);
  assert.equal(held(fund, other), -1_000n);
  assert.equal(world.state.account(seller.id).inDefault?.owesMicros, usd("750.575"));
});

test("an auction whose markets are all over ends by itself", () => {
  const { world, seller, listing, fail, one, bid } = stage();
  world.runTo(Date.UTC(2025, 4, 13, 9));
  fail();
  bid(one, "240");
  world.print("2025-04", "294000");
  assert.deepEqual([world.state.auctions.size, world.state.bids.size], [0, 0]);
  assert.equal(world.state.account(seller.id).inDefault, undefined);
  world.runTo(world.nowMillis + 5 * 86_400_000);
  assert.equal(world.state.market(listing.marketId).status, "FINALIZED");
  assert.equal(world.cash(seller), usd("280"));
});

test("a bidder's long is closed by what it takes, at its part of the bid", () => {
  const { world, maker, one, listing, bid, fail, held } = stage();
  world.order(order(listing, "SELL", "400", "0.1"), maker);
  world.order(order(listing, "BUY", "400", "0.1"), one);
  fail();
  const cash = world.cash(one);
  bid(one, "200");
  endAuctions(world);
  assert.equal(held(one), -60_000n);
  assert.equal(world.cash(one), cash + usd("200"));
  const { costMicros, realisedMicros } =
    world.state.position(one.id, listing.marketId) ?? assert.fail();
  assert.deepEqual([costMicros, realisedMicros], [usd("-120"), usd("40")]);
});

test("a snapshot holds auctions and bids", () => {
  const { world, one, bid, fail, held } = stage();
  fail();
  bid(one, "240");
  const hash = stateHash(world.state);
  world.state = decodeState(encodeState(world.state));
  assert.equal(stateHash(world.state), hash);
  endAuctions(world);
  assert.equal(held(one), -100_000n);
});

test("the trail tells nobody but the bidder of a bid, before the close or after", () => {
  const { world, one, two, seller, bid, fail } = stage();
  fail();
  bid(one, "240");
  const placed = world.journal.at(-1) ?? assert.fail();
  endAuctions(world);
  for (const facts of [auditFacts(placed), auditFactsFor(two.id, placed)]) {
    const { actor, details, action, resource } = facts;
    assert.deepEqual([actor, details, action, resource], ["sealed", {}, "auction.bid", FIRST]);
  }
  const begun = world.journal.find(({ envelope }) => envelope.command.type === "EndMarginCalls");
  assert.ok(touchesOf(begun ?? assert.fail()).includes(seller.id), "its default is in its trail");
  const own = auditFactsFor(one.id, placed);
  assert.deepEqual([own.actor, own.details], [one.id, { amount: "240" }]);
  const closed = world.journal.find(({ envelope }) => envelope.command.type === "CloseAuction");
  const { concerns, details } = auditFacts(closed ?? assert.fail());
  assert.deepEqual([concerns, details.takenBy, details.paid], [seller.id, "bidder", "240"]);
});

test("a refused bid or withdrawal says why, and what would be allowed", () => {
  const { world, seller, one, two, fail } = stage();
  const bid = (who: Trader, amount: string, id = FIRST) =>
    world.refused(who.actor, { type: "PlaceBid", auctionId: id, amountMicros: usd(amount) });
  const withdraw = (who: Trader) =>
    world.refused(who.actor, { type: "WithdrawBid", auctionId: FIRST });
  assert.deepEqual(bid(one, "1"), { code: "AUCTION_NOT_FOUND" });
  assert.deepEqual(withdraw(one), { code: "AUCTION_NOT_FOUND" });
  const sibling = world.open("sibling", "trader", seller.id);
  const thin = world.trader("thin", "100");
  fail();
  assert.deepEqual(bid(one, "1", auctionId("auc-2")), { code: "AUCTION_NOT_FOUND" });
  assert.deepEqual(withdraw(one), { code: "BID_NOT_FOUND" });
  assert.deepEqual(bid(sibling, "1"), { code: "AUCTION_OWN" });
  assert.deepEqual(bid(one, "278.500001"), {
    code: "BID_TOO_HIGH",
    field: "amount",
    details: { requiredMicros: usd("278.500001"), allowedMicros: usd("278.5") },
  });
  // 230, and 1.25 times 38.50 and 10, with what comes along.
  assert.deepEqual(bid(thin, "10"), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: usd("290.625"), availableMicros: usd("110") },
  });
  world.do(root, { type: "HaltAccount", accountId: one.id, reason: null });
  assert.deepEqual(bid(one, "1"), { code: "ACCOUNT_HALTED" });
  world.do(root, { type: "HaltExchange", reason: "drill" });
  assert.deepEqual(bid(two, "1"), { code: "EXCHANGE_HALTED" });
  assert.deepEqual(bid(one, "1"), { code: "ACCOUNT_HALTED" }, "the account is asked first");
  assert.equal(bid(world.open("new", "trader"), "1").code, "KYC_REQUIRED");
});

test("an account in a call takes no positions over, nor one beyond its limits", () => {
  const { world, maker, two, listing, other, fail, bid, held } = stage();
  world.order(order(other, "SELL", "100", "0.05"), two, other);
  world.order(order(other, "BUY", "100", "0.05"), maker);
  const small = world.trader("small", "300000", "enhanced");
  const { rules } = world.state;
  const enhanced = { ...rules.tiers.enhanced, maxPositionMicros: usd("999.999999") };
  fail();
  setRules(world, { tiers: { enhanced } });
  const refused = (who: Trader) => {
    const command = { type: "PlaceBid", auctionId: FIRST, amountMicros: usd("200") } as const;
    return world.refused(who.actor, command);
  };
  assert.deepEqual(refused(small), {
    code: "POSITION_LIMIT",
    details: {
      limit: "maxPosition",
      requiredMicros: usd("1000"),
      allowedMicros: usd("999.999999"),
    },
  });
  setRules(world, { tiers: { enhanced: { ...enhanced, maxPositionMicros: usd("1000") } } });
  bid(small, "200");
  world.fund(two, micros(usd("30") - world.cash(two)));
  const marks = { marketId: other.marketId, markTick: tick("0.3"), stressedTick: tick("0.3") };
  world.do(system, publishMarks([marks]));
  assert.equal(refused(two).code, "MARGIN_CALL");
  endAuctions(world);
  assert.equal(held(small, listing), -100_000n, "exactly its limit");
});

test("a bid that was placed wins though the exchange is halted at the close", () => {
  const { world, one, bid, fail, held } = stage();
  fail();
  bid(one, "240");
  world.do(root, { type: "HaltExchange", reason: "drill" });
  endAuctions(world);
  assert.equal(held(one), -100_000n);
});

test("the close tells the account what it cost and owes, and a winner what it has won", () => {
  const texts = (world: World, { id }: Pick<Trader, "id">) =>
    (world.state.alerts.get(id) ?? []).flatMap(({ type, message }) =>
      type === "auction" ? [message] : [],
    );
  const taken = (amount: string) =>
    `Auction auc-1 took the account's short positions for ${amount} USD`;
  const won = stage();
  won.fail();
  won.bid(won.one, "240");
  endAuctions(won.world);
  const over = "The default is over: the account owes the guarantee fund nothing; its cash is free";
  assert.deepEqual(texts(won.world, won.seller), [taken("240"), over]);
  assert.deepEqual(texts(won.world, won.one), [
    "The bid of 240 USD won auction auc-1: its positions are here",
  ]);
  const poor = stage("200");
  poor.fail();
  endAuctions(poor.world);
  assert.deepEqual(texts(poor.world, poor.seller), [
    `${taken("250")}; the account owes the guarantee fund 28.5 USD`,
  ]);
});

test("an auction ends as a bidder's, as the fund's, or as nobody's, with what was paid", () => {
  const endedIn = (world: World) =>
    world.journal.flatMap(({ outcome }) =>
      "events" in outcome ? outcome.events.filter(({ type }) => type === "AuctionEnded") : [],
    );
  const ended = (made: ReturnType<typeof stage>, takenBy: string | null, paid: string) =>
    assert.deepEqual(endedIn(made.world), [
      {
        ...{ type: "AuctionEnded", auctionId: FIRST, accountId: made.seller.id },
        ...{ takenBy, paidMicros: usd(paid) },
      },
    ]);
  const [bidder, taker, empty] = [stage(), stage(), stage()];
  bidder.fail();
  bidder.bid(bidder.one, "240");
  endAuctions(bidder.world);
  ended(bidder, "bidder", "240");
  taker.fail();
  endAuctions(taker.world);
  ended(taker, "fund", "278.5");
  empty.world.runTo(Date.UTC(2025, 4, 13, 9));
  empty.fail();
  empty.world.print("2025-04", "294000");
  ended(empty, null, "0");
});

test("up to the marks the cash belongs to the positions, beyond them it is a price", () => {
  const { world, one, seller, listing, bid, fail } = stage();
  fail();
  bid(one, "240");
  const posted = endAuctions(world).flatMap((event) =>
    event.type === "Posted" && event.posting.to === `cash:${one.id}` ? event.posting : [],
  );
  const between = { from: `cash:${seller.id}`, to: `cash:${one.id}` };
  assert.deepEqual(posted, [
    { ...between, amountMicros: usd("230"), reason: "takeover", reference: listing.marketId },
    { ...between, amountMicros: usd("10"), reason: "liquidation", reference: FIRST },
  ]);
});

test("a bidder's order that could only sell what it held is gone with what it held", () => {
  const { world, maker, one, listing, bid, fail, held } = stage();
  world.order(order(listing, "SELL", "10", "0.1"), maker);
  world.order(order(listing, "BUY", "10", "0.1"), one);
  const input = order(listing, "SELL", "10", "0.9", { reduceOnly: true });
  const { id } = world.order(input, one);
  fail();
  bid(one, "240");
  endAuctions(world);
  assert.equal(held(one), -99_000n);
  const { status, cancelReason } = world.state.order(id);
  assert.deepEqual([status, cancelReason], ["CANCELLED", "REDUCE_ONLY"]);
});

test("bids that two revoked keys left tie until the auction ends, in one order over a restart", () => {
  const { world, one, two, fail } = stage();
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  fail();
  const shown = ({ id: accountId }: Trader, digest: string, to: Trader): KeyId => {
    const asked = { label: "hers", prefix: "fp_test_shwn", digest, permissions };
    const key = { ...asked, ratePerMinute: null, expiresAtSeconds: null };
    const issue = { type: "IssueKey", accountId, key } as const;
    world.do(root, issue);
    const made = world.do(to.actor, issue).find((event) => event.type === "KeyChanged");
    return made?.key.id ?? assert.fail("two agreed");
  };
  const bidding = [one, two].map((by) => ({ by, keyId: shown(by, `bids of ${by.id}`, olga) }));
  // Live ones, in the other order: a restart draws the index of ties from these first.
  const idle = [two, one].map((by) => ({ by, keyId: shown(by, `idle of ${by.id}`, otto) }));
  for (const [at, { by, keyId }] of bidding.entries()) {
    const bid = { type: "PlaceBid", auctionId: FIRST, amountMicros: usd(`${270 - at}`) } as const;
    world.do({ type: "key", accountId: by.id, keyId }, bid);
  }
  for (const { by, keyId } of [...bidding, ...idle]) {
    const left = world.do(by.actor, { type: "RevokeKey", keyId });
    if (idle.some((key) => key.keyId === keyId)) assert.equal(left.length, 1, "it was not used");
    else assert.deepEqual(left.map(({ type }) => type).slice(1), ["KeyLeft"]);
    if (keyId === bidding[1]?.keyId) restarts(world, bidding);
  }
  const gift = ({ id: accountId }: Trader) =>
    ({ type: "FundAccount", accountId, amountMicros: usd("1"), memo: null }) as const;
  for (const { by } of bidding) {
    assert.equal(world.refused(olga.actor, gift(by)).code, "CONFLICT_OF_INTEREST", "a bid stands");
  }
  endAuctions(world);
  const hasWon = ({ id }: Trader) => (world.state.marketsHeldBy.get(id)?.size ?? 0) > 0;
  assert.deepEqual([one, two].map(hasWon), [false, true], "the fund pays the lower bid");
  world.do(olga.actor, gift(one));
  assert.equal(world.refused(olga.actor, gift(two)).code, "CONFLICT_OF_INTEREST", "what it won");
});

/** The auction ends alike in a state that is read from a snapshot; each bid ends what it left. */
function restarts(world: World, bidding: readonly { readonly keyId: KeyId }[]): void {
  const [live, again] = [world, world].map(({ state }) => decodeState(encodeState(state)));
  assert.ok(live !== undefined && again !== undefined);
  const due = nextDue(world.state, Number.MAX_SAFE_INTEGER);
  assert.equal(due?.command.type, "CloseAuction");
  const { timeMillis, command } = due;
  const unnamed = { actor: system, requestId: null, idempotency: null };
  const outcomes = [world.state, again].map((state) =>
    apply(state, { timeMillis, command, ...unnamed }, world.sequence + 1),
  );
  world.state = live;
  const [outcome, other] = outcomes;
  assert.deepEqual(outcome, other);
  assert.ok(outcome !== undefined && !isRejected(outcome));
  const over = outcome.events.filter((event) => event.type === "KeyLeft" && event.name === FIRST);
  assert.deepEqual(
    over.map((event) => event.type === "KeyLeft" && [event.keyId, event.stands]),
    bidding.map(({ keyId }) => [keyId, false]),
  );
}
