// A market's end by its print: what it resolved to. Disputes and the payment are apart.
// Invariant: a market resolves once; only a dispute changes what it resolved to.
import type { MarketId } from "#base/ids.ts";
import { type Settlement, settle } from "#contract/payoff.ts";
import { cancelMarketOrders } from "../market/cancel.ts";
import { DISPUTE_WINDOW_MILLIS } from "../market/life.ts";
import type { AcceptedRelease, Market, Observation, Resolution } from "../records.ts";
import { emit, type Step } from "../step.ts";
import type { SettlingStep } from "./fallback-step.ts";

/** False when the print has no chain to settle on: the market waits for its fallback. */
export function resolveMarket(
  step: Step,
  id: MarketId,
  release: Pick<AcceptedRelease, "id" | "ingestedAtMillis">,
  seen: Pick<Observation, "valueE15" | "levelE12" | "link">,
  fallback?: SettlingStep,
): boolean {
  const market = step.state.market(id);
  const settlement = settle(market.terms, seen);
  if (settlement === undefined) return false;

  resolveAs(step, id, { release, link: seen.link, settlement, fallback });
  return true;
}

interface ResolvedBy extends Pick<Resolution, "link"> {
  readonly fallback: Resolution["fallback"];
  readonly release: Pick<AcceptedRelease, "id" | "ingestedAtMillis">;
  readonly settlement: Settlement;
}

export function resolveAs(
  step: Step,
  id: MarketId,
  { release, settlement, link, fallback }: ResolvedBy,
): void {
  cancelMarketOrders(step, id, "MARKET_CLOSED");
  const { markRound: _over, farMedian: _decided, ...market } = step.state.market(id);
  putMarket(step, {
    ...market,
    status: "RESOLVED",
    tradingClosed: true,
    resolution: {
      ...outcomeOf(settlement),
      releaseId: release.id,
      observedAtMillis: release.ingestedAtMillis,
      link,
      resolvedAtMillis: step.nowMillis,
      disputeWindowEndsAtMillis: step.nowMillis + DISPUTE_WINDOW_MILLIS,
      finalizedAtMillis: null,
      ...(fallback === undefined ? {} : { fallback }),
    },
  });
}

export const outcomeOf = (settlement: Settlement) => ({
  outcome: settlement.payoutMillionths > 0n ? ("YES" as const) : ("NO" as const),
  payoutMillionths: Number(settlement.payoutMillionths),
  settledValueE15: settlement.settledValueE15,
  comparisonValueE15: settlement.comparisonValueE15,
});

export const putMarket = (step: Step, market: Market): void =>
  emit(step, { type: "MarketChanged", market: { ...market, updatedAtMillis: step.nowMillis } });
