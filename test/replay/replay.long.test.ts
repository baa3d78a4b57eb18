// The replay on a made-up history: what is due, that money is conserved, that nothing is known
// early, that ids decide nothing, and the command's table against its document.
// Invariant: the checks are worked out from the file's values and the totals alone.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { addMonths, formatMonth, type Month, monthEndMillis, monthOf } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { foundingRules } from "#core/rules.ts";
import type { KnotsByYear } from "#pricing/constants.ts";
import { regimeKnots } from "#pricing/constants-regime.ts";
import { Reference } from "#quoting/reference.ts";
import { sellerMarginsUsd } from "#quoting/seller-margin.ts";
import type { CohortEnd, ContractEnd, Plan } from "#replay/cohort.ts";
import { type ProviderHistory, pastOf, releaseOf } from "#replay/past.ts";
import { replayOnThreads } from "#replay/pool.ts";
import { replayCohorts } from "#replay/replay.ts";
import { reverseStress } from "#replay/reverse.ts";
import { isShort, outcomeOf, totalsOf } from "#replay/totals.ts";
import { run as runCommand } from "#test/cli/recorder.ts";
import { checkout } from "#test/support/exchange.ts";
import { SeriesView } from "#views/series.ts";
import { madeFrom, madeHistory, madeMonths, otherwiseAfter, upTo } from "./made-history.ts";

const plan: Plan = {
  months: 12,
  payoff: { kind: "layered", attachBps: 500, exhaustBps: 1500 },
  tier: "institutional",
  fundBps: 300,
};
const months = [monthOf(2005, 9), monthOf(2006, 1), monthOf(2006, 6)];

const run = (
  history: ProviderHistory,
  changes: Partial<Plan> = {},
  of: readonly Month[] = months,
) => replayCohorts(pastOf(history), { ...plan, ...changes }, of);

const ends = run(madeHistory);

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

test("what is due of each contract is what the file's values say", () => {
  for (const { month, contracts } of ends) {
    assert.equal(contracts.length, madeHistory.rows.length);
    for (const [at, { name, coverage, due }] of contracts.entries()) {
      const row = madeHistory.rows[at];
      assert.equal(name, row?.name);
      const from = Number(row?.values[month - madeFrom]);
      const to = Number(row?.values[month + plan.months - madeFrom]);
      const fraction = Math.min(1, Math.max(0, (1 - to / from - 0.05) / 0.1));
      assert.ok(Math.abs(Number(due) / Number(coverage) - fraction) < 2e-6, `${name}: ${due}`);
    }
  }
  assert.ok(ends.some(({ contracts }) => contracts.some(({ due = 0n }) => due > 0n)));
});

test("what sellers and the fund give is what buyers get", () => {
  for (const { month, contracts, fundStart, fundLow, fundEnd } of ends) {
    const given = sum(contracts.map((one) => one.given));
    assert.equal(given + fundStart - fundEnd, sum(contracts.map(({ paid }) => paid)));
    for (const { paid, due = 0n } of contracts) assert.ok(paid >= 0n && paid <= due);
    const totals = totalsOf({ month, contracts, fundStart, fundLow, fundEnd });
    const losses = contracts.map(({ given: one, due = 0n }) => (one > due ? one - due : 0n));
    assert.equal(totals.own, given - sum(losses), "more than a contract pays out is no margin");
    assert.equal(totals.lostMicros, sum(losses));
  }
});

test("a fund as large as all coverage pays every claim, at every tier", () => {
  for (const tier of ["institutional", "enhanced", "basic"] as const) {
    for (const end of run(madeHistory, { fundBps: 10_000, tier }, months.slice(1))) {
      assert.ok(!isShort(totalsOf(end)), `${tier} in ${formatMonth(end.month)}`);
    }
  }
});

test("a seller that posts everything owes nobody, and nobody calls it", () => {
  for (const { contracts, fundStart, fundLow } of run(madeHistory, { tier: "basic", fundBps: 0 })) {
    for (const { sellerCash, coverage, called, given, due } of contracts) {
      assert.equal(sellerCash, coverage);
      assert.equal(called, false);
      assert.equal(given, due);
    }
    assert.equal(fundLow, fundStart);
  }
});

