// One place that validation holds while its file is taken: its decision, however late that
// is, gives it the first prints it would have had, on a real database, through breaks and restarts.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nodeId, type ReleaseId } from "#base/ids.ts";
import type { Observation } from "#core/records.ts";
import { damagedPrints } from "#ingest/releases/verify.ts";
import { IntakeWorld, zipFile, zipPlaces } from "./intake-world.ts";

const REGIONS = 60;
const FIRST_MONTHS = 30;
const regions = Array.from({ length: REGIONS }, (_, at) => String(77_000 + at));
const resort = nodeId("zip:77007");
const other = nodeId("zip:77001");

/** The factor on the resort's values, from the month on. */
interface Jump {
  readonly from: number;
  readonly by: number;
}

/** Every release restates all values by its own constant; the resort jumps in some months. */
function file(months: number, jumps: readonly Jump[] = []): string {
  const scale = 1 + 0.01 * (months % 5);
  const lines = regions.map((region, place) => {
    const cells = Array.from({ length: months }, (_, at) => {
      const jumped = jumps.filter(({ from }) => at >= from).reduce((all, { by }) => all * by, 1);
      const factor = place === 7 ? jumped : 1;
      return (200_000 * (1 + place / 50) * 1.003 ** at * factor * scale).toFixed(3);
    });
    return [region, cells] as const;
  });
  return zipFile(months, lines);
}

const jump: Jump = { from: FIRST_MONTHS, by: 1.3 };
const back: Jump = { from: FIRST_MONTHS + 1, by: 1 / 1.3 };

async function opened(t: TestContext): Promise<IntakeWorld> {
  const world = await IntakeWorld.open(t, "zip");
  await world.load(zipPlaces(regions));
  await taken(world, file(FIRST_MONTHS), 0);
  return world;
}

async function taken(world: IntakeWorld, text: string, day: number): Promise<ReleaseId> {
  const answer = await world.take(text, day);
  assert.ok("release" in answer && !("status" in answer.release), JSON.stringify(answer));
  return answer.release.id;
}

const heldFrom = (world: IntakeWorld): readonly string[] =>
  [...world.view.heldPlaces.values()].map(({ nodeId: node, releaseId }) => `${node} ${releaseId}`);

const facts = (world: IntakeWorld) => ({
  prints: world.prints(),
  points: regions.map((region) => world.view.chainPoint("zhvi", nodeId(`zip:${region}`))),
  releases: [...world.view.releases.values()].map((release) => {
    const { id, firstPrints, revisions, unchanged, rescaled, unmatched, held } = release;
    return { id, firstPrints, revisions, unchanged, rescaled, unmatched, held };
  }),
});

const ofResort = (world: IntakeWorld): readonly string[] =>
  [...world.prints()].filter(([name]) => name.startsWith(resort)).map(([, print]) => print);

test("one place that moves by 30 % is held; the other fifty-nine are printed", async (t) => {
  const world = await opened(t);
  const before = world.prints();
  const id = await taken(world, file(31, [jump]), 30);
  assert.deepEqual(heldFrom(world), [`${resort} ${id}`]);
  const release = world.view.releases.get(id);
  assert.deepEqual([release?.held, release?.firstPrints, release?.rows], [1, 59, 60]);
  assert.equal(world.prints().size, before.size + 59);
  assert.equal(ofResort(world).length, FIRST_MONTHS, "in no table of prints");
  assert.equal(
    await world.intake.vintage(id, resort),
    undefined,
    "nor in what is shown of the file",
  );
  assert.notEqual(await world.intake.vintage(id, other), undefined);
  const shown = world.prints();
  await world.reopen();
  assert.deepEqual(world.prints(), shown);
  assert.deepEqual(heldFrom(world), [`${resort} ${id}`]);
});

