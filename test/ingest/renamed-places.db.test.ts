// A place that its provider goes on with under another id, on a real database: the map of two
// people, the prints of the new id, later files, a restart, and what is no rename.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nodeId, type ReleaseId } from "#base/ids.ts";
import { isRejected } from "#core/outcome.ts";
import { damagedPrints } from "#ingest/releases/verify.ts";
import { IntakeWorld, zipFile, zipPlaces } from "./intake-world.ts";

const REGIONS = 60;
const regions = Array.from({ length: REGIONS }, (_, at) => String(77_000 + at));
const moved = nodeId("zip:77007");
const OLD = "77007";
const NEW = "87007";

interface Under {
  readonly id: string;
  /** A factor on the values of the months from the tenth on. */
  readonly drift?: number;
}

/** The moved place under some ids, each on a scale of its own. */
function file(months: number, under: readonly Under[]): string {
  const scale = 1 + 0.01 * (months % 5);
  const cells = (place: number, own: number, drift = 1): string[] =>
    Array.from({ length: months }, (_, at) => {
      const value = 200_000 * (1 + place / 50) * 1.003 ** at * scale * own;
      return (at < 10 ? value : value * drift).toFixed(3);
    });
  const others = regions
    .filter((region) => region !== OLD)
    .map((region, place) => [region, cells(place, 1)] as const);
  const own = under.map(({ id, drift }, at) => [id, cells(7, 1 + at / 3, drift)] as const);
  return zipFile(months, [...others, ...own]);
}

const asOld = [{ id: OLD }];
const asNew = [{ id: NEW }];

async function taken(world: IntakeWorld, text: string, day: number): Promise<ReleaseId> {
  const answer = await world.take(text, day);
  assert.ok("release" in answer && !("status" in answer.release), JSON.stringify(answer));
  return answer.release.id;
}

async function opened(t: TestContext): Promise<IntakeWorld> {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(regions));
  await taken(world, file(30, asOld), 0);
  return world;
}

const printsOf = (world: IntakeWorld): readonly string[] =>
  [...world.prints()].filter(([name]) => name.startsWith(moved)).map(([, print]) => print);

const rename = (world: IntakeWorld, to = NEW) =>
  world.intake.renamePlace("zhvi", moved, to, world.submit);

async function codeOf(world: IntakeWorld, to = NEW): Promise<string | undefined> {
  const answer = await rename(world, to);
  assert.ok("decided" in answer && "outcome" in answer.decided);
  const { outcome } = answer.decided;
  return isRejected(outcome) ? outcome.rejection.code : undefined;
}

test("after two words the new id goes on with the chain, late or early", async (t) => {
  const [early, late, never] = [await opened(t), await opened(t), await opened(t)];
  for (const world of [early, late]) {
    const id = await taken(world, file(31, asNew), 30);
    assert.equal(world.view.releases.get(id)?.unmatched, 1);
    if (world === early) {
      assert.equal(await codeOf(world), undefined);
      await world.agreePlace(id, moved);
    }
    await taken(world, file(32, asNew), 60);
    if (world === late) {
      assert.equal(printsOf(world).length, 30, "the place has no print of an id nobody mapped");
      assert.equal(await codeOf(world), undefined);
      await world.agreePlace(id, moved);
    }
    await taken(world, file(33, asNew), 90);
    assert.equal(printsOf(world).length, 33);
    for (const release of world.view.releases.values()) assert.equal(release.unmatched, 0);
    const line = await world.intake.vintage(id, moved);
    assert.equal(line?.values.length, 31, "its line is the one of the new id");
    const [first] = world.view.releases.keys();
    assert.ok(first !== undefined);
    assert.equal((await world.intake.vintage(first, moved))?.values.length, 30);
  }
  for (const months of [31, 32, 33]) await taken(never, file(months, asOld), 30 * (months - 30));
  const levels = (world: IntakeWorld) => printsOf(world).map((print) => print.split(" ")[1]);
  assert.deepEqual(levels(early), levels(never), "the chain is as if the id had stayed");
  assert.deepEqual(printsOf(late), printsOf(early));
  const shown = early.prints();
  await early.reopen();
  assert.deepEqual(early.prints(), shown);
  assert.deepEqual(await damagedPrints(early.store, early.view.releases.values()), []);
  await taken(early, file(34, asNew), 120);
  assert.equal(printsOf(early).length, 34, "the map holds over a start");
});

test("the old id, come back for something else, prints nothing", async (t) => {
  const world = await opened(t);
  const id = await taken(world, file(31, asNew), 30);
  await rename(world);
  await world.agreePlace(id, moved);
  const both = await taken(world, file(32, [{ id: NEW }, { id: OLD, drift: 0.95 }]), 60);
  assert.equal(printsOf(world).length, 32);
  assert.equal(world.view.releases.get(both)?.unmatched, 1);
  assert.ok(world.view.heldPlaces.size === 0);
});

test("another region, one that exists, or one that grew otherwise is no rename", async (t) => {
  const world = await opened(t);
  await taken(world, file(31, [{ id: NEW, drift: 1.001 }]), 30);
  assert.equal(await codeOf(world), "RENAME_GROUNDS", "a month grew otherwise");
  assert.equal(await codeOf(world, "77008"), "RENAME_GROUNDS", "another place's id");
  assert.equal(await codeOf(world, "42424"), "RENAME_GROUNDS", "an id in no file");
  const here = await opened(t);
  await taken(here, file(31, [{ id: OLD }, { id: NEW }]), 30);
  assert.equal(await codeOf(here), "RENAME_GROUNDS", "the old id still prints");
});
