// /api/trading/webhooks: addresses to which an account has its own events sent, signed, or the
// whole audit trail, where it may read that.
// Invariant: an account is shown its own webhooks only; a secret is in the answer of the request
// that drew it, and in no other.
import { type Static, Type } from "typebox";
import { type WebhookId, webhookId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Event } from "#core/event.ts";
import type { Webhook } from "#core/webhook/record.ts";
import { type ErrorCode, invalidField, refuse } from "../route/errors.ts";
import { closed, type KeyCaller, nothing, type Route, trading } from "../route/route.ts";
import { Done, done } from "./done.ts";
import { ownEventTypes } from "./own-message.ts";
import type { DeliveryAttempt, TradingPorts, WebhookProgress } from "./ports.ts";

const url = "/api/trading/webhooks";
const oneUrl = `${url}/:webhookId`;
const named = Type.Object({
  webhookId: Type.String({ maxLength: 64, description: "the webhook's id" }),
});
const idOf = (params: { readonly webhookId: string }): WebhookId =>
  webhookId(params.webhookId.toLowerCase());

const EventTypes = Type.Array(Type.Enum([...ownEventTypes]), {
  ...{ minItems: 1, uniqueItems: true },
  description: "only these types of events; all when left out",
});
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

const WebhookRecord = Type.Object(
  {
    id: Type.String(),
    url: Type.String({ description: "where its messages are sent" }),
    scope: Type.Enum(["own", "trail"], {
      description: "own: the account's own events; trail: every entry, as the audit trail shows it",
    }),
    types: Type.Union([EventTypes, Type.Null()], {
      description: "types of events it carries; null = all",
    }),
    createdAt: Type.Integer({ description: "Unix seconds" }),
    fromSequence: Type.Integer({ description: "the first entry it carries" }),
    previousSecretUntil: Type.Union([Type.Integer(), Type.Null()], {
      description: "so long the secret before signs beside the newer one: Unix seconds",
    }),
    suspended: Type.Union(
      [
        Type.Object({
          at: Type.Integer({ description: "Unix seconds" }),
          cause: Type.Enum(["failing", "gone", "key_ended"], {
            description: "failing: for 3 days; gone: HTTP 410; key_ended: its key is over",
          }),
          fault: Type.String({ description: "how the last delivery failed, such as HTTP 503" }),
        }),
        Type.Null(),
      ],
      { description: "why nothing is sent any more, until it is replayed; null = it is sent" },
    ),
    secret: Type.Optional(Type.String({ description: "whsec_ and the key in base64" })),
    progress: Type.Optional(
      Type.Object(
        {
          deliveredSequence: Type.Integer({
            description: "each entry up to here was delivered, or has nothing for it",
          }),
          attempts: Type.Integer({ description: "how often the next message failed" }),
          failingSince: orNull(Type.Integer(), "first failure of the next message: Unix seconds"),
          nextAttempt: orNull(Type.Integer(), "when it is tried again: Unix seconds"),
        },
        { title: "WebhookProgress" },
      ),
    ),
  },
  { title: "Webhook" },
);
type WebhookRecord = Static<typeof WebhookRecord>;

const webhookRecord = (webhook: Webhook): WebhookRecord => ({
  id: webhook.id,
  url: webhook.url,
  scope: webhook.scope ?? "own",
  types: webhook.types === null ? null : ownEventTypes.filter((type) => isOf(webhook, type)),
  createdAt: webhook.createdAtSeconds,
  fromSequence: webhook.afterSequence + 1,
  previousSecretUntil: webhook.before?.untilSeconds ?? null,
  suspended:
    webhook.suspended === null
      ? null
      : {
          at: webhook.suspended.atSeconds,
          cause: webhook.suspended.cause,
          fault: webhook.suspended.fault,
        },
});

const isOf = ({ types }: Webhook, type: string): boolean => types?.includes(type) !== false;

