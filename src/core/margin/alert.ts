// Telling an account that its margin or a payout went wrong, in words that stay as they were.
// Invariant: an alert is a record of the command that raised it.
import type { AccountId } from "#base/ids.ts";
import type { AlertType } from "../records.ts";
import { emit, type Step } from "../step.ts";

export function raiseAlert(
  step: Step,
  accountId: AccountId,
  type: AlertType,
  message: string,
): void {
  const id = `alr-${step.state.alertCount + 1}`;
  emit(step, {
    type: "AlertRaised",
    alert: { id, accountId, type, message, atSeconds: step.nowSeconds },
  });
}