test("nothing is known before it is printed", () => {
  const [first = monthOf(2005, 9)] = months;
  const whole = run(madeHistory, {}, [first]);
  assert.deepEqual(run(upTo(madeHistory, addMonths(first, plan.months)), {}, [first]), whole);
  const sold = ([end]: readonly CohortEnd[]) =>
    end?.contracts.map(({ premium, sellerCash }) => ({ premium, sellerCash }));
  assert.deepEqual(sold(run(otherwiseAfter(madeHistory, first), {}, [first])), sold(whole));
});

/** Constants of the model in use, for years from 2005; `sway` widens those of the later years. */
const fittedIn = (
  ...widened: readonly (readonly [year: number, times: number])[]
): KnotsByYear => ({
  model: "hmr-t4r",
  years: Object.fromEntries(
    widened.map(([year, times]) => [
      year,
      regimeKnots.map((knot) => ({ ...knot, tau: knot.tau * times })),
    ]),
  ),
});

test("constants by year: only those known when a mark is made move it", () => {
  const [first = monthOf(2005, 9)] = months;
  const todays = run(madeHistory, {}, [first]);
  const then = run(madeHistory, { fitted: fittedIn([2000, 1]) }, [first]);
  assert.notDeepEqual(then, todays, "the fall of 2006 is no scenario yet");
  const later = run(madeHistory, { fitted: fittedIn([2000, 1], [2006, 3]) }, [first]);
  const sold = ([end]: readonly CohortEnd[]) =>
    end?.contracts.map(({ premium, sellerCash }) => ({ premium, sellerCash }));
  assert.deepEqual(sold(later), sold(then), "a seller of 2005 knows nothing of 2006");
  assert.notDeepEqual(later, then, "marks of 2006 do");
  const earlier = run(madeHistory, { fitted: fittedIn([2000, 3], [2006, 1]) }, [first]);
  assert.notDeepEqual(sold(earlier), sold(then));
  const unknown = { fitted: fittedIn([2006, 1]) };
  assert.throws(() => run(madeHistory, unknown, [first]), /no constants were known in 2005-09/);
});

test("other ids, in another order, change nobody's payout", () => {
  const rows = madeHistory.rows.map((row, at) => ({ ...row, fips: `${99 - at}777` })).reverse();
  const others = run({ ...madeHistory, rows }, { fundBps: 0 });
  for (const [at, end] of run(madeHistory, { fundBps: 0 }).entries()) {
    const same = new Map(others[at]?.contracts.map((one) => [one.name, one]));
    for (const one of end.contracts) {
      const other: ContractEnd | undefined = same.get(one.name);
      assert.equal(other?.due, one.due);
      // A share of a cut is rounded down once a claim, by the same amount in any order.
      assert.ok(near(other?.paid, one.paid) && near(other?.given, one.given), one.name);
    }
  }
});

test("the margin a quote tells a seller is the cash that the core binds, at every tier", () => {
  const [month = monthOf(2005, 9)] = months;
  const past = pastOf(madeHistory);
  const series = new SeriesView();
  for (const { nodeId, prints } of past.places) {
    const points = [...prints.values()].filter((one) => one.month <= month);
    series.extend(
      "zhvi",
      nodeId,
      points.map((one) => ({ ...one, releaseId: releaseOf(one.month) })),
    );
  }
  const known = { markets: new Map(), releases: new Map(), rules: foundingRules };
  const exchange = { geo: past.geo, ...known };
  const reference = new Reference(series, () => past.geo, "hmr-t4r");
  const tiers = { institutional: "institutional", enhanced: "standard", basic: "basic" } as const;
  for (const tier of ["institutional", "enhanced", "basic"] as const) {
    const [end] = run(madeHistory, { tier }, [month]);
    for (const [at, { nodeId, prints }] of past.places.entries()) {
      const baseline = { ...(prints.get(month) ?? assert.fail()), releaseId: releaseOf(month) };
      assert.ok(baseline.levelE12 !== null);
      const terms = {
        index: "zhvi",
        nodeId,
        measurementMonth: addMonths(month, plan.months),
        payoff: plan.payoff,
        baseline: { ...baseline, levelE12: baseline.levelE12 },
      } as const;
      const told = sellerMarginsUsd({ exchange, series, reference }, terms, 5_000);
      assert.equal(told?.[tiers[tier]], Number(end?.contracts[at]?.sellerCash) / 1e6);
    }
  }
});

