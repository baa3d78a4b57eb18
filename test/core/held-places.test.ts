// One place of a release held back while the rest counts: what two operators' words, one's
// rejection, later releases, the fallback and a restart do to it, to its prints and its markets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, type ReleaseId, releaseId } from "#base/ids.ts";
import { printValue } from "#base/print-value.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import { apply } from "#core/apply.ts";
import { auditFacts } from "#core/audit.ts";
import type { Actor, CommandOf, PlaceReading } from "#core/command.ts";
import type { Observation } from "#core/records.ts";
import { wouldSettle } from "#core/settlement/would-settle.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { wordIn } from "#core/words/told.ts";
import { ExchangeView } from "#views/exchange.ts";
import { publicEvents } from "#views/public-events.ts";
import { settling } from "./fallback-stage.ts";
import { month, order, root, World } from "./world.ts";

const texas = nodeId("state:tx");
const ohio = nodeId("state:oh");
const reasons = [{ code: "MOVE_TOO_LARGE", message: "2024-11 moves by 20 % in a month." }];

const readingOf = (
  releaseId: ReleaseId,
  ...observations: readonly Observation[]
): PlaceReading => ({
  releaseId,
  firstPrints: observations.length,
  revisions: 3,
  unchanged: 2,
  rescaled: 1,
  printsDigest: `digest of ${observations.length}`,
  latestDigest: `digest of ${observations.length}`,
  observations,
});

/**
 * October printed of two states, protection of Texas in November sold; November's release brings
 * Ohio, and Texas a fifth lower, which is held.
 */
function held() {
  const world = new World();
  world.place = ohio;
  world.print("2024-10", "200000");
  world.place = texas;
  world.print("2024-10", "300000");
  const listing = world.listing("2024-11", { kind: "binary", strikeBps: 500 });
  const seller = world.trader("seller", "1000");
  const buyer = world.trader("buyer", "1000");
  world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "100", "0.05"), buyer);
  const operator = world.open("operator", "operator").actor;
  world.runTo(Date.UTC(2024, 11, 20));
  const fallen = world.observe("2024-11", "240000", "300000");
  world.place = ohio;
  const accept = world.release(world.observe("2024-11", "201000"));
  world.place = texas;
  const { id } = accept.release;
  const heldPlaces = [{ nodeId: texas, regionId: "54", reasons, observations: [fallen] }];
  const release = { ...accept.release, rows: 2, held: 1 };
  world.do(root, { ...accept, release, heldPlaces });
  const at = { releaseId: id, nodeId: texas } as const;
  const approve = { type: "ApprovePlace", ...at } as const;
  const take = { type: "ReleasePlace", ...at, readings: [readingOf(id, fallen)] } as const;
  const refuse = { type: "RejectPlace", ...at, reason: "a wrong row", readings: [] } as const;
  return { world, operator, listing, buyer, id, fallen, approve, take, refuse };
}

const statusOf = ({ world, listing }: ReturnType<typeof held>) =>
  world.state.market(listing.marketId).status;

const newestPointOf = (world: World) => world.state.chainPoints.get("zhvi|state:tx");

test("the rest of the release counts; the place has no print of it, and its market waits", () => {
  const here = held();
  const { world, id } = here;
  assert.equal(world.state.releases.get(id)?.held, 1);
  assert.equal(world.state.chainPoints.get("zhvi|state:oh")?.month, month("2024-11"));
  assert.equal(newestPointOf(world)?.month, month("2024-10"));
  assert.equal(statusOf(here), "ACTIVE");
  const [place, ...others] = world.state.heldPlaces.values();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [place?.nodeId, place?.releaseId, place?.reasons, world.state.words.size],
    [texas, id, reasons, 0],
  );
  const { prints = [] } = { prints: place?.observations };
  const [foretold] = wouldSettle(world.state.markets, "zhvi", prints);
  assert.equal(foretold?.market.id, here.listing.marketId);
  assert.equal(foretold?.settlement?.payoutMillionths, 1_000_000n);
});

