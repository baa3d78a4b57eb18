// Records found by lists of their ids.
// Invariant: what a list gives stands in the list's order; an id without a record is left out.
import { invariant } from "#base/invariant.ts";

export function listOf<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const existing = lists.get(key);
  if (existing !== undefined) return existing;
  const fresh: V[] = [];
  lists.set(key, fresh);
  return fresh;
}

export const gather = <Id, Item>(
  ids: Iterable<Id> | undefined,
  items: ReadonlyMap<Id, Item>,
): Item[] => [...(ids ?? [])].flatMap((id) => items.get(id) ?? []);

/** The record an event names is there: an earlier entry told it, and none has forgotten it. */
export function knownIn<K, V>(map: ReadonlyMap<K, V>, id: K): V {
  const known = map.get(id);
  invariant(known !== undefined, `${id} is known until it is forgotten`);
  return known;
}
