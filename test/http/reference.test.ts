// The models' input for a place: whose momentum stands in, how far back, what ends a record.
// Invariant: a place's momentum is made of the nearest data there is, and of nothing older.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, releaseId } from "#base/ids.ts";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import { chainLevelOf, printValue } from "#base/print-value.ts";
import { climateRegionOf } from "#geo/climate-regions.ts";
import type { GeoLevel, GeoNode } from "#geo/node.ts";
import { builtInStates } from "#geo/states.ts";
import { GeoTree } from "#geo/tree.ts";
import { DEFAULT_PRICE_MODEL } from "#pricing/constants.ts";
import { featuresOf } from "#pricing/features.ts";
import { Reference } from "#quoting/reference.ts";
import { SeriesView } from "#views/series.ts";

const last = monthOf(2025, 6);

function place(id: string, level: GeoLevel, stateCode: string, housingUnits: number): GeoNode {
  return {
    id: nodeId(id),
    level,
    name: id,
    stateCode,
    fips: null,
    aliases: [],
    parentIds: [nodeId(`state:${stateCode}`)],
    housingUnits,
    active: true,
    providerIds: [],
  };
}

class Prints {
  readonly series = new SeriesView();
  readonly geo = GeoTree.builtIn();
  readonly reference = new Reference(this.series, () => this.geo, DEFAULT_PRICE_MODEL);

  /** Months that end in 2025-06 and grow by this rate a year throughout. */
  grow(id: string, yearlyRate: number, months = 40): void {
    for (let at = 1 - months; at <= 0; at += 1) {
      this.#print("zhvi", id, addMonths(last, at), Math.exp((yearlyRate * at) / 12));
    }
  }

  print(index: "vacancy" | "weather", id: string, month: Month, value: number): void {
    this.#print(index, id, month, value, null);
  }

  #print(
    index: "zhvi" | "vacancy" | "weather",
    id: string,
    month: Month,
    value: number,
    levelE12: ReturnType<typeof chainLevelOf> | null = chainLevelOf(
      BigInt(Math.round(1e12 * value)),
    ),
  ): void {
    const valueE15 = printValue(BigInt(Math.round(1e6 * value)) * 1_000_000_000n);
    const point = { month, valueE15, levelE12, releaseId: releaseId("rel-1"), backfill: true };
    this.series.extend(index, nodeId(id), [point]);
  }

  node(id: string): GeoNode {
    return this.geo.get(id) ?? assert.fail(`no place ${id}`);
  }

  momenta(id: string): readonly (number | undefined)[] {
    const input = this.reference.inputOf("zhvi", this.node(id));
    assert.ok(input !== undefined, `${id} has prints`);
    return [input.nation?.momentum, input.state?.momentum].map((momentum) =>
      momentum === undefined ? undefined : Math.round(1e6 * momentum) / 1e6,
    );
  }
}

test("momentum of nation and state: the median place of the finest level with enough", () => {
  const prints = new Prints();
  const put = (id: string, level: GeoLevel, code: string, rate: number): void => {
    prints.geo.put(place(id, level, code, 1_000_000 * rate));
    prints.grow(id, rate);
  };
  put("zip:78701", "zip", "TX", 0.02);
  put("zip:77001", "zip", "TX", 0.06);
  assert.deepEqual(prints.momenta("zip:78701"), [undefined, 0.04], "two are better than none");

  prints.grow("us", 0.07);
  prints.grow("state:tx", 0.03);
  assert.deepEqual(prints.momenta("zip:78701"), [0.07, 0.03], "own rows, where places are few");

  for (const [at, rate] of [0.01, 0.05, 0.09].entries()) {
    put(`county:4800${at}`, "county", "TX", rate);
  }
  assert.deepEqual(prints.momenta("zip:78701"), [0.07, 0.05], "three counties make a state");
  put("zip:75001", "zip", "TX", 0.5);
  assert.deepEqual(prints.momenta("zip:78701"), [0.07, 0.06], "three zips are finer");

  // Twenty zips make a nation: of 17 at 1 to 17 % and the three of Texas the middle two.
  for (let at = 1; at <= 16; at += 1) put(`zip:100${10 + at}`, "zip", "NY", at / 100);
  assert.deepEqual(prints.momenta("zip:78701"), [0.07, 0.06], "nineteen do not");
  put("zip:10027", "zip", "NY", 0.17);
  assert.deepEqual(prints.momenta("zip:78701"), [0.085, 0.06]);
});

