// The operators' queue over the real server: each kind of thing that waits, from the entry that
// brings it to the one that decides it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, nodeId, releaseId } from "#base/ids.ts";
import { parseMonth } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { chainLevel, firstLevel, parsePrintValue } from "#base/print-value.ts";
import type { Observation, ReleaseFacts } from "#core/records.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { order, type World } from "./world.ts";

const given = <T>(value: T | undefined): T => value ?? assert.fail("it is written rightly");

const START = Date.UTC(2024, 10, 20);
const iso = (millis: number): string => new Date(millis).toISOString();
const DAY = 86_400_000;

const april: ReleaseFacts = {
  id: releaseId("rel-april"),
  provider: "zillow",
  index: "zhvi",
  level: "state",
  publishedAtMillis: START,
  sha256: "b".repeat(64),
  rows: 1,
  firstMonth: given(parseMonth("2025-04")),
  lastMonth: given(parseMonth("2025-04")),
  firstPrints: 1,
  revisions: 0,
  unchanged: 0,
  rescaled: 0,
  unmatched: 0,
  methodologyVersion: "1",
  printsDigest: "",
  latestDigest: "",
};
const reasons = [{ code: "MOVE_TOO_LARGE", message: "2025-04 moves by 20 % in a month." }];

function print(place: string, value: string): Observation {
  const before = given(parsePrintValue("301234.5"));
  const valueE15 = given(parsePrintValue(value));
  const link = { month: given(parseMonth("2024-10")), valueE15: before, levelE12: firstLevel };
  const levelE12 = chainLevel(firstLevel, valueE15, before);
  const month = april.firstMonth;
  return { nodeId: nodeId(place), month, valueE15, levelE12, link, backfill: false, gaps: [] };
}

async function mark(world: World, id: string, price: string): Promise<void> {
  const tick = given(parseTick(price));
  const marks = [{ marketId: marketId(id), markTick: tick, stressedTick: tick }];
  await world.engine.submit({
    actor: { type: "system" },
    command: publishMarks(marks),
    requestId: "marks",
    idempotency: null,
  });
}

