// The worth of an open contract today (the mark) and after a very bad next print (stressed mark).
// Invariant: 0 ≤ mark ≤ stressed mark ≤ 1; both are fair values without any load.
import { addMonths } from "#base/month.ts";
import { nearestTick, type Tick } from "#base/price.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import { STRESS_PROBABILITY } from "./constants.ts";
import { distributionOf, movedBy, type Outlook, quantile } from "./distribution.ts";
import { type FeatureInput, featuresOf } from "./features.ts";
import { meanPayout, type PricingRefusal, refusalOf, tickUp } from "./quote.ts";

export interface OpenContract {
  /** The node as known now. */
  readonly node: FeatureInput;
  /** Whole months from the as-of month to the measurement month. */
  readonly horizonMonths: number;
  /** ln I(as-of) − ln I(baseline): what the index has already done; 0 when listed this month. */
  readonly accruedLogChange: number;
  readonly payoff: DeclinePayoff;
}

export type MarkResult =
  /** Fair value per 1 of coverage, and on the tick grid. */
  | { readonly status: "marked"; readonly value: number; readonly tick: Tick }
  | { readonly status: "refused"; readonly refusal: PricingRefusal };

/** The fair value of what is left, given what the index has already done; to the nearest tick. */
export function markOf(contract: OpenContract): MarkResult {
  const { node, horizonMonths, payoff } = contract;
  const refusal = refusalOf(node.index, horizonMonths, payoff);
  if (refusal !== undefined) return { status: "refused", refusal };

  const value = fairValueOf(contract);
  return { status: "marked", value, tick: nearestTick(value) };
}

/**
 * The mark after the model's 99 % adverse next print, rounded up to a tick. The next print is the
 * 1 % quantile y of the one-month distribution. It is appended to the history, the features are
 * taken anew with the as-of month one later (vRef and the momenta of nation and state stay, unless
 * the node is the nation or state itself), y joins the accrued change, one month less is left. With
 * no month left, the payout itself. Never below the mark, for a shock that lowers a margin is none.
 */
export function stressed(contract: OpenContract): MarkResult {
  const mark = markOf(contract);
  if (mark.status === "refused") return mark;

  const value = Math.max(mark.value, fairValueOf(afterAdversePrint(contract)));
  return { status: "marked", value, tick: tickUp(value) };
}

function afterAdversePrint(contract: OpenContract): OpenContract {
  const { node, horizonMonths, accruedLogChange } = contract;
  const adverse = quantile(distributionOf(outlookOf(node, 1)), STRESS_PROBABILITY);
  const logLevels = Array.from(node.logLevels);
  logLevels.push((logLevels.at(-1) ?? 0) + adverse);
  return {
    ...contract,
    node: { ...node, asOfMonth: addMonths(node.asOfMonth, 1), logLevels },
    horizonMonths: horizonMonths - 1,
    accruedLogChange: accruedLogChange + adverse,
  };
}

/** Per 1 of coverage; with no month left, the payout. */
export const fairValueOf = ({
  node,
  horizonMonths,
  accruedLogChange,
  payoff,
}: OpenContract): number => valueAfter(outlookOf(node, horizonMonths), accruedLogChange, payoff);

/**
 * The worth of a contract in any state of the world, without load: `outlook` has the features of
 * its place as they then are and the months then left, `accruedLogChange` what the index has done
 * since the baseline. With no month left, the payout itself. The model is the outlook's.
 */
export const valueAfter = (
  outlook: Outlook,
  accruedLogChange: number,
  payoff: DeclinePayoff,
): number =>
  outlook.horizonMonths === 0
    ? payoutAt(accruedLogChange, payoff)
    : meanPayout(movedBy(distributionOf(outlook), accruedLogChange), payoff);

export function outlookOf(node: FeatureInput, horizonMonths: number): Outlook {
  const { model, constants, index, level, asOfMonth } = node;
  return { model, constants, index, level, asOfMonth, horizonMonths, features: featuresOf(node) };
}

/** The payout at a known log change; a mark only, the ledger settles in integers. */
export function payoutAt(logChange: number, payoff: DeclinePayoff): number {
  const declineBps = -10_000 * Math.expm1(logChange);
  if (payoff.kind === "binary") return declineBps >= payoff.strikeBps ? 1 : 0;
  const { attachBps, exhaustBps } = payoff;
  return Math.min(1, Math.max(0, (declineBps - attachBps) / (exhaustBps - attachBps)));
}
