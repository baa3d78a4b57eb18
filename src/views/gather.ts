// Records found by lists of their ids.
// Invariant: what a list gives stands in the list's order; an id without a record is left out.

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
