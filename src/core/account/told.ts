// Limits of an account and of its groups of orders, as the audit trail shows them.
// Invariant: JSON-safe; null = none, or back to what every account of the tier has.
import { formatMicros } from "#base/money.ts";
import { formatLots } from "#base/quantity.ts";
import type { Event } from "../event.ts";
import type { CapsCommand } from "./caps-record.ts";
import type { OrderGroup } from "./protection-record.ts";

export const capsDetails = ({ accountId, maxDailyMicros, maxOpenOrders }: CapsCommand) => ({
  accountId,
  ...(maxDailyMicros === undefined
    ? {}
    : { maxDaily: maxDailyMicros === null ? null : formatMicros(maxDailyMicros) }),
  ...(maxOpenOrders === undefined ? {} : { maxOpenOrders }),
});

type GroupTerms = Pick<OrderGroup, "group" | "withinMillis" | "maxLots" | "maxFills">;

export const groupDetails = ({ group, withinMillis, maxLots, maxFills }: GroupTerms) => ({
  group,
  withinMillis,
  maxContracts: maxLots === null ? null : formatLots(maxLots),
  maxFills,
});

/** The limits that were passed, and by how much. */
export function groupTripDetails(events: readonly Event[]): Record<string, unknown> {
  const limits = events.find((event) => event.type === "GroupChanged")?.limits;
  if (limits == null) return {};
  const filledContracts = formatLots(limits.windowLots);
  return { ...groupDetails(limits), filledContracts, fills: limits.windowFills };
}
