// Keys of the public data surface: issued by an operator, ended by their own expiry.
// Invariant: a public key gives no command and reaches no account; it only raises a rate.
import { publicKeyId } from "#base/ids.ts";
import type { CommandOf } from "../command.ts";
import type { PublicKey } from "../records.ts";
import { emit, type Step } from "../step.ts";

export function issuePublicKey(step: Step, { key }: CommandOf<"IssuePublicKey">): undefined {
  emit(step, {
    type: "PublicKeyIssued",
    key: {
      id: publicKeyId(`pub-${step.state.publicKeys.size + 1}`),
      label: key.label,
      digest: key.digest,
      scopes: key.scopes,
      ratePerMinute: key.ratePerMinute,
      createdAtSeconds: step.nowSeconds,
      expiresAtSeconds: key.expiresAtSeconds,
    },
  });
}

export const isPublicKeyLive = (key: PublicKey, nowSeconds: number): boolean =>
  key.expiresAtSeconds === null || key.expiresAtSeconds > nowSeconds;
