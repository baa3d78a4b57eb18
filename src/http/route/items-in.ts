// How many items a body sends in its lists, before its shape is known: what its reading costs.
// Invariant: never less than one, nor more than so many lists of their length may hold.

export const itemsIn =
  (most: number, ...names: readonly string[]) =>
  (body: unknown): number => {
    if (typeof body !== "object" || body === null) return 1;
    let items = 0;
    for (const name of names) {
      const list: unknown = Reflect.get(body, name);
      if (Array.isArray(list)) items += Math.min(list.length, most);
    }
    return Math.max(items, 1);
  };
