// Validation on every real vintage that can be read: all pass, in the order they came out, and each
// way of spoiling one is seen. The evidence for the limits in docs/concepts/releases.md. Where the
// providers' files are absent, made-up ones take the same way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { addMonths, monthEndMillis, monthOf } from "#base/month.ts";
import { printValue } from "#base/print-value.ts";
import { validatedKind } from "#ingest/releases/reading.ts";
import { openProviderFile } from "#ingest/sources/open-provider-file.ts";
import type { FileLevel } from "#ingest/sources/zillow-layout.ts";
import { decideNode, knownAfter, type MonthRow } from "#prints/first-prints.ts";
import { ReleaseValidation } from "#prints/release-validation.ts";
import { isGenuine, providerFile, sharedFile } from "./shared-data.ts";
import { changed, codes, type SentAs, Series, zillow } from "./validation-series.ts";
import { pieces } from "./wide-file.ts";

interface Chain {
  readonly index: "zhvi" | "zori";
  readonly level: FileLevel;
  readonly vintages: readonly string[];
  /** Places that jump as none of theirs did before: each is held alone, and for that. */
  readonly jumping: number;
}

const chains: readonly Chain[] = [
  {
    index: "zhvi",
    level: "state",
    vintages: ["2021-09", "2023-12", "2024-10", "2025-04", "2025-09"],
    // Across two methods: what was known is smoother than what came.
    jumping: 2,
  },
  { index: "zhvi", level: "metro", vintages: ["2024-10", "2024-11"], jumping: 0 },
  { index: "zori", level: "metro", vintages: ["2024-10", "2024-11"], jumping: 1 },
  { index: "zori", level: "county", vintages: ["2023-10", "2024-10", "2025-04"], jumping: 3 },
  { index: "zori", level: "city", vintages: ["2024-10", "2025-02"], jumping: 7 },
];

for (const { index, level, vintages, jumping } of chains) {
  test(`${index} ${level}: ${vintages.join(", ")} pass`, async () => {
    const series = new Series(zillow(index, level));
    const held: string[] = [];
    for (const vintage of vintages) {
      // The method of January 2023 lies between these two; the provider announced it.
      const isChanged = level === "state" && vintage === "2023-12";
      const bytes = providerFile(`${index}/${level}/${vintage}`);
      const passed = await series.take(bytes, isChanged);
      assert.deepEqual(passed.reasons, [], vintage);
      assert.equal(passed.isMethodChanged, isChanged, vintage);
      held.push(...passed.held);
    }
    assert.ok(
      held.every((place) => place.endsWith(" MOVE_TOO_LARGE")),
      held.join(),
    );
    assert.equal(held.length, isGenuine ? jumping : 0, held.join());
  });
}

const single: readonly (readonly [FileLevel, string])[] = [
  ["county", "zhvi/county/2018-01/County_Zhvi_AllHomes.csv.gz"],
  ["neighborhood", "zhvi/neighborhood/2018-01-bayarea/Neighborhood_Zhvi_AllHomes.csv.gz"],
  ["zip", "zhvi/zip/2025-07-sample10/Zillow_Home_Value_Index_sample.csv.gz"],
];

for (const [level, path] of single) {
  test(`${path} passes as a first release`, async () => {
    assert.deepEqual((await new Series(zillow("zhvi", level)).take(sharedFile(path))).reasons, []);
  });
}

test("units that slip are seen, against what is known and in a first file", async () => {
  const [old, fresh] = [providerFile("zhvi/state/2024-10"), providerFile("zhvi/state/2025-04")];
  for (const factor of [0.001, 0.1, 0.7, 1.5, 10]) {
    const series = new Series(zillow("zhvi", "state"));
    await series.take(old);
    const spoilt = await series.take(changed(fresh, (value) => value * factor));
    assert.deepEqual(codes(spoilt), ["UNIT_SLIP"], `times ${factor}`);
    assert.equal(spoilt.isMethodChanged, false, "a constant changes no growth");
  }
  for (const factor of [0.001, 0.1, 10]) {
    const first = await new Series(zillow("zhvi", "state")).take(
      changed(old, (value) => value * factor),
    );
    assert.deepEqual(codes(first), ["UNIT_SLIP"], `times ${factor}, first`);
  }
  const onePlace = new Series(zillow("zhvi", "state"));
  await onePlace.take(old);
  const slipped = await onePlace.take(
    changed(fresh, (value, row) => (row === 7 ? value * 10 : value)),
  );
  assert.deepEqual(codes(slipped), [], "one place of 51 holds no file");
  assert.deepEqual(slipped.held.length, 1);
  assert.match(slipped.held[0] ?? "", /UNIT_SLIP/);
});

