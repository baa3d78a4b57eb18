// The backtest on made-up files: readers and their refusals, scores against brute force, baselines
// against recursion, and that no forecast sees what came after it.
// Invariant: the checks are worked out another way than the code under test does it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { addMonths, formatMonth, monthOf } from "#base/month.ts";
import { readPanel } from "#cli/backtest/file.ts";
import { documentOf, tableOf } from "#cli/backtest/report.ts";
import { readFitted } from "#cli/fitted-constants.ts";
import {
  autoregressiveForecast,
  driftForecast,
  growthSumsOf,
  walkForecast,
} from "#pricing/backtest/baseline.ts";
import {
  cumulative,
  declineChance,
  type Forecast,
  meanLayer,
  rankedScore,
} from "#pricing/backtest/forecast.ts";
import { type Panel, seriesAt } from "#pricing/backtest/panel.ts";
import { type BacktestResult, backtest, backtestVintage, horizons } from "#pricing/backtest/run.ts";
import { meanScores, Tally } from "#pricing/backtest/score.ts";
import { type Distribution, studentT4 } from "#pricing/distribution.ts";
import { constantsAt, firstYearOf } from "#pricing/horizon.ts";

const folder = mkdtempSync(join(tmpdir(), "backtest-"));
after(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function assertNear(actual: number, expected: number, tolerance: number, what = "value") {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} is ${actual}, not ${expected}`);
}

/** Uniform numbers in 0…1, the same at every run. */
function drawerOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const START = monthOf(2000, 1);
const MONTHS = 168;

/** Values of a node that drifts and sways; a wild month is off by up to 30 %. */
function madeUp(seed: number, isWild: (at: number) => boolean = () => false): number[] {
  const draw = drawerOf(seed);
  let [log, growth] = [5 + draw(), 0];
  return Array.from({ length: MONTHS }, (_, at) => {
    growth = 0.9 * growth + 0.001 * (draw() - 0.48) + (at > 60 && at < 100 ? -0.0006 : 0.0002);
    log += growth;
    const wildness = 0.3 * draw();
    return Math.exp(isWild(at) ? log - wildness : log);
  });
}

const monthEnd = (at: number): string => `${formatMonth(addMonths(START, at))}-28`;

function wideFile(name: string, isWild?: (at: number) => boolean): string {
  const head = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName"];
  const months = Array.from({ length: MONTHS }, (_, at) => monthEnd(at));
  const rows = Array.from({ length: 25 }, (_, k) => {
    const place = k === 0 ? ["United States", "country", ""] : [`"T${k}, TX"`, "msa", `S${k % 5}`];
    return [String(k), "0", ...place, ...madeUp(k + 1, isWild)].join(",");
  });
  return fileOf(name, `${[...head, ...months].join(",")}\n${rows.join("\n")}\n`);
}

const oneRegime: Distribution = { mu: 0.02, s: 0.05, bust: undefined, loadScale: 0.05 };
const t4: Forecast = { family: "model", distribution: oneRegime, prices: [0.3, 0.2, 0.1] };
const twoRegimes: Forecast = {
  ...t4,
  distribution: { ...oneRegime, bust: { weight: 0.1, mu: -0.2, s: 0.02 } },
};
const normal: Forecast = { family: "normal", mu: -0.03, s: 0.08 };

function integral(from: number, to: number, of: (x: number) => number): number {
  const steps = 200_000;
  const width = (to - from) / steps;
  let sum = 0;
  for (let at = 0; at < steps; at += 1) sum += of(from + (at + 0.5) * width);
  return sum * width;
}

test("ranked score and layer means agree with numeric integration", () => {
  for (const forecast of [t4, twoRegimes, normal]) {
    for (const y of [-0.4, -0.03, 0.1]) {
      const below = integral(-6, y, (x) => cumulative(forecast, x) ** 2);
      const above = integral(y, 6, (x) => (1 - cumulative(forecast, x)) ** 2);
      assertNear(rankedScore(forecast, y), below + above, 1e-7, `${forecast.family} at ${y}`);
    }
    const mean = integral(0.05, 0.15, (u) => declineChance(forecast, u)) / 0.1;
    assertNear(meanLayer(forecast, 0.05, 0.15), mean, 1e-8, forecast.family);
  }
  assertNear(declineChance(t4, 0.1), studentT4((Math.log(0.9) - 0.02) / 0.05), 1e-15);
  assertNear(cumulative(normal, -0.03 + 1.6448536269514722 * 0.08), 0.95, 1e-12);
});

test("a tally of two pairs by hand: Brier, log with its floor, layers, tails", () => {
  const tally = new Tally();
  const sure: Forecast = { family: "normal", mu: 0.1, s: 0.001 };
  tally.add(sure, 0.1);
  tally.add(sure, Math.log(0.88));
  const scores = tally.scores();
  assert.equal(scores.pairs, 2);
  // A fall of 12 % passes four of the six events, each called impossible.
  assertNear(scores.brier, 4 / 6 / 2, 1e-12);
  assertNear(scores.log, (-Math.log(1e-4) * 4) / 6 / 2, 1e-12);
  const payouts = [1, 0.7, 1 / 3];
  for (const [at, payout] of payouts.entries()) {
    assertNear(scores.payouts[at] ?? Number.NaN, payout / 2, 1e-12);
    assertNear(scores.fairValues[at] ?? Number.NaN, 0, 1e-12);
  }
  assertNear(scores.layerError, (1000 * (1 + 0.49 + 1 / 9)) / 3 / 2, 1e-9);
  assert.deepEqual(scores.tails, [0.5, 0.5, 0]);

  const up = new Tally();
  up.add(normal, 0.5);
  assert.deepEqual(up.scores().tails, [0, 0, 1]);
  const mean = meanScores([scores, up.scores()]);
  assert.equal(mean.pairs, 3);
  assertNear(mean.brier, (scores.brier + up.scores().brier) / 2, 1e-15);
  const [fair = Number.NaN] = up.scores().fairValues;
  assertNear(mean.premiumOverPayout[0] ?? Number.NaN, fair / 2 / (0.5 / 2), 1e-12);
});

test("baselines against recursion, across a missing print", async () => {
  const draw = drawerOf(7);
  const logs = [5];
  let growth = 0.002;
  for (let at = 1; at < 80; at += 1) {
    growth = 0.001 + 0.6 * growth + 0.004 * (draw() - 0.5);
    logs.push((logs.at(-1) ?? 0) + growth);
  }
  const cells = logs.map((log, at) => (at === 30 ? "" : String(Math.exp(log))));
  const head = logs.map((_, at) => formatMonth(addMonths(START, at)));
  const path = fileOf("one.csv", `RegionName,${head.join(",")}\nX,${cells.join(",")}\n`);
  const panel = await readPanel(path, "zhvi", "metro");
  const [node] = panel.nodes;
  assert.ok(node !== undefined);
  const sums = growthSumsOf(panel, node);

  const step = 70;
  const at = (k: number): number => logs[k] ?? Number.NaN;
  const known = (k: number): boolean => k !== 30 && k !== 31;
  const all = Array.from({ length: step }, (_, k) => k + 1).filter(known);
  const g = (k: number): number => at(k) - at(k - 1);
  const mean = all.reduce((sum, k) => sum + g(k), 0) / all.length;
  const spread = all.reduce((sum, k) => sum + (g(k) - mean) ** 2, 0) / (all.length - 1);
  const drift = driftForecast(sums, step, 12);
  assertNear(drift.mu, 12 * mean, 1e-12);
  assertNear(drift.s, Math.sqrt(12 * spread), 1e-10);
  assert.deepEqual(walkForecast(sums, step, 12), { ...drift, mu: 0 });

  const pairs = all.filter((k) => k > 1 && known(k - 1) && known(k));
  const mx = pairs.reduce((sum, k) => sum + g(k - 1), 0) / pairs.length;
  const my = pairs.reduce((sum, k) => sum + g(k), 0) / pairs.length;
  const phi =
    pairs.reduce((sum, k) => sum + (g(k - 1) - mx) * (g(k) - my), 0) /
    pairs.reduce((sum, k) => sum + (g(k - 1) - mx) ** 2, 0);
  const c = my - phi * mx;
  const noise =
    pairs.reduce((sum, k) => sum + (g(k) - c - phi * g(k - 1)) ** 2, 0) / (pairs.length - 2);
  // Mean and variance of the sum of twelve growths, one month after the other.
  let [next, mu, variance] = [g(step), 0, 0];
  for (let ahead = 1; ahead <= 12; ahead += 1) {
    next = c + phi * next;
    mu += next;
    let weight = 0;
    for (let later = 0; later <= 12 - ahead; later += 1) weight += phi ** later;
    variance += noise * weight ** 2;
  }
  const forecast = autoregressiveForecast(sums, step, 12);
  assertNear(forecast.mu, mu, 1e-9);
  assertNear(forecast.s, Math.sqrt(variance), 1e-9);
  // Right after the missing print there is no newest growth: the long-run mean goes on.
  assert.ok(Number.isFinite(autoregressiveForecast(sums, 31, 6).mu));
});

test("the wide layouts: new, old and compressed, with states and the nation", async () => {
  const path = wideFile("wide.csv");
  const panel = await readPanel(path, "zhvi", undefined);
  assert.deepEqual(
    [panel.level, panel.stepMonths, panel.nodes.length, formatMonth(panel.lastMonth)],
    ["metro", 1, 25, "2013-12"],
  );
  assert.deepEqual(
    panel.nodes.slice(0, 2).map(({ name, state, isNation }) => [name, state, isNation]),
    [
      ["United States", undefined, true],
      ["T1, TX", "S1", false],
    ],
  );
  assertNear(panel.nodes[3]?.logs[9] ?? Number.NaN, Math.log(madeUp(4)[9] ?? Number.NaN), 1e-12);

  const old =
    '"RegionID","RegionName","State","2000-11","2000-12","2001-01"\r\n1,"A","TX",1,,3\r\n';
  const packed = fileOf("old.csv.gz", gzipSync(old));
  await assert.rejects(readPanel(packed, "zhvi", undefined), /does not say its level/);
  const read = await readPanel(packed, "zhvi", "county");
  const [node] = read.nodes;
  assert.ok(node !== undefined);
  assert.equal(node.state, "TX");
  assert.deepEqual(Array.from(node.logs), [0, Number.NaN, Math.log(3)]);
  assert.deepEqual(Array.from(node.runStarts), [0, 2, 2]);
  assert.equal(seriesAt(read, node, 1), undefined);
  assert.deepEqual(Array.from(seriesAt(read, node, 2)?.logLevels ?? []), [Math.log(3)]);
});

test("files that cannot be read are refused with the place", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["RegionName,31.1.2000,29.2.2000\nA,1,2\n", /no month columns/],
    ["RegionName,31/1/2000,29/2/2000\nA,1,2\n", /no month columns/],
    ["RegionName,1/31/2000,3/31/2000\nA,1,2\n", /column 3 "3.31.2000" is not the month after/],
    ["RegionName,2000-01-31,2000-03-31\nA,1,2\n", /column 3 "2000-03-31" is not the month after/],
    ["RegionName,2000-01-31,Note\nA,1,2\n", /column 3 "Note"/],
    ["RegionName,2000-01-31,2000-02-29\nA,1,x\n", /"x" in column 2000-02-29 of A/],
    ["RegionName,2000-01-31,2000-02-29\nA,1,0\n", /"0" in column 2000-02-29 of A/],
    ["RegionName,2000-01-31,2000-02-29\nA,1\n", /Invalid Record Length/],
    ["RegionName,2000-01-31\n", /no rows/],
    ["", /empty/],
  ];
  for (const [at, [content, reason]] of cases.entries()) {
    const path = fileOf(`bad-${at}.csv`, content);
    await assert.rejects(readPanel(path, "zhvi", "metro"), reason, content);
  }
  await assert.rejects(readPanel(join(folder, "absent.csv"), "zhvi", "metro"), /ENOENT/);
});

const panelWith = (isWild?: (at: number) => boolean): Promise<Panel> =>
  readPanel(wideFile("made-up.csv", isWild), "zhvi", undefined);

test("no forecast sees what came after it, and all models share their pairs", async () => {
  // One panel goes another way in the two months after the last origin (2008-10), which settle
  // nothing, and from 2010 on. Results settled before must not move.
  const isWild = (at: number): boolean => at === 106 || at === 107 || at >= 120;
  const [calm, wild] = [await panelWith(), await panelWith(isWild)];
  const settled = (year: number) =>
    horizons.filter((months) => (year - 2000) * 12 + 9 + months < 120);
  const years = [2004, 2005, 2006, 2007, 2008].map((year) => [
    year,
    settled(year).map((months) => ({ months, ...constantsAt("hmr-t4r", "zhvi", months) })),
  ]);
  const tested = { model: "hmr-t4r", years: Object.fromEntries(years) } as const;
  const before = backtest(calm, 2004, tested);
  assert.deepEqual(backtest(wild, 2004, tested), before);
  assert.ok(before.results.every(({ mean }) => mean.pairs === before.results[0]?.mean.pairs));
  assert.equal(before.origins, 20);
  // Four origins a year of 25 nodes: 2004…2008 settle in six months, …2006 in thirty-six.
  const pairs = before.results.map(({ byHorizon }) => [byHorizon[6]?.pairs, byHorizon[36]?.pairs]);
  assert.deepEqual(pairs, new Array(4).fill([500, 300]));

  const [left, right] = [backtest(calm, 2004), backtest(wild, 2004)];
  assert.notDeepEqual(left.results, right.results);
  assert.equal(left.origins, 38);
  assert.equal(formatMonth(left.firstOrigin), "2004-01");
  assert.throws(() => backtest(calm, 2030), /too short/);
});

test("constants by year: read, used for their year, refused when malformed", async () => {
  const one = { b: [0, 0, 0, 0, 0], g: [0, 0, 0], tau: 0.02, n: 5 };
  const fitted = readFitted(
    JSON.stringify({ "12|2005": { ...one, b: [1, 2, 3, 4, 5] }, "12|2006": one }),
  );
  assert.equal(firstYearOf(fitted), 2005);
  assert.deepEqual(fitted.years[2005]?.[0]?.b, [1, 2, 3, 4, 5, 0, 0]);
  assert.equal(fitted.years[2007], undefined);
  assert.equal(fitted.model, "hmr-t4");
  const result = backtest(await panelWith(), 2004, fitted);
  assert.equal(result.origins, 8);
  const reference = result.results.at(-1);
  // Constants far off must score far worse in their year: a mean of +100 % and more a year.
  assert.ok((reference?.byHorizon[12]?.crpsPercent ?? 0) > 30);
  assert.equal(reference?.byHorizon[6]?.pairs, 0);
  assert.equal(reference?.mean.pairs, reference?.byHorizon[12]?.pairs);

  const regime = { a: -3, c: 1, d: 0, k: -0.5, r: -0.1 };
  const two = { b: [1, 2, 3, 4, 5, 6, 7], g: [1, 2, 3, 4, 5], tau: 0.02, regime };
  const other = readFitted(JSON.stringify({ "12|2005": two }));
  assert.equal(other.model, "hmr-t4r");
  const { regime: read, etaNation, etaState } = other.years[2005]?.[0] ?? assert.fail();
  assert.deepEqual([read, etaNation, etaState], [regime, 4, 5]);
  const mixed = JSON.stringify({ "12|2005": two, "12|2006": one });
  assert.throws(() => readFitted(mixed), /"12\|2006" needs b of 7 numbers, g of 5, a regime/);

  for (const text of ["[]", '{"12|2005":{}}', '{"x":{}}', `{"12|2005":{"b":[1],"g":[],"tau":1}}`]) {
    assert.throws(() => readFitted(text), /params/);
  }
});

test("a file as it stood is scored on a later file's changes, place by place", async () => {
  const whole = await panelWith();
  const cut = 96;
  const stood = (nodes: Panel["nodes"]): Panel => ({
    ...whole,
    lastMonth: addMonths(whole.firstMonth, cut - 1),
    nodes: nodes.map((node) => ({ ...node, logs: node.logs.slice(0, cut) })),
  });
  const then = stood(whole.nodes);
  const found = backtestVintage(then, whole);
  assert.equal(found.origins, 1);
  assert.equal(found.firstOrigin, then.lastMonth);
  // The same origin in the whole file, which has settled since, scores the same.
  const months = whole.nodes[0]?.logs.length ?? 0;
  const pairs = horizons.filter((horizon) => cut - 1 + horizon < months).length;
  assert.ok(pairs > 1);
  const reference = found.results.at(-1);
  assert.equal(reference?.mean.pairs, pairs * whole.nodes.length);
  const doubled = { ...whole, nodes: whole.nodes.map((node) => ({ ...node, logs: raised(node) })) };
  assert.deepEqual(close(backtestVintage(then, doubled)), close(found), "a scale is no change");
  const others = {
    ...whole,
    nodes: whole.nodes.map((node) => ({ ...node, name: `${node.name}?` })),
  };
  assert.throws(() => backtestVintage(then, others), /too short to score/);
});

const raised = ({ logs }: Panel["nodes"][number]) => logs.map((log) => log + Math.log(2));
const close = ({ results }: BacktestResult) =>
  results.map(({ mean }) => [mean.brier, mean.log].map((score) => score.toFixed(9)));

test("the table and the document tell the same figures", async () => {
  const panel = await panelWith();
  const result = backtest(panel, 2004);
  const table = tableOf(panel, result);
  const document = documentOf(panel, result, "production", null);
  const rows = table.split("\n");
  assert.equal(rows.length, 2 + 5 + 2 * 5);
  for (const { model, mean } of document.models) {
    const row = rows.find((line) => line.startsWith(model));
    for (const figure of [mean.brier.toFixed(4), mean.log.toFixed(4), String(mean.pairs)]) {
      assert.ok(row?.includes(figure), `${model}: ${figure} in ${row}`);
    }
  }
  assert.equal(document.firstMonth, "2000-01");
  assert.deepEqual(JSON.parse(JSON.stringify(document)).models.length, 5);
});
