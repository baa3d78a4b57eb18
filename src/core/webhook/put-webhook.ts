// A webhook in its place.
// Invariant: an account's set of webhooks is those that are here.
import type { WebhookId } from "#base/ids.ts";
import type { State } from "../state.ts";
import type { Webhook, WebhookEvent } from "./record.ts";

export function foldWebhook(state: State, { webhook, status }: WebhookEvent): void {
  if (status === "set") {
    putWebhook(state, webhook);
    return;
  }
  const { id, accountId } = webhook;
  state.webhooks.delete(id);
  const mine = state.webhooksOf.get(accountId);
  mine?.delete(id);
  if (mine?.size === 0) state.webhooksOf.delete(accountId);
}

export function putWebhook(state: State, webhook: Webhook): void {
  const { id, accountId } = webhook;
  state.webhooks.set(id, webhook);
  const mine = state.webhooksOf.get(accountId) ?? new Set<WebhookId>();
  state.webhooksOf.set(accountId, mine.add(id));
}