test("rents sent as home values are seen, and home values sent as rents", async () => {
  for (const [index, other] of [
    ["zhvi", "zori"],
    ["zori", "zhvi"],
  ] as const) {
    const wrong = providerFile(`${other}/metro/2024-11`);
    const series = new Series(zillow(index, "metro"));
    await series.take(providerFile(`${index}/metro/2024-10`));
    assert.ok(codes(await series.take(wrong)).includes("UNIT_SLIP"), `${other} as ${index}`);
    const first = await new Series(zillow(index, "metro")).take(wrong);
    // The made-up rents have a season and no noise beside it.
    const also = index === "zhvi" && isGenuine ? ["NOT_SMOOTH"] : [];
    assert.deepEqual(codes(first), ["UNIT_SLIP", ...also], `${other} as the first ${index}`);
  }
});

test("one state that moves by 1.5 % in the new month is seen, one by .3 % is not", async () => {
  const old = providerFile("zhvi/state/2025-04");
  const fresh = providerFile("zhvi/state/2025-09");
  const last = fresh.toString().split("\n")[0]?.split(",").length ?? 0;
  for (const [factor, expected] of [
    [1.003, []],
    [1.015, ["MOVE_TOO_LARGE"]],
    [0.985, ["MOVE_TOO_LARGE"]],
  ] as const) {
    const series = new Series(zillow("zhvi", "state"));
    await series.take(old);
    const moved = changed(fresh, (value, row, at) =>
      row === 3 && at === last - 1 ? value * factor : value,
    );
    const passed = await series.take(moved);
    assert.deepEqual(codes(passed), [], `times ${factor}`);
    const why = passed.held.map((place) => place.split(" ")[1]);
    assert.deepEqual(why, expected, `times ${factor}`);
  }
});

test("one town of a file of rents is held where it moves by 30 %", async () => {
  const series = new Series(zillow("zori", "city"));
  await series.take(providerFile("zori/city/2024-10"));
  const lines = providerFile("zori/city/2025-02").toString().trimEnd().split("\n");
  const nth = lines.findIndex(
    (line, at) => at > Math.min(100, lines.length / 2) && Number(line.split(",").at(-1)) > 0,
  );
  const line = lines[nth] ?? "";
  const before = Number(line.split(",").at(-2));
  const jumped = lines.with(nth, line.replace(/[^,]*$/, String(before * 1.3)));
  const passed = await series.take(Buffer.from(`${jumped.join("\n")}\n`));
  assert.deepEqual(passed.reasons, []);
  const town = `city:${line.split(",")[0]} MOVE_TOO_LARGE`;
  assert.ok(passed.held.includes(town));
  assert.equal(passed.held.length, isGenuine ? 8 : 1, "seven others really jump");
});

test("a state file that misses three states is seen, one that misses two is not", async () => {
  const old = providerFile("zhvi/state/2025-04");
  const lines = providerFile("zhvi/state/2025-09").toString().trimEnd().split("\n");
  for (const [missing, expected] of [
    [2, []],
    [3, ["REGIONS_MISSING"]],
  ] as const) {
    const series = new Series(zillow("zhvi", "state"));
    await series.take(old);
    const cut = Buffer.from(`${lines.slice(0, -missing).join("\n")}\n`);
    assert.deepEqual(codes(await series.take(cut)), expected, `${missing} of 51`);
  }
});

test("an older vintage after a newer one is stale", async () => {
  const series = new Series(zillow("zhvi", "state"));
  await series.take(providerFile("zhvi/state/2025-09"));
  assert.deepEqual(codes(await series.take(providerFile("zhvi/state/2025-04"))), ["STALE_FILE"]);
});

const fred: SentAs = { provider: "fred", index: "vacancy", level: "nation" };
const noaa: SentAs = { provider: "noaa", index: "weather", level: "state" };
const survey = (level: "state" | "metro"): SentAs => ({
  provider: "census",
  index: "vacancy",
  level,
});

const fredFile = (month: string): string => `vacancy/fred-RRVRUSQ156N/${month}/RRVRUSQ156N.csv.gz`;
const noaaFile = (file: string, day: string, suffix = ".txt.gz"): string =>
  `weather/nclimdiv/${day}/climdiv-${file}-v1.0.0-${day}${suffix}`;
const temperatures = noaaFile("tmpcst", "20250905", ".gz");
const rains = noaaFile("pcpnst", "20230106");
const stateRates = "vacancy/hvs-2022q2/tab1_state05_2022_rvr.xlsx.gz";
const metroRates = "vacancy/hvs-2022q2/tab4_msa_15_22_rvr.xlsx.gz";

