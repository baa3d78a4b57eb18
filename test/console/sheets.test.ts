// The hash that the certificate's page computes from what it shows, against the contract's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDecimal } from "#base/decimal.ts";
import { nodeId, releaseId } from "#base/ids.ts";
import { formatMonth, monthOf } from "#base/month.ts";
import { chainLevelOf, formatPrintValue, printValue } from "#base/print-value.ts";
import { type Payoff, type Terms, termsHash } from "#contract/terms.ts";
import { termsWords } from "../../console/src/parts/terms-words.ts";
import { hashOf } from "../../console/src/screens/certificate/terms-hash.ts";

const baseline = {
  month: monthOf(2024, 10),
  valueE15: printValue(300_000_500_000_000_000_000n),
  levelE12: chainLevelOf(949_313_834_241n),
  releaseId: releaseId("rel-b9e9581ff9688067"),
};

const terms: Terms = {
  index: "zhvi",
  nodeId: nodeId("state:tx"),
  measurementMonth: monthOf(2025, 4),
  payoff: { kind: "layered", attachBps: 200, exhaustBps: 1000 },
  baseline,
  rounding: "payout-millionths-down",
  fallback: "fallbacks-1",
  successor: null,
  methodologyVersion: "zhvi/1",
  expectedAtMillis: 1_747_699_200_000,
};

/** As a certificate has it. */
function shown({ nodeId: geoNodeId, measurementMonth, payoff, baseline: from, ...same }: Terms) {
  const text = (one: Payoff) =>
    one.kind === "level"
      ? { ...one, thresholdE15: undefined, threshold: formatPrintValue(one.thresholdE15) }
      : { ...one };
  return {
    ...same,
    ...{ geoNodeId, measurementMonth: formatMonth(measurementMonth), payoff: text(payoff) },
    baseline:
      from === null
        ? null
        : {
            month: formatMonth(from.month),
            value: formatPrintValue(from.valueE15),
            level: formatDecimal(from.levelE12, 12),
            releaseId: from.releaseId,
          },
  };
}

test("the page's hash of the terms is the contract's, for every kind of terms", async () => {
  const below = printValue(-1_250_000_000_000_000n);
  const kinds: readonly Terms[] = [
    terms,
    { ...terms, successor: nodeId("city:austin-tx") },
    { ...terms, payoff: { kind: "binary", strikeBps: 500 } },
    {
      ...terms,
      baseline: null,
      payoff: { kind: "level", comparator: "lte", thresholdE15: below },
    },
  ];
  for (const kind of kinds) assert.equal(await hashOf(shown(kind)), termsHash(kind));
  const other = { ...shown(terms), rounding: "payout-millionths-up" };
  assert.notEqual(await hashOf(other), termsHash(terms));
});

test("terms are shown with months, days and numbers as people read them, digit for digit", () => {
  const told = termsWords(
    "from 2026-10 (582229.1354079226) to 2027-10, expected 2027-11-20; 60 days; 1 USD for 10 %",
  );
  assert.equal(
    told,
    "from October 2026 (582,229.1354079226) to October 2027, expected November 20, 2027; " +
      "60 days; 1 USD for 10 %",
  );
});