async function queue(world: PublicWorld, query = ""): Promise<unknown> {
  const { status, body } = await world.admin("GET", `queue${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const kindsIn = (body: unknown): readonly string[] =>
  listAt(body, "data").map((item) => textAt(item, "kind"));

/** The one item of the kind. */
async function only(world: PublicWorld, kind: string): Promise<unknown> {
  const items = listAt(await queue(world, `?kind=${kind}`), "data");
  assert.equal(items.length, 1, `one ${kind} waits`);
  return items[0];
}

test("everything that waits is in the queue until it is decided", async (t) => {
  const world = await PublicWorld.open(t);
  const { world: inner } = world;
  assert.deepEqual(kindsIn(await queue(world)), []);
  const ann = await inner.account("ann");
  const inquiry = await inner.post("/api/kyc/inquiry", ann.secret, { tier: "basic" });
  assert.equal(inquiry.statusCode, 200, inquiry.body);
  const kyc = await only(world, "kyc");
  assert.equal(textAt(kyc, "since"), iso(START));
  assert.equal(at(kyc, "firstWord"), null);
  assert.deepEqual([textAt(kyc, "account", "id"), textAt(kyc, "kyc", "tier")], [ann.id, "basic"]);

  const [voided, traded] = [await inner.market("300000"), await inner.market("320000")];
  const seller = await inner.trader("seller", "300");
  const buyer = await inner.trader("buyer", "5000");
  await mark(inner, traded, "0.4");
  const sale = order(traded, { side: "SELL", amount: "1000", price: 0.4 });
  await inner.post("/api/trading/orders", seller.secret, sale);
  await inner.post("/api/trading/orders", buyer.secret, { ...sale, side: "BUY" });
  const minute = async (): Promise<void> => {
    await world.admin("POST", "clock", { advanceSeconds: 60 });
  };

  await minute();
  await world.admin("POST", `markets/${voided}/cancel`, { reason: "listed by mistake" });
  const isVoid = await only(world, "void");
  assert.equal(textAt(isVoid, "market", "id"), voided);
  assert.equal(textAt(isVoid, "dueAt"), iso(START + 60_000 + 10 * DAY));
  assert.deepEqual(at(isVoid, "firstWord"), { by: "root", decision: "void", isYours: true });

  await minute();
  const second = await inner.account("second", "operator");
  await inner.account("third", "operator");
  const funding = await world.admin("POST", `accounts/${buyer.id}/funding`, { amount: "9000000" });
  assert.equal(funding.status, 202, JSON.stringify(funding.body));
  const proposal = await only(world, "proposal");
  assert.equal(textAt(proposal, "dueAt"), textAt(proposal, "proposal", "lapsesAt"));
  assert.equal(textAt(proposal, "firstWord", "decision"), textAt(proposal, "proposal", "action"));

  await minute();
  await mark(inner, traded, "0.7");
  const call = await only(world, "marginCall");
  assert.equal(textAt(call, "account", "id"), seller.id);
  assert.equal(textAt(call, "marginCall", "amount"), "25");
  assert.equal(textAt(call, "dueAt"), iso(START + 3 * 60_000 + DAY));

  await minute();
  const awaited = [print("state:tx", "310000")];
  await inner.root({ type: "QuarantineRelease", release: april, reasons, awaited });
  const before = await only(world, "release");
  assert.equal(at(before, "firstWord"), null);
  assert.deepEqual(
    listAt(before, "release", "wouldSettle").map((one) => at(one, "payoutFraction")),
    [1, 0],
    "the print is above one threshold and below the other",
  );
  await inner.root({ type: "ApproveRelease", releaseId: april.id });
  const word = { by: "root", decision: "approve" };
  assert.deepEqual(at(await only(world, "release"), "firstWord"), { ...word, isYours: true });
  const asSecond = await inner.get("/api/admin/queue?kind=release", second.secret);
  assert.deepEqual(asSecond.json().data[0].firstWord, { ...word, isYours: false });

  const all = await queue(world);
  assert.deepEqual(kindsIn(all), ["kyc", "void", "proposal", "marginCall", "release"]);
  assert.deepEqual(at(all, "pagination"), { page: 1, limit: 20, total: 5, hasMore: false });
  const none = { place: 0, download: 0, dispute: 0, default: 0, fallback: 0 };
  const one = { release: 1, kyc: 1, marginCall: 1, proposal: 1, void: 1 };
  assert.deepEqual(at(all, "counts"), { ...none, ...one });
  const paged = await queue(world, "?limit=2&page=2");
  assert.deepEqual(kindsIn(paged), ["proposal", "marginCall"]);
  assert.deepEqual(at(paged, "counts"), at(all, "counts"));

  await world.admin("POST", `releases/${april.id}/reject`, { reason: "withdrawn" });
  await world.admin("POST", `markets/${voided}/cancel-withdrawal`, { reason: "the right month" });
  await world.admin("POST", `proposals/${textAt(proposal, "proposal", "id")}/withdraw`);
  await world.admin("POST", `accounts/${ann.id}/kyc`, { decision: "reject" });
  await world.admin("POST", "clock", { advanceSeconds: 86_400 });
  assert.deepEqual(kindsIn(await queue(world)), ["default"]);
  const lost = await only(world, "default");
  assert.deepEqual(
    [textAt(lost, "account", "id"), textAt(lost, "inDefault", "auctionId")],
    [seller.id, "auc-1"],
  );
});

test("a disputed market and a held place wait, too", async (t) => {
  const world = await PublicWorld.open(t);
  const { world: inner } = world;
  const settled = await inner.market("300000");
  const [seller, buyer] = [await inner.trader("seller"), await inner.trader("buyer")];
  const sale = order(settled, { side: "SELL", amount: "1000", price: 0.4 });
  await inner.post("/api/trading/orders", seller.secret, sale);
  await inner.post("/api/trading/orders", buyer.secret, { ...sale, side: "BUY" });
  const printed = Date.UTC(2025, 4, 20);
  await inner.root({ type: "SetClock", toMillis: printed });
  const fallen = print("state:ca", "200000");
  const regionId = "9";
  const heldPlaces = [{ nodeId: fallen.nodeId, regionId, reasons, observations: [fallen] }];
  const observations = [print("state:tx", "310000")];
  await inner.root({
    ...{ type: "AcceptRelease", release: { ...april, held: 1 }, observations, heldPlaces },
  });
  const place = await only(world, "place");
  assert.equal(textAt(place, "place", "nodeId"), "state:ca");
  assert.equal(textAt(place, "since"), iso(printed));

  const claim = { reason: "the print reads otherwise", evidence: "https://example.com/print" };
  const opened = await inner.post(`/api/markets/${settled}/disputes`, seller.secret, claim);
  assert.equal(opened.statusCode, 200, opened.body);
  const dispute = await only(world, "dispute");
  assert.deepEqual(at(dispute, "dispute"), { openedBy: seller.id, ...claim, bond: "100" });
  assert.equal(textAt(dispute, "resolution", "marketId"), settled);
  assert.equal(textAt(dispute, "dueAt"), iso(printed + 10 * DAY));
  assert.equal(at(dispute, "firstWord"), null);
  const said = parsePrintValue("299000");
  const amend = { type: "DecideDispute", decision: "amend", valueE15: given(said) } as const;
  await inner.root({ ...amend, marketId: marketId(settled), evidence: null });
  const word = { by: "root", decision: "amend", amendTo: "299000", isYours: true };
  assert.deepEqual(at(await only(world, "dispute"), "firstWord"), word);
  await inner.second({ ...amend, marketId: marketId(settled), evidence: null });
  assert.deepEqual(kindsIn(await queue(world)), ["place"]);
});

test("a market whose print never came waits until its fallback is taken", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const later = { index: "zhvi", geoNodeId: "state:tx", comparator: "gte", threshold: "380000" };
  const market = { ...later, frontendId: "mkt-900", measurementMonth: "2025-04" };
  const listed = await world.admin("POST", "markets", market);
  assert.equal(listed.status, 200, JSON.stringify(listed.body));
  await world.admin("POST", "clock", { setTo: "2025-08-01T00:00:00Z" });
  const late = await only(world, "fallback");
  assert.equal(textAt(late, "market", "frontendId"), "mkt-900");
  assert.equal(textAt(late, "since"), textAt(late, "market", "fallbackSince"));
});

test("an inquiry for a higher tier waits from its own time", async (t) => {
  const world = await PublicWorld.open(t);
  const bob = await world.world.account("bob");
  const decide = (body: object) => world.admin("POST", `accounts/${bob.id}/kyc`, body);
  const inquire = () => world.world.post("/api/kyc/inquiry", bob.secret, { tier: "enhanced" });
  const screened = { sanctionsCleared: true, pepScreened: true, adverseMediaCleared: true };
  await decide({ decision: "approve", tier: "basic", ...screened });
  await world.admin("POST", "clock", { advanceSeconds: 60 });
  await inquire();
  const first = await only(world, "kyc");
  assert.equal(textAt(first, "since"), iso(START + 60_000));
  assert.equal(textAt(first, "kyc", "requestedTier"), "enhanced");
  await decide({ decision: "reject" });
  assert.deepEqual(kindsIn(await queue(world)), []);
  await world.admin("POST", "clock", { advanceSeconds: 60 });
  await inquire();
  assert.equal(textAt(await only(world, "kyc"), "since"), iso(START + 120_000));
  await decide({ decision: "approve", tier: "enhanced", ...screened });
  assert.deepEqual(kindsIn(await queue(world)), []);
});

test("the queue is for operators who may read, and refuses what it does not know", async (t) => {
  const world = await PublicWorld.open(t);
  const trader = await world.world.account("trader");
  const blind = await world.world.account("blind", "operator", ["admin:markets"]);
  for (const { secret } of [trader, blind]) {
    assert.equal((await world.world.get("/api/admin/queue", secret)).statusCode, 403);
  }
  for (const [query, field] of [
    ["kind=release,kyc", "kind"],
    ["limit=101", "limit"],
    ["page=0", "page"],
    ["status=open", "status"],
  ]) {
    const refused = await world.admin("GET", `queue?${query}`);
    assert.deepEqual([refused.status, at(refused.body, "error", "field")], [400, field], query);
  }
});
