// Places that come after the releases that carry them: they get what they would have had from the
// start, once, whatever breaks off in between; and what stood is left alone.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nodeId, type ReleaseId } from "#base/ids.ts";
import { rereadKey } from "#ingest/series.ts";
import { IntakeWorld, zipFile, zipPlaces } from "./intake-world.ts";
import { between, randomFrom } from "./wide-file.ts";

const MONTHS = 40;
const REGIONS = 24;

/** Regions with a path of their own; some begin late, some have gaps. */
function paths(seed: number): Map<string, readonly string[]> {
  const random = randomFrom(seed);
  const all = new Map<string, readonly string[]>();
  for (let region = 0; region < REGIONS; region += 1) {
    let value = 100_000 + 400_000 * random();
    const from = region % 4 === 3 ? between(random, 0, 34) : 0;
    const cells = Array.from({ length: MONTHS }, (_, at) => {
      value *= 1 + 0.02 * (random() - 0.4);
      return at < from || random() < 0.05 ? "" : value.toFixed(1);
    });
    all.set(String(77_000 + region), cells);
  }
  return all;
}

/** The values published after `months`, times a factor, without the regions of a remainder. */
const release = (
  all: ReadonlyMap<string, readonly string[]>,
  months: number,
  factor = 1,
  without = -1,
): string => {
  const scaled = (cell: string) => (cell === "" ? "" : (Number(cell) * factor).toFixed(3));
  const lines = [...all]
    .filter((_, at) => at % 7 !== without)
    .map(([region, cells]) => [region, cells.slice(0, months).map(scaled)] as const);
  return zipFile(months, lines);
};

const all = paths(11);
const files = [
  release(all, 30),
  release(all, 31, 1.04, 2),
  release(all, 32, 0.97),
  release(all, 33, 1.01, 5),
];
const early = [...all.keys()].filter((_, at) => at % 3 === 0);
const middle = [...all.keys()].filter((_, at) => at % 3 === 1);
const late = [...all.keys()].filter((_, at) => at % 3 === 2);

async function take(world: IntakeWorld, from: number, to: number): Promise<void> {
  for (const [nth, file] of files.entries()) {
    if (nth >= from && nth < to) await world.accepted(file, 30 * nth);
  }
}

/** Every place was there from the start. */
async function expected(t: TestContext, upTo = files.length): Promise<IntakeWorld> {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(all.keys()));
  await take(world, 0, upTo);
  return world;
}

const countsOf = (world: IntakeWorld) =>
  [...world.view.releases.values()].map((accepted) => {
    const { id, rows, firstPrints, revisions, unchanged, rescaled, unmatched } = accepted;
    return { id, rows, firstPrints, revisions, unchanged, rescaled, unmatched };
  });

const chainPointsOf = (world: IntakeWorld) =>
  [...all.keys()].map((region) => world.view.chainPoint("zhvi", nodeId(`zip:${region}`)));

function same(found: IntakeWorld, wanted: IntakeWorld): void {
  assert.deepEqual(found.prints(), wanted.prints());
  assert.deepEqual(countsOf(found), countsOf(wanted));
  assert.deepEqual(chainPointsOf(found), chainPointsOf(wanted));
}

const dueIn = (world: IntakeWorld): readonly ReleaseId[] =>
  [...world.view.releases.values()].flatMap(({ id, rereadDue }) => (rereadDue ? [id] : []));

test("places that come late have the prints they would have had from the start", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(early));
  await take(world, 0, 2);
  const stood = world.prints();

  assert.equal(await world.load(zipPlaces(middle)), 2, "both releases have regions unmatched");
  await world.reread();
  assert.deepEqual(dueIn(world), []);
  await take(world, 2, 3);
  assert.equal(await world.load(zipPlaces(late)), 3);
  await world.reread();
  await take(world, 3, 4);

  same(world, await expected(t));
  for (const [month, print] of stood) assert.equal(world.prints().get(month), print, month);
  const shown = world.prints();
  await world.reopen();
  assert.deepEqual(world.prints(), shown, "a start shows the same");
  assert.deepEqual(dueIn(world), []);
  assert.equal((await world.stored()).latest, 1, "only the newest release keeps newest values");
});

test("history of a late place is backfill, later months are first prints", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  await take(world, 0, 3);
  assert.equal(world.prints().size, 0);
  await world.load(zipPlaces(all.keys()));
  await world.reread();
  const [first, second, third] = [...world.view.releases.keys()];
  const points = world.series.points("zhvi", nodeId("zip:77000"));
  const origin = new Map(points.map((point) => [point.releaseId, point.backfill]));
  assert.deepEqual(
    [...origin],
    [
      [first, true],
      [second, false],
      [third, false],
    ].filter(([id]) => points.some(({ releaseId }) => releaseId === id)),
  );
  assert.ok(origin.size > 1, "some month came later");
});

test("the next file is compared with what was read again", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(early));
  await take(world, 0, 3);
  await world.load(zipPlaces(all.keys()));
  await world.reread();
  await world.reopen();
  await take(world, 3, 4);
  same(world, await expected(t));
});

