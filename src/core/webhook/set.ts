// Setting, replaying and removing webhooks, and the secrets that sign what they carry.
// Invariant: an account changes its own webhooks only, and by a key that may read what they carry.
import type { AccountId, KeyId, WebhookId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { CommandOf } from "../command.ts";
import type { Account } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import type { Webhook } from "./record.ts";

/** Of an account; suspended ones count. */
export const MOST_WEBHOOKS = 5;
/** So long the secret before signs beside the new one. */
export const ROTATION_SECONDS = 86_400;

export function setWebhook(step: Step, command: CommandOf<"SetWebhook">): Rejection | undefined {
  const { state, sequence } = step;
  const accountId = actingAccount(step);
  const { webhookId: id, url, scope, types, salt } = command;
  const refused = refuseUnread(step, scope);
  if (refused !== undefined) return refused;
  if ((state.webhooksOf.get(accountId)?.size ?? 0) >= MOST_WEBHOOKS) {
    return reject("WEBHOOK_CAP", { allowed: MOST_WEBHOOKS });
  }

  invariant(!state.webhooks.has(id), `${id} was drawn at random, and is new`);
  emitSet(step, {
    ...{ id, accountId, keyId: actingKey(step), url, types, salt, before: null },
    ...(scope === undefined ? {} : { scope }),
    ...{ createdAtSeconds: step.nowSeconds, run: sequence, afterSequence: sequence },
    suspended: null,
  });
  return undefined;
}

export function rotateWebhook(
  step: Step,
  { webhookId: id, salt }: CommandOf<"RotateWebhook">,
): Rejection | undefined {
  const webhook = ownWebhook(step.state, actingAccount(step), id);
  if (webhook === undefined) return reject("WEBHOOK_NOT_FOUND");

  const before = { salt: webhook.salt, untilSeconds: step.nowSeconds + ROTATION_SECONDS };
  emitSet(step, { ...webhook, salt, before });
  return undefined;
}

export function replayWebhook(
  step: Step,
  { webhookId: id, afterSequence }: CommandOf<"ReplayWebhook">,
): Rejection | undefined {
  const { state, sequence } = step;
  const webhook = ownWebhook(state, actingAccount(step), id);
  if (webhook === undefined) return reject("WEBHOOK_NOT_FOUND");
  const refused = refuseUnread(step, webhook.scope);
  if (refused !== undefined) return refused;

  const begin = { run: sequence, afterSequence: Math.min(afterSequence, sequence) };
  emitSet(step, { ...webhook, ...begin, keyId: actingKey(step), suspended: null });
  return undefined;
}

export function removeWebhook(
  step: Step,
  { webhookId: id }: CommandOf<"RemoveWebhook">,
): Rejection | undefined {
  const webhook = ownWebhook(step.state, actingAccount(step), id);
  if (webhook === undefined) return reject("WEBHOOK_NOT_FOUND");

  emit(step, { type: "WebhookChanged", webhook, status: "removed" });
  return undefined;
}

const emitSet = (step: Step, webhook: Webhook): void =>
  emit(step, { type: "WebhookChanged", webhook, status: "set" });

function actingKey({ actor }: Step): KeyId {
  invariant(actor.type === "key", "a webhook is set with a trading key");
  return actor.keyId;
}

/**
 * A webhook carries what the private stream does, or the trail: the key must be one that may read
 * it.
 */
function refuseUnread(step: Step, scope: Webhook["scope"]): Rejection | undefined {
  const { state } = step;
  const mayRead = state.keys.get(actingKey(step))?.permissions.includes("read:portfolio") === true;
  if (!mayRead) return reject("PERMISSION_DENIED", { permission: "read:portfolio" });
  if (scope === undefined || readsTrail(state.accounts.get(actingAccount(step)))) return undefined;
  return reject("TRAIL_DENIED", undefined, "scope");
}

/** Of everybody, not of the account alone. */
const readsTrail = (account: Pick<Account, "role"> | undefined): boolean =>
  account !== undefined && account.role !== "trader";

/** Somebody else's is answered like an absent one. */
function ownWebhook({ webhooks }: State, accountId: AccountId, id: WebhookId): Webhook | undefined {
  const webhook = webhooks.get(id);
  return webhook?.accountId === accountId ? webhook : undefined;
}
