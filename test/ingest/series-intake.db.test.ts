// Vacancy and weather through the intake, on a real database: what counts as one series of files,
// what its first prints settle, and that a start shows the same. All files are made up.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type NodeId, nodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { formatMonth, type Month, monthEndMillis, parseMonth } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { formatPrintValue, parsePrintValue } from "#base/print-value.ts";
import type { Terms } from "#contract/terms.ts";
import { marketIdOf } from "#core/market/listing.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import type { AcceptedRelease, GeoRecord, QuarantinedRelease } from "#core/records.ts";
import type { Ingested } from "#ingest/releases/intake.ts";
import type { ReleaseMeta } from "#ingest/releases/sent-as.ts";
import { flatRisk } from "#test/core/publish-marks.ts";
import { climateFile, draw, textOf, vintageOf } from "./climate-file.ts";
import { calm, ratesOf, calmVacancy as vacancy } from "./hvs-file.ts";
import { IntakeWorld } from "./intake-world.ts";

const tx = nodeId("state:tx");
const us = nodeId("us");
const DAY_MILLIS = 86_400_000;

const month = (text: string): Month => parseMonth(text) ?? assert.fail(text);
const weekAfter = (text: string): number => monthEndMillis(month(text)) + 7 * DAY_MILLIS;

const fred = (...quarters: readonly (readonly [string, string])[]): string =>
  `DATE,RRVRUSQ156N\n${quarters.map((cells) => `${cells.join(",")}\n`).join("")}`;

const weather = (publishedAtMillis: number): ReleaseMeta => ({
  provider: "noaa",
  index: "weather",
  level: "state",
  publishedAtMillis,
});

const survey = (level: "state" | "metro", publishedAtMillis: number): ReleaseMeta => ({
  provider: "census",
  index: "vacancy",
  level,
  publishedAtMillis,
});

function accepted(answer: Ingested): AcceptedRelease {
  assert.ok("release" in answer, text(answer));
  assert.ok("resolvedMarkets" in answer.release, text(answer.release));
  return answer.release;
}

function held(answer: Ingested, ...codes: readonly string[]): QuarantinedRelease {
  assert.ok("release" in answer && "status" in answer.release, text(answer));
  assert.deepEqual(
    answer.release.reasons.map(({ code }) => code),
    codes,
    text(answer.release.reasons),
  );
  return answer.release;
}

function refused(answer: Ingested, code: string): void {
  assert.ok("refusal" in answer, text(answer));
  assert.equal(answer.refusal.code, code);
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === "bigint" ? String(field) : field));

/** A market on the level of an index at a place; what the exchange answers. */
async function list(world: IntakeWorld, index: IndexKind, node: NodeId, end: string, over: string) {
  const thresholdE15 = parsePrintValue(over) ?? assert.fail(over);
  const terms: Terms = {
    index,
    nodeId: node,
    measurementMonth: month(end),
    payoff: { kind: "level", comparator: "gte", thresholdE15 },
    baseline: null,
    rounding: "payout-millionths-down",
    fallback: "fallbacks-1",
    successor: null,
    methodologyVersion: "1",
    expectedAtMillis: monthEndMillis(month(end)) + 90 * DAY_MILLIS,
  };
  const mark = parseTick("0.5") ?? assert.fail("no tick");
  const marketId = marketIdOf(terms);
  const marks = { markTick: mark, stressedTick: mark, riskTicks: flatRisk(mark) };
  const listing: Listing = { marketId, terms, ...marks, within: [] };
  const result = await world.submit({ type: "ListMarket", listing, frontendId: null });
  assert.ok("outcome" in result);
  const { outcome } = result;
  return isRejected(outcome) ? outcome.rejection.code : marketId;
}

const newestOf = (world: IntakeWorld, index: IndexKind, node: NodeId): string => {
  const print = world.series.newest(index, node) ?? assert.fail(`${index} of ${node}`);
  return `${formatMonth(print.month)} ${formatPrintValue(print.valueE15)}`;
};

async function reopened(world: IntakeWorld, index: IndexKind): Promise<void> {
  const before = world.prints(index);
  await world.reopen();
  assert.deepEqual(world.prints(index), before, "a start shows the same");
}

async function weatherWorld(t: TestContext): Promise<IntakeWorld> {
  const world = await IntakeWorld.open(t);
  world.nowMillis = weekAfter("2004-08");
  return world;
}

