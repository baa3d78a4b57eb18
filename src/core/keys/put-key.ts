// Keys in their places, and which of them make an operator the account's own person.
// Invariant: a key ties the operator who was shown it while it is not revoked, and after that while
// anything that it may have made stands.
import { setOf } from "#base/set-of.ts";
import type { EventOf } from "../event.ts";
import type { Key } from "../records.ts";
import type { State } from "../state.ts";
import { noteKeyOfWords } from "../words/put-word.ts";
import type { LeftByKey } from "./left-record.ts";

export function foldKey(
  state: State,
  event: EventOf<"KeyChanged"> | EventOf<"KeyUsed"> | EventOf<"KeyLeft">,
): void {
  if (event.type === "KeyChanged") putKey(state, event.key);
  else if (event.type === "KeyUsed") {
    const key = state.keys.get(event.keyId);
    if (key !== undefined) state.keys.set(key.id, { ...key, usedAtSeconds: event.atSeconds });
  } else if (event.stands) putLeft(state, event);
  else dropLeft(state, event);
}

export function putKey(state: State, key: Key): void {
  state.keys.set(key.id, key);
  setOf(state.keysByAccount, key.accountId).add(key.id);
  if (key.shownTo !== undefined && key.revokedAtSeconds === null) {
    tie(state, key);
  } else if (!state.leftByKeys.has(key.id)) untie(state, key);
  noteKeyOfWords(state, key.accountId);
}

export function putLeft(state: State, { keyId, accountId, name }: LeftByKey): void {
  setOf(state.leftByKeys, keyId).add(name);
  tie(state, { id: keyId, accountId });
}

function tie(state: State, { id, accountId }: Pick<Key, "id" | "accountId">): void {
  setOf(state.ties, accountId).add(id);
  const shownTo = state.keys.get(id)?.shownTo;
  if (shownTo !== undefined) setOf(state.tiedTo, shownTo).add(accountId);
}

function dropLeft(state: State, { keyId, accountId, name }: LeftByKey): void {
  const left = state.leftByKeys.get(keyId);
  left?.delete(name);
  if (left?.size !== 0) return;
  state.leftByKeys.delete(keyId);
  untie(state, { id: keyId, accountId });
}

function untie(state: State, { id, accountId }: Pick<Key, "id" | "accountId">): void {
  const ties = state.ties.get(accountId);
  if (ties?.delete(id) !== true) return;
  if (ties.size === 0) state.ties.delete(accountId);
  const shownTo = state.keys.get(id)?.shownTo;
  const isTiedStill = [...ties].some((other) => state.keys.get(other)?.shownTo === shownTo);
  if (shownTo === undefined || isTiedStill) return;
  const tied = state.tiedTo.get(shownTo);
  tied?.delete(accountId);
  if (tied?.size === 0) state.tiedTo.delete(shownTo);
}