test("a place is held for a reason, and in its own series of files alone", () => {
  const world = new World();
  world.nowMillis = Date.UTC(2026, 0, 20);
  const seen = { ...world.observe("2025-12", "7"), link: null, levelE12: null, backfill: false };
  const file = (variable: WeatherVariable) => {
    const command = world.release(seen);
    return { ...command, release: { ...command.release, index: "weather", variable } as const };
  };
  const holding = (why: typeof reasons) => {
    const place = { nodeId: texas, regionId: "54", reasons: why, observations: [seen] };
    return { ...file("heatingDegreeDays"), observations: [], heldPlaces: [place] };
  };
  world.do(root, holding(reasons));
  assert.equal(world.refused(root, file("heatingDegreeDays")).code, "PLACE_HELD");
  world.do(root, file("coolingDegreeDays"));
  assert.throws(() => world.do(root, holding([])), /state:tx is held for a reason/);
});

test("two different operators release it: the print is the release's, and settles", () => {
  const here = held();
  const { world, operator, id, fallen } = here;
  const waits = { code: "PLACE_HELD", details: { status: texas } };
  assert.deepEqual(world.refused(root, here.take), waits, "no word was given yet");
  world.do(root, here.approve);
  assert.equal(world.refused(root, here.approve).code, "RELEASE_SAME_OPERATOR");
  assert.equal(world.refused(root, here.take).code, "RELEASE_SAME_OPERATOR");
  assert.deepEqual(world.refused(operator, here.approve), waits);
  assert.equal(statusOf(here), "ACTIVE");

  world.nowMillis += 3_600_000;
  world.do(operator, here.take);
  assert.equal(world.state.heldPlaces.size, 0);
  const point = newestPointOf(world);
  assert.deepEqual(
    [point?.month, point?.valueE15, point?.levelE12, point?.releaseId],
    [fallen.month, fallen.valueE15, fallen.levelE12, id],
  );
  const { resolution, status } = world.state.market(here.listing.marketId);
  assert.equal(status, "RESOLVED");
  assert.deepEqual(
    [resolution?.outcome, resolution?.releaseId, resolution?.observedAtMillis],
    ["YES", id, world.nowMillis],
  );
  const release = world.state.releases.get(id) ?? assert.fail("no release");
  assert.equal("held" in release, false);
  assert.deepEqual(
    [release.firstPrints, release.revisions, release.unchanged, release.rescaled],
    [2, 3, 2, 1],
  );
  assert.deepEqual(release.resolvedMarkets, [here.listing.marketId]);
  assert.deepEqual(release.rereads, [
    {
      sequence: world.sequence,
      afterReleases: 3,
      printsDigest: "digest of 1",
      latestDigest: "digest of 1",
      place: { nodeId: texas, atMillis: world.nowMillis },
    },
  ]);
  assert.equal(world.refused(root, here.approve).code, "PLACE_NOT_HELD");
});

test("a print that was held is one since a level was listed before it was released", () => {
  const { world, operator, approve, take } = held();
  world.nowMillis += 1;
  world.successor = null;
  const payoff = { kind: "level", comparator: "lte", thresholdE15: printValue(1n) } as const;
  const listing = world.listing("2025-01", payoff);
  const { marketId } = listing;
  world.do(root, { type: "ListMarket", listing, frontendId: null });
  world.do(root, approve);
  world.nowMillis += 1;
  world.do(operator, take);
  const cancel = { type: "CancelMarket", marketId, reason: "why" } as const;
  assert.equal(world.refused(operator, cancel).code, "VOID_AFTER_PRINT");
});

/** A release for December in which Texas, still held, is left out. */
function december(here: ReturnType<typeof held>) {
  const { world } = here;
  world.runTo(Date.UTC(2025, 0, 20));
  world.place = ohio;
  const accept = world.release(world.observe("2024-12", "202000"));
  world.place = texas;
  const release = { ...accept.release, held: 1 };
  world.do(root, { ...accept, release });
  return release.id;
}