const near = (a: bigint | undefined, b: bigint): boolean =>
  a !== undefined && (a > b ? a - b : b - a) <= 2n;

test("a contract whose print never comes is in no figure", () => {
  const [, month = monthOf(2006, 1)] = months;
  const settles = month + plan.months - madeFrom;
  const rows = madeHistory.rows.map((row, place) => ({
    ...row,
    values: row.values.map((value, at) => (place === 3 && at >= settles ? null : value)),
  }));
  const [end] = run({ ...madeHistory, rows }, {}, [month]);
  assert.ok(end !== undefined);
  assert.equal(end.contracts[3]?.due, undefined);
  const totals = totalsOf(end);
  assert.equal(totals.unprinted, 1);
  assert.equal(totals.contracts, madeHistory.rows.length - 1);
});

test("contracts of some states only, features of all", () => {
  const some = run(madeHistory, { states: ["CA", "NV"] });
  for (const [at, { contracts }] of some.entries()) {
    const all = ends[at]?.contracts.filter((_, place) => place % 4 === 0 || place % 4 === 2);
    assert.deepEqual(
      contracts.map(({ name, premium }) => ({ name, premium })),
      all?.map(({ name, premium }) => ({ name, premium })),
    );
  }
});

test("threads find what one run finds", async () => {
  const found = await replayOnThreads({ history: madeHistory, plan, months });
  assert.deepEqual(found, ends.map(totalsOf));
});

test("pooled shares are of sums, and the worst cohort is named", () => {
  const totals = ends.map(totalsOf);
  const outcome = outcomeOf(totals);
  const due = sum(totals.map((one) => one.due));
  assert.equal(outcome.paid, Number(sum(totals.map((one) => one.paid))) / Number(due));
  const shares = totals.flatMap(({ month, due: owed, paid }) =>
    owed === 0n ? [] : { month: formatMonth(month), paid: Number(paid) / Number(owed) },
  );
  const least = Math.min(...shares.map(({ paid }) => paid));
  assert.equal(outcome.worst?.paid, least);
  assert.ok(shares.some(({ month, paid }) => month === outcome.worst?.month && paid === least));
});

test("the reverse stress finds the smallest fall that is too much, or none", () => {
  const none = reverseStress(madeHistory, { ...plan, fundBps: 10_000 });
  assert.equal(none.fallPercent, null);
  assert.equal(none.month, addMonths(madeFrom, madeMonths - 1));
  const found = reverseStress(madeHistory, { ...plan, fundBps: 0 });
  if (found.fallPercent === null) return;
  assert.ok(found.fallPercent > 5, "below the layer nothing is due");
  assert.ok(found.totals !== undefined && isShort(found.totals));
});

const folder = mkdtempSync(join(tmpdir(), "replay-"));
after(() => rmSync(folder, { recursive: true }));

/** A county file, its months as the provider writes them or as a spreadsheet does. */
function fileOf(name: string, monthName: (lastDay: Date) => string): string {
  const header = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName", "State"];
  const dates = Array.from({ length: madeMonths }, (_, at) =>
    monthName(new Date(monthEndMillis(addMonths(madeFrom, at)) - 1)),
  );
  const lines = [[...header, "Metro", "StateCodeFIPS", "MunicipalCodeFIPS", ...dates]];
  for (const [at, { name: place, state = "", fips = "", values }] of madeHistory.rows.entries()) {
    const cells = values.map((value) => (value === null ? "" : formatPrintValue(value)));
    const codes = [String(Number(fips.slice(0, 2))), String(Number(fips.slice(2)))];
    lines.push([String(at), String(at), place, "County", state, state, "", ...codes, ...cells]);
  }
  const path = join(folder, name);
  writeFileSync(path, lines.map((cells) => `${cells.join(",")}\n`).join(""));
  return path;
}

