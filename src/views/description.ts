// The terms of a market in plain words.
// Invariant: everything that decides the payout is said, from the terms alone.
import { formatDecimal } from "#base/decimal.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { unreachable } from "#base/invariant.ts";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { measureOf } from "#contract/measure.ts";
import type { Baseline, Comparator, Payoff, Terms } from "#contract/terms.ts";

const indexNames: Readonly<Record<IndexKind, string>> = {
  zhvi: "home value index (ZHVI)",
  zori: "rent index (ZORI)",
  vacancy: "rental vacancy rate",
  weather: "weather index",
};

/** `placeName` as people say it: "Texas", "Houston, TX". */
export function describeTerms(terms: Terms, placeName: string): string {
  const { index, measurementMonth, payoff, baseline, expectedAtMillis } = terms;
  const measure = measureOf(index, measurementMonth);
  const month = formatMonth(measurementMonth);
  const published = new Date(expectedAtMillis).toISOString().slice(0, 10);
  return [
    opening(payoff, `${indexNames[index]} of ${placeName}`, month, baseline),
    payoffText(payoff, month, measure?.unit),
    ...(measure === undefined ? [] : [`The index measured: ${measure.definition}`]),
    `It settles on the first print published for ${month}, expected ${published};`,
    "later revisions do not count.",
    lateText(terms),
  ].join(" ");
}

function opening(payoff: Payoff, index: string, month: string, baseline: Baseline | null): string {
  if (payoff.kind === "level" || baseline === null) {
    return `The level of the ${index} in ${month}.`;
  }
  const from = `${formatMonth(baseline.month)} (${formatPrintValue(baseline.valueE15)})`;
  return (
    `Protection against a decline of the ${index} from ${from} to ${month}, ` +
    "measured on the chained first print, so that a rescaled history is no decline."
  );
}

/** `unit`: undefined where it is the dollar. */
function payoffText(payoff: Payoff, month: string, unit: string | undefined): string {
  switch (payoff.kind) {
    case "layered": {
      const [attach, exhaust] = [percentText(payoff.attachBps), percentText(payoff.exhaustBps)];
      return (
        `A YES contract pays nothing for a decline of ${attach} % or less, 1 USD for ` +
        `${exhaust} % or more, and in proportion between; NO pays the rest of 1 USD.`
      );
    }
    case "binary":
      return (
        `A YES contract pays 1 USD if the decline is ${percentText(payoff.strikeBps)} % or more; ` +
        "otherwise NO does."
      );
    case "level": {
      const number = formatPrintValue(payoff.thresholdE15);
      const threshold = unit === undefined ? number : `${number} ${unit}`;
      return (
        `A YES contract pays 1 USD if the first print for ${month} is ` +
        `${comparatorText(payoff.comparator)} ${threshold}; otherwise NO does.`
      );
    }
    default:
      return unreachable(payoff);
  }
}

/** The steps of docs/concepts/clearing.md, "When the print does not come". */
function lateText({ successor, baseline }: Terms): string {
  const late = "If there is none 60 days after that date,";
  const steps = [
    ...(successor === null ? [] : [`the growth of ${successor} since the last print of the place`]),
    ...(baseline === null ? [] : ["the last level, if 80 % of the term had been printed"]),
    "sealed marks of sellers and the model's, if there was a print before",
    "else the market is void and its payments are reversed",
  ];
  return `${late} two people settle it by the first that applies: ${steps.join("; ")}.`;
}

function comparatorText(comparator: Comparator): string {
  switch (comparator) {
    case "gte":
      return "at least";
    case "lte":
      return "at most";
    default:
      return unreachable(comparator);
  }
}

/** 250 → "2.5" */
export const percentText = (bps: number): string => formatDecimal(BigInt(bps), 2);