test("a later release brings the place nothing while it is held, whoever sends it", () => {
  const here = held();
  const { world } = here;
  world.runTo(Date.UTC(2025, 0, 20));
  const november = world.release(world.observe("2024-11", "299000", "300000"));
  const refused = { code: "PLACE_HELD", details: { status: texas } };
  assert.deepEqual(world.refused(root, november), refused);
  december(here);
  assert.equal(newestPointOf(world)?.month, month("2024-10"));
  assert.equal(statusOf(here), "ACTIVE");
});

test("released after a later release, each month is a print of the one that carried it", () => {
  const here = held();
  const { world, operator, id, fallen } = here;
  const next = december(here);
  world.do(root, here.approve);
  world.place = texas;
  const early = held();
  early.world.do(root, early.approve);
  early.world.do(early.operator, early.take);
  const then = early.world.observe("2024-12", "241000", "240000");
  const readings = [readingOf(id, fallen), { ...readingOf(next, then), latestDigest: "latest" }];
  world.do(operator, { ...here.take, readings });
  const digests = [id, next].map((one) => world.state.releases.get(one)?.rereads?.[0]);
  assert.deepEqual(
    digests.map((reread) => [reread?.printsDigest, reread?.latestDigest]),
    [
      ["digest of 1", "digest of 1"],
      ["digest of 1", "latest"],
    ],
  );
  assert.equal(newestPointOf(world)?.releaseId, next);
  assert.equal(world.state.market(here.listing.marketId).resolution?.releaseId, id);
  assert.equal(
    world.state.market(here.listing.marketId).resolution?.settledValueE15,
    early.world.state.market(early.listing.marketId).resolution?.settledValueE15,
  );
  assert.equal("held" in (world.state.releases.get(next) ?? {}), false);
});

test("rejected, the release does not count for the place: the next one carries its print", () => {
  const here = held();
  const { world, operator, id } = here;
  const next = december(here);
  const november = world.observe("2024-11", "301000", "300000");
  world.do(operator, { ...here.refuse, readings: [readingOf(next, november)] });
  assert.equal(world.state.heldPlaces.size, 0);
  assert.equal("held" in (world.state.releases.get(id) ?? {}), false);
  assert.equal(world.state.releases.get(id)?.rereads, undefined);
  const { resolution } = world.state.market(here.listing.marketId);
  assert.deepEqual([resolution?.outcome, resolution?.releaseId], ["NO", next]);
});

test("of two places that a release holds, one that is decided leaves the other held", () => {
  const here = held();
  const { world, operator } = here;
  world.runTo(Date.UTC(2025, 0, 20));
  world.place = ohio;
  const fallen = world.observe("2024-12", "150000");
  const { release } = world.release(fallen);
  const heldPlaces = [{ nodeId: ohio, regionId: "39", reasons, observations: [fallen] }];
  const facts = { ...release, firstPrints: 0, held: 2 };
  world.do(root, { type: "AcceptRelease", release: facts, observations: [], heldPlaces });
  world.place = texas;
  const november = world.observe("2024-11", "301000", "300000");
  const told = world.do(operator, { ...here.refuse, readings: [readingOf(release.id, november)] });
  assert.deepEqual(
    told.flatMap((event) => (event.type === "HeldPlaceChanged" ? [event.status] : [])),
    ["rejected"],
  );
  assert.equal(world.state.release(release.id).held, 1);
  assert.deepEqual(
    [...world.state.heldPlaces.values()].map(({ nodeId }) => nodeId),
    [ohio],
  );
});

