// The owner of an account. Accounts of one owner count together: they never trade with each other,
// share one credit line, and are one person where two are asked for.
// Invariant: every account has exactly one owner; it is itself until an operator says otherwise.
import type { AccountId } from "#base/ids.ts";
import type { Account } from "../records.ts";
import type { State } from "../state.ts";

interface Accounts {
  readonly accounts: ReadonlyMap<AccountId, Account>;
}

/** The owner's name: the id of an account, its own where its record names none. */
export const ownerOf = ({ accounts }: Accounts, id: AccountId): AccountId =>
  accounts.get(id)?.owner ?? id;

export const sameOwner = (state: Accounts, a: AccountId, b: AccountId): boolean =>
  a === b || ownerOf(state, a) === ownerOf(state, b);

/** Every account of an owner, in the order they were opened. */
export const accountsOfOwner = (state: State, owner: AccountId): readonly AccountId[] =>
  [...(state.accountsByOwner.get(owner) ?? [])].sort(byAge);

/** `acc-9` before `acc-10`; a set refilled from a snapshot has another order than one that grew. */
export const byAge = (a: AccountId, b: AccountId): number =>
  a.length - b.length || (a < b ? -1 : 1);
