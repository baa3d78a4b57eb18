// Finds the release that carries a value as a revision of the print that a market settled on.
// Invariant: revisions are read from the releases' own files; the settling release's is none.
import type { ReleaseId } from "#base/ids.ts";
import { type PrintValue, wholePrint } from "#base/print-value.ts";
import { divHalfEven } from "#base/rounding.ts";
import type { Market } from "#core/records.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { ReleaseIntakePort } from "../ports.ts";

interface RevisionPorts {
  readonly exchange: ExchangeView;
  readonly releases: Pick<ReleaseIntakePort, "vintage">;
}

/**
 * The first release of the series that revises the print to this value, to the cent: an operator
 * reads revisions rounded. Files of the two or three releases since are read, a second each.
 */
export async function revisionOf(
  ports: RevisionPorts,
  { terms, resolution }: Market,
  value: PrintValue,
): Promise<ReleaseId | undefined> {
  const { exchange } = ports;
  const settling = resolution === null ? undefined : exchange.releases.get(resolution.releaseId);
  if (settling === undefined) return undefined;
  const { measurementMonth: month, nodeId } = terms;
  for (const release of exchange.releases.values()) {
    const { id, index, level, variable } = release;
    const isSeries =
      index === settling.index && level === settling.level && variable === settling.variable;
    if (!isSeries || id === settling.id || release.lastMonth < month) continue;
    const row = await ports.releases.vintage(id, nodeId);
    const revised = row === undefined ? null : valueIn(row, month);
    if (revised !== null && cents(revised) === cents(value)) return id;
  }
  return undefined;
}

export const valueIn = ({ firstMonth, values }: MonthRow, month: number): PrintValue | null =>
  values[month - firstMonth] ?? null;

const cents = (value: PrintValue): bigint => divHalfEven(value * 100n, wholePrint);
