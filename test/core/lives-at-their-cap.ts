// Lives of an exchange in which operators, the clock and the end of markets meet as much as there
// may be: orders, positions, places, holders, sellers and bids.
// Invariant: each ends with every command of its own given once at least, and none refused.
import assert from "node:assert/strict";
import { type NodeId, nodeId, publicKeyId, releaseId, webhookId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { addMonths } from "#base/month.ts";
import { parsePrintValue, printValue } from "#base/print-value.ts";
import type { CommandOf } from "#core/command.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { adminPermissions, type GeoRecord, type Observation } from "#core/records.ts";
import { wordIn } from "#core/words/told.ts";
import { CountedLife, type Measured } from "./counted-life.ts";
import { ownTerms } from "./counted-stage.ts";
import { DUE, Stage as FallbackStage, settling } from "./fallback-stage.ts";
import { Stage as MarksStage } from "./marks-stage.ts";
import { publishMarks } from "./publish-marks.ts";
import { contracts, HOUR } from "./rfq-stage.ts";
import { decision, month, openingOf, order, root, system, type Trader, tick } from "./world.ts";

const DAY = 24 * HOUR;
const LEGS = 200;
const ORDERS = 300;
const PLACES = 300;
/** Root funds no more of them alone. */
const SELLERS = 30;
const BIDDERS = 20;
const MONTHS = 24;
const reason = "drill";
const level = {
  ...({ kind: "level", comparator: "gte" } as const),
  thresholdE15: parsePrintValue("310000") ?? assert.fail(),
} as const;
const texas = nodeId("state:tx");

export interface Life {
  readonly found: ReadonlyMap<string, Measured>;
  /** The steps of a plain order that rests. */
  readonly unit: number;
}

const keyOf = (digest: string) => ({
  ...{ label: digest, prefix: "fp_test_life", digest, permissions: adminPermissions },
  ...{ ratePerMinute: null, expiresAtSeconds: null },
});

const usd = (dollars: number) => micros(BigInt(dollars) * 1_000_000n);

const marked = (listings: readonly Listing[], price: string) =>
  publishMarks(
    listings.map(({ marketId }) => ({
      marketId,
      markTick: tick(price),
      stressedTick: tick(price),
    })),
  );

/** An account with orders and positions in many markets, and what operators may do about it. */
export function lifeOfAccounts(others: number): Life {
  const life = new CountedLife();
  const { world } = life;
  const [maker, me] = [world.trader("maker", "1000000000"), world.trader("me", "1000000000")];
  const two = [world.open("olga", "operator"), world.open("otto", "operator")] as const;
  const [olga, otto] = two;
  world.nowMillis += 60_000;
  const main = life.market(maker);
  const listings = life.listed(maker, me, LEGS);
  const first = listings[0] ?? assert.fail();
  const sold = order(first, "SELL", "100000", "0.5");
  life.act(maker.actor, { type: "PlaceOrder", order: sold, listing: null });
  for (let at = 0; at < others; at += 1) life.another(`other-${at}`, main, first);
  const unit = life.unit(me, main);
  const place = (listing: Listing, who: Trader = me, more = {}) =>
    life.act(who.actor, {
      type: "PlaceOrder",
      order: order(listing, "BUY", "1", "0.01", more),
      listing: null,
    });
  const fill = () => {
    for (let at = 0; at < ORDERS; at += 1) place(listings[at % LEGS] ?? first);
  };
  const accountId = me.id;
  const about = { accountId, reason };
  const clear = () => life.give(root, decision(accountId, "approve", "institutional", true));

  fill();
  life.give(olga.actor, { type: "HaltAccount", ...about });
  life.give(olga.actor, { type: "ResumeAccount", ...about });
  life.giveInTwo(two, { type: "FundAccount", accountId, amountMicros: usd(2_000_000), memo: null });
  life.giveInTwo(two, { type: "SetCredit", accountId, creditMicros: usd(900_000) });
  life.giveInTwo(two, { type: "SetCaps", accountId, maxOpenOrders: 5_000 });
  life.giveInTwo(two, { type: "FundGuarantee", amountMicros: usd(2_000_000), memo: null });
  life.giveInTwo(two, { type: "FundFinancing", amountMicros: usd(2_000_000), memo: null });
  life.giveInTwo(two, { type: "SetFundingLimit", limitMicros: usd(5_000_000) });
  life.giveInTwo(two, { type: "SetRoot", on: true });
  life.giveInTwo(two, { type: "IssueKey", accountId, key: keyOf("given") });
  const newcomer = world.open("newcomer", "trader");
  life.give(newcomer.actor, { type: "RequestKyc", tier: "basic" });
  life.giveInTwo(two, { type: "SetOwner", accountId: newcomer.id, owner: accountId });
  const opening = openingOf("third", "operator", adminPermissions);
  const opened = wordIn("open", life.give(olga.actor, opening)) ?? assert.fail();
  const key = { prefix: "fp_test_life", digest: "third" };
  life.give(otto.actor, { type: "ConfirmProposal", proposalId: opened.id, key });
  for (const name of ["fourth", "fifth"]) {
    const word = wordIn("open", life.give(olga.actor, openingOf(name, "operator", [])));
    const proposalId = word?.id ?? assert.fail();
    if (name === "fourth") life.give(olga.actor, { type: "WithdrawProposal", proposalId });
  }
  life.give(olga.actor, { type: "ReadSubject", accountId });
  life.give(olga.actor, { type: "EraseSubject", accountId });
  const site = { label: "site", digest: "site", scopes: null, ratePerMinute: null };
  life.give(olga.actor, { type: "IssuePublicKey", key: { ...site, expiresAtSeconds: null } });
  const [publicKey] = world.state.publicKeys.keys();
  life.give(olga.actor, {
    type: "RevokePublicKey",
    publicKeyId: publicKey ?? publicKeyId("pub-1"),
  });
  fill();
  life.give(olga.actor, { ...decision(accountId, "reject", null, false) });
  clear();

  // The clock, about one account.
  fill();
  const until = Math.floor(world.nowMillis / 1000) + 3_600;
  place(first, me, { expirySeconds: until });
  life.act(me.actor, { type: "SetCancelAfter", seconds: 7_200, marketId: null });
  const terms = { ...ownTerms, expirySeconds: until };
  life.act(me.actor, { type: "SetMandate", mandateId: null, terms });
  const legs = listings.map((listing) => ({ listing, amountLots: contracts("1") }));
  const closesAtMillis = world.nowMillis + HOUR;
  const asked = { legs, side: "BUY", audience: null, closesAtMillis } as const;
  for (const validFor of [1.5 * HOUR, 2 * HOUR]) {
    const [told] = life.act(me.actor, { type: "OpenRfq", ...asked });
    const rfqId = told?.type === "RfqOpened" ? told.rfq.id : assert.fail();
    const validUntilMillis = world.nowMillis + validFor;
    life.act(maker.actor, { type: "QuoteRfq", rfqId, ticks: [tick("0.06")], validUntilMillis });
  }
  life.runTo(world.nowMillis + 3 * HOUR);
  for (let at = 0; at < 2; at += 1) place(main, me, { priceTick: tick("0.03") });
  life.act(me.actor, { type: "SetProtection", withinSeconds: 60, maxLots: null, maxFills: 1 });
  life.act(maker.actor, {
    type: "PlaceOrder",
    order: order(main, "SELL", "2", "0.03"),
    listing: null,
  });
  life.runTo(world.nowMillis + 1);
  life.act(me.actor, { type: "ResetProtection" });
  const webhook = webhookId("whk-0123456789abcdef");
  const address = { url: "https://desk.example/hook", types: ["fill"] as const };
  life.act(me.actor, { type: "SetWebhook", webhookId: webhook, salt: "5a", ...address });
  const { run = 1 } = world.state.webhooks.get(webhook) ?? {};
  const fault = { run, cause: "failing", fault: "HTTP 503" } as const;
  life.give(system, { type: "SuspendWebhook", webhookId: webhook, accountId, ...fault });

  // The rules, and marks of all markets.
  const dearer = { tiers: { institutional: { requirementBps: 9_000 } } };
  const announced = () => {
    life.giveInTwo(two, { type: "SetRules", rules: dearer });
    return [...world.state.announcedRules.keys()].at(-1) ?? assert.fail("rules are announced");
  };
  life.giveInTwo(two, { type: "WithdrawRules", announcementId: announced() });
  announced();
  life.runTo(world.nowMillis + 5 * DAY);
  life.give(system, marked(listings, "0.08"));
  life.give(system, marked([main, ...listings], "0.07"));
  life.give(olga.actor, { type: "HaltExchange", reason });
  life.give(olga.actor, { type: "ResumeExchange", reason });
  life.give(root, { type: "SetClock", toMillis: world.nowMillis });
  life.give(root, {
    ...{ type: "RecordRefusal", code: "PERMISSION_DENIED", operation: "POST /orders", count: 3 },
  });
  const work = { work: "loss_accepted", subject: "entries", before: "1", after: "2" } as const;
  life.give(system, { type: "RecordMaintenance", ...work, reason });
  life.give(system, { type: "BeginTerm", storage: "managed" });

  // A year passes: of words, orders, requests and approvals nothing is left.
  fill();
  life.give(olga.actor, { type: "RevokeKeys", accountId: newcomer.id });
  life.runTo(world.nowMillis + 20 * DAY);
  fill();
  life.runTo(Date.UTC(2025, 9, 20));
  clear();
  fill();
  const ends = Math.floor(world.nowMillis / 1000) + 60;
  const accreditation = { basis: "test", evidenceId: "ev-1", expiresAtSeconds: ends };
  const approved = decision(accountId, "approve", "institutional", true);
  life.give(root, { ...approved, accreditation } as CommandOf<"DecideKyc">);
  life.runTo(world.nowMillis + DAY);
  life.runTo(world.nowMillis + 366 * DAY);
  life.give(system, { type: "UpgradeRules", version: DECIDER_VERSION + 1 });
  return { found: life.found, unit };
}

/** Holders of a market, and orders that wait in it, each of an account of its own. */
function withHolders(life: CountedLife, main: Listing, maker: Trader, others: number): void {
  const sold = order(main, "SELL", String(others + 1), "0.5");
  life.act(maker.actor, { type: "PlaceOrder", order: sold, listing: null });
  for (let at = 0; at < others; at += 1) life.another(`holder-${at}`, main, main);
}

/** Markets of many holders: stopped, awaited, met in an auction, void, settled, doubted, paid. */
export function lifeOfMarkets(others: number): Life {
  const life = new CountedLife();
  const { world } = life;
  const [maker, me] = [world.trader("maker", "1000000000"), world.trader("me", "1000000000")];
  const two = [world.open("olga", "operator"), world.open("otto", "operator")] as const;
  const [olga] = two;
  for (const one of two) world.giveBond(one);
  world.nowMillis += 60_000;
  const main = life.market(maker);
  const unit = life.unit(me, main);
  const listings = life.listed(maker, me, LEGS);
  const first = listings[0] ?? assert.fail();
  const other = world.listing("2025-10", { kind: "binary", strikeBps: 500 });
  const placed = (who: Trader, listing: Listing, side: "BUY" | "SELL", price: string, more = {}) =>
    life.act(who.actor, {
      type: "PlaceOrder",
      order: order(listing, side, "1", price, more),
      listing: world.state.markets.has(listing.marketId) ? null : listing,
    });
  placed(maker, other, "SELL", "0.9");
  for (const listing of [main, other]) withHolders(life, listing, maker, others);
  const { marketId } = main;

  life.give(olga.actor, { type: "PauseMarket", marketId, reason });
  life.give(olga.actor, { type: "ResumeMarket", marketId, reason });
  const fresh = world.listing("2025-10", level);
  life.give(olga.actor, { type: "ListMarket", listing: fresh, frontendId: null });
  const states = Array.from({ length: PLACES }, (_, at) => ({ ...placeOf(at) }));
  life.give(olga.actor, { type: "LoadGeo", nodes: states, sha256: "ab" });
  placed(maker, first, "SELL", "0.95");
  placed(me, first, "BUY", "0.95");
  const stray = [...world.state.strays.keys()].at(-1) ?? assert.fail("a fill is off the reference");
  life.giveInTwo(two, { type: "BustFill", fillId: stray, reason });
  life.give(olga.actor, { type: "CancelMarket", marketId: other.marketId, reason });
  life.give(olga.actor, { type: "WithdrawVoid", marketId: other.marketId, reason });
  life.giveInTwo(two, { type: "CancelMarket", marketId: other.marketId, reason });

  // Fills that nobody may bust any more leave with the next fill: not with one that is counted.
  life.runTo(world.nowMillis + DAY);
  placed(maker, first, "SELL", "0.06");
  placed(me, first, "BUY", "0.06");

  // A window: orders that go, and orders that wait for its auction in every market.
  for (const listing of listings) placed(me, listing, "BUY", "0.01", { cancelOnRelease: true });
  const file = { index: "zhvi", releaseId: releaseId("rel-seen") } as const;
  life.give(system, { type: "AwaitRelease", ...file });
  life.runTo(world.nowMillis + 1);
  for (const listing of listings) {
    placed(maker, listing, "SELL", "0.06");
    placed(me, listing, "BUY", "0.06");
  }
  life.give(system, { type: "ForgetAwaited", ...file });
  life.runTo(world.nowMillis + DAY);
  life.give(olga.actor, { type: "OpenWindow", index: "zhvi", reason });
  for (const listing of listings) {
    placed(maker, listing, "SELL", "0.06");
    placed(me, listing, "BUY", "0.06");
  }
  life.runTo(world.nowMillis + 2 * DAY);

  // The print of their month settles all of them.
  life.runTo(Date.UTC(2025, 10, 10));
  const seen = world.observe("2025-10", "240000");
  const more = Array.from({ length: PLACES }, (_, at) => ({ ...seen, nodeId: placeOf(at).id }));
  const observations = [seen, ...more.map((one) => ({ ...one, backfill: true, link: null }))];
  life.give(root, world.release(...observations));
  life.give(system, publishMarks([]));
  const about = { marketId, reason, evidence: null };
  life.give(maker.actor, { type: "OpenDispute", ...about });
  const amended = {
    decision: "amend",
    valueE15: parsePrintValue("250000") ?? assert.fail(),
  } as const;
  life.giveInTwo(two, { type: "DecideDispute", marketId, ...amended, evidence: "page 3" });
  life.give(maker.actor, { type: "OpenDispute", ...about, marketId: first.marketId });
  life.runTo(world.nowMillis + 20 * DAY);
  return { found: life.found, unit };
}

const placeOf = (at: number): GeoRecord => ({
  ...{ id: nodeId(`zip:${10_000 + at}`), level: "zip", name: `Zip ${at}`, stateCode: "TX" },
  ...{ fips: null, aliases: [], parentIds: [texas], housingUnits: 1, active: true },
  providerIds: [],
});

/** A market whose print does not come, and one that its sellers value. */
export function lifeOfFallbacks(others: number): Life {
  const sold = Array<string>(Math.min(SELLERS, Math.max(5, others))).fill("300");
  const world = new MarksStage(true, undefined, sold);
  const marks = new CountedLife(world);
  const { olga, otto } = world;
  const listing = { marketId: world.otherId } as Listing;
  const unit = marks.unit(world.bela, listing);
  const taken = { step: "cash", last: world.last } as const;
  marks.giveInTwo([olga, otto], settling(world.state, world.marketId, taken));
  for (const [at, seller] of world.sellers.entries()) {
    marks.give(seller.actor, { type: "GiveMark", marketId: world.marketId, valueTicks: 500 + at });
  }
  marks.runTo((world.market.markRound ?? assert.fail("marks are given")).closesAtMillis);

  const unprinted = new FallbackStage();
  const life = new CountedLife(unprinted);
  const maker = unprinted.trader("maker", "1000000000");
  const { terms } = unprinted.market;
  const main = { ...unprinted.listing("2025-08", terms.payoff), marketId: unprinted.marketId };
  withHolders(life, main, maker, others);
  life.runTo(DUE);
  return { found: new Map([...marks.found, ...life.found]), unit };
}

/** A seller in many markets who fails, and all who bid for what it has sold. */
export function lifeOfDefaults(others: number): Life {
  const life = new CountedLife();
  const { world } = life;
  const [maker, me] = [world.trader("maker", "1000000000"), world.trader("me", "200")];
  const main = life.market(maker);
  const unit = life.unit(maker, main);
  const bidders = Array.from({ length: Math.min(BIDDERS, others) }, (_, at) =>
    world.trader(`b-${at}`, "100000"),
  );
  const listings = life.listed(me, maker, LEGS);
  world.fund(me, micros(-150_000_000n));
  life.give(system, marked(listings, "0.5"));
  life.runTo(world.nowMillis + 1);
  life.runTo([...world.state.callsDue.keys()].at(-1) ?? assert.fail("a margin is called for"));
  const [id] = world.state.auctions.keys();
  const auction = { auctionId: id ?? assert.fail("what it has sold is auctioned") };
  for (const [at, { actor }] of bidders.entries()) {
    life.give(actor, { type: "PlaceBid", ...auction, amountMicros: micros(BigInt(1 + at)) });
  }
  const last = bidders.at(-1) ?? assert.fail();
  life.give(last.actor, { type: "WithdrawBid", ...auction });
  life.runTo(world.state.auctions.get(auction.auctionId)?.closesAtMillis ?? assert.fail());
  return { found: life.found, unit };
}

/** Files of many places: held back, let in, thrown out, and read again. */
export function lifeOfPlaces(others: number): Life {
  const life = new CountedLife();
  const { world } = life;
  const maker = world.trader("maker", "1000000000");
  const two = [world.open("olga", "operator"), world.open("otto", "operator")] as const;
  const [olga, otto] = two;
  world.nowMillis += 60_000;
  const main = life.market(maker);
  const unit = life.unit(maker, main);
  withHolders(life, main, maker, others);
  life.runTo(Date.UTC(2024, 11, 20));
  let places = 0;
  const fresh = (): NodeId => {
    places += 1;
    return placeOf(places).id;
  };
  const seen = { ...world.observe("2024-11", "290000"), link: null, backfill: true };
  const printed = (): readonly Observation[] =>
    Array.from({ length: PLACES }, () => ({ ...seen, nodeId: fresh() }));
  const moves = [{ code: "MOVE_TOO_LARGE", message: "It moves by 20 %." }];
  const [held, thrown] = [world.release(...printed()), world.release(...printed())];
  for (const { release } of [held, thrown]) {
    life.give(olga.actor, { type: "QuarantineRelease", release, reasons: moves });
  }
  life.give(olga.actor, { type: "ApproveRelease", releaseId: held.release.id });
  life.give(otto.actor, { ...held, fromQuarantine: true });
  life.give(olga.actor, { type: "RejectRelease", releaseId: thrown.release.id, reason });

  const accept = world.release(...printed());
  const { id } = accept.release;
  const [passed, refused] = [fresh(), fresh()];
  const heldPlaces = [passed, refused].map((nodeId) => ({
    ...{ nodeId, regionId: "54", reasons: moves },
    observations: [{ ...seen, nodeId }],
  }));
  life.give(root, { ...accept, release: { ...accept.release, held: 2 }, heldPlaces });
  const counted = {
    ...{ releaseId: id, firstPrints: 1, revisions: 0, unchanged: 0, rescaled: 0 },
    ...{ printsDigest: "digest", latestDigest: "digest" },
  };
  const readings = [{ ...counted, observations: [{ ...seen, nodeId: passed }] }];
  life.give(olga.actor, { type: "ApprovePlace", releaseId: id, nodeId: passed });
  life.give(otto.actor, { type: "ReleasePlace", releaseId: id, nodeId: passed, readings });
  const over = { type: "RejectPlace", releaseId: id, nodeId: refused, reason } as const;
  life.give(olga.actor, { ...over, readings: [] });
  const facts = { ...world.release(...printed()), heldPlaces: [] };
  life.give(root, { ...facts, release: { ...facts.release, unmatched: PLACES } });
  const { id: rereadId } = facts.release;
  life.give(olga.actor, { type: "LoadGeo", nodes: [], sha256: "cd", rereadDue: [rereadId] });
  const newest = printed().map((one) => ({ ...one, releaseId: rereadId, levelE12: null }));
  const reread = { type: "RereadReleases", index: "zhvi", level: "state" } as const;
  const releases = [{ ...counted, releaseId: rereadId, matched: PLACES, firstPrints: PLACES }];
  life.give(system, { ...reread, releases, newest });

  // Texas goes on under another id, which grew alike for two years.
  const renamed = world.release({ ...seen, nodeId: fresh() });
  life.give(root, { ...renamed, release: { ...renamed.release, unmatched: 1 } });
  const last = month("2024-10");
  const shared = Array.from({ length: MONTHS + 1 }, (_, at) => {
    const knownE15 = parsePrintValue(String(300_000 + 700 * at)) ?? assert.fail();
    return { month: addMonths(last, at - MONTHS), knownE15, givenE15: printValue(2n * knownE15) };
  });
  const map = { nodeId: texas, releaseId: renamed.release.id, from: "54", to: "1054" };
  const observations = [world.observe("2024-11", "580000", "600000")];
  life.give(olga.actor, { type: "RenamePlace", ...map, shared, observations });

  // Nobody else is left: root's word is carried out by itself, a day later.
  for (const { id: accountId } of two) life.act(root, { type: "RevokeKeys", accountId });
  life.act(root, openingOf("next", "operator", adminPermissions));
  life.runTo(world.nowMillis + 2 * DAY);
  return { found: life.found, unit };
}

/** A buyer on credit with many open orders who pays nothing. */
export function lifeOfDebts(others: number): Life {
  const life = new CountedLife();
  const { world } = life;
  const [maker, me] = [world.trader("maker", "1000000000"), world.trader("me", "1250")];
  world.lend("1000000");
  const main = life.market(maker);
  const unit = life.unit(maker, main);
  withHolders(life, main, maker, others);
  life.act(maker.actor, {
    type: "PlaceOrder",
    order: order(main, "SELL", "10000", "0.5"),
    listing: null,
  });
  life.act(me.actor, {
    type: "AcceptQuote",
    order: order(main, "BUY", "2000", "0.5", { timeInForce: "IOC" }),
    listing: null,
    structure: { kind: "installments", downPaymentBps: 1_000, months: 6, aprBps: 900 },
    referenceTick: tick("0.5"),
  });
  for (let at = 0; at < others; at += 1) {
    const bid = order(main, "BUY", "100", "0.01");
    life.act(me.actor, { type: "PlaceOrder", order: bid, listing: null });
  }
  // All its cash goes into more of the same: nothing is left for what falls due.
  for (let days = 0; days < 120; days += 30) {
    const affordable = Math.floor(Number(world.available(me)) / 520_000);
    const more = order(main, "BUY", String(Math.max(1, affordable)), "0.5");
    if (affordable > 0) life.act(me.actor, { type: "PlaceOrder", order: more, listing: null });
    life.runTo(world.nowMillis + 30 * DAY);
  }
  return { found: life.found, unit };
}
