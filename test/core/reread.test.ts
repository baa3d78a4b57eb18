// Releases read once more for places that came later: what the core takes, and what it never does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { firstLevel } from "#base/print-value.ts";
import { apply } from "#core/apply.ts";
import { auditFacts } from "#core/audit.ts";
import type { CommandOf, NewestPrint } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { ExchangeView } from "#views/exchange.ts";
import { publicEvents } from "#views/public-events.ts";
import { order, root, system, World } from "./world.ts";

const harris = nodeId("county:48201");
const dallas = nodeId("county:48113");

/** Texas printed, with two regions nothing matched and so many held; a market waits. */
function unmatched(held?: number) {
  const world = new World();
  const first = world.release(world.observe("2024-10", "300000"));
  const facts = { ...first.release, unmatched: 2, ...(held === undefined ? {} : { held }) };
  world.do(root, { ...first, release: facts });
  const listing = world.listing("2024-12", { kind: "binary", strikeBps: 100 });
  const seller = world.trader("seller", "10000");
  world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  const { id } = first.release;
  world.do(root, { type: "LoadGeo", nodes: [], sha256: "places", rereadDue: [id] });
  return { world, listing, id, observation: world.observe("2024-10", "300000") };
}

function reread({ id, observation }: ReturnType<typeof unmatched>) {
  const part = {
    releaseId: id,
    matched: 1,
    firstPrints: 9,
    revisions: 3,
    unchanged: 2,
    rescaled: 1,
    printsDigest: "digest of the new prints",
    latestDigest: "digest of the new prints",
  };
  const print: NewestPrint = { ...observation, nodeId: harris, releaseId: id, link: null };
  const newest = [{ ...print, levelE12: null }];
  const level = "state";
  return {
    type: "RereadReleases",
    index: "zhvi",
    level,
    releases: [part],
    newest,
  } as const satisfies CommandOf<"RereadReleases">;
}

test("a release that is due is read again once, and counts as if the place had been there", () => {
  const here = unmatched();
  const { world, id } = here;
  assert.equal(world.state.releases.get(id)?.rereadDue, true);
  world.do(system, reread(here));
  const release = world.state.releases.get(id);
  assert.ok(release !== undefined);
  assert.equal(release.rereadDue, undefined);
  const { firstPrints, revisions, unchanged, rescaled, unmatched: left } = release;
  assert.deepEqual([firstPrints, revisions, unchanged, rescaled, left], [10, 3, 2, 1, 1]);
  assert.deepEqual(release.rereads, [
    {
      sequence: world.sequence,
      afterReleases: 1,
      printsDigest: "digest of the new prints",
      latestDigest: "digest of the new prints",
    },
  ]);
  assert.equal(world.state.chainPoints.get("zhvi|county:48201")?.releaseId, id);
  assert.throws(() => world.do(system, reread(here)), /is due/);
});

test("a place whose value validation holds is counted as held, beside those held before", () => {
  for (const [before, after] of [
    [undefined, 1],
    [2, 3],
  ] as const) {
    const here = unmatched(before);
    const { world, id, observation } = here;
    const reasons = [{ code: "UNIT_SLIP", message: "Everything is multiplied by 10." }];
    const facts = { nodeId: dallas, regionId: "978", reasons, observations: [observation] };
    const { releases, ...command } = reread(here);
    world.do(system, {
      ...command,
      releases: releases.map((part) => ({ ...part, held: 1 })),
      heldPlaces: [{ releaseId: id, ...facts }],
    });
    const release = world.state.release(id);
    assert.deepEqual([release.held, release.unmatched, release.firstPrints], [after, 0, 10]);
    const [place, ...others] = world.state.heldPlaces.values();
    assert.deepEqual(others, []);
    assert.deepEqual(place, {
      ...{ index: "zhvi", level: "state", ...facts },
      ...{ releaseId: id, heldAtMillis: world.nowMillis },
    });
  }
});

test("more held places than regions without a place stop the node", () => {
  const here = unmatched();
  const { releases, ...command } = reread(here);
  const many = { ...command, releases: releases.map((part) => ({ ...part, held: 2 })) };
  assert.throws(() => here.world.do(system, many), /unmatched regions/);
});

test("nothing settles by it, and no money moves", () => {
  const here = unmatched();
  const { world, listing } = here;
  const balances = new Map(world.state.ledger);
  const market = world.state.market(listing.marketId);
  const events = world.do(system, reread(here));
  const kinds = new Set(events.map(({ type }) => type));
  assert.deepEqual([...kinds].sort(), ["FrontierMoved", "ReleaseChanged"]);
  assert.deepEqual(world.state.market(listing.marketId), market);
  assert.deepEqual(world.state.ledger, balances);
});

test("a place that has a print keeps it: a second beginning stops the node", () => {
  const here = unmatched();
  const { world } = here;
  const command = reread(here);
  const texas = command.newest.map((print) => ({ ...print, nodeId: nodeId("state:tx") }));
  assert.throws(
    () => world.do(system, { ...command, newest: texas }),
    /state:tx has no print of zhvi yet/,
  );
});

test("more regions than were unmatched, or a level that does not follow, stop the node", () => {
  const here = unmatched();
  const command = reread(here);
  const many = command.releases.map((part) => ({ ...part, matched: 3 }));
  assert.throws(() => here.world.do(system, { ...command, releases: many }), /unmatched regions/);
  const unlinked = command.newest.map((print) => ({
    ...print,
    levelE12: firstLevel,
    backfill: false,
  }));
  const again = unmatched();
  assert.throws(() => again.world.do(system, { ...command, newest: unlinked }), /has a link/);
});

test("files of another variable are another series: none of theirs is due", () => {
  const here = unmatched();
  const command = { ...reread(here), variable: "temperature" } as const;
  assert.throws(() => here.world.do(system, command), /of zhvi by state is due/);
});

test("operators and traders cannot say it, the exchange alone can", () => {
  const here = unmatched();
  assert.equal(here.world.refused(root, reread(here)).code, "NOT_OPERATOR");
});

test("views, snapshot, replay and audit agree on it", () => {
  const here = unmatched();
  const { world } = here;
  world.do(system, reread(here));
  const folded = ExchangeView.from(new State());
  for (const entry of world.journal) folded.fold(entry);
  assert.deepEqual(new Map(folded.releases), world.state.releases);
  const copy = decodeState(encodeState(world.state));
  assert.equal(stateHash(copy), stateHash(world.state));
  const replayed = new State();
  for (const { envelope, outcome, sequence } of world.journal) {
    assert.deepEqual(apply(replayed, envelope, sequence), outcome);
  }
  const entry = world.journal.at(-1) ?? assert.fail("no entry");
  const [shown, ...others] = publicEvents(entry, (id) => `from ${id}`);
  const prints = [{ nodeId: harris, month: "2024-10", value: "300000", backfill: false }];
  const attribution = `from ${here.id}`;
  assert.deepEqual(others, []);
  assert.deepEqual(shown, {
    type: "prints",
    releaseId: here.id,
    index: "zhvi",
    prints,
    attribution,
  });
  const [loaded, last] = world.journal.slice(-2).map(auditFacts);
  assert.deepEqual(loaded?.details.rereadDue, [here.id]);
  assert.deepEqual(
    [last?.action, last?.resource, last?.actor],
    ["release.reread", "zhvi state", "system"],
  );
  assert.equal(last?.details.places, 1);
  assert.ok(world.journal.every(({ outcome }) => !isRejected(outcome)));
});