const others: readonly (readonly [SentAs, ...string[]])[] = [
  [fred, fredFile("2022-12"), fredFile("2024-06")],
  [survey("state"), stateRates],
  [survey("metro"), metroRates],
  [noaa, noaaFile("tmpcst", "20230106"), temperatures],
  [noaa, rains],
];

for (const [sentAs, ...files] of others) {
  const { index, level } = sentAs;
  test(`${index} ${level}: ${files.join(", ")} pass`, async () => {
    const series = new Series(sentAs);
    for (const file of files) {
      const passed = await series.take(sharedFile(file));
      assert.deepEqual(passed, { reasons: [], held: [], isMethodChanged: false }, file);
    }
  });
}

test("drought makes no index", async () => {
  const file = sharedFile(noaaFile("pdsist", "20230106"));
  await assert.rejects(new Series(noaa).take(file), { code: "WRONG_SERIES" });
});

/** The file cut off after each month that any place has a print in, from the nth on. */
async function* monthByMonth(sentAs: SentAs, path: string, nth: number) {
  const file = await openProviderFile(pieces(sharedFile(path), 65_536), sentAs);
  const rows = await Array.fromAsync(file.rows);
  const months = new Set(
    rows.flatMap(({ history }) =>
      history.values.flatMap((value, at) => (value === null ? [] : [history.firstMonth + at])),
    ),
  );
  for (const month of [...months].sort((a, b) => a - b).slice(nth)) {
    const cut = rows.flatMap(({ regionId, history: { firstMonth, values } }) => {
      const history = { firstMonth, values: values.slice(0, Math.max(0, month - firstMonth + 1)) };
      return history.values.some((value) => value !== null) ? [{ regionId, history }] : [];
    });
    yield { variable: file.variable, month, rows: cut };
  }
}

/** The newest print of every place through `change`; in how many months validation has a reason. */
async function judged(
  sentAs: SentAs,
  path: string,
  nth: number,
  change: (value: bigint) => bigint = (value) => value,
) {
  const known = new Map<string, MonthRow>();
  // The first is history, of which nothing is new.
  let months = -1;
  let withReason = 0;
  for await (const { variable, month, rows } of monthByMonth(sentAs, path, nth)) {
    const validation = new ReleaseValidation(validatedKind(sentAs.index, variable), sentAs.level);
    for (const { regionId, history } of rows) {
      const values = history.values.map((value, at) =>
        value !== null && history.firstMonth + at === month ? printValue(change(value)) : value,
      );
      const before = known.get(regionId);
      const node = before && knownAfter(undefined, decideNode(undefined, before, false));
      const row = { ...history, values };
      const { newPrints } = decideNode(node, row, false);
      validation.add({ node: nodeId(regionId), regionId }, node, row, newPrints);
      known.set(regionId, history);
    }
    if (months < 0) {
      months = 0;
      continue;
    }
    const lastMonth = addMonths(monthOf(0, 1), month);
    const release = { lastMonth, publishedAtMillis: monthEndMillis(lastMonth) };
    months += 1;
    if (validation.reasons(release, undefined, []).length > 0) withReason += 1;
  }
  return { months, withReason };
}

test("every quarter ever published passes, and every year of weather since 1925", async () => {
  for (const [sentAs, path, nth, months] of [
    [fred, fredFile("2024-06"), 0, 272],
    [survey("state"), stateRates, 0, 69],
    [survey("metro"), metroRates, 0, 29],
    // Held against thirty years from 1925 on; a made-up file has 36 in all.
    [noaa, temperatures, 29, 100],
    [noaa, rains, 29, 98],
  ] as const) {
    const found = await judged(sentAs, path, nth);
    assert.equal(found.withReason, 0, path);
    if (isGenuine) assert.equal(found.months, months, path);
    else assert.ok(found.months > 2, path);
  }
});

test("a newest print in another unit is seen in every year, and in every quarter", async () => {
  const degrees = 1_000_000_000_000_000n;
  for (const [sentAs, path, nth, change] of [
    [noaa, temperatures, 29, (value: bigint) => ((value - 32n * degrees) * 5n) / 9n],
    [noaa, rains, 29, (value: bigint) => (value * 254n) / 10n],
    [noaa, rains, 29, (value: bigint) => (value * 254n) / 100n],
    [survey("state"), stateRates, 0, (value: bigint) => value / 100n],
    [survey("metro"), metroRates, 0, (value: bigint) => value / 100n],
    [survey("state"), stateRates, 0, (value: bigint) => value * 10n],
    [fred, fredFile("2024-06"), 0, (value: bigint) => value / 10n],
  ] as const) {
    const { months, withReason } = await judged(sentAs, path, nth, change);
    assert.equal(withReason, months, `${path}: ${withReason} of ${months}`);
  }
});