function withProgress(webhook: Webhook, progress: WebhookProgress | undefined): WebhookRecord {
  if (progress === undefined) return webhookRecord(webhook);
  const { delivered, attempts, failingSinceMillis, nextAttemptMillis } = progress;
  return {
    ...webhookRecord(webhook),
    progress: {
      deliveredSequence: delivered,
      attempts,
      failingSince: secondsOf(failingSinceMillis),
      nextAttempt: webhook.suspended === null ? secondsOf(nextAttemptMillis) : null,
    },
  };
}

const secondsOf = (millis: number | null): number | null =>
  millis === null ? null : Math.ceil(millis / 1000);

const ownOf = ({ view }: TradingPorts, { account }: KeyCaller, id: WebhookId) => {
  const webhook = view.webhooks.get(id);
  return webhook?.accountId === account.id ? webhook : undefined;
};

export const listWebhooks = (ports: TradingPorts): Route =>
  trading.read({
    url,
    isForLeader: true,
    access: "read:portfolio",
    summary: "The account's webhooks, the oldest first, and how far each has been delivered",
    params: nothing,
    query: nothing,
    data: Type.Array(WebhookRecord),
    read: ({ caller }) => ({
      data: ports.view
        .webhooksOf(caller.account.id)
        .map((webhook) => withProgress(webhook, ports.webhooks.progressOf(webhook.id))),
    }),
  });

export const showWebhook = (ports: TradingPorts): Route =>
  trading.read({
    url: oneUrl,
    isForLeader: true,
    access: "read:portfolio",
    summary: "One of the account's webhooks, and how far it has been delivered",
    refusals: ["WEBHOOK_NOT_FOUND"],
    params: named,
    query: nothing,
    data: WebhookRecord,
    read: ({ caller, params }) => {
      const webhook = ownOf(ports, caller, idOf(params));
      return webhook === undefined
        ? refuse("WEBHOOK_NOT_FOUND")
        : { data: withProgress(webhook, ports.webhooks.progressOf(webhook.id)) };
    },
  });

const reading: readonly ErrorCode[] = ["PERMISSION_DENIED"];

export const setWebhook = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url,
    access: "manage:custody",
    summary: "Has the account's own events sent to an address from now on; shows the secret, once",
    refusals: [...reading, "TRAIL_DENIED", "WEBHOOK_CAP"],
    params: nothing,
    body: closed({
      url: Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: "https, at most 1,000 characters, a public address behind it",
      }),
      scope: Type.Optional(
        Type.Enum(["own", "trail"], {
          ...{ default: "own" },
          description: "trail: every entry of the audit trail; for auditors and operators",
        }),
      ),
      types: Type.Optional(EventTypes),
    }),
    data: WebhookRecord,
    toCommand: ({ body }) => {
      const read = ports.webhooks.readAddress(body.url);
      if ("wrong" in read) return invalidField("url", read.wrong);
      const isOfTrail = body.scope === "trail";
      if (isOfTrail && body.types !== undefined) {
        return invalidField("types", "must be left out: the trail is sent whole");
      }
      const { id, salt } = ports.webhooks.draw();
      const scope = isOfTrail ? { scope: "trail" as const } : {};
      const asked = { url: read.url, ...scope, types: body.types ?? null, salt };
      return { command: { type: "SetWebhook", webhookId: id, ...asked } };
    },
    render: ({ events }) => ({ data: withSecret(ports, changedIn(events)) }),
  });

export const rotateWebhookSecret = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: `${oneUrl}/rotate-secret`,
    access: "manage:custody",
    summary: "Draws a new secret, shown once; the one before signs beside it for 24 hours",
    refusals: ["WEBHOOK_NOT_FOUND"],
    params: named,
    body: nothing,
    data: WebhookRecord,
    toCommand: ({ params }) => {
      const { salt } = ports.webhooks.draw();
      return { command: { type: "RotateWebhook", webhookId: idOf(params), salt } };
    },
    render: ({ events }) => ({ data: withSecret(ports, changedIn(events)) }),
  });

