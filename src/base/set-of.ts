// The set that a map has under a key, made where there is none.
// Invariant: a set that is asked for is in the map.

export function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const fresh = new Set<V>();
  map.set(key, fresh);
  return fresh;
}
