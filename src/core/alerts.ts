// The alerts an account is shown: the newest, in the state itself, so that a restart forgets none.
// Invariant: an account never has more than are kept, and the oldest goes first.
import type { Alert } from "./records.ts";

/** How many of an account's alerts are kept. */
export const ALERTS_KEPT = 100;

export const withAlert = (alerts: readonly Alert[], alert: Alert): readonly Alert[] =>
  [...alerts, alert].slice(-ALERTS_KEPT);