test("growth over five years of nation and state goes with momentum", () => {
  const prints = new Prints();
  for (const [at, rate] of [0.01, 0.03, 0.08].entries()) {
    const id = `county:4800${at}`;
    prints.geo.put(place(id, "county", "TX", 0));
    prints.grow(id, rate, 80);
  }
  const input = prints.reference.inputOf("zhvi", prints.node("county:48000"));
  assert.ok(input !== undefined);
  const { g60S, g60N } = featuresOf(input);
  assert.deepEqual(
    [g60S, g60N].map((growth) => Math.round(1e6 * growth) / 1e6),
    [0.03, 0.03],
  );
  assert.equal(input.nation, undefined);
});

test("five years are read, and the features are those of the whole history", () => {
  const prints = new Prints();
  prints.grow("state:tx", 0.05, 300);
  const short = new Prints();
  short.grow("state:tx", 0.05, 61);
  const [long, five] = [prints, short].map(({ reference, geo }) => {
    const input = reference.inputOf("zhvi", geo.get("state:tx") ?? assert.fail());
    assert.ok(input !== undefined);
    assert.equal(input.logLevels.length, 61);
    return featuresOf(input);
  });
  assert.deepEqual(long, five);
});

test("a vacancy record is the unbroken quarters up to the newest", () => {
  const prints = new Prints();
  for (const back of [24, 21, 15, 12, 9, 6, 3, 0]) {
    prints.print("vacancy", "state:tx", addMonths(last, -back), 5 + back);
  }
  const record = prints.reference.levels.vacancyOf(prints.node("state:tx"));
  assert.deepEqual(record?.rates, [20, 17, 14, 11, 8, 5]);
  assert.equal(record?.print.month, last);
  assert.equal(prints.reference.levels.vacancyOf(prints.node("state:ny")), undefined);
  prints.print("vacancy", "state:tx", addMonths(last, 3), 4);
  const next = prints.reference.levels.vacancyOf(prints.node("state:tx"));
  assert.equal(next?.rates.length, 7, "nothing of the record before is kept");
});

test("a weather record is one window's unbroken years, beside its climate's", () => {
  const prints = new Prints();
  for (let year = 1950; year <= 2025; year += 1) {
    prints.print("weather", "state:tx", monthOf(year, 7), year);
    prints.print("weather", "state:tx", monthOf(year, 3), 1);
    if (year !== 2010) prints.print("weather", "state:la", monthOf(year, 7), year);
    if (year < 2025) prints.print("weather", "state:ok", monthOf(year, 7), year);
    prints.print("weather", "state:ny", monthOf(year, 7), year);
  }
  const record = prints.reference.levels.weatherOf(prints.node("state:tx"), monthOf(2027, 7));
  assert.ok(record !== undefined);
  assert.equal(record.print.month, monthOf(2025, 7));
  assert.deepEqual([record.season.values.at(0), record.season.values.at(-1)], [1966, 2025]);
  assert.deepEqual(
    record.season.region.map((years) => years.length),
    [60, 15],
    "Louisiana from 2011 on; Oklahoma lacks the year, New York the climate",
  );
  assert.equal(record.season.kind, "temperature");
  const none = prints.reference.levels.weatherOf(prints.node("state:tx"), monthOf(2027, 8));
  assert.equal(none, undefined);
});

test("every state has one climate region, and is in it", () => {
  for (const { stateCode } of builtInStates) {
    assert.ok(climateRegionOf(stateCode).includes(stateCode), stateCode);
  }
  const all = new Set(builtInStates.flatMap(({ stateCode }) => climateRegionOf(stateCode).join()));
  assert.equal(all.size, 11);
  const members = [...all].flatMap((codes) => codes.split(","));
  assert.deepEqual(members.sort(), builtInStates.map(({ stateCode }) => stateCode).sort());
});
