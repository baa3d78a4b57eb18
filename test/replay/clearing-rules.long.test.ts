// The rules of clearing, each by what a replay shows of it: take one away, and a test here fails.
// Invariant: what is expected follows from the history made up for the test and from public
// figures, never from a replay of before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import { type PrintValue, printValue } from "#base/print-value.ts";
import { scenarios } from "#contract/scenarios.ts";
import { regimeKnots } from "#pricing/constants-regime.ts";
import { distributionOf, quantile } from "#pricing/distribution.ts";
import { outlookOf } from "#pricing/mark.ts";
import { marksFor } from "#quoting/marks.ts";
import { Reference } from "#quoting/reference.ts";
import type { CohortEnd, Plan } from "#replay/cohort.ts";
import { type ProviderHistory, pastOf, releaseOf } from "#replay/past.ts";
import { replayCohorts } from "#replay/replay.ts";
import { SeriesView } from "#views/series.ts";
import { madeHistory, upTo } from "./made-history.ts";

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

/** The history up to a month, and then so many more in which each place's log value falls. */
function falling(from: Month, prints: number, fallOf: (place: number) => number): ProviderHistory {
  const known = upTo(madeHistory, from);
  const after = (last: PrintValue, fall: number): PrintValue[] =>
    Array.from({ length: prints }, (_, at) => {
      const share = Math.exp((fall * (at + 1)) / prints);
      return printValue(BigInt(Math.round((Number(last) / 1e9) * share)) * 1_000_000_000n);
    });
  return {
    ...known,
    rows: known.rows.map((row, place) => {
      const last = row.values.at(-1) ?? assert.fail("a made-up place has every month");
      return { ...row, values: [...row.values, ...after(last, fallOf(place))] };
    }),
  };
}

/** The sources of the marks of an exchange that knows the whole history. */
function knowing(history: ProviderHistory) {
  const past = pastOf(history);
  const series = new SeriesView();
  for (const { nodeId, prints } of past.places) {
    const points = [...prints.values()].map((one) => ({
      ...one,
      releaseId: releaseOf(one.month),
    }));
    series.extend("zhvi", nodeId, points);
  }
  const reference = new Reference(series, () => past.geo, "hmr-t4r");
  const exchange = { geo: past.geo, markets: new Map(), releases: new Map() };
  return { past, reference, data: { exchange, series, reference } };
}

test("the column of a fall of all places is what their marks become when all fall so far", () => {
  const month = monthOf(2004, 6);
  const now = knowing(upTo(madeHistory, month));
  for (const prints of [3, 12]) {
    const column = scenarios.findIndex(({ id }) => id === `all-${prints}`);
    const falls = now.past.places.map(({ node }) => {
      const input = now.reference.inputOf("zhvi", node) ?? assert.fail(node.id);
      return quantile(distributionOf(outlookOf(input, prints)), 0.01);
    });
    // Here state and nation do fall, for they are the median of the places.
    const then = knowing(falling(month, prints, (place) => falls[place] ?? 0));
    for (const { nodeId, prints: printed } of now.past.places) {
      const print = printed.get(month) ?? assert.fail(nodeId);
      const terms = {
        index: "zhvi",
        nodeId,
        measurementMonth: addMonths(month, 24),
        payoff: { kind: "layered", attachBps: 800, exhaustBps: 2000 },
        baseline: {
          ...print,
          levelE12: print.levelE12 ?? assert.fail(nodeId),
          releaseId: releaseOf(month),
        },
      } as const;
      const told = marksFor(now.data, terms)?.riskTicks[column] ?? assert.fail(nodeId);
      const became = marksFor(then.data, terms)?.markTick ?? assert.fail(nodeId);
      // By .9 and .7 they fall less than wholly: a scenario understates by 4 cents at most.
      assert.ok(told - became > -500, `${nodeId} after ${prints} prints: ${told}, then ${became}`);
      assert.ok(told - became < 500, `${nodeId} after ${prints} prints: ${told}, then ${became}`);
    }
  }
});

const plan: Plan = {
  months: 12,
  payoff: { kind: "layered", attachBps: 800, exhaustBps: 2000 },
  tier: "institutional",
  fundBps: 0,
  // A model that thinks little can happen, so that sellers bring little.
  fitted: {
    model: "hmr-t4r",
    years: { 2000: regimeKnots.map((knot) => ({ ...knot, tau: knot.tau * 0.3 })) },
  },
};
const start = monthOf(2004, 6);

/** A year in which places fall by a tenth to a third. */
const crash = falling(start, 12, (place) => -0.1 - 0.015 * (place + 1));

const endOf = (history: ProviderHistory): CohortEnd => {
  const [end] = replayCohorts(pastOf(history), plan, [start]);
  return end ?? assert.fail("the cohort ends");
};

test("a seller that is called and adds nothing is out, and has back what nothing was paid of", () => {
  const whole = falling(start, 8, () => -0.12);
  // Back where they were before the contracts end.
  const rows = whole.rows.map((row, place) => {
    const back = madeHistory.rows[place]?.values[start - madeHistory.firstMonth] ?? null;
    return { ...row, values: [...row.values, ...Array<PrintValue | null>(4).fill(back)] };
  });
  const { contracts, fundStart, fundEnd } = endOf({ ...whole, rows });
  const called = contracts.filter((one) => one.called);
  assert.ok(called.length > 0, "some sellers are called");
  for (const { due, paid } of called) assert.deepEqual([due, paid], [0n, 0n]);
  for (const { name, given } of contracts) assert.equal(given, 0n, `${name} keeps what it had`);
  assert.equal(fundEnd, fundStart, "the fund is a trustee");
});

test("a seller that was not called gives what its contract pays out, and keeps the rest", () => {
  const still = falling(start, 11, () => 0.01);
  const rows = still.rows.map((row, place) => {
    const last = Number(row.values.at(-1)) / 1e9;
    const fallen = printValue(BigInt(Math.round(last * (0.9 - 0.002 * place))) * 1_000_000_000n);
    return { ...row, values: [...row.values, fallen] };
  });
  const { contracts } = endOf({ ...still, rows });
  const settled = contracts.filter((one) => !one.called && (one.due ?? 0n) > 0n);
  assert.ok(settled.length > 0, "some claims are paid by sellers that were never called");
  for (const { name, due, given, sellerCash } of settled) {
    assert.equal(given, due, name);
    assert.ok(given < sellerCash, `${name} keeps something`);
  }
});

test("what is lacking is borne by all claims of the release alike, whatever their ids", () => {
  const { contracts, fundEnd } = endOf(crash);
  const [due, paid] = [
    sum(contracts.map((one) => one.due ?? 0n)),
    sum(contracts.map((one) => one.paid)),
  ];
  assert.ok(paid < due, "the sellers did not bring enough");
  assert.ok(fundEnd < 1_000n, "the fund has given what it had");
  for (const one of contracts) {
    const share = ((one.due ?? 0n) * paid) / due;
    const off = one.paid > share ? one.paid - share : share - one.paid;
    assert.ok(off <= 2n, `${one.name} is paid ${one.paid} of ${one.due}, its share is ${share}`);
  }

  const rows = crash.rows.map((row, at) => ({ ...row, fips: `${99 - at}777` })).reverse();
  const others = new Map(endOf({ ...crash, rows }).contracts.map((one) => [one.name, one]));
  for (const { name, paid: given } of contracts) {
    const other = others.get(name)?.paid ?? assert.fail(name);
    assert.ok(other - given <= 2n && given - other <= 2n, `${name}: ${given}, then ${other}`);
  }
});
