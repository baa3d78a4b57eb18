// The dead man's switch: unless it is set again in time, what the account has open is cancelled,
// and with the switch for all markets its mandates are.
// Invariant: an account has at most one switch for all markets and one for each; setting it
// replaces it, and it fires once, at its second.
import type { CommandOf } from "../command.ts";
import { cancelMandatesOf } from "../mandate/set.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import { cancelOrdersOf } from "./cancel.ts";

export function setCancelAfter(
  step: Step,
  { seconds, marketId }: CommandOf<"SetCancelAfter">,
): Rejection | undefined {
  if (marketId !== null && !step.state.markets.has(marketId)) {
    return reject("MARKET_NOT_FOUND", undefined, "marketId");
  }

  // A part of a second is given, never taken: it does not fire before its time.
  const atSeconds = seconds === 0 ? null : Math.ceil(step.nowMillis / 1000) + seconds;
  emit(step, { type: "CancelAfterChanged", accountId: actingAccount(step), marketId, atSeconds });
  return undefined;
}

export function fireCancelAfter(
  step: Step,
  { accountId, marketId }: CommandOf<"FireCancelAfter">,
): undefined {
  cancelOrdersOf(step, accountId, marketId, "CANCEL_AFTER");
  if (marketId === null) cancelMandatesOf(step, accountId);
  emit(step, { type: "CancelAfterChanged", accountId, marketId, atSeconds: null });
}
