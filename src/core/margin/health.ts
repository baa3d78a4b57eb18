// How well an account's shorts are covered: the ratio, its name, and when a name is worse.
// Invariant: thresholds are compared as integers; a ratio that is shown is rounded down.
import { type Micros, micros } from "#base/money.ts";
import { faceOf } from "#base/quantity.ts";
import { floorDiv } from "#base/rounding.ts";
import type { MarginStatus } from "../records.ts";
import { PARTS_PER_MICRO } from "./requirement.ts";
import type { ShortTotals } from "./sums.ts";

/** Best first. */
const ranks: readonly MarginStatus[] = ["healthy", "warning", "critical", "liquidation"];

export const isWorse = (status: MarginStatus, than: MarginStatus): boolean =>
  ranks.indexOf(status) > ranks.indexOf(than);

/** (cash − liabilities) against maintenance: 1.5, 1.2 and 1 are the thresholds. */
export function statusOf(cash: Micros, totals: ShortTotals): MarginStatus {
  if (totals.shortLots === 0n || cash >= owedAtMost(totals)) return "healthy";
  const tenfold = 10n * equityParts(cash, totals);
  if (tenfold >= 15n * totals.maintenanceParts) return "healthy";
  if (tenfold >= 12n * totals.maintenanceParts) return "warning";
  return tenfold >= 10n * totals.maintenanceParts ? "critical" : "liquidation";
}

/** The ratio in ten-thousandths, rounded down; 1 when there is no short. */
export function healthSteps(cash: Micros, totals: ShortTotals): bigint {
  if (totals.shortLots === 0n) return 10_000n;
  const equity = equityParts(cash, totals);
  // Payouts that are known have no add-on: what is owed is there, or it is not.
  if (totals.maintenanceParts === 0n) return equity >= 0n ? 10_000n : 0n;
  return floorDiv(10_000n * equity, totals.maintenanceParts);
}

/** The most the shorts can still owe: 1 USD a contract. */
export const owedAtMost = ({ shortLots }: Pick<ShortTotals, "shortLots">): Micros =>
  micros(faceOf(shortLots));

const equityParts = (cash: Micros, { liabilityParts }: ShortTotals): bigint =>
  cash * PARTS_PER_MICRO - liabilityParts;
