// Signatures by the Standard Webhooks specification (v1): HMAC-SHA256 over id, time and body.
// Invariant: what is signed is the bytes that are sent; neither an id nor a time holds a full stop.
import { createHmac } from "node:crypto";
import type { WebhookScope } from "#core/webhook/record.ts";

const TAG = "firstprint webhook secret 1";

/** The secret of a salt: whoever has the journal, and not the key, cannot tell it. */
export const secretOf = (key: string, salt: string): Uint8Array =>
  createHmac("sha256", key).update(`${TAG}\n${salt}`).digest();

/** As its account is shown it, once. */
export const secretShown = (secret: Uint8Array): string =>
  `whsec_${Buffer.from(secret).toString("base64")}`;

interface SignedParts {
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly atSeconds: number;
  readonly body: Uint8Array;
}

/** The three headers; one signature for each secret, so that a secret can be replaced. */
export function signedHeaders(
  secrets: readonly Uint8Array[],
  { id, atSeconds, body }: SignedParts,
) {
  const signatures = secrets.map((secret) => {
    const hmac = createHmac("sha256", secret).update(`${id}.${atSeconds}.`).update(body);
    return `v1,${hmac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": `${atSeconds}`,
    "webhook-signature": signatures.join(" "),
  };
}

const messageTypes = { own: "account.entry", trail: "trail.entry" } as const;

/** The body of a message; `entry` is the JSON of an entry of the private stream, or the trail. */
export const messageBody = (
  scope: WebhookScope,
  timeMillis: number,
  entry: Uint8Array,
): Uint8Array => {
  const time = new Date(timeMillis).toISOString();
  const opening = `{"type":"${messageTypes[scope]}","timestamp":"${time}","data":`;
  return Buffer.concat([Buffer.from(opening), entry, Buffer.from("}")]);
};
