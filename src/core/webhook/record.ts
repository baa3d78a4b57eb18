// A webhook: an address to which an account has its own events sent, and the commands about it.
// Invariant: a secret is never here, only the salt that it is drawn from under a key elsewhere.
import type { AccountId, KeyId, WebhookId } from "#base/ids.ts";

/** `trail`: every entry, as the audit trail shows it to operators and auditors. */
export type WebhookScope = "own" | "trail";

/** Why nothing is sent any more, until the webhook is replayed. */
export type SuspendedCause = "failing" | "gone" | "key_ended";

export interface Webhook {
  readonly id: WebhookId;
  readonly accountId: AccountId;
  /** The key that set it, or replayed it last: nothing is sent once that key is over. */
  readonly keyId: KeyId;
  readonly url: string;
  /** Absent = the account's own events. */
  readonly scope?: "trail";
  /** The types of events it carries; null = all of the private stream. */
  readonly types: readonly string[] | null;
  /** Of its secret. */
  readonly salt: string;
  /** Of the secret before, which signs beside the newer one until then; null = none does. */
  readonly before: { readonly salt: string; readonly untilSeconds: number } | null;
  readonly createdAtSeconds: number;
  /** The entry that set it, or replayed it last: what was delivered before does not count. */
  readonly run: number;
  /** The first entry that is delivered in this run follows it. */
  readonly afterSequence: number;
  readonly suspended: {
    readonly atSeconds: number;
    readonly cause: SuspendedCause;
    /** How the last delivery failed, such as `HTTP 503`. */
    readonly fault: string;
  } | null;
}

/** Ids and salts are drawn at random by whoever gives the command. */
export type WebhookCommand =
  | {
      readonly type: "SetWebhook";
      readonly webhookId: WebhookId;
      readonly url: string;
      /** Absent = the account's own events. */
      readonly scope?: "trail";
      readonly types: readonly string[] | null;
      readonly salt: string;
    }
  | { readonly type: "RotateWebhook"; readonly webhookId: WebhookId; readonly salt: string }
  /** Begins again after an entry; what was suspended goes on. */
  | {
      readonly type: "ReplayWebhook";
      readonly webhookId: WebhookId;
      readonly afterSequence: number;
    }
  | { readonly type: "RemoveWebhook"; readonly webhookId: WebhookId }
  /** The exchange gives a run up. */
  | {
      readonly type: "SuspendWebhook";
      readonly webhookId: WebhookId;
      readonly accountId: AccountId;
      readonly run: number;
      readonly cause: SuspendedCause;
      readonly fault: string;
    };

export type WebhookEvent = {
  readonly type: "WebhookChanged";
  readonly webhook: Webhook;
  readonly status: "set" | "removed";
};