test("each variable is a series of its own, whichever file comes first", async (t) => {
  const world = await weatherWorld(t);
  const cooling = vintageOf("coolingDegreeDays", "2004-08");
  const first = accepted(await world.send(cooling, weather(weekAfter("2004-08"))));
  assert.deepEqual(
    [first.variable, first.firstPrints, first.unmatched, first.rows],
    ["coolingDegreeDays", 50 * 15, 0, 50],
    "49 states and the nation, fifteen Julys",
  );
  const repeated = await world.send(cooling, weather(weekAfter("2004-08")));
  assert.ok("release" in repeated && "repeated" in repeated && repeated.repeated);

  assert.equal(await list(world, "weather", tx, "2005-03", "1"), "LISTING_STALE", "no such series");
  const cold = await list(world, "weather", tx, "2005-07", "100000");
  // It ends two months before the file that is known and was published before it.
  const heating = vintageOf("heatingDegreeDays", "2004-06");
  const second = accepted(await world.send(heating, weather(weekAfter("2004-06"))));
  assert.deepEqual(
    [second.variable, second.firstPrints, second.revisions, second.resolvedMarkets],
    ["heatingDegreeDays", 50 * 15, 0, []],
  );
  assert.ok(world.series.points("weather", tx).every(({ backfill }) => backfill));
  assert.match(newestOf(world, "weather", tx), /^2004-07 /);
  const warm = await list(world, "weather", tx, "2005-03", "0");
  await reopened(world, "weather");

  world.nowMillis = weekAfter("2005-03");
  const spring = vintageOf("heatingDegreeDays", "2005-03");
  const third = accepted(await world.send(spring, weather(weekAfter("2005-03"))));
  assert.deepEqual([third.firstPrints, third.unchanged], [50, 50 * 15]);
  assert.deepEqual(third.resolvedMarkets, [warm]);
  world.nowMillis = weekAfter("2005-08");
  const summer = vintageOf("coolingDegreeDays", "2005-08");
  const fourth = accepted(await world.send(summer, weather(weekAfter("2005-08"))));
  assert.deepEqual(fourth.resolvedMarkets, [cold]);
  const outcomes = [...world.view.markets.values()].map(({ resolution }) => resolution?.outcome);
  assert.deepEqual(outcomes.toSorted(), ["NO", "YES"]);
  await reopened(world, "weather");
  assert.equal(world.series.at("weather", us, month("2005-03"))?.backfill, false);

  const vintage = await world.intake.vintage(third.id, tx);
  assert.equal(vintage?.values.filter((value) => value !== null).length, 16);
  // Stale is what comes after a newer file of the same variable.
  held(
    await world.send(vintageOf("coolingDegreeDays", "2005-07"), weather(weekAfter("2005-07"))),
    "STALE_FILE",
  );
  const { rows } = await world.pool.query("SELECT DISTINCT release_id FROM print_latest");
  assert.equal(rows.length, 2, "newest values of each variable");
});

test("weather validation holds back: units, records, a month that is not over", async (t) => {
  const world = await weatherWorld(t);
  const year = vintageOf("temperature", "2003-12");
  const celsius = textOf(
    "temperature",
    new Map(
      [...draw("temperature")].map(([place, years]) => [
        place,
        years.map((months) =>
          months.map((value) =>
            value === null ? null : Math.round((value + 700 - 3200) / 18) * 10,
          ),
        ),
      ]),
    ),
  );
  world.nowMillis = weekAfter("2006-01");
  held(await world.send(celsius, weather(weekAfter("2005-08"))), "UNIT_SLIP");
  accepted(await world.send(year, weather(weekAfter("2003-12"))));
  held(await world.send(celsius, weather(weekAfter("2005-08"))), "UNIT_SLIP");
  // Only the year that is new has slipped.
  const slipped = vintageOf("temperature", "2004-12", 0.3);
  held(await world.send(slipped, weather(weekAfter("2004-12"))), "MOVE_TOO_LARGE");
  const early = weekAfter("2004-12") - 14 * DAY_MILLIS;
  held(await world.send(vintageOf("temperature", "2004-12"), weather(early)), "WRONG_MONTH");
  assert.match(newestOf(world, "weather", tx), /^2003-12 /);
  accepted(await world.send(vintageOf("temperature", "2004-11"), weather(weekAfter("2004-11"))));
  assert.match(newestOf(world, "weather", tx), /^2003-12 /, "eleven months are no year");
});