function fileOfConstants(year: number): string {
  const { a, c, d, k, r } = { a: -3, c: 1, d: 0, k: -0.5, r: -0.1 };
  const knot = {
    b: [0, 1, -1, 0, 0, 0, 0],
    g: [0, 1, 1, 0, 0],
    tau: 0.02,
    regime: { a, c, d, k, r },
  };
  const path = join(folder, `constants-${year}.json`);
  writeFileSync(path, JSON.stringify({ [`12|${year}`]: knot }));
  return path;
}

const program = join(checkout, "src/cli/main.ts");
const words = (path: string, ...more: readonly string[]) => [
  ...["replay", path, "--from", "2005-09", "--to", "2005-10", "--months", "12"],
  ...more,
];

test("the command prints its table and writes its document; both date forms are read", async () => {
  const iso = fileOf("iso.csv", (day) => day.toISOString().slice(0, 10));
  const spread = fileOf(
    "spread.csv",
    (day) => `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`,
  );
  const output = join(folder, "out.json");
  const table = execFileSync(process.execPath, [program, ...words(iso, "--output", output)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const document: unknown = JSON.parse(readFileSync(output, "utf8"));
  const [first] = run(madeHistory, {}, [monthOf(2005, 9)]).map(totalsOf);
  assert.ok(first !== undefined);
  assert.match(table, /^iso\.csv: zhvi county, cohorts 2005-09 to 2005-10, layer 500-1500/);
  assert.match(table, /^12 +40 +/m);
  assert.ok(JSON.stringify(document).includes(`"month":"2005-09","contracts":${first.contracts}`));
  const printed = await runCommand(words(spread, "--json"));
  assert.deepEqual(JSON.parse(printed.stdout.replace("spread.csv", "iso.csv")), document);
});

test("with --early-reader it tells what a reader of each file takes", async () => {
  const path = fileOf("ahead.csv", (day) => day.toISOString().slice(0, 10));
  const { stdout: table } = await runCommand(words(path, "--early-reader"));
  assert.match(table, /^ahead\.csv: zhvi county, orders of 2005-09 to 2005-10, each with/);
  assert.match(table, /^12 +before the window: orders match at once +40 +\d\.\d\d /m);
  assert.match(table, /^12 +auction, makers quote anew on the marks +40 +0\.00 /m);
});

test("what cannot be replayed is refused with the reason", async () => {
  const path = fileOf("refused.csv", (day) => day.toISOString().slice(0, 10));
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [["--layer", "5-15"], /--layer 5-15: 200-1000, 500-1500, 800-2000 \(basis points\)/],
    [["--tier", "gold"], /--tier gold: basic, enhanced or institutional/],
    [["--states", "Texas"], /--states: two letters each/],
    [["--early-reader", "--reverse"], /--early-reader goes without --reverse/],
    [["--states", "WY"], /no place of WY/],
    [["--every", "0"], /--every 0: a whole number of months from 1 on/],
    [["--fund", "101"], /--fund must be a percentage/],
    [["--level", "planet"], /--level planet/],
    [
      ["--constants", fileOfConstants(2006)],
      /--constants: they begin in 2006, after --from 2005-09/,
    ],
    [["--constants", join(folder, "absent.json")], /ENOENT/],
  ];
  for (const [more, message] of refused) {
    const { status, stderr } = await runCommand(words(path, ...more));
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  }
  const late = ["replay", path, "--from", "2010-06", "--to", "2010-07"];
  const { status, stderr } = await runCommand(late);
  assert.equal(status, 2);
  assert.match(stderr, /no cohort of 12 months/);
});
