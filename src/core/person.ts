// Tells operators who are one person, where two people have to agree; and whether root is one.
// Invariant: two keys of one account are one person, two accounts of one owner are, and so is an
// operator with everybody who opened its account, agreed to it, or was shown a key of it. An operator
// who was shown a key of any account is its person while the key lives, or something it made stands.
// Only root brings a new person in.
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId, KeyId, MarketId } from "#base/ids.ts";
import { ownerOf } from "./account/owner.ts";
import {
  type Account,
  adminPermissions,
  isAdminPermission,
  type Key,
  type OperatorName,
  type Permission,
} from "./records.ts";
import type { State } from "./state.ts";

/** Accounts, and the keys that an operator was shown. */
export interface Known {
  readonly accounts: ReadonlyMap<AccountId, Account>;
  readonly keys: ReadonlyMap<KeyId, Pick<Key, "shownTo">>;
  readonly ties: ReadonlyMap<AccountId, ReadonlySet<KeyId>>;
}

/** Accounts and keys, as the state and its view have them. */
interface People extends Known {
  readonly operators: ReadonlySet<AccountId>;
  keysOf(id: AccountId): readonly Key[];
}

/** The one check behind every four-eyes rule: voids, held releases, disputes, proposals. */
export function isSecondPerson(people: Known, first: OperatorName, second: OperatorName): boolean {
  const line = lineOf(people, first);
  return ![...lineOf(people, second)].some((name) => line.has(name));
}

/** Whether two names are of one owner: what one of them said, the other takes back or says anew. */
export const isSameOwner = (
  people: Pick<People, "accounts">,
  one: OperatorName,
  other: OperatorName,
): boolean => ownerName(people, one) === ownerName(people, other);

const ownerName = (people: Pick<People, "accounts">, name: OperatorName): OperatorName =>
  name === "root" ? name : ownerOf(people, name);

/** Whether an account of this person holds anything in the market. */
export const hasStake = (state: State, operator: OperatorName, market: MarketId): boolean =>
  accountsOf(state, operator).some((id) => holds(state, id, market));

/** The markets in which an account of this person holds anything; one may be told twice. */
export const stakesOf = (state: State, operator: OperatorName): readonly MarketId[] =>
  accountsOf(state, operator).flatMap((id) =>
    [...(state.marketsHeldBy.get(id) ?? [])].filter((market) => holds(state, id, market)),
  );

const holds = (state: State, id: AccountId, market: MarketId): boolean =>
  (state.position(id, market)?.heldLots ?? 0n) !== 0n;

/**
 * The accounts of one person with this one: those of its own owner and of whoever vouched for it,
 * operators that somebody of these vouched for, and accounts whose key one of all these was shown.
 * Nobody vouches for other accounts.
 */
function accountsOf(state: State, name: OperatorName): readonly AccountId[] {
  const line = lineOf(state, name);
  const own = [...line].flatMap((owner) =>
    owner === "root" ? [] : [...(state.accountsByOwner.get(owner) ?? [])],
  );
  const operators = [...state.operators].filter((id) => !isSecondPerson(state, id, name));
  const people: readonly OperatorName[] = line.has("root") ? ["root", ...operators] : operators;
  const shown = people.flatMap((one) => [...(state.tiedTo.get(one) ?? [])]);
  return [...own, ...operators, ...shown];
}

/**
 * The owner of an account, whoever was shown a key of it that still ties and, of an operator's
 * account, whoever vouched for it; and theirs in turn.
 */
function lineOf(people: Known, name: OperatorName): ReadonlySet<OperatorName> {
  const line = new Set<OperatorName>();
  const seen = new Set<OperatorName>();
  const add = (one: OperatorName): void => {
    line.add(ownerName(people, one));
    if (one === "root" || seen.has(one)) return;
    seen.add(one);
    for (const id of people.ties.get(one) ?? []) {
      const shown = people.keys.get(id)?.shownTo;
      if (shown !== undefined) add(shown);
    }
    const account = people.accounts.get(one);
    if (account?.role !== "operator") return;
    const vouching = [openerOf(account), ...(account.vouchedBy ?? [])];
    for (const other of vouching) if (other !== "root") add(other);
  };
  add(name);
  return line;
}

