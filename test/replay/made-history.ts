// A made-up history for replays: twenty counties of four states that rise, and fall in 2006–2008.
// Invariant: the same at every run; places differ in when they fall, how far, and how much they
// sway.
import { addMonths, type Month, monthOf } from "#base/month.ts";
import { type PrintValue, printValue } from "#base/print-value.ts";
import type { HistoryRow, ProviderHistory } from "#replay/past.ts";

export const madeFrom: Month = monthOf(2000, 1);
export const madeMonths = 132;
const states = ["CA", "FL", "NV", "TX"];
const PLACES = 20;

const madeRow = (place: number): HistoryRow => {
  const start = 72 + (place % 5) * 2;
  const monthlyFall = 0.004 + 0.0012 * (place % 7);
  let log = 12 + place / 20;
  const values = Array.from({ length: madeMonths }, (_, at): PrintValue => {
    const falls = at >= start && at < start + 30 && place % 4 !== 3;
    const sway = 0.0015 * Math.sin(at * (1 + place / 9)) + 0.001 * Math.sin(at / 3 + place);
    log += (falls ? -monthlyFall : 0.005) + sway;
    return printValue(BigInt(Math.round(Math.exp(log))) * 1_000_000_000_000_000n);
  });
  const fips = `${String(place + 10)}001`;
  return { name: `Place ${place}`, state: states[place % 4], fips, isNation: false, values };
};

export const madeHistory: ProviderHistory = {
  index: "zhvi",
  level: "county",
  firstMonth: madeFrom,
  rows: Array.from({ length: PLACES }, (_, place) => madeRow(place)),
};

/** The history up to a month. */
export const upTo = (history: ProviderHistory, month: Month): ProviderHistory => ({
  ...history,
  rows: history.rows.map((row) => ({
    ...row,
    values: row.values.slice(0, month - history.firstMonth + 1),
  })),
});

/** The history with other values from the month after on: twice as high, and rising. */
export const otherwiseAfter = (history: ProviderHistory, month: Month): ProviderHistory => ({
  ...history,
  rows: history.rows.map((row) => ({
    ...row,
    values: row.values.map((value, at) =>
      value !== null && addMonths(history.firstMonth, at) > month
        ? printValue(value + value * BigInt(at))
        : value,
    ),
  })),
});
