// The order in which commands fall due, and that one no longer true does not.
// Invariant: of one instant the kinds keep their order, and of one kind the older subject is first.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptanceId,
  accountId,
  announcementId,
  auctionId,
  type MarketId,
  mandateId,
  marketId,
  orderId,
  proposalId,
  rfqId,
  rfqQuoteId,
} from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { nextDue, nextDueMillis } from "#core/due.ts";
import { type DueCommand, DueQueue } from "#core/due-queue.ts";
import { State } from "#core/state.ts";
import { order, system, tripProtection, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

/** Each kind there is for these subjects, in the order in which they fall due. */
function kinds(numbers: readonly string[]): readonly DueCommand[] {
  const both = (one: (number: string) => DueCommand) => numbers.map(one);
  const ofMarkets = (type: MarketCommand["type"]) =>
    both((n) => ({ type, marketId: marketId(`mkt-${n}`) }));
  const ofIndices = (type: IndexCommand["type"]): readonly DueCommand[] =>
    indices.map((index) => ({ type, index }));
  return [
    ...both((n) => ({ type: "ReportTrip", accountId: accountId(`acc-${n}`) })),
    ...both((n) => ({ type: "ReportTrip", accountId: accountId("acc-100"), group: `g${n}` })),
    ...both((n) => ({ type: "ApplyRules", announcementId: announcementId(`ann-${n}`) })),
    ...both((n) => ({ type: "ExpireOrder", orderId: orderId(`ord-${n}`) })),
    ...both((n) => ({ type: "ExpireMandate", mandateId: mandateId(`mdt-${n}`) })),
    ...both((n) => ({ type: "CloseRfq", rfqId: rfqId(`rfq-${n}`) })),
    ...both((n) => ({ type: "LapseQuote", quoteId: rfqQuoteId(`rqt-${n}`) })),
    ...both((n) => ({
      type: "FireCancelAfter",
      accountId: accountId(`acc-${n}`),
      marketId: marketId("L"),
    })),
    ...both((n) => ({ type: "ReportMarginCall", accountId: accountId(`acc-${n}`) })),
    ...both((n) => ({ type: "CollectPayment", acceptanceId: acceptanceId(`acp-${n}`) })),
    ...both((n) => ({ type: "DefaultAcceptance", acceptanceId: acceptanceId(`acp-${n}`) })),
    { type: "EndMarginCalls" },
    ...both((n) => ({ type: "CloseAuction", auctionId: auctionId(`auc-${n}`) })),
    ...both((n) => ({ type: "ExpireKyc", accountId: accountId(`acc-${n}`) })),
    ...both((n) => ({ type: "ExpireAccreditation", accountId: accountId(`acc-${n}`) })),
    ...ofMarkets("CloseTrading"),
    ...both((n) => ({ type: "LapseProposal", proposalId: proposalId(`prp-${n}`) })),
    ...both((n) => ({ type: "CarryOutWord", proposalId: proposalId(`prp-${n}`) })),
    ...ofMarkets("BeginFallback"),
    ...ofMarkets("CloseMarks"),
    ...ofMarkets("UpholdDispute"),
    ...ofMarkets("FinalizeMarket"),
    ...indices.map((index) => ({ type: "AwaitRelease", index, releaseId: null }) as const),
    ...ofIndices("CancelForRelease"),
    ...ofIndices("EndWindow"),
    ...ofIndices("EndAuction"),
    ...ofMarkets("ResumeMatching"),
    { type: "Forget" },
  ];
}

type MarketCommand = Extract<DueCommand, { readonly marketId: MarketId; accountId?: never }>;
type IndexCommand = Exclude<
  Extract<DueCommand, { readonly index: IndexKind }>,
  { readonly type: "AwaitRelease" }
>;

/** By their length, then by their letters. */
const indices = ["zhvi", "zori", "weather"] as const;

/** The commands the queue returns, in order, when these were added. */
function sorted(items: readonly { atMillis: number; command: DueCommand }[]): readonly string[] {
  const queue = new DueQueue();
  for (const item of items) queue.add(item);
  const out: string[] = [];
  for (let item = queue.first(); item !== undefined; item = queue.first()) {
    out.push(JSON.stringify(item));
    queue.dropFirst();
  }
  return out;
}

test("at one instant the kinds keep their order, and of a kind the older subject is first", () => {
  const items = kinds(["1", "2", "9", "10"]).map((command) => ({ atMillis: 5, command }));
  const expected = items.map((item) => JSON.stringify(item));
  assert.deepEqual(sorted(items), expected);
  assert.deepEqual(sorted(items.toReversed()), expected);
  const halves = [
    ...items.filter((_, at) => at % 2 === 1),
    ...items.filter((_, at) => at % 2 === 0),
  ];
  assert.deepEqual(sorted(halves), expected);
});

test("what is true no more is dropped once it may be most of the queue, and not before", () => {
  const queue = new DueQueue();
  const add = (count: number, atMillis: number): void => {
    for (let at = 0; at < count; at += 1) {
      queue.add({ atMillis, command: { type: "ExpireOrder", orderId: orderId(`ord-${at}`) } });
    }
  };
  const dropBefore = (millis: number) => queue.dropUntrue(({ atMillis }) => atMillis >= millis);
  add(1_013, 1);
  add(10, 2);
  dropBefore(2);
  assert.equal(queue.size, 1_023, "few are not looked at");
  add(1, 2);
  dropBefore(2);
  assert.equal(queue.size, 11, "those that are true stay");
  assert.equal(queue.first()?.atMillis, 2);
  add(2 * 11 + 1_024 - 11 - 1, 3);
  dropBefore(4);
  assert.equal(queue.size, 1_045, "one fewer than twice what was left, and as many again");
  add(1, 4);
  dropBefore(4);
  assert.equal(queue.size, 1);
  assert.equal(queue.first()?.atMillis, 4);
});

test("an earlier instant comes before any kind of a later one", () => {
  const items = kinds(["1"]).map((command, at) => ({ atMillis: 100 - at, command }));
  const expected = items.toReversed().map((item) => JSON.stringify(item));
  assert.deepEqual(sorted(items), expected);
});

test("an empty queue stays empty", () => {
  const queue = new DueQueue();
  queue.dropFirst();
  assert.equal(queue.first(), undefined);
});

test("the clock is asked again when the first thing falls due, and not at all without one", () => {
  assert.equal(nextDueMillis(new State()), undefined);
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const listing = world.listing("2025-04", layer);
  const expirySeconds = world.nowMillis / 1000 + 60;
  const expiring = order(listing, "BUY", "1", "0.05", { timeInForce: "GTD", expirySeconds });
  const { id } = world.order(expiring, anna, listing);
  assert.equal(nextDueMillis(world.state), expirySeconds * 1000);
  world.do(anna.actor, { type: "CancelOrder", orderId: id });
  const aDayLater = world.nowMillis + 86_400_000;
  assert.equal(nextDueMillis(world.state), aDayLater, "what is done is forgotten next");
  world.runTo(aDayLater);
  assert.equal(world.state.orders.size + world.state.markets.size, 0);
  world.runTo(Date.UTC(2025, 4, 1));
  const { kyc } = world.state.account(anna.id);
  const expires = (kyc.expiresAtSeconds ?? 0) * 1000;
  assert.equal(nextDueMillis(world.state), expires, "a forgotten market has no close");
});

test("an approval given anew runs from then on; the first one's end is nothing", () => {
  const world = new World();
  const anna = world.trader("anna", "100");
  const year = 365 * 86_400_000;
  const first = world.nowMillis + year;
  world.nowMillis += 86_400_000;
  world.approve(anna, "basic");
  const status = () => world.state.account(anna.id).kyc.status;
  world.runTo(first);
  assert.equal(status(), "approved");
  world.runTo(first + 86_400_000 - 1);
  assert.equal(status(), "approved");
  world.runTo(first + 86_400_000);
  assert.equal(status(), "expired");
  assert.equal(nextDueMillis(world.state), undefined);
});

test("a trip is told once, and not at all when the account has reset it before", () => {
  const trip = () => {
    const world = new World();
    world.print("2024-10", "300000");
    const [anna, bela] = [world.trader("anna", "100"), world.trader("bela", "100")];
    const listing = world.listing("2025-04", layer);
    world.order(order(listing, "BUY", "0.01", "0.0001"), anna, listing);
    tripProtection(world, anna, bela, listing);
    return { world, anna };
  };
  const told = trip();
  const due = nextDue(told.world.state, told.world.nowMillis);
  assert.deepEqual(due?.command, { type: "ReportTrip", accountId: told.anna.id });
  told.world.do(system, due.command);
  assert.equal(nextDue(told.world.state, told.world.nowMillis), undefined);
  const reset = trip();
  reset.world.do(reset.anna.actor, { type: "ResetProtection" });
  assert.equal(nextDue(reset.world.state, reset.world.nowMillis), undefined);
});

test("a market that was voided neither closes, nor voids, nor settles any more", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const bela = world.trader("bela", "100");
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "BUY", "1", "0.05"), bela, listing);
  world.doInTwo({ type: "CancelMarket", marketId: listing.marketId, reason: "drill" });
  const given: string[] = [];
  world.runTo(Date.UTC(2025, 5, 1), ({ type }) => given.push(type));
  assert.deepEqual(given, ["Forget"], "but is forgotten, and the order in it");
});