test("a new reason in the same release, by the second word, holds the place there anew", () => {
  const here = held();
  const { world, operator, id, fallen } = here;
  world.do(root, here.approve);
  const unseen = [{ code: "UNIT_SLIP", message: "2024-11 is a tenth of what it was." }];
  const heldAnew = {
    ...{ releaseId: id, nodeId: texas, regionId: "54", reasons: unseen },
    observations: [fallen],
  };
  world.do(operator, { ...here.take, readings: [], heldAnew });
  const [place] = world.state.heldPlaces.values();
  assert.deepEqual([place?.reasons, world.state.words.size], [unseen, 0]);
  assert.equal(world.state.release(id).held, 1);
  assert.equal(statusOf(here), "ACTIVE");
  world.do(operator, here.approve);
  world.do(root, here.take);
  assert.equal(statusOf(here), "RESOLVED");
});

test("held anew in the next release, it waits there, and two words are needed again", () => {
  const here = held();
  const { world, operator, id } = here;
  const next = december(here);
  const again = world.observe("2024-11", "200000", "300000");
  const heldAnew = {
    releaseId: next,
    nodeId: texas,
    regionId: "54",
    reasons,
    observations: [again],
  };
  world.do(operator, { ...here.refuse, heldAnew });
  assert.equal(world.refused(root, here.approve).code, "PLACE_NOT_HELD", "not from there on");
  assert.equal(world.state.releases.get(next)?.held, 1);
  const at = { releaseId: next, nodeId: texas };
  world.do(root, { type: "ApprovePlace", ...at });
  assert.equal(statusOf(here), "ACTIVE");
  const readings = [readingOf(next, again)];
  world.do(operator, { type: "ReleasePlace", ...at, readings });
  assert.equal(world.state.market(here.listing.marketId).resolution?.releaseId, next);
  assert.notEqual(next, id);
});

test("held beyond the fallback, the market is void, and a later release moves no money", () => {
  const here = held();
  const { world, operator, buyer, listing } = here;
  world.runTo(Date.UTC(2025, 2, 20));
  const settle = settling(world.state, listing.marketId, { step: "void" });
  const waiting = wordIn("open", world.do(root, settle));
  world.agree(operator, waiting ?? assert.fail("a first word waits"));
  assert.equal(statusOf(here), "CANCELLED");
  const cash = world.cash(buyer);
  world.do(root, here.approve);
  world.do(operator, here.take);
  assert.equal(statusOf(here), "CANCELLED");
  assert.equal(world.cash(buyer), cash);
  assert.deepEqual(world.state.releases.get(here.id)?.resolvedMarkets, []);
  assert.equal(newestPointOf(world)?.month, month("2024-11"), "but the print is there");
  assert.equal(world.state.market(listing.marketId).resolution, null);
});

test("what does not fit the series, or leaves the release out, stops the node", () => {
  const here = held();
  const { world, operator, id, fallen } = here;
  world.do(root, here.approve);
  const [first] = world.state.releases.keys();
  assert.ok(first !== undefined);
  const release = (...readings: readonly PlaceReading[]): CommandOf<"ReleasePlace"> => ({
    ...here.take,
    readings,
  });
  const stops = (command: CommandOf<"ReleasePlace" | "RejectPlace">, why: RegExp) =>
    assert.throws(() => world.do(operator, command), why);
  stops(release(), /counts for state:tx, or not/);
  stops({ ...here.refuse, readings: [readingOf(id, fallen)] }, /counts for state:tx, or not/);
  const others = ["index", "level", "variable"] as const;
  const series = { index: "zori", level: "county", variable: "temperature" } as const;
  const later = others.map((which) => {
    const accept = world.release(world.observe("2024-10", "1"));
    const facts = { ...accept.release, [which]: series[which] };
    world.do(root, { ...accept, release: facts, observations: [] });
    return [which, facts.id] as const;
  });
  for (const [which, other] of [["an older one", first], ["twice", id], ...later] as const) {
    const out = /follows in the series that held state:tx/;
    const readings = [readingOf(id, fallen), readingOf(other)];
    assert.throws(() => world.do(operator, { ...here.take, readings }), out, which);
    const heldAnew = { releaseId: other, nodeId: texas, regionId: "54", reasons, observations: [] };
    stops({ ...here.take, readings: [readingOf(id, fallen)], heldAnew }, out);
  }
  const next = world.release(world.observe("2024-10", "1"));
  world.do(root, { ...next, observations: [] });
  const unheld = release(readingOf(id, fallen), readingOf(next.release.id));
  stops(unheld, /has a region whose place is held/);
});

