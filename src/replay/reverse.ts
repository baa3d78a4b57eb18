// The reverse stress: the smallest fall of all places together that leaves a claim unpaid.
// Invariant: up to the cohort's month everything is as it was printed; after it nothing is.
import { addMonths, type Month } from "#base/month.ts";
import { type PrintValue, printValue } from "#base/print-value.ts";
import type { Plan } from "./cohort.ts";
import { type ProviderHistory, pastOf } from "./past.ts";
import { replayCohorts } from "./replay.ts";
import { type CohortTotals, isShort, totalsOf } from "./totals.ts";

/** The fall is spread evenly over so many prints; prices stay where they are then. */
const FALL_MONTHS = 12;
const COARSE_PERCENT = 5;
const DEEPEST_PERCENT = 90;
/** No model looks further back. */
const KNOWN_MONTHS = 72;

export interface ReverseStress {
  /** The cohort's: the newest of the file. */
  readonly month: Month;
  /** Null where even the deepest fall tried leaves every claim paid. */
  readonly fallPercent: number | null;
  readonly deepestPercent: number;
  /** Of the smallest fall, or of the deepest tried. */
  readonly totals: CohortTotals | undefined;
}

export function reverseStress(history: ProviderHistory, plan: Plan): ReverseStress {
  const months = history.rows[0]?.values.length ?? 0;
  const month = addMonths(history.firstMonth, months - 1);
  const run = (percent: number): CohortTotals | undefined =>
    replayCohorts(pastOf(fallen(history, plan.months, percent)), plan, [month]).map(totalsOf)[0];

  let [least, totals] = [0, run(DEEPEST_PERCENT)];
  const result = { month, deepestPercent: DEEPEST_PERCENT };
  if (totals === undefined || !isShort(totals)) return { ...result, fallPercent: null, totals };
  for (const step of [COARSE_PERCENT, 1]) {
    for (let percent = least + step; percent <= DEEPEST_PERCENT; percent += step) {
      totals = run(percent);
      if (totals !== undefined && isShort(totals)) break;
      least = percent;
    }
  }
  return { ...result, fallPercent: least + 1, totals };
}

/** The history with a future in which every place falls so far. */
function fallen(history: ProviderHistory, future: number, percent: number): ProviderHistory {
  const { firstMonth, rows } = history;
  const months = rows[0]?.values.length ?? 0;
  const cut = Math.max(0, months - KNOWN_MONTHS);
  const after = (last: PrintValue | null): (PrintValue | null)[] =>
    Array.from({ length: future }, (_, at) => {
      const falling = BigInt(percent * Math.min(at + 1, FALL_MONTHS));
      const whole = BigInt(100 * FALL_MONTHS);
      return last === null ? null : printValue((last * (whole - falling)) / whole);
    });
  return {
    ...history,
    firstMonth: addMonths(firstMonth, cut),
    rows: rows.map((row) => ({
      ...row,
      values: [...row.values.slice(cut), ...after(row.values.at(-1) ?? null)],
    })),
  };
}
