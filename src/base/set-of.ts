// The sets of a map: the one under a key, made where there is none, and gone when it is empty.
// Invariant: no set of the map is empty but for one that was just asked for.

export function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const fresh = new Set<V>();
  map.set(key, fresh);
  return fresh;
}

export function dropOf<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const existing = map.get(key);
  existing?.delete(value);
  if (existing?.size === 0) map.delete(key);
}
