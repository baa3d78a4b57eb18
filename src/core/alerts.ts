// The alerts an account is shown: the newest, in the state itself, so that a restart forgets none.
// Invariant: an account never has more than are kept; payouts go first, of each the oldest.
import type { Alert } from "./records.ts";

/** How many of an account's alerts are kept. */
export const ALERTS_KEPT = 100;

export function withAlert(alerts: readonly Alert[], alert: Alert): readonly Alert[] {
  const all = [...alerts, alert];
  if (all.length <= ALERTS_KEPT) return all;
  // A release can pay thousands of markets at once: a margin call must not drown in it.
  const oldest = Math.max(
    0,
    all.findIndex(({ type }) => type === "payout"),
  );
  return all.toSpliced(oldest, 1);
}
