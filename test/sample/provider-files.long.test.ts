// The made-up provider's files: the same for a seed and a day, readable, and restated as real ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "#base/digest.ts";
import { addMonths, formatMonth, monthEndMillis } from "#base/month.ts";
import { printNumber } from "#base/print-value.ts";
import { layeredFraction } from "#contract/payoff.ts";
import { decideNode, type KnownNode, knownAfter } from "#prints/first-prints.ts";
import { expectedPublicationMillis, providers } from "#prints/release.ts";
import { HISTORY_MONTHS, RELEASES, type SampleRelease, sampleReleases } from "#sample/calendar.ts";
import { hierarchyFile } from "#sample/hierarchy.ts";
import { plots } from "#sample/plot.ts";
import { type SampleFile, SampleProvider } from "#sample/provider-files.ts";
import { regions } from "#sample/regions.ts";
import { METHOD_CHANGE } from "#sample/restatement.ts";
import { linesOf, type ReadRelease, readRegions, readReleases, todayMillis } from "./files.ts";

const allFiles = (seed: number, releases: readonly SampleRelease[]): readonly SampleFile[] => {
  const provider = new SampleProvider(seed);
  return releases.flatMap((release) => [...provider.files(release)]);
};

const digestOf = (seed: number, millis: number): string =>
  sha256Hex(
    allFiles(seed, sampleReleases(seed, millis))
      .map(({ text }) => sha256Hex(text))
      .join("\n"),
  );

/** Taken on Node 24, x64, 2026-11: another machine or version must come to the same bytes. */
const KNOWN_DIGEST = "e141f78b8e96c091dd39853c0301dde08c808e37c7e65221c2b17a1884bc1e75";

test("the same seed and day give the same bytes, another seed or month gives others", () => {
  const digest = digestOf(1, todayMillis);
  assert.equal(digest, digestOf(1, todayMillis));
  assert.equal(digest, KNOWN_DIGEST);
  assert.notEqual(digest, digestOf(2, todayMillis));
  assert.notEqual(digest, digestOf(1, todayMillis + 31 * 86_400_000));
});

test("a release's files are the same whichever releases were made before", () => {
  const releases = sampleReleases(1, todayMillis);
  const last = releases.slice(-1);
  assert.deepEqual(allFiles(1, last), allFiles(1, releases).slice(-10));
});

test("no real provider is named in a file", () => {
  const texts = [
    hierarchyFile(),
    ...allFiles(1, sampleReleases(1, todayMillis)).map((f) => f.text),
  ];
  const all = texts.join("\n").toLowerCase();
  for (const { id, name } of Object.values(providers)) {
    if (id !== "sample") assert.ok(!all.includes(id) && !all.includes(name.toLowerCase()), name);
  }
});

test("the importer reads every file, with twelve years and real gaps", async () => {
  const releases = await readReleases(1);
  assert.equal(releases.length, RELEASES);
  for (const { rows, firstMonth, lastMonth } of releases) {
    assert.equal(rows.size, 10);
    assert.equal(rows.get("zhvi|state")?.length, 51);
    for (const row of [...rows.values()].flat()) {
      assert.equal(row.history.firstMonth, firstMonth);
      assert.equal(row.history.values.length, lastMonth - firstMonth + 1);
    }
  }
  const newest = releases.at(-1);
  assert.ok(newest !== undefined);
  assert.equal(newest.lastMonth - newest.firstMonth + 1, HISTORY_MONTHS);
  const rows = [...newest.rows.values()].flat();
  assert.ok(rows.filter(({ history }) => history.values[0] === null).length >= 20, "late starts");
  const zoriZips = newest.rows.get("zori|zip") ?? [];
  assert.ok(zoriZips.filter(hasInteriorBlank).length >= 3, "interior blanks in rents");
  const counts = releases.map((release) => linesOf(release).size);
  assert.deepEqual([...new Set(counts)].length, 2, "a region is added once");
  assert.equal(missingNewest(releases).length, 1, "one newest month is missing once");
});

const hasInteriorBlank = ({ history: { values } }: { history: ReadRow["history"] }): boolean =>
  values.indexOf(
    null,
    values.findIndex((value) => value !== null),
  ) >= 0;

type ReadRow = ReturnType<typeof linesOf> extends Map<string, infer Row> ? Row : never;

/** Lines without a value for the release's own newest month. */
const missingNewest = (releases: readonly ReadRelease[]): string[] =>
  releases.flatMap((release) =>
    [...linesOf(release)].flatMap(([name, { history }]) =>
      history.values.at(-1) === null ? [`${release.number} ${name}`] : [],
    ),
  );

/** new/old of every month that two releases both give for a line. */
function ratios(old: ReadRow, fresh: ReadRow): number[] {
  return old.history.values.flatMap((value, at) => {
    const after = fresh.history.values[at];
    if (value === null || after === null || after === undefined) return [];
    return [printNumber(after) / printNumber(value)];
  });
}

const spreadOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

test("home values are restated by one constant a region, but for the method change", async () => {
  const releases = await readReleases(1);
  const changes: number[] = [];
  for (const [at, release] of releases.entries()) {
    const before = releases[at - 1];
    if (before === undefined) continue;
    let uneven = 0;
    let lines = 0;
    for (const [name, row] of linesOf(release)) {
      const old = linesOf(before).get(name);
      if (old === undefined || !name.startsWith("zhvi")) continue;
      const all = ratios(old, row);
      lines += 1;
      if (spreadOf(all) > 1e-12) uneven += 1;
      changes.push((all.at(-1) ?? 1) - 1);
    }
    assert.equal(uneven, at === METHOD_CHANGE ? lines : 0, `release ${at}`);
  }
  const deviation = Math.sqrt(changes.reduce((sum, one) => sum + one * one, 0) / changes.length);
  assert.ok(deviation > 0.006 && deviation < 0.02, `about one percent a release: ${deviation}`);
});

