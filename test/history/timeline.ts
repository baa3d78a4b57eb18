// The state after each entry of the journal, thing by thing.
// Invariant: between two changes a thing is what the first of them made it.
import { ABSENT, type Claims, type Row } from "./history.ts";

/** Sequences from `first` to `last`, both included. */
interface Span {
  readonly first: number;
  readonly last: number;
}

interface Change {
  readonly sequence: number;
  readonly value: string;
}

export class Timeline {
  readonly #changes = new Map<string, Change[]>();

  constructor(rows: readonly Row[]) {
    for (const { sequence, changes } of rows) {
      for (const [name, value] of changes) {
        const known = this.#changes.get(name);
        if (known === undefined) this.#changes.set(name, [{ sequence, value }]);
        else known.push({ sequence, value });
      }
    }
  }

  valueAt(name: string, sequence: number): string {
    const changes = this.#changes.get(name) ?? [];
    return changes[indexAt(changes, sequence)]?.value ?? ABSENT;
  }

  /** Where inside `span` all of it is so at once, oldest first; none = at no one moment. */
  momentsOf(claims: Claims, span: Span): readonly Span[] {
    let spans: readonly Span[] = span.first <= span.last ? [span] : [];
    for (const [name, value] of claims) {
      spans = spans.flatMap((one) => this.#spansOf(name, value, one));
      if (spans.length === 0) break;
    }
    return spans;
  }

  /** The parts of `span` in which `name` has this value. */
  #spansOf(name: string, value: string, { first, last }: Span): Span[] {
    const changes = this.#changes.get(name) ?? [];
    const spans: Span[] = [];
    let at = indexAt(changes, first);
    for (let from = first; from <= last; at += 1) {
      const until = Math.min(last, (changes[at + 1]?.sequence ?? last + 1) - 1);
      if ((changes[at]?.value ?? ABSENT) === value) spans.push({ first: from, last: until });
      from = until + 1;
    }
    return spans;
  }
}

/** Of the last change at or before `sequence`; −1 where there is none. */
function indexAt(changes: readonly Change[], sequence: number): number {
  let low = -1;
  let high = changes.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((changes[middle]?.sequence ?? 0) <= sequence) low = middle;
    else high = middle - 1;
  }
  return low;
}
