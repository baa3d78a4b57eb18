// Whether an entry is one that a reader asked for, by its labels and subjects.
// Invariant: says of each entry what the journal's queries in PostgreSQL say.
import { SEALED } from "#core/audit.ts";
import { actionSubject } from "#core/names.ts";
import type { EntryFilter, LabelCount, StoredEntry } from "./journal.ts";
import type { EntrySubject } from "./touches.ts";

/** An entry with the subjects it is filed under. */
export type FiledRow = StoredEntry & { readonly touches: readonly EntrySubject[] };

export function matches(entry: FiledRow, filter: EntryFilter): boolean {
  const { concerns, party, actor, action, severity, resource } = filter;
  const { fromMillis, beforeMillis } = filter;
  return (
    (concerns === undefined || entry.concerns === concerns) &&
    (actor === undefined || entry.actor === actor) &&
    (party === undefined || entry.concerns === party || entry.touches.includes(party)) &&
    (action === undefined ||
      entry.action === action ||
      entry.touches.includes(actionSubject(action))) &&
    (filter.withoutSealed === undefined || entry.actor !== SEALED) &&
    (resource === undefined || entry.resource === resource) &&
    (severity === undefined || entry.severity === severity) &&
    (fromMillis === undefined || entry.timeMillis >= fromMillis) &&
    (beforeMillis === undefined || entry.timeMillis < beforeMillis)
  );
}

/** As a database gives it back: the subjects of an entry are read apart. */
export function withoutTouches({ touches: _touches, ...entry }: FiledRow): StoredEntry {
  return entry;
}

/** Counts by action and severity, added up entry by entry. */
export class LabelCounts {
  readonly #counts = new Map<string, LabelCount>();

  add({ action, severity, count, firstMillis, lastMillis }: LabelCount): void {
    const name = `${action} ${severity}`;
    const before = this.#counts.get(name);
    this.#counts.set(name, {
      action,
      severity,
      count: (before?.count ?? 0) + count,
      firstMillis: Math.min(before?.firstMillis ?? firstMillis, firstMillis),
      lastMillis: Math.max(before?.lastMillis ?? lastMillis, lastMillis),
    });
  }

  addEntry({ action, severity, timeMillis }: StoredEntry): void {
    this.add({ action, severity, count: 1, firstMillis: timeMillis, lastMillis: timeMillis });
  }

  /** By action, then severity. */
  all(): readonly LabelCount[] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  }
}
