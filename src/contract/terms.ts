// The immutable terms of a market, which say what is owed and when, and the ids derived from their
// hash.
// Invariant: a market's hash covers every field of its terms; terms never change after listing.
import { taggedHex } from "#base/digest.ts";
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { formatMonth, type Month } from "#base/month.ts";
import { type ChainLevel, formatPrintValue, type PrintValue } from "#base/print-value.ts";

export type Comparator = "gte" | "lte";

export type Payoff =
  | { readonly kind: "layered"; readonly attachBps: number; readonly exhaustBps: number }
  | { readonly kind: "binary"; readonly strikeBps: number }
  | {
      readonly kind: "level";
      readonly comparator: Comparator;
      readonly thresholdE15: PrintValue;
    };

/** The first print a decline is measured from. */
export interface Baseline {
  readonly month: Month;
  readonly valueE15: PrintValue;
  readonly levelE12: ChainLevel;
  readonly releaseId: ReleaseId;
}

export interface Terms {
  readonly index: IndexKind;
  readonly nodeId: NodeId;
  readonly measurementMonth: Month;
  readonly payoff: Payoff;
  /** Null for a level contract, which compares the first print itself. */
  readonly baseline: Baseline | null;
  readonly rounding: "payout-millionths-down";
  /**
   * The rule where no print comes. `fallbacks-1`: 60 days after the expected publication, in
   * this order, each by two people: the successor's growth, the last level, cash settlement, void
   * (`docs/concepts/clearing.md`).
   */
  readonly fallback: "fallbacks-1";
  /** The place whose growth stands in for missing prints; null = none. */
  readonly successor: NodeId | null;
  readonly methodologyVersion: string;
  /** When the print is expected, milliseconds since 1970. */
  readonly expectedAtMillis: number;
}

const payoffText = (payoff: Payoff): string => {
  switch (payoff.kind) {
    case "layered":
      return `layered|${payoff.attachBps}|${payoff.exhaustBps}`;
    case "binary":
      return `binary|${payoff.strikeBps}`;
    case "level":
      return `level|${payoff.comparator}|${formatPrintValue(payoff.thresholdE15)}`;
  }
};

function baselineText(baseline: Baseline | null): string {
  if (baseline === null) return "none";
  const { month, valueE15, levelE12, releaseId } = baseline;
  return [formatMonth(month), valueE15, levelE12, releaseId].join("|");
}

/** The same text where two markets of one place and index pay the same at every value of it. */
export const payoutText = ({ payoff, baseline }: Pick<Terms, "payoff" | "baseline">): string =>
  `${payoffText(payoff)} from ${baselineText(baseline)}`;

/** 64 hex characters; the fields one a line, in the order of `docs/reference/ids.md`. */
export function termsHash(terms: Terms): string {
  return taggedHex(
    "firstprint/terms/v1",
    [
      terms.index,
      terms.nodeId,
      formatMonth(terms.measurementMonth),
      payoffText(terms.payoff),
      baselineText(terms.baseline),
      terms.rounding,
      terms.fallback,
      terms.methodologyVersion,
      String(terms.expectedAtMillis),
      terms.successor ?? "none",
    ].join("\n"),
  );
}

interface DerivedIds {
  readonly conditionId: string;
  readonly questionId: string;
  readonly onChainMarketId: string;
  /** By outcome index: YES, NO. */
  readonly positionIds: readonly [string, string];
}

/** 32-byte ids, `0x` + 64 hex, each its own hash of the terms hash; no chain is written. */
export function derivedIds(hash: string): DerivedIds {
  const derive = (tag: string): string => `0x${taggedHex(`firstprint/${tag}/v1`, hash)}`;
  return {
    conditionId: derive("condition"),
    questionId: derive("question"),
    onChainMarketId: derive("market"),
    positionIds: [derive("position-yes"), derive("position-no")],
  };
}
