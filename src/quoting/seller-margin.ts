// The cash a seller has bound by a contract at the marks of now, by the seller's tier.
// Invariant: the figure is the core's own: liability and initial margin of the position by itself.
import { lots } from "#base/quantity.ts";
import { coverOf } from "#core/margin/sums.ts";
import type { Market } from "#core/records.ts";
import type { Rules, TierRules } from "#core/rules.ts";
import { type MarkedTerms, marksFor } from "./marks.ts";
import type { MarketData } from "./reference.ts";

type LiquidityTier = TierRules["liquidityTier"];

const LOTS_PER_USD = 100;

/** Undefined where there are no marks. */
export type SellerMarginsUsd = Readonly<Record<LiquidityTier, number>> | undefined;

/**
 * USD, exact; undefined where there are no marks. A premium received counts toward it. `listed`:
 * the series' market, where it has one, with the contracts open there at the last marks.
 */
export function sellerMarginsUsd(
  data: MarketData & { readonly exchange: { readonly rules: Rules } },
  terms: MarkedTerms,
  coverageUsd: number,
  listed?: Pick<Market, "markedOpenLots">,
): SellerMarginsUsd {
  const marks = marksFor(data, terms);
  if (marks === undefined) return undefined;
  const sold = lots(BigInt(-Math.ceil(coverageUsd * LOTS_PER_USD)));
  const open = listed?.markedOpenLots;
  const counted = open === undefined ? {} : { markedOpenLots: open };
  const marked = { ...marks, terms, ...counted };
  const { rules } = data.exchange;
  const { basic, enhanced, institutional } = rules.tiers;
  const concentration = rules.concentration;
  const usdOf = ({ requirementBps }: TierRules): number =>
    Number(coverOf(sold, marked, { requirementBps, concentration })) / 1e6;
  return {
    basic: usdOf(basic),
    standard: usdOf(enhanced),
    institutional: usdOf(institutional),
  };
}
