// Keys: a trading key is made by a key of the same account, and revoked for good.
// Invariant: no key holds a permission, a rate or a life its maker lacked.
import { keyId } from "#base/ids.ts";
import { invariant, unreachable } from "#base/invariant.ts";
import { DEFAULT_KEY_RATE } from "../account/accounts.ts";
import { isKeyLive } from "../authority.ts";
import type { CommandOf, NewKey } from "../command.ts";
import type { Key } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import { issuePublicKey, revokePublicKey } from "./public-keys.ts";

export const MAX_LIVE_KEYS = 50;

type KeyCommand = CommandOf<"CreateKey" | "RevokeKey" | "IssuePublicKey" | "RevokePublicKey">;

export function decideKey(step: Step, command: KeyCommand): Rejection | undefined {
  switch (command.type) {
    case "CreateKey":
      return createKey(step, command);
    case "RevokeKey":
      return revokeKey(step, command);
    case "IssuePublicKey":
      return issuePublicKey(step, command);
    case "RevokePublicKey":
      return revokePublicKey(step, command);
    default:
      return unreachable(command);
  }
}

function createKey(step: Step, { key }: CommandOf<"CreateKey">): Rejection | undefined {
  const { state, actor } = step;
  const account = actingAccount(step);
  const maker = actor.type === "key" ? state.keys.get(actor.keyId) : undefined;
  invariant(maker !== undefined, "the maker's key was found when it was authorised");
  const escalated = escalation(key, maker);
  if (escalated !== undefined) return reject("KEY_ESCALATION", { limit: escalated }, escalated);
  let live = 0;
  for (const id of state.keysByAccount.get(account) ?? []) {
    const existing = state.keys.get(id);
    if (existing !== undefined && isKeyLive(existing, step.nowSeconds)) live += 1;
  }
  if (live >= MAX_LIVE_KEYS) return reject("KEY_LIMIT");

  emit(step, {
    type: "KeyChanged",
    key: {
      id: keyId(`key-${state.keys.size + 1}`),
      accountId: account,
      label: key.label,
      prefix: key.prefix,
      digest: key.digest,
      permissions: key.permissions,
      ratePerMinute: key.ratePerMinute ?? Math.min(DEFAULT_KEY_RATE, maker.ratePerMinute),
      createdAtSeconds: step.nowSeconds,
      expiresAtSeconds: key.expiresAtSeconds ?? maker.expiresAtSeconds,
      revokedAtSeconds: null,
    },
  });
  return undefined;
}

/** The request field that asks for more than the maker has. */
function escalation(key: NewKey, maker: Key): string | undefined {
  if (!key.permissions.every((permission) => maker.permissions.includes(permission))) {
    return "permissions";
  }
  if (key.ratePerMinute !== null && key.ratePerMinute > maker.ratePerMinute) return "rateLimit";
  const asked = key.expiresAtSeconds;
  if (asked !== null && maker.expiresAtSeconds !== null && asked > maker.expiresAtSeconds) {
    return "expiresInDays";
  }
  return undefined;
}

function revokeKey(step: Step, { keyId: id }: CommandOf<"RevokeKey">): Rejection | undefined {
  const key = step.state.keys.get(id);
  if (key === undefined || key.accountId !== actingAccount(step) || key.revokedAtSeconds !== null) {
    return reject("KEY_NOT_FOUND");
  }

  emit(step, { type: "KeyChanged", key: { ...key, revokedAtSeconds: step.nowSeconds } });
  return undefined;
}
