// The cash a seller has bound by a contract at the marks of now, by the seller's tier.
// Invariant: the figure is the core's own: liability and initial margin of the position by itself.
import { lots } from "#base/quantity.ts";
import { coverOf } from "#core/margin/requirement.ts";
import type { Rules, TierRules } from "#core/rules.ts";
import { type MarkedTerms, marksFor } from "./marks.ts";
import type { MarketData } from "./reference.ts";

type LiquidityTier = TierRules["liquidityTier"];

const LOTS_PER_USD = 100;

/** USD, exact; undefined where there are no marks. A premium received counts toward it. */
export function sellerMarginsUsd(
  data: MarketData & { readonly exchange: { readonly rules: Rules } },
  terms: MarkedTerms,
  coverageUsd: number,
): Readonly<Record<LiquidityTier, number>> | undefined {
  const marks = marksFor(data, terms);
  if (marks === undefined) return undefined;
  const sold = lots(BigInt(-Math.ceil(coverageUsd * LOTS_PER_USD)));
  const { basic, enhanced, institutional } = data.exchange.rules.tiers;
  const usdOf = ({ requirementBps }: TierRules): number =>
    Number(coverOf(sold, { ...marks, terms }, requirementBps)) / 1e6;
  return {
    basic: usdOf(basic),
    standard: usdOf(enhanced),
    institutional: usdOf(institutional),
  };
}