export const replayWebhook = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: `${oneUrl}/replay`,
    access: "manage:custody",
    summary: "Delivers again from an entry on, in order; a suspended webhook goes on",
    refusals: [...reading, "WEBHOOK_NOT_FOUND", "SEQUENCE_AHEAD"],
    cost: 20,
    params: named,
    body: closed({
      fromSequence: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "the first entry that is delivered, at most the next one there will be",
      }),
    }),
    data: WebhookRecord,
    toCommand: ({ params, body }) => {
      const afterSequence = body.fromSequence - 1;
      const isAhead = afterSequence > ports.engine.status().durableSequence;
      if (isAhead) return refuse("SEQUENCE_AHEAD");
      return { command: { type: "ReplayWebhook", webhookId: idOf(params), afterSequence } };
    },
    render: ({ events }) => ({ data: webhookRecord(changedIn(events)) }),
  });

export const removeWebhook = (): Route =>
  trading.write({
    method: "DELETE",
    url: oneUrl,
    access: "manage:custody",
    summary: "Removes a webhook, its secrets and its log, for good",
    refusals: ["WEBHOOK_NOT_FOUND"],
    params: named,
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({
      command: { type: "RemoveWebhook", webhookId: idOf(params) },
    }),
    render: () => done,
  });

const Delivery = Type.Object(
  {
    number: Type.Integer({ description: "counts the attempts of this webhook from 1" }),
    sequence: Type.Integer({ description: "the entry that was sent" }),
    messageId: Type.String({ description: "its webhook-id, the same at each attempt" }),
    attempt: Type.Integer({ description: "of this entry, from 1" }),
    at: Type.String({ description: "ISO 8601, by the clock of the machine" }),
    tookMillis: Type.Integer({ description: "to the answer, or to the end of waiting" }),
    status: orNull(Type.Integer(), "the HTTP status that was answered"),
    fault: orNull(Type.String(), "why there was no answer, such as TIMED_OUT"),
  },
  { title: "WebhookDelivery" },
);

const MOST_DELIVERIES = 100;

export const listDeliveries = (ports: TradingPorts): Route =>
  trading.read({
    url: `${oneUrl}/deliveries`,
    isForLeader: true,
    access: "read:portfolio",
    summary: "The newest attempts to deliver a webhook, the last first; 1,000 are kept",
    refusals: ["WEBHOOK_NOT_FOUND"],
    cost: 2,
    params: named,
    query: closed({
      before: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "the last number of the page before",
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MOST_DELIVERIES, default: MOST_DELIVERIES }),
      ),
    }),
    data: Type.Array(Delivery),
    read: async ({ caller, params, query }) => {
      const webhook = ownOf(ports, caller, idOf(params));
      if (webhook === undefined) return refuse("WEBHOOK_NOT_FOUND");
      const { before, limit = MOST_DELIVERIES } = query;
      const attempts = await ports.webhooks.attempts(webhook.id, before, limit);
      return { data: attempts.map(deliveryRecord) };
    },
  });

const deliveryRecord = (attempt: DeliveryAttempt): Static<typeof Delivery> => ({
  number: attempt.number,
  sequence: attempt.sequence,
  messageId: attempt.messageId,
  attempt: attempt.attempt,
  at: new Date(attempt.atMillis).toISOString(),
  tookMillis: attempt.tookMillis,
  status: attempt.status,
  fault: attempt.fault,
});

function changedIn(events: readonly Event[]): Webhook {
  const changed = events.find((event) => event.type === "WebhookChanged");
  invariant(changed !== undefined, "a webhook that is taken is told");
  return changed.webhook;
}

/** Drawn from the entry, so that a repeated request is answered alike. */
const withSecret = ({ webhooks }: TradingPorts, webhook: Webhook): WebhookRecord => ({
  ...webhookRecord(webhook),
  secret: webhooks.secretOf(webhook.salt),
});
