// Constants by year for a backtest or a replay: each fitted only on outcomes before that January.
// Invariant: constants of another shape are refused by their key.
import type {
  HorizonConstants,
  Knot,
  KnotsByYear,
  PriceModel,
  RegimeConstants,
} from "#pricing/constants.ts";

type ConstantFields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is ConstantFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isNumbers = (value: unknown, length: number): value is readonly number[] =>
  Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/** How a model's constants are written: how many weights, and whether with a regime. */
const shapes: Readonly<Record<PriceModel, { readonly b: number; readonly g: number }>> = {
  "hmr-t4": { b: 5, g: 3 },
  "hmr-t4r": { b: 7, g: 5 },
};

/**
 * Reads constants by horizon and year: {"12|2004": {"b": [5], "g": [3], "tau": …}, …} of HMR-t4; b
 * of 7, g of 5 and "regime": {a, c, d, k, r} of HMR-t4r. The first key says which.
 */
export function readFitted(text: string): KnotsByYear {
  const parsed: unknown = JSON.parse(text);
  if (!isFields(parsed)) throw new Error("params: an object with keys like 12|2004 is due");
  const [first] = Object.values(parsed);
  const model: PriceModel = isFields(first) && "regime" in first ? "hmr-t4r" : "hmr-t4";
  const years: Record<number, Knot[]> = {};
  for (const [key, value] of Object.entries(parsed)) {
    const [months = 0, year = 0] = /^\d+\|\d{4}$/.test(key) ? key.split("|").map(Number) : [];
    const knots = years[year] ?? [];
    years[year] = knots;
    knots.push({ months, ...constantsOf(model, key, year, value) });
  }
  for (const knots of Object.values(years)) knots.sort((a, b) => a.months - b.months);
  return { model, years };
}

function constantsOf(
  model: PriceModel,
  key: string,
  year: number,
  value: unknown,
): HorizonConstants {
  const fields = isFields(value) ? value : {};
  const { b, g, tau } = fields;
  const shape = shapes[model];
  const isWhole =
    year > 0 &&
    isNumbers(b, shape.b) &&
    isNumbers(g, shape.g) &&
    typeof tau === "number" &&
    tau > 0;
  const regime = model === "hmr-t4" ? undefined : regimeOf(fields.regime);
  if (!isWhole || (model === "hmr-t4r" && regime === undefined)) {
    const more = model === "hmr-t4" ? "" : ", a regime of a, c, d, k, r";
    throw new Error(
      `params: "${key}" needs b of ${shape.b} numbers, g of ${shape.g}${more} and a positive tau`,
    );
  }
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0] = b;
  const [gamma = 0, delta = 0, eta = 0, etaNation = 0, etaState = 0] = g;
  return { b: [b0, b1, b2, b3, b4, b5, b6], gamma, delta, eta, etaNation, etaState, tau, regime };
}

function regimeOf(value: unknown): RegimeConstants | undefined {
  if (!isFields(value)) return undefined;
  const numbers = [value.a, value.c, value.d, value.k, value.r];
  if (!isNumbers(numbers, 5)) return undefined;
  const [a = 0, c = 0, d = 0, k = 0, r = 0] = numbers;
  return { a, c, d, k, r };
}