test("approved, it has the first print the release carried; early or late, the same", async (t) => {
  const [early, late] = [await opened(t), await opened(t)];
  for (const world of [early, late]) {
    const id = await taken(world, file(31, [jump]), 30);
    if (world === early) await world.approvePlace(id, resort);
    await taken(world, file(32, [jump]), 60);
    await taken(world, file(33, [jump]), 90);
    if (world === late) {
      assert.equal(ofResort(world).length, FIRST_MONTHS, "no later release prints it meanwhile");
      assert.deepEqual(
        facts(world).releases.map(({ held }) => held),
        [undefined, 1, 1, 1],
      );
      await world.approvePlace(id, resort);
    }
    assert.equal(world.view.heldPlaces.size, 0);
  }
  assert.deepEqual(facts(late), facts(early));
  assert.equal(ofResort(late).length, 33);
  for (const world of [early, late]) {
    const shown = facts(world);
    await world.reopen();
    assert.deepEqual(facts(world), shown, "a start shows the same");
    assert.deepEqual(await damagedPrints(world.store, world.view.releases.values()), []);
    await taken(world, file(34, [jump]), 120);
  }
  assert.deepEqual(facts(late), facts(early), "and the next release is compared with the same");
  assert.equal((await late.stored()).latest, (await early.stored()).latest);
});

test("rejected, a release counts for all but the place; the next has its print", async (t) => {
  const world = await opened(t);
  const wrong = await taken(world, file(31, [jump]), 30);
  const next = await taken(world, file(32), 60);
  assert.deepEqual(heldFrom(world), [`${resort} ${wrong}`], "the earliest is to be decided");
  await world.rejectPlace(wrong, resort);
  assert.deepEqual(heldFrom(world), []);
  const last = ofResort(world).slice(FIRST_MONTHS);
  assert.equal(last.length, 2);
  assert.ok(
    last.every((print) => print.includes(next)),
    last.join(),
  );
  const rejectedFirst = await opened(t);
  await rejectedFirst.rejectPlace(await taken(rejectedFirst, file(31, [jump]), 30), resort);
  await taken(rejectedFirst, file(32), 60);
  assert.deepEqual(facts(world), facts(rejectedFirst), "whenever it is rejected");
  await world.reopen();
  assert.deepEqual(facts(world), facts(rejectedFirst));
});

test("rejected, and the next release says the same: the place is held there, anew", async (t) => {
  const world = await opened(t);
  const first = await taken(world, file(31, [jump]), 30);
  const second = await taken(world, file(32, [jump]), 60);
  await world.rejectPlace(first, resort);
  assert.deepEqual(heldFrom(world), [`${resort} ${second}`]);
  assert.equal(ofResort(world).length, FIRST_MONTHS);
  await world.approvePlace(second, resort);
  assert.equal(ofResort(world).filter((print) => print.includes(second)).length, 2);
});

test("approved, and the next release takes it back: held there, anew", async (t) => {
  const world = await opened(t);
  const first = await taken(world, file(31, [jump]), 30);
  const second = await taken(world, file(32, [jump, back]), 60);
  const third = await taken(world, file(33, [jump, back]), 90);
  await world.approvePlace(first, resort);
  assert.deepEqual(heldFrom(world), [`${resort} ${second}`]);
  assert.equal(ofResort(world).filter((print) => print.includes(first)).length, 1);
  await world.approvePlace(second, resort);
  assert.deepEqual(heldFrom(world), []);
  assert.equal(ofResort(world).filter((print) => print.includes(third)).length, 1);
});

test("a release held whole for its moves takes its places with it when released", async (t) => {
  const world = await opened(t);
  const everywhere = regions.map((region, place) => {
    const cells = Array.from({ length: 31 }, (_, at) =>
      (200_000 * (1 + place / 50) * 1.003 ** at * (at === 30 ? 1.2 : 1)).toFixed(3),
    );
    return [region, cells] as const;
  });
  const release = await world.accepted(zipFile(31, everywhere), 30);
  const seen = release.clearance?.reasons.map(({ code }) => code) ?? [];
  assert.ok(seen.includes("MOVE_TOO_LARGE"), seen.join());
  assert.equal(world.view.heldPlaces.size, 0);
  assert.equal(release.firstPrints, REGIONS);
});

test("a release let through for its age still holds a place that nobody has seen", async (t) => {
  const world = await opened(t);
  await taken(world, file(31), 60);
  const stale = await world.accepted(file(32, [{ from: 31, by: 1.3 }]), 30);
  assert.deepEqual(
    stale.clearance?.reasons.map(({ code }) => code),
    ["STALE_FILE"],
  );
  assert.deepEqual(heldFrom(world), [`${resort} ${stale.id}`]);
});

