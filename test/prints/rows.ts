// Rows and nodes for tests, written as decimal text; null is a blank cell.
// Invariant: nothing here decides anything; the module under test does.

import { formatDecimal } from "#base/decimal.ts";
import { invariant } from "#base/invariant.ts";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import {
  type ChainLevel,
  formatPrintValue,
  type PrintValue,
  parsePrintValue,
} from "#base/print-value.ts";
import { decideNode, type KnownNode, knownAfter, type MonthRow } from "#prints/first-prints.ts";

export const january: Month = monthOf(2020, 1);

function print(text: string): PrintValue {
  const value = parsePrintValue(text);
  invariant(value !== undefined, `${text} is no print`);
  return value;
}

/** A row whose first cell is `offset` months after January 2020. */
export const row = (offset: number, ...cells: readonly (string | null)[]): MonthRow => ({
  firstMonth: addMonths(january, offset),
  values: cells.map((cell) => (cell === null ? null : print(cell))),
});

export const levelText = (level: ChainLevel | null): string | null =>
  level === null ? null : formatDecimal(level, 12);

export const valueText = (value: PrintValue | null): string | null =>
  value === null ? null : formatPrintValue(value);

/** The known prints after these releases of one node, in order. */
export function knownFrom(...releases: readonly MonthRow[]): KnownNode | undefined {
  let known: KnownNode | undefined;
  for (const release of releases) known = knownAfter(known, decideNode(known, release, true));
  return known;
}

/** Levels by months after January 2020, as text. */
export function levelsOf(known: KnownNode | undefined): Record<number, string | null> {
  const levels: Record<number, string | null> = {};
  for (const [offset, level] of (known?.levels ?? []).entries()) {
    if (known?.values[offset] !== null) {
      levels[(known?.firstMonth ?? january) + offset - january] = levelText(level);
    }
  }
  return levels;
}
