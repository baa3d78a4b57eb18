// The constants of a model at every whole horizon, between and below the knots it was fitted at.
// Invariant: worked out once; at a knot they are the knot's own.
import { invariant } from "#base/invariant.ts";
import { formatMonth, type Month, monthOf } from "#base/month.ts";
import {
  firstKnots,
  type HorizonConstants,
  type HorizonTable,
  type Knot,
  type KnotsByYear,
  maxHorizonMonths,
  type PricedIndex,
  type PriceModel,
  type RegimeConstants,
  type Weights,
} from "./constants.ts";
import { regimeKnots } from "./constants-regime.ts";

/** The constants at a whole horizon, 1…maxHorizonMonths. */
export function constantsAt(
  model: PriceModel,
  index: PricedIndex,
  horizonMonths: number,
): HorizonConstants {
  const constants = everyHorizon[model][index][horizonMonths - 1];
  invariant(constants !== undefined, `no ${index} horizon of ${horizonMonths} months`);
  return constants;
}

export const firstYearOf = ({ years }: KnotsByYear): number =>
  Math.min(...Object.keys(years).map(Number));

/**
 * Tells of a month which constants were known: those of its year, or of the newest year before.
 * @throws Error at a month before the first year
 */
export function knownThen({ years }: KnotsByYear): (asOf: Month) => HorizonTable {
  const tables = Object.entries(years).map(([year, knots]) => {
    const table = horizonsOf(knots.at(-1)?.months ?? 0, (months) => interpolate(knots, months));
    return { from: monthOf(Number(year), 1), table };
  });
  tables.sort((a, b) => b.from - a.from);
  return (asOf) => {
    const known = tables.find(({ from }) => from <= asOf);
    if (known === undefined) throw new Error(`no constants were known in ${formatMonth(asOf)}`);
    return known.table;
  };
}

const nothing: Weights = [0, 0, 0, 0, 0, 0, 0];

const horizonsOf = (
  longest: number,
  constants: (months: number) => HorizonConstants,
): HorizonTable => Array.from({ length: longest }, (_, at) => constants(at + 1));

const regimeAt = (months: number): HorizonConstants => interpolate(regimeKnots, months);

/** Rents keep their constants and take over the regime of home values: no rent bust is known. */
const everyHorizon: Readonly<Record<PriceModel, Readonly<Record<PricedIndex, HorizonTable>>>> = {
  "hmr-t4": {
    zhvi: horizonsOf(maxHorizonMonths.zhvi, (months) => interpolate(firstKnots.zhvi, months)),
    zori: horizonsOf(maxHorizonMonths.zori, (months) => interpolate(firstKnots.zori, months)),
  },
  "hmr-t4r": {
    zhvi: horizonsOf(maxHorizonMonths.zhvi, regimeAt),
    zori: horizonsOf(maxHorizonMonths.zori, (months) => ({
      ...interpolate(firstKnots.zori, months),
      regime: regimeAt(months).regime,
    })),
  },
};

/**
 * Between knots: weights and regime linear in the horizon, tau linear in log against log. Below the
 * first: the location shrinks to nothing at once with the horizon, the scale with its square root.
 */
function interpolate(knots: readonly Knot[], months: number): HorizonConstants {
  const at = knots.findIndex((knot) => knot.months >= months);
  const above = knots[at];
  invariant(above !== undefined, `no knot at or above ${months} months`);
  const below = knots[at - 1];
  if (below === undefined) {
    const part = months / above.months;
    return { ...above, b: weighted(nothing, above.b, part), tau: above.tau * Math.sqrt(part) };
  }

  const weight = (months - below.months) / (above.months - below.months);
  const logWeight = Math.log(months / below.months) / Math.log(above.months / below.months);
  const between = (of: (knot: Knot) => number): number => mix(of(below), of(above), weight);
  return {
    b: weighted(below.b, above.b, weight),
    gamma: between((knot) => knot.gamma),
    delta: between((knot) => knot.delta),
    eta: between((knot) => knot.eta),
    etaNation: between((knot) => knot.etaNation),
    etaState: between((knot) => knot.etaState),
    tau: below.tau * Math.exp(logWeight * Math.log(above.tau / below.tau)),
    regime: regimeBetween(below.regime, above.regime, weight),
  };
}

function weighted(from: Weights, to: Weights, weight: number): Weights {
  return [
    mix(from[0], to[0], weight),
    mix(from[1], to[1], weight),
    mix(from[2], to[2], weight),
    mix(from[3], to[3], weight),
    mix(from[4], to[4], weight),
    mix(from[5], to[5], weight),
    mix(from[6], to[6], weight),
  ];
}

function regimeBetween(
  from: RegimeConstants | undefined,
  to: RegimeConstants | undefined,
  weight: number,
): RegimeConstants | undefined {
  if (from === undefined || to === undefined) return undefined;
  return {
    a: mix(from.a, to.a, weight),
    c: mix(from.c, to.c, weight),
    d: mix(from.d, to.d, weight),
    k: mix(from.k, to.k, weight),
    r: mix(from.r, to.r, weight),
  };
}

function mix(from: number, to: number, weight: number): number {
  return from + (to - from) * weight;
}
