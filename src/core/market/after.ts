// A market after trades, or new marks: of these the event tells what changed, not the whole record.
// Invariant: neither opens, closes or settles a market.
import type { EventOf } from "../event.ts";
import type { Market } from "../records.ts";

/** `timeMillis`: of the entry. */
export function marketAfter(
  market: Market,
  event: EventOf<"MarketTraded" | "MarketMarked">,
  timeMillis: number,
): Market {
  if (event.type === "MarketTraded") {
    const { lastTick, houseFeesMicros, fundFeesMicros } = event;
    const fees = { houseFeesMicros, fundFeesMicros };
    return { ...market, ...fees, lastTick, tradedSinceMark: true, updatedAtMillis: timeMillis };
  }
  const { tradedSinceMark: _older, ...rest } = market;
  const { markTick, stressedTick, riskTicks } = event;
  return { ...rest, markTick, stressedTick, riskTicks, updatedAtMillis: timeMillis };
}