test("the same places again are nothing new, and nothing is read again for them", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(early));
  await take(world, 0, 2);
  assert.equal(await world.load(zipPlaces(early)), 0);
  await world.load(zipPlaces(all.keys()));
  await world.reread();
  const { sequence } = world.engine.status();
  const shown = world.prints();
  await world.reread();
  assert.equal(await world.load(zipPlaces(all.keys())), 0);
  assert.equal(world.engine.status().sequence, sequence + 1, "the load itself, and nothing else");
  assert.deepEqual(world.prints(), shown);
});

const breaks = {
  "before its entry": (world: IntakeWorld) =>
    world.reread(() => Promise.reject(new Error("the process ends here"))),
  "within a file": (world: IntakeWorld) => {
    const end = new AbortController();
    end.abort(new Error("the process ends here"));
    return world.reread(undefined, end.signal);
  },
} as const;

for (const [where, breakOff] of Object.entries(breaks)) {
  test(`broken off ${where}, it shows nothing, and a start does it again`, async (t) => {
    const world = await IntakeWorld.open(t, "zip");
    await world.load(zipPlaces(early));
    await take(world, 0, 3);
    const shown = world.prints();
    const stored = await world.stored();
    await world.load(zipPlaces(all.keys()));
    await assert.rejects(breakOff(world), /the process ends here/);
    assert.deepEqual(world.prints(), shown);
    assert.equal(dueIn(world).length, 3);

    await world.reopen();
    assert.deepEqual(await world.stored(), stored, "nothing staged is left");
    assert.deepEqual(world.prints(), shown);
    await world.reread();
    same(world, await expected(t, 3));
    assert.deepEqual(dueIn(world), []);
  });
}

test("a file that comes while places are read for waits for them", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(early));
  await take(world, 0, 3);
  await world.load(zipPlaces(all.keys()));
  const [, fourth] = await Promise.all([world.reread(), take(world, 3, 4)]);
  assert.equal(fourth, undefined);
  same(world, await expected(t));
});

test("places of a file that validation would hold whole are held, and it is said", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  const rents = new Map(
    [...all].map(([region, cells]) => [
      region,
      cells.map((cell) => (cell === "" ? "" : String(Number(cell) / 200))),
    ]),
  );
  const accepted = await world.take(release(rents, 30), 0);
  assert.ok("release" in accepted && !("status" in accepted.release), "nothing of it was matched");
  await world.load(zipPlaces(all.keys()));
  await world.reread();
  assert.equal(world.prints().size, 0);
  assert.match(world.told.join(), /zhvi by zip were read again: 0 places are new, 24 are held/);
  assert.deepEqual(dueIn(world), [], "nothing waits for them");
  const held = [...world.view.heldPlaces.values()];
  assert.equal(held.length, REGIONS);
  for (const { releaseId, reasons } of held) {
    assert.equal(releaseId, accepted.release.id);
    assert.match(reasons[0]?.message ?? "", /middle place's zhvi is 1\d\d\d, not 50000/);
  }
});

test("a start finds out that somebody changed what was read again", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(early));
  await take(world, 0, 1);
  await world.load(zipPlaces(all.keys()));
  await world.reread();
  const [id] = [...world.view.releases.keys()];
  assert.ok(id !== undefined);
  const changed = await world.pool.query(
    `UPDATE print_block SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1)
     WHERE release_id = $1`,
    [rereadKey(id, 1)],
  );
  assert.equal(changed.rowCount, 1);
  await assert.rejects(world.reopen(), /\+1 are not those that the journal accepted/);
});

test("a late place is judged beside the whole file that carries it", async (t) => {
  // Dearer than any middle place may be, and restated by more than one may.
  const dear = (months: number, factor: number): readonly string[] =>
    Array.from({ length: months }, (_, at) => (4_000_000 * factor * 1.004 ** at).toFixed(1));
  const with77999 = (months: number, factor: number): string =>
    zipFile(months, [
      ...[...all].map(([region, cells]) => [region, cells.slice(0, months)] as const),
      ["77999", dear(months, factor)],
    ]);
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(all.keys()));
  await world.accepted(with77999(30, 1), 0);
  await world.accepted(with77999(31, 1.4), 30);
  assert.equal(await world.load(zipPlaces(["77999"])), 2);
  await world.reread();
  assert.deepEqual(dueIn(world), [], world.told.join());
  assert.equal(world.series.points("zhvi", nodeId("zip:77999")).length, 31);
});

test("a late place that has slipped alone is held for itself", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  const slipping = (factor: number) =>
    [...all].map(([region, cells], at) => {
      const scaled = (cell: string) => (cell === "" ? "" : String(Number(cell) * factor));
      return [region, at === 2 ? cells.map(scaled) : cells] as const;
    });
  await world.load(zipPlaces(early));
  await world.accepted(zipFile(MONTHS, slipping(1)), 600);
  await world.accepted(zipFile(MONTHS, slipping(5)), 601);
  await world.load(zipPlaces(middle));
  await world.reread();
  assert.deepEqual(dueIn(world), [], "it is no reason against others");
  await world.load(zipPlaces(late));
  await world.reread();
  assert.match(world.told.join(), /8 places are new, 1 are held/);
  const [held, ...others] = world.view.heldPlaces.values();
  assert.deepEqual([held?.nodeId, others], [nodeId("zip:77002"), []]);
  assert.match(held?.reasons[0]?.message ?? "", /Known values are multiplied by 5/);
  assert.deepEqual(dueIn(world), [], "and no other place waits for it");
});