test("the method change revises yearly growth by half a point or more, widely", async () => {
  const releases = await readReleases(1);
  const [before, after] = [releases[METHOD_CHANGE - 1], releases[METHOD_CHANGE]];
  assert.ok(before !== undefined && after !== undefined);
  const revised = [...linesOf(before)].filter(([name, old]) => {
    const fresh = linesOf(after).get(name);
    if (fresh === undefined || !name.startsWith("zhvi")) return false;
    const all = ratios(old, fresh);
    return all.some((ratio, at) => Math.abs(ratio / (all[at - 12] ?? ratio) - 1) > 0.005);
  });
  assert.ok(revised.length > 100, `${revised.length} places`);
});

test("recent rents are revised a little at every release, old ones only rescaled", async () => {
  const releases = await readReleases(1);
  const [before, after] = [releases[8], releases[9]];
  assert.ok(before !== undefined && after !== undefined);
  for (const row of after.rows.get("zori|state") ?? []) {
    const old = linesOf(before).get(`zori|${row.regionId}`);
    assert.ok(old !== undefined);
    const all = ratios(old, row);
    assert.ok(spreadOf(all.slice(0, -12)) < 1e-12, `${row.regionName}: old rents`);
    const recent = spreadOf(all.slice(-12));
    assert.ok(recent > 1e-6 && recent < 0.02, `${row.regionName}: ${recent}`);
  }
});

/** The chained first prints of every line over all releases. */
function chainsOf(releases: readonly ReadRelease[]): Map<string, KnownNode> {
  const chains = new Map<string, KnownNode>();
  for (const release of releases) {
    for (const [name, row] of linesOf(release)) {
      const known = chains.get(name);
      const after = knownAfter(known, decideNode(known, row.history, true));
      if (after !== undefined) chains.set(name, after);
    }
  }
  return chains;
}

test("whatever the seed, the same protections pay and the others do not", async () => {
  // The one on rents waits for a file that is held back.
  const settled = plots.filter(
    ({ index, listedAfter, months }) => index === "zhvi" && listedAfter + months < RELEASES,
  );
  assert.equal(settled.length, 4);
  const places = settled.map(({ nodeId }) => regions.find((one) => one.nodeId === nodeId));
  const regionIds = places.flatMap((region) => region?.regionId ?? []);
  for (const seed of [1, 2, 42, 2026]) {
    const releases = await readRegions(seed, regionIds);
    const chains = chainsOf(releases);
    const paid = settled.flatMap((plot) => {
      const region = regions.find(({ nodeId }) => nodeId === plot.nodeId);
      const chain = chains.get(`${plot.index}|${region?.regionId}`);
      const month = releases[plot.listedAfter]?.lastMonth;
      assert.ok(chain !== undefined && month !== undefined);
      const from = chain.levels[month - chain.firstMonth] ?? null;
      const to = chain.levels[addMonths(month, plot.months) - chain.firstMonth] ?? null;
      assert.ok(from !== null && to !== null, `${plot.nodeId} has both months`);
      return layeredFraction(from, to, 500, 10_000) > 0n ? [plot.nodeId] : [];
    });
    assert.deepEqual(paid, ["zip:78701", "county:12071"], `seed ${seed}`);
  }
});

test("no month's growth within a release would look like a slip", async () => {
  for (const release of await readReleases(1)) {
    for (const [name, { history }] of linesOf(release)) {
      for (const [at, value] of history.values.entries()) {
        const before = history.values[at - 1];
        if (value === null || before === null || before === undefined) continue;
        const growth = printNumber(value) / printNumber(before) - 1;
        const month = formatMonth(addMonths(history.firstMonth, at));
        assert.ok(Math.abs(growth) < 0.05, `${name} ${month}: ${growth}`);
      }
    }
  }
});

test("on no day of a year is a print awaited at the start, nor for a day after it", () => {
  const start = Date.UTC(2026, 0, 1);
  for (let hour = 0; hour < 366 * 24; hour += 1) {
    const now = start + hour * 3_600_000;
    const newest = sampleReleases(1, now).at(-1);
    assert.ok(newest !== undefined);
    const next = expectedPublicationMillis("sample", addMonths(newest.lastMonth, 1));
    assert.ok(next > now + 86_400_000, `${new Date(now).toISOString()} waits for the next`);
    assert.ok(monthEndMillis(newest.lastMonth) < newest.publishedAtMillis);
  }
});

test("on any day the newest release is hours old, and every release follows its month", () => {
  const start = Date.UTC(2026, 0, 1);
  for (let hours = 0; hours < 400 * 24; hours += 11) {
    const now = start + hours * 3_600_000;
    const releases = sampleReleases(hours, now);
    assert.equal(releases.length, RELEASES);
    const newest = releases.at(-1)?.publishedAtMillis ?? 0;
    assert.ok(newest < now && newest > now - 72 * 3_600_000);
    for (const [at, { publishedAtMillis, lastMonth }] of releases.entries()) {
      const lateDays = (publishedAtMillis - monthEndMillis(lastMonth)) / 86_400_000;
      assert.ok(lateDays > 10 && lateDays < 60, `${formatMonth(lastMonth)}: ${lateDays} days`);
      const next = releases[at + 1];
      if (next === undefined) continue;
      assert.equal(next.lastMonth, lastMonth + 1);
      const windowEnds = publishedAtMillis + 80 * 3_600_000;
      assert.ok(next.publishedAtMillis > windowEnds, "a dispute window lies between releases");
    }
  }
});
