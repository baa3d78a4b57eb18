// Under which names the journal files the entries that ended what is no longer in the state.
// Invariant: the names of an account's orders stand in the order of their numbers.
import type { AcceptanceId, AccountId } from "#base/ids.ts";

/** As wide as the largest whole number. */
const NUMBER_DIGITS = 16;

/** The entry in which an account's order was done: no later one changes it. */
export const doneSubject = (account: AccountId, number: number): string =>
  `order:${account}|${String(number).padStart(NUMBER_DIGITS, "0")}`;

/** The number in a name that `doneSubject` made. */
export const doneNumber = (subject: string): number =>
  Number(subject.slice(subject.indexOf("|") + 1));

/** The same entry, by the reference the account gave the order. */
export const clientSubject = (account: AccountId, clientOrderId: string): string =>
  `client:${account}|${clientOrderId}`;

/** The entry in which a quote was accepted and nothing filled. */
export const acceptanceSubject = (account: AccountId, id: AcceptanceId): string =>
  `acceptance:${account}|${id}`;
