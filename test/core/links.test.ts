// Releases that must be refused: months that are not over, links that contradict the chain.
// Invariant: the importer's mistake is refused by name; one of the exchange's own stops the node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { monthEndMillis } from "#base/month.ts";
import { chainLevelOf } from "#base/print-value.ts";
import type { Observation } from "#core/records.ts";
import { month, root, system, World } from "./world.ts";

/** October is the start of the chain; November's print hangs on it. */
function chained() {
  const world = new World();
  world.print("2024-10", "300000");
  world.nowMillis = Date.UTC(2024, 11, 20);
  return { world, seen: world.observe("2024-11", "330000") };
}

const higher = (level: Observation["levelE12"]) => chainLevelOf((level ?? 0n) + 1n);

test("a level that does not follow from its link stops the node", () => {
  const { world, seen } = chained();
  const command = world.release({ ...seen, levelE12: higher(seen.levelE12) });
  assert.throws(() => world.do(root, command), /follows from its link/);
  world.do(root, world.release(seen));
});

test("a level without a link stops the node, unless the chain starts there", () => {
  const { world, seen } = chained();
  const alone = { ...seen, link: null };
  assert.throws(() => world.do(root, world.release(alone)), /has a link/);
  world.do(root, world.release({ ...alone, levelE12: null }));
});

test("a link to the newest month says the level that stands there", () => {
  const { world, seen } = chained();
  assert.ok(seen.link !== null);
  const twice = chainLevelOf(2n * seen.link.levelE12);
  const link = { ...seen.link, levelE12: twice };
  const levelE12 = chainLevelOf(2n * (seen.levelE12 ?? 0n));
  const command = world.release({ ...seen, link, levelE12 });
  assert.throws(() => world.do(root, command), /is in the chain/);
});

test("a link to a month that is not the newest is taken as its release gives it", () => {
  const { world, seen } = chained();
  world.do(root, world.release(seen));
  world.nowMillis = Date.UTC(2025, 0, 20);
  const { link } = seen;
  assert.ok(link !== null);
  // December's release carries October, but not November: the chain goes on from October.
  const later = {
    ...world.observe("2024-12", "360000"),
    link,
    levelE12: chainLevelOf(12n * 10n ** 11n),
  };
  world.do(root, world.release(later));
  assert.equal(world.state.chainPoints.get("zhvi|state:tx")?.levelE12, 12n * 10n ** 11n);
});

test("a month is printed once it is over, not a millisecond before", () => {
  const { world, seen } = chained();
  const end = monthEndMillis(month("2024-11"));
  const release = () => {
    const command = world.release(seen);
    return { ...command, release: { ...command.release, publishedAtMillis: 0 } };
  };
  world.nowMillis = end - 1;
  const { code, ...rest } = world.refused(root, release());
  assert.equal(code, "RELEASE_FROM_FUTURE");
  assert.equal(rest.field, "publishedAt");
  world.nowMillis = end;
  world.do(root, release());
});

test("a release held or taken in was published by then", () => {
  const { world, seen } = chained();
  const { release, observations } = world.release(seen);
  const early = { ...release, publishedAtMillis: world.nowMillis + 1 };
  const reasons = [{ code: "UNIT_SLIP", message: "Everything is multiplied by 10." }];
  for (const command of [
    { type: "AcceptRelease", release: early, observations },
    { type: "QuarantineRelease", release: early, reasons },
  ] as const) {
    const { code, field } = world.refused(root, command);
    assert.deepEqual([code, field], ["RELEASE_FROM_FUTURE", "publishedAt"]);
  }
  assert.throws(
    () => world.do(root, { type: "QuarantineRelease", release, reasons: [] }),
    /is held for a reason/,
  );
});

test("a month a release brings twice, or that stands already, is refused with its place", () => {
  const { world, seen } = chained();
  for (const prints of [[seen, seen], [world.observe("2024-10", "1")]]) {
    const { code, details } = world.refused(root, world.release(...prints));
    assert.deepEqual([code, details], ["PRINT_EXISTS", { status: "state:tx" }]);
  }
});

test("places that come are due once, whatever is loaded after", () => {
  const { world } = chained();
  const [release] = world.state.releases.values();
  assert.ok(release !== undefined);
  const load = { type: "LoadGeo", nodes: [], sha256: "p", rereadDue: [release.id] } as const;
  const told = () => world.do(root, load).filter(({ type }) => type === "ReleaseChanged").length;
  assert.deepEqual([told(), told()], [1, 0]);
  const absent = { ...load, rereadDue: [world.release(world.observe("2024-11", "1")).release.id] };
  assert.throws(() => world.do(root, absent), /is accepted/);
});

test("a file that matched nothing when it was read again leaves its release as it was", () => {
  const { world } = chained();
  const [before] = world.state.releases.values();
  assert.ok(before !== undefined);
  const { id, index, level } = before;
  const load = { type: "LoadGeo", nodes: [], sha256: "p", rereadDue: [id] } as const;
  const counts = {
    firstPrints: 0,
    revisions: 0,
    unchanged: 0,
    rescaled: 0,
    printsDigest: "",
    latestDigest: "",
  };
  const part = { releaseId: id, matched: 0, ...counts };
  const reread = (more: object) => ({
    ...({ type: "RereadReleases", index, level, releases: [part], newest: [] } as const),
    ...more,
  });
  assert.throws(() => world.do(system, reread({})), /is due/, "nobody asked for it");
  world.do(root, load);
  for (const other of [{ index: "zori" }, { level: "zip" }, { variable: "temperature" }]) {
    assert.throws(() => world.do(system, reread(other)), /is due/);
  }
  world.do(system, reread({}));
  assert.deepEqual(world.state.releases.get(id), before);
});

test("as many regions may match as there were without a place", () => {
  const world = new World();
  const { release, observations } = world.release(world.observe("2024-10", "300000"));
  world.do(root, { type: "AcceptRelease", release: { ...release, unmatched: 2 }, observations });
  const { id, index, level } = release;
  world.do(root, { type: "LoadGeo", nodes: [], sha256: "p", rereadDue: [id] });
  const counts = {
    firstPrints: 0,
    revisions: 0,
    unchanged: 0,
    rescaled: 0,
    printsDigest: "",
    latestDigest: "",
  };
  const releases = [{ releaseId: id, matched: 2, ...counts }];
  world.do(system, { type: "RereadReleases", index, level, releases, newest: [] });
  assert.equal(world.state.releases.get(id)?.unmatched, 0);
});