test("broken off before its entry, nothing is half done, and it can be said again", async (t) => {
  const world = await opened(t);
  const id = await taken(world, file(31, [jump]), 30);
  await taken(world, file(32, [jump]), 60);
  const [before, stored] = [facts(world), await world.stored()];
  const ends = () => Promise.reject(new Error("the process ends here"));
  await assert.rejects(world.approvePlace(id, resort, ends), /the process ends here/);
  assert.deepEqual(facts(world), before);
  await world.reopen();
  assert.deepEqual(await world.stored(), stored, "nothing staged is left");
  assert.deepEqual(facts(world), before);

  const whole = await opened(t);
  await whole.approvePlace(await taken(whole, file(31, [jump]), 30), resort);
  await taken(whole, file(32, [jump]), 60);
  const second = [...world.view.keys.values()].at(0)?.accountId ?? assert.fail("no operator");
  const key = [...world.view.keys.values()].at(0)?.id ?? assert.fail("no key");
  const answer = await world.intake.approvePlace(id, resort, second, (command) =>
    world.engine.submit({
      actor: { type: "key", accountId: second, keyId: key },
      command,
      requestId: "test",
      idempotency: null,
    }),
  );
  assert.ok("decided" in answer && "outcome" in answer.decided);
  assert.deepEqual(facts(world), facts(whole));
});

test("a late place that an old file holds is held alone, and can be approved", async (t) => {
  const late = await IntakeWorld.open(t, "zip");
  await late.load(zipPlaces(regions.filter((_, at) => at !== 7 && at !== 8)));
  const always = await IntakeWorld.open(t, "zip");
  await always.load(zipPlaces(regions));
  for (const world of [late, always]) {
    await taken(world, file(FIRST_MONTHS), 0);
    await taken(world, file(31, [jump]), 30);
    await taken(world, file(32, [jump]), 60);
  }
  assert.equal(await late.load(zipPlaces(regions)), 3);
  await late.reread();
  assert.match(late.told.join(), /2 places are new, 1 are held/);
  assert.deepEqual(heldFrom(late), heldFrom(always));
  assert.deepEqual(facts(late), facts(always), "as if they had been there from the start");
  assert.deepEqual(
    [...late.view.releases.values()].map(({ rereadDue }) => rereadDue),
    [undefined, undefined, undefined],
    "nothing stays due",
  );
  const [held] = late.view.heldPlaces.values();
  assert.ok(held !== undefined);
  for (const world of [late, always]) await world.approvePlace(held.releaseId, resort);
  assert.deepEqual(facts(late), facts(always));
  await late.reopen();
  assert.deepEqual(facts(late), facts(always));
});

test("a whole file that validation would hold holds each late place in it", async (t) => {
  const world = await IntakeWorld.open(t, "zip");
  const rents = (months: number): string => {
    const cells = Array.from({ length: months }, (_, at) => (1500 * 1.003 ** at).toFixed(3));
    return zipFile(months, [
      ["77000", cells],
      ["77001", cells],
    ]);
  };
  const first = await taken(world, rents(30), 0);
  const second = await taken(world, rents(31), 30);
  await world.load(zipPlaces(["77000", "77001"]));
  await world.reread();
  assert.equal(world.prints().size, 0);
  assert.equal(world.view.heldPlaces.size, 2);
  await world.rejectPlace(first, other);
  assert.equal(world.prints().size, 0, "nor does the next file bring it unseen");
  assert.ok(heldFrom(world).includes(`${other} ${second}`));
  await world.rejectPlace(second, other);
  await world.approvePlace(first, nodeId("zip:77000"));
  assert.equal(world.prints().size, 31);
  assert.equal(world.view.heldPlaces.size, 0);
  const counts = facts(world).releases.map(({ unmatched, held }) => [unmatched, held]);
  assert.deepEqual(counts, [
    [0, undefined],
    [0, undefined],
  ]);
  const shown = world.prints();
  await world.reopen();
  assert.deepEqual(world.prints(), shown);
});

test("what is observed of a held place is what the release carried", async (t) => {
  const world = await opened(t);
  await taken(world, file(31, [jump]), 30);
  const [held] = world.view.heldPlaces.values();
  const [print, ...others]: readonly Observation[] = held?.observations ?? [];
  assert.deepEqual(others, []);
  assert.equal(print?.backfill, false);
  assert.notEqual(print?.link, null);
  assert.match(
    held?.reasons[0]?.message ?? "",
    /moves by 30\.39 % in a month; one place may by 10 %/,
  );
});
