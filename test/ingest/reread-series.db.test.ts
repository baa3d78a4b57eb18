// Places that come late to series of files that are not wide: metros of the vacancy survey, which
// an operator maps, and weather, each variable apart. All files are made up.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type NodeId, nodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { formatMonth, monthEndMillis, parseMonth } from "#base/month.ts";
import type { ReleaseMeta } from "#ingest/releases/sent-as.ts";
import { vintageOf } from "./climate-file.ts";
import { calmVacancy } from "./hvs-file.ts";
import { IntakeWorld } from "./intake-world.ts";

const DAY_MILLIS = 86_400_000;
const weekAfter = (text: string): number =>
  monthEndMillis(parseMonth(text) ?? assert.fail(text)) + 7 * DAY_MILLIS;

const survey = (level: "state" | "metro", publishedAtMillis: number): ReleaseMeta => ({
  provider: "census",
  index: "vacancy",
  level,
  publishedAtMillis,
});

const weather = (publishedAtMillis: number): ReleaseMeta => ({
  provider: "noaa",
  index: "weather",
  level: "state",
  publishedAtMillis,
});

const header = "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds";
const county = (fips: string, providerId: string): string =>
  `county:${fips},county,County ${fips},TX,,,state:tx,100,${providerId}`;
const state = (code: string, name: string, providerIds: string): string =>
  `state:${code},state,${name},${code.toUpperCase()},,,,100,${providerIds}`;
const table = (...rows: readonly string[]): string => [header, ...rows].join("\n");

async function take(world: IntakeWorld, file: string | Buffer, meta: ReleaseMeta): Promise<void> {
  world.nowMillis = Math.max(world.nowMillis, meta.publishedAtMillis);
  const answer = await world.send(file, meta);
  assert.ok("release" in answer && "resolvedMarkets" in answer.release, JSON.stringify(answer));
}

async function open(t: TestContext): Promise<IntakeWorld> {
  const world = await IntakeWorld.open(t);
  world.nowMillis = weekAfter("2004-06");
  return world;
}

const countsOf = (world: IntakeWorld) =>
  [...world.view.releases.values()].map((accepted) => {
    const { id, variable, firstPrints, revisions, unchanged, rescaled, unmatched } = accepted;
    return { id, variable, firstPrints, revisions, unchanged, rescaled, unmatched };
  });

function same(found: IntakeWorld, wanted: IntakeWorld, index: IndexKind, node: NodeId): void {
  assert.deepEqual(found.prints(index), wanted.prints(index));
  assert.ok(wanted.prints(index).size > 0);
  assert.deepEqual(countsOf(found), countsOf(wanted));
  assert.deepEqual(found.view.chainPoint(index, node), wanted.view.chainPoint(index, node));
}

const texas = nodeId("state:tx");
const alderton = nodeId("county:48001");
const metro = "census:alderton-birch-falls-tx";
const metroPlaces = table(county("48001", metro));
/** With its own number: a place that a provider calls by another name only is another place. */
const california = state("ca", "California", "census:06|census:gum-springs-ca");

/** Two quarters at once at the end: nothing is skipped, though months lie between. */
async function quarters(world: IntakeWorld): Promise<void> {
  const vintages = [
    [1, "2016-04"],
    [2, "2016-07"],
    [4, "2017-01"],
  ] as const;
  for (const [count, published] of vintages) {
    await take(world, calmVacancy("metro", count), survey("metro", weekAfter(published)));
  }
}

test("a metro that is mapped late has the quarters it would have had from the start", async (t) => {
  const world = await open(t);
  await quarters(world);
  assert.equal(world.prints("vacancy").size, 0, "none is mapped");
  assert.equal(await world.load(table(county("48003", "zillow:9"))), 0, "no place of the survey's");
  assert.equal(await world.load(metroPlaces), 3);
  await world.reread();

  const early = await open(t);
  await early.load(metroPlaces);
  await quarters(early);
  same(world, early, "vacancy", alderton);
  const newest = world.view.chainPoint("vacancy", alderton);
  assert.deepEqual(newest && [formatMonth(newest.month), newest.gaps], ["2016-12", []]);
  const shown = world.prints("vacancy");
  await world.reopen();
  assert.deepEqual(world.prints("vacancy"), shown, "a start shows the same");
});

test("a metro mapped late to a place that has its own rates brings none", async (t) => {
  const world = await open(t);
  await take(world, calmVacancy("state", 2), survey("state", weekAfter("2016-07")));
  await quarters(world);
  const states = world.prints("vacancy");
  assert.equal(await world.load(table(california, county("48001", metro))), 3);
  await world.reread();
  const shown = world.prints("vacancy");
  for (const [print, value] of states) assert.equal(shown.get(print), value, print);
  const added = [...shown.keys()].filter((print) => !states.has(print));
  assert.equal(added.length, 16, "sixteen quarters");
  assert.ok(
    added.every((print) => print.startsWith(alderton)),
    added.join(),
  );
});

test("a state that comes late to weather gets each variable's prints", async (t) => {
  const files = [
    ["coolingDegreeDays", "2004-08"],
    ["heatingDegreeDays", "2005-03"],
    ["coolingDegreeDays", "2005-07"],
  ] as const;
  const publish = async (world: IntakeWorld): Promise<void> => {
    for (const [variable, last] of files) {
      await take(world, vintageOf(variable, last), weather(weekAfter(last)));
    }
  };
  const world = await open(t);
  await world.load(table(state("tx", "Texas", "noaa:999")));
  await publish(world);
  assert.deepEqual(
    countsOf(world).map(({ unmatched }) => unmatched),
    [1, 1, 1],
  );
  assert.equal(world.series.newest("weather", texas), undefined);
  assert.equal(await world.load(table(state("tx", "Texas", "noaa:041"))), 3);
  await world.reread();

  const early = await open(t);
  await publish(early);
  same(world, early, "weather", texas);
  assert.equal(world.told.length, 2, world.told.join(" "));
  const later = vintageOf("heatingDegreeDays", "2005-08");
  for (const each of [world, early]) await take(each, later, weather(weekAfter("2005-08")));
  same(world, early, "weather", texas);
});
