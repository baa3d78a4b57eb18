// Keys of the public data surface: issued and revoked by an operator, ended by their own expiry.
// Invariant: a public key gives no command and reaches no account; it only raises a rate.
import { publicKeyId } from "#base/ids.ts";
import type { CommandOf } from "../command.ts";
import type { PublicKey } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, type Step } from "../step.ts";

export function issuePublicKey(step: Step, { key }: CommandOf<"IssuePublicKey">): undefined {
  emit(step, {
    type: "PublicKeyChanged",
    key: {
      id: publicKeyId(`pub-${step.state.publicKeys.size + 1}`),
      label: key.label,
      digest: key.digest,
      scopes: key.scopes,
      ratePerMinute: key.ratePerMinute,
      createdAtSeconds: step.nowSeconds,
      expiresAtSeconds: key.expiresAtSeconds,
      revokedAtSeconds: null,
    },
  });
}

/** For good, as with a trading key; one that is revoked already is as absent. */
export function revokePublicKey(
  step: Step,
  { publicKeyId: id }: CommandOf<"RevokePublicKey">,
): Rejection | undefined {
  const key = step.state.publicKeys.get(id);
  if (key === undefined || key.revokedAtSeconds !== null) return reject("KEY_NOT_FOUND");

  emit(step, { type: "PublicKeyChanged", key: { ...key, revokedAtSeconds: step.nowSeconds } });
  return undefined;
}

export const isPublicKeyLive = (key: PublicKey, nowSeconds: number): boolean =>
  key.revokedAtSeconds === null &&
  (key.expiresAtSeconds === null || key.expiresAtSeconds > nowSeconds);