test("a month that is not over, or that has its print, is no print of a place either", () => {
  const here = held();
  const { world, operator, id, fallen } = here;
  world.do(root, here.approve);
  const refused = (...prints: readonly Observation[]) =>
    world.refused(operator, { ...here.take, readings: [readingOf(id, ...prints)] });
  const early = refused(fallen, world.observe("2024-12", "241000", "240000"));
  assert.deepEqual(early, { code: "RELEASE_FROM_FUTURE", field: "publishedAt" });
  for (const prints of [[fallen, fallen], [world.observe("2024-10", "300001")]]) {
    assert.deepEqual(refused(...prints), { code: "PRINT_EXISTS", details: { status: texas } });
  }
});

test("traders cannot say it; a place or a release that is not there is not held", () => {
  const here = held();
  const { world } = here;
  const trader = world.open("trader", "trader").actor;
  for (const command of [here.approve, here.take, here.refuse]) {
    assert.equal(world.refused(trader, command).code, "NOT_OPERATOR", command.type);
    const unknown = { ...command, releaseId: releaseId("rel-none") };
    assert.equal(world.refused(root, unknown).code, "PLACE_NOT_HELD");
    assert.equal(world.refused(root, { ...command, nodeId: ohio }).code, "PLACE_NOT_HELD");
  }
});

test("views, snapshot, hash, replay, audit and stream agree at every step", () => {
  const here = held();
  const { world, operator, id } = here;
  const steps: readonly (readonly [Actor, Parameters<World["do"]>[1]])[] = [
    [root, here.approve],
    [operator, here.take],
  ];
  for (const [actor, command] of steps) {
    const folded = ExchangeView.from(new State());
    for (const entry of world.journal) folded.fold(entry);
    for (const view of [folded, ExchangeView.from(world.state)]) {
      assert.deepEqual(new Map(view.heldPlaces), world.state.heldPlaces);
      assert.deepEqual(new Map(view.releases), world.state.releases);
    }
    const copy = decodeState(encodeState(world.state));
    assert.deepEqual(copy.heldPlaces, world.state.heldPlaces);
    assert.equal(stateHash(copy), stateHash(world.state));
    world.do(actor, command);
  }
  const replayed = new State();
  for (const { envelope, outcome, sequence } of world.journal) {
    assert.deepEqual(apply(replayed, envelope, sequence), outcome);
  }
  assert.equal(stateHash(replayed), stateHash(world.state));

  const facts = world.journal.slice(-3).map(auditFacts);
  assert.deepEqual(
    facts.map(({ action, severity, resource }) => [action, severity, resource]),
    [
      ["release.accepted", "warning", id],
      ["place.approved", "info", texas],
      ["place.released", "info", texas],
    ],
  );
  assert.deepEqual(facts[0]?.details.heldPlaces, [{ nodeId: texas, reasons }]);
  assert.deepEqual(facts[2]?.details.prints, [
    { releaseId: id, month: "2024-11", value: "240000", backfill: false },
  ]);
  const last = world.journal.at(-1) ?? assert.fail("no entry");
  const shown = publicEvents(last, (release) => `from ${release}`).filter(
    ({ type }) => type === "prints",
  );
  const prints = [{ nodeId: texas, month: "2024-11", value: "240000", backfill: false }];
  const attribution = `from ${id}`;
  assert.deepEqual(shown, [{ type: "prints", releaseId: id, index: "zhvi", prints, attribution }]);
});