test("a quarter is a print in its last month; two quarters at once leave no gap", async (t) => {
  const world = await IntakeWorld.open(t);
  world.nowMillis = weekAfter("2016-08");
  const first = accepted(
    await world.send(vacancy("state", 2), survey("state", weekAfter("2016-07"))),
  );
  assert.deepEqual([first.firstPrints, first.unmatched], [51 * 14, 0]);
  assert.equal(first.variable, undefined);
  const rates = ratesOf("state", 1, 4);
  // Texas is the 44th of the states and the District in the order of their names.
  const texas = rates.map((quarter) => String(calm(quarter[43] ?? 0)));
  assert.equal(newestOf(world, "vacancy", tx), `2016-06 ${texas[13]}`);
  const autumn = await list(world, "vacancy", tx, "2016-09", "4.9");
  const winter = await list(world, "vacancy", tx, "2016-12", "9.1");

  world.nowMillis = weekAfter("2017-01");
  const both = accepted(
    await world.send(vacancy("state", 4), survey("state", weekAfter("2017-01"))),
  );
  assert.deepEqual([both.firstPrints, both.unchanged], [51 * 2, 51 * 14]);
  assert.deepEqual(both.resolvedMarkets.toSorted(), [autumn, winter].toSorted());
  assert.equal(newestOf(world, "vacancy", tx), `2016-12 ${texas[15]}`);
  await reopened(world, "vacancy");
  const shown = world.series.indexValue("vacancy", tx);
  assert.deepEqual(
    shown?.series.map(({ value }) => String(value)),
    texas.slice(-8),
  );
});

test("the nation's rate stands beside the states'; a level has one provider", async (t) => {
  const world = await IntakeWorld.open(t);
  world.nowMillis = weekAfter("2016-12");
  const nation = (publishedAtMillis: number): ReleaseMeta => ({
    provider: "fred",
    index: "vacancy",
    level: "nation",
    publishedAtMillis,
  });
  accepted(await world.send(vacancy("state", 2), survey("state", weekAfter("2016-07"))));
  const quarters = [
    ["2015-10-01", "7.0"],
    ["2016-01-01", "7.0"],
    ["2016-04-01", "6.7"],
  ] as const;
  const first = accepted(await world.send(fred(...quarters), nation(weekAfter("2016-08"))));
  assert.deepEqual([first.firstPrints, first.rows], [3, 1]);
  assert.equal(newestOf(world, "vacancy", us), "2016-06 6.7");
  const next = fred(...quarters, ["2016-07-01", "6.8"]);
  const second = accepted(await world.send(next, nation(weekAfter("2016-10"))));
  assert.deepEqual([second.firstPrints, second.unchanged], [1, 3]);
  assert.equal(world.series.newest("vacancy", us)?.backfill, false);
  await reopened(world, "vacancy");

  refused(
    await world.send(next, { ...nation(weekAfter("2016-10")), level: "state" }),
    "OTHER_PROVIDER",
  );
  refused(
    await world.send(next, { ...nation(weekAfter("2016-10")), level: "metro" }),
    "WRONG_LEVEL",
  );
  const sample = { ...survey("metro", weekAfter("2016-10")), provider: "sample" } as const;
  refused(await world.send(vacancy("metro", 2), sample), "OTHER_PROVIDER");
  const homes = { ...nation(weekAfter("2016-10")), provider: "zillow", index: "zhvi" } as const;
  refused(await world.send(next, homes), "WRONG_LEVEL");
  refused(
    await world.send(climateFile("temperature"), survey("metro", weekAfter("2016-10"))),
    "OTHER_PROVIDER",
  );
});

const place = (id: string, more: Partial<GeoRecord>): GeoRecord => ({
  id: nodeId(id),
  level: "county",
  name: id,
  stateCode: "TX",
  fips: null,
  aliases: [],
  parentIds: [],
  housingUnits: 0,
  active: true,
  providerIds: [],
  ...more,
});

test("a metro's rates go where they are mapped, unless that place has its own", async (t) => {
  const world = await IntakeWorld.open(t);
  world.nowMillis = weekAfter("2016-12");
  const county = place("county:48001", { providerIds: ["census:alderton-birch-falls-tx"] });
  const state = world.view.geo.get("state:ca") ?? assert.fail("no California");
  // With its own number: a place that a provider calls by another name only is another place.
  const both = { ...state, providerIds: ["census:06", "census:gum-springs-ca"] };
  await world.submit({ type: "LoadGeo", nodes: [county, both], sha256: "" });
  accepted(await world.send(vacancy("state", 2), survey("state", weekAfter("2016-07"))));
  const before = newestOf(world, "vacancy", nodeId("state:ca"));
  const metros = accepted(
    await world.send(vacancy("metro", 2), survey("metro", weekAfter("2016-07"))),
  );
  assert.deepEqual([metros.rows, metros.unmatched, metros.firstPrints], [6, 5, 14]);
  assert.match(newestOf(world, "vacancy", county.id), /^2016-06 /);
  assert.equal(newestOf(world, "vacancy", nodeId("state:ca")), before);
  await reopened(world, "vacancy");
});
