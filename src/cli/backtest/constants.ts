// Constants by year for a backtest: each fitted only on outcomes before that January.
// Invariant: constants of another shape are refused by their key.
import type { YearConstants } from "#pricing/backtest/run.ts";
import type { HorizonConstants } from "#pricing/constants.ts";

interface Fitted {
  readonly byYear: YearConstants;
  readonly firstYear: number;
}

type ConstantFields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is ConstantFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isNumbers = (value: unknown, length: number): value is readonly number[] =>
  Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/** Reads constants by horizon and year: {"12|2004": {"b": [5], "g": [3], "tau": …}, …}. */
export function readFitted(text: string): Fitted {
  const parsed: unknown = JSON.parse(text);
  if (!isFields(parsed)) throw new Error("params: an object with keys like 12|2004 is due");
  const known = new Map<string, HorizonConstants>();
  let firstYear = Number.POSITIVE_INFINITY;
  for (const [key, value] of Object.entries(parsed)) {
    const year = Number(/^\d+\|(\d{4})$/.exec(key)?.[1]);
    const { b, g, tau } = isFields(value) ? value : {};
    if (!(year > 0 && isNumbers(b, 5) && isNumbers(g, 3) && typeof tau === "number" && tau > 0)) {
      throw new Error(`params: "${key}" needs b of 5 numbers, g of 3 and a positive tau`);
    }
    firstYear = Math.min(firstYear, year);
    const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0] = b;
    const [gamma = 0, delta = 0, eta = 0] = g;
    known.set(key, { b: [b0, b1, b2, b3, b4], gamma, delta, eta, tau });
  }
  return { byYear: (months, year) => known.get(`${months}|${year}`), firstYear };
}
