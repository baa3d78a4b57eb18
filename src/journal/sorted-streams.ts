// Several rising or falling streams of sequences read as one.
// Invariant: each sequence comes once, and no stream is read further than what is asked needs.
type Direction = "oldest" | "newest";

const comesFirst = (a: number, b: number, order: Direction): boolean =>
  order === "oldest" ? a < b : a > b;

/** Sequences of any of them. */
export async function* union(
  streams: readonly AsyncIterator<number>[],
  order: Direction,
): AsyncGenerator<number> {
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  for (;;) {
    let next: number | undefined;
    for (const head of heads) {
      if (head.done === true) continue;
      if (next === undefined || comesFirst(head.value, next, order)) next = head.value;
    }
    if (next === undefined) return;
    yield next;
    for (const [at, stream] of streams.entries()) {
      if (heads[at]?.done !== true && heads[at]?.value === next) heads[at] = await stream.next();
    }
  }
}

/** Sequences that all of them have. */
export async function* intersection(
  streams: readonly AsyncIterator<number>[],
  order: Direction,
): AsyncGenerator<number> {
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  for (;;) {
    let last: number | undefined;
    for (const head of heads) {
      if (head.done === true) return;
      if (last === undefined || comesFirst(last, head.value, order)) last = head.value;
    }
    if (last === undefined) return;
    if (heads.every(({ value }) => value === last)) {
      yield last;
      const [first] = streams;
      if (first !== undefined) heads[0] = await first.next();
      continue;
    }
    for (const [at, stream] of streams.entries()) {
      const head = heads[at];
      if (head?.done === false && comesFirst(head.value, last, order))
        heads[at] = await stream.next();
    }
  }
}
