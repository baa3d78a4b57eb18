// Limits that an operator sets for an account, as the audit trail shows them.
// Invariant: JSON-safe; null = back to what every account of the tier has.
import { formatMicros } from "#base/money.ts";
import type { CapsCommand } from "./caps-record.ts";

export const capsDetails = ({ accountId, maxDailyMicros, maxOpenOrders }: CapsCommand) => ({
  accountId,
  ...(maxDailyMicros === undefined
    ? {}
    : { maxDaily: maxDailyMicros === null ? null : formatMicros(maxDailyMicros) }),
  ...(maxOpenOrders === undefined ? {} : { maxOpenOrders }),
});
