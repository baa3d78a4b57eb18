// Giving up a webhook that cannot be delivered, or may not be any more.
// Invariant: the account is told why, and what was not delivered can be replayed.
import type { CommandOf } from "../command.ts";
import { raiseAlert } from "../margin/alert.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, type Step } from "../step.ts";
import type { SuspendedCause } from "./record.ts";

/** Of the run that was given up: one that was replayed meanwhile goes on. */
export function suspendWebhook(
  step: Step,
  { webhookId: id, run, cause, fault }: CommandOf<"SuspendWebhook">,
): Rejection | undefined {
  const webhook = step.state.webhooks.get(id);
  if (webhook === undefined || webhook.run !== run || webhook.suspended !== null) {
    return reject("WEBHOOK_NOT_FOUND");
  }

  const suspended = { atSeconds: step.nowSeconds, cause, fault };
  emit(step, { type: "WebhookChanged", webhook: { ...webhook, suspended }, status: "set" });
  const message = `Webhook ${id} is suspended: ${toldCause(cause, fault)}`;
  raiseAlert(step, webhook.accountId, "webhook", message);
  return undefined;
}

const toldCause = (cause: SuspendedCause, fault: string): string =>
  ({
    failing: `its deliveries failed for 3 days, the last one with ${fault}`,
    gone: `its address answered ${fault}`,
    key_ended: "the key that set it, or replayed it last, is over",
  })[cause];
