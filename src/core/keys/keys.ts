// Keys: a trading key is made by a key of the same account, and revoked for good.
// Invariant: no key holds a permission, a rate or a life its maker lacked.
import { type AccountId, keyId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { DEFAULT_KEY_RATE } from "../account/accounts.ts";
import type { CommandOf, NewKey } from "../command.ts";
import { isKeyLive, isMissedWithoutRoot } from "../person.ts";
import type { Account, Key } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, operatorOf, type Step } from "../step.ts";
import { say } from "../words/say.ts";
import { permissionsFor, refuseBeyondGiver } from "./given.ts";
import { leaveBehind, shownTo } from "./shown.ts";

export const MAX_LIVE_KEYS = 50;

export function createKey(step: Step, { key }: CommandOf<"CreateKey">): Rejection | undefined {
  const { state, actor } = step;
  const account = actingAccount(step);
  const maker = actor.type === "key" ? state.keys.get(actor.keyId) : undefined;
  invariant(maker !== undefined, "the maker's key was found when it was authorised");
  const escalated = escalation(key, maker);
  if (escalated !== undefined) return reject("KEY_ESCALATION", { limit: escalated }, escalated);
  if (liveKeys(step, account).length >= MAX_LIVE_KEYS) return reject("KEY_LIMIT");

  addKey(step, account, {
    ...key,
    ratePerMinute: key.ratePerMinute ?? Math.min(DEFAULT_KEY_RATE, maker.ratePerMinute),
    expiresAtSeconds: key.expiresAtSeconds ?? maker.expiresAtSeconds,
  });
  return undefined;
}

/** Somebody is shown it, who could then give any command of the account: it takes two people. */
export function issueKey(step: Step, command: CommandOf<"IssueKey">): Rejection | undefined {
  const { accountId: account, key } = command;
  const known = step.state.accounts.get(account);
  if (known === undefined) return reject("ACCOUNT_NOT_FOUND");
  const beyond = refuseBeyondGiver(step, known.role, key.permissions);
  if (beyond !== undefined) return beyond;
  if (liveKeys(step, account).length >= MAX_LIVE_KEYS) return reject("KEY_LIMIT");
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  const shown = shownTo(step, operatorOf(step));
  if (known.role === "operator") vouch(step, known);
  const permissions = permissionsFor(known.role, key.permissions);
  const ratePerMinute = key.ratePerMinute ?? DEFAULT_KEY_RATE;
  addKey(step, account, { ...key, permissions, ratePerMinute }, shown);
  return undefined;
}

/** The last to agree is shown the key, and could speak with it: the two are one person from now. */
function vouch(step: Step, account: Account): void {
  const by = operatorOf(step);
  const { vouchedBy = [] } = account;
  if (by === "root" || vouchedBy.includes(by) || account.openedBy === by) return;
  const vouched = { ...account, vouchedBy: [...vouchedBy, by] };
  emit(step, { type: "AccountChanged", account: vouched });
}

export function revokeKeys(
  step: Step,
  { accountId: account }: CommandOf<"RevokeKeys">,
): Rejection | undefined {
  if (!step.state.accounts.has(account)) return reject("ACCOUNT_NOT_FOUND");
  const isMissed = isMissedWithoutRoot(step, account);
  if (isMissed) return reject("OPERATORS_MISSING");

  for (const key of liveKeys(step, account)) revoke(step, key);
  return undefined;
}

function revoke(step: Step, key: Key): void {
  emit(step, { type: "KeyChanged", key: { ...key, revokedAtSeconds: step.nowSeconds } });
  leaveBehind(step, key);
}

const liveKeys = ({ state, nowSeconds }: Step, account: AccountId): readonly Key[] =>
  [...(state.keysByAccount.get(account) ?? [])].flatMap((id) => {
    const key = state.keys.get(id);
    return key !== undefined && isKeyLive(key, nowSeconds) ? [key] : [];
  });

function addKey(
  step: Step,
  account: AccountId,
  key: NewKey & { readonly ratePerMinute: number },
  shown: Pick<Key, "shownTo"> = {},
): void {
  const { label, prefix, digest, permissions, ratePerMinute, expiresAtSeconds } = key;
  emit(step, {
    type: "KeyChanged",
    key: {
      id: keyId(`key-${step.state.keys.size + 1}`),
      accountId: account,
      label,
      prefix,
      digest,
      permissions,
      ratePerMinute,
      createdAtSeconds: step.nowSeconds,
      expiresAtSeconds,
      revokedAtSeconds: null,
      ...shown,
    },
  });
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

export function revokeKey(
  step: Step,
  { keyId: id }: CommandOf<"RevokeKey">,
): Rejection | undefined {
  const key = step.state.keys.get(id);
  if (key === undefined || key.accountId !== actingAccount(step) || key.revokedAtSeconds !== null) {
    return reject("KEY_NOT_FOUND");
  }

  revoke(step, key);
  return undefined;
}