/** Root opened every account of which the record says nothing. */
export const openerOf = ({ openedBy = "root" }: Account): OperatorName => openedBy;

/**
 * Whether too few people are left to decide something: for some permission of operators no two
 * different people could still give a word a day from now. Root counts while it is on, and an
 * operator for a day after it was halted: whoever halted it might be the one that is not honest.
 */
export function isPeopleLacking(
  people: People,
  isSwitchedOff: boolean,
  nowSeconds: number,
): boolean {
  const root = isRootOff(people, isSwitchedOff, nowSeconds) ? [] : (["root"] as const);
  return adminPermissions.some((permission) => {
    const holders = [...people.operators].filter((id) =>
      isLiving(people, id, permission, nowSeconds),
    );
    return !areTwoPeople(people, [...root, ...holders]);
  });
}

function isLiving(
  people: People,
  id: AccountId,
  permission: Permission,
  nowSeconds: number,
): boolean {
  const { halted = true, haltedAtMillis = 0 } = people.accounts.get(id) ?? {};
  if (halted && 1_000 * nowSeconds >= haltedAtMillis + DAY_MILLIS) return false;
  return hasLiveKey(people, id, permission, nowSeconds + DAY_MILLIS / 1_000);
}

const areTwoPeople = (people: Known, names: readonly OperatorName[]): boolean =>
  names.some((one) => names.some((other) => isSecondPerson(people, one, other)));

/** Whether a key of the account holds the permission, and is live then. */
export const hasLiveKey = (
  people: Pick<People, "keysOf">,
  id: AccountId,
  permission: Permission,
  atSeconds: number,
): boolean =>
  people
    .keysOf(id)
    .some((key) => isKeyLive(key, atSeconds) && key.permissions.includes(permission));

/**
 * An exchange is founded by root alone, until two operators have been given authority. Losing them
 * later brings no such founding back (`isPeopleLacking`).
 */
export function isFounding(people: People): boolean {
  let operators = 0;
  for (const id of people.operators) {
    if (people.keysOf(id).some(({ permissions }) => permissions.some(isAdminPermission))) {
      operators += 1;
    }
  }
  return operators < 2;
}

/** Whether two people can act without root, who could also switch it on again. */
export function canDoWithoutRoot(
  people: People,
  nowSeconds: number,
  without: AccountId | null = null,
): boolean {
  const acting = [...people.operators].filter(
    (id) => id !== without && canAct(people, id, nowSeconds),
  );
  return areTwoPeople(people, acting);
}

const canAct = (people: People, id: AccountId, nowSeconds: number): boolean =>
  people.accounts.get(id)?.halted === false && hasLiveKey(people, id, "admin:exchange", nowSeconds);

/**
 * Root that was switched off is off as long as two people can act without it. One who gives up all
 * keys of its own brings root back in its place: there are no more people than before.
 */
export const isRootOff = (people: People, isSwitchedOff: boolean, nowSeconds: number): boolean =>
  isSwitchedOff && canDoWithoutRoot(people, nowSeconds);

/** While root is off, nobody takes an operator away who is one of the last two people. */
export const isMissedWithoutRoot = (
  { state, nowSeconds }: { readonly state: State; readonly nowSeconds: number },
  account: AccountId,
): boolean =>
  state.operators.has(account) &&
  isRootOff(state, state.exchange?.rootOff === true, nowSeconds) &&
  !canDoWithoutRoot(state, nowSeconds, account);

export const isKeyLive = (key: Key, nowSeconds: number): boolean =>
  key.revokedAtSeconds === null &&
  (key.expiresAtSeconds === null || key.expiresAtSeconds > nowSeconds);
