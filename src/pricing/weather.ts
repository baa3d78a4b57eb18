// Weather of one calendar window (July's cooling degree days, summer rain): the chance that the
// window's index stands at or beyond a trigger, by a normal with a trend or a gamma without.
// Invariant: needs one value a year and no more; the chances of "at least" and "at most" the same
// trigger add up to 1, unless the index never varied.
import gammaCdf from "@stdlib/stats-base-dists-gamma-cdf";
import normalCdf from "@stdlib/stats-base-dists-normal-cdf";
import normalQuantile from "@stdlib/stats-base-dists-normal-quantile";
import { periodMonths } from "#base/index-kind.ts";
import {
  MAX_WEATHER_MONTHS,
  MIN_HORIZON_MONTHS,
  MIN_WEATHER_YEARS,
  OWN_TREND_PART,
  RAIN_YEARS,
  STRESS_PROBABILITY,
  TREND_PART,
  WANG_LAMBDA,
  WEATHER_DEFAULT_BPS,
  WEATHER_YEARS,
} from "./constants.ts";
import { meanOf, medianOf, varianceOf } from "./moments.ts";
import {
  type BinaryQuote,
  firstLoads,
  isHorizon,
  type QuoteResult,
  type QuoteSize,
  quoteOf,
} from "./quote.ts";

/** Temperature and degree days drift with the climate; rain does not visibly, and is skewed. */
type WeatherKind = "temperature" | "precipitation";

/** One value a year of the same window, oldest first and without a hole. Any unit. */
type YearlyValues = readonly number[];

/** The window's index some seasons ahead. */
export interface SeasonDistribution {
  readonly family: "normal" | "gamma";
  readonly mean: number;
  /** Of a new value, its trend and mean being uncertain too. 0 where it never varied. */
  readonly deviation: number;
  /** True where the region stands in for the node's short record. */
  readonly usedDefaultVol: boolean;
}

export interface WeatherInput {
  readonly kind: WeatherKind;
  readonly values: YearlyValues;
  /** The nodes of the region, the node itself among them; all end with the node's newest year. */
  readonly region: readonly YearlyValues[];
  /** Seasons from the newest value to the one insured, 1 for the next. */
  readonly seasonsAhead: number;
}

export interface WeatherTrigger {
  readonly comparator: "gte" | "lte";
  /** In the unit of the values. */
  readonly threshold: number;
}

/** The distribution of the insured season; undefined without two years to measure it on. */
export function seasonDistributionOf(input: WeatherInput): SeasonDistribution | undefined {
  const { kind, region } = input;
  const usedDefaultVol = input.values.length < MIN_WEATHER_YEARS;
  const values = usedDefaultVol ? regionShifted(input) : input.values;
  if (values.length < (kind === "temperature" ? 3 : 2)) return undefined;
  return kind === "temperature"
    ? { ...normalSeason(values, region, input.seasonsAhead), usedDefaultVol }
    : { ...gammaSeason(values), usedDefaultVol };
}

/**
 * The region's mean year by year, moved to where the node stood in the years both have. Each year
 * is the mean of the same nodes: those with a record of their own, over the years all of them have,
 * for one that comes or goes would be a jump of the climate.
 */
function regionShifted({ values, region }: WeatherInput): number[] {
  const long = region.filter((one) => one.length >= MIN_WEATHER_YEARS);
  const known = long.length === 0 ? region.filter((one) => one.length > 0) : long;
  if (known.length === 0) return [...values];
  const years = Math.min(...known.map((one) => one.length));
  const regional = Array.from({ length: years }, (_, at) =>
    meanOf(known.map((one) => one[one.length - years + at] ?? Number.NaN)),
  );
  if (values.length === 0) return regional;
  const common = Math.min(values.length, years);
  const shift = meanOf(values.slice(-common)) - meanOf(regional.slice(-common));
  return regional.map((value) => value + shift);
}

type Season = Omit<SeasonDistribution, "usedDefaultVol">;

function normalSeason(
  values: YearlyValues,
  region: readonly YearlyValues[],
  seasonsAhead: number,
): Season {
  const recent = values.slice(-WEATHER_YEARS);
  const years = recent.length;
  const { mean, slope, residualDeviation } = lineThrough(recent);
  const slopes = region.flatMap((one) => {
    const lately = one.slice(-WEATHER_YEARS);
    return lately.length < MIN_WEATHER_YEARS ? [] : lineThrough(lately).slope;
  });
  const regionSlope = slopes.length === 0 ? slope : medianOf(slopes);
  const trend = OWN_TREND_PART * slope + (1 - OWN_TREND_PART) * regionSlope;
  return {
    family: "normal",
    mean: mean + TREND_PART * trend * (years - 1 + seasonsAhead - (years - 1) / 2),
    deviation: residualDeviation * Math.sqrt(1 + 2 / years),
  };
}

/** Ordinary least squares on the years 0…n − 1; needs three values. */
function lineThrough(values: YearlyValues) {
  const years = values.length;
  const middle = (years - 1) / 2;
  const mean = meanOf(values);
  const spread = (years * (years * years - 1)) / 12;
  const slope = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0) / spread;
  const squares = values.reduce(
    (sum, value, at) => sum + (value - mean - slope * (at - middle)) ** 2,
    0,
  );
  return { mean, slope, residualDeviation: Math.sqrt(squares / (years - 2)) };
}

const gammaSeason = (values: YearlyValues): Season => {
  const long = values.slice(-RAIN_YEARS);
  return {
    family: "gamma",
    mean: (meanOf(values.slice(-WEATHER_YEARS)) + meanOf(long)) / 2,
    deviation: Math.sqrt(varianceOf(long)),
  };
};

/** The chance that the trigger is met. */
export function weatherChance(season: SeasonDistribution, trigger: WeatherTrigger): number {
  const { comparator, threshold } = trigger;
  const { family, mean, deviation } = season;
  // A value that never varied is certain: a gamma without a mean has only zeros behind it.
  if (deviation === 0 || (family === "gamma" && mean <= 0)) {
    return (comparator === "gte" ? mean >= threshold : mean <= threshold) ? 1 : 0;
  }
  const below = chanceBelow(season, threshold);
  return comparator === "gte" ? 1 - below : below;
}

/** The season insured, for a contract that is open. */
type OpenWeather = Omit<WeatherInput, "seasonsAhead"> & {
  /** Whole years, in months, from the newest value to the season insured. */
  readonly horizonMonths: number;
};

/** The chance as known now; undefined where the model does not reach. */
export function openWeatherChance(open: OpenWeather, trigger: WeatherTrigger): number | undefined {
  const season = openSeason(open, open.horizonMonths);
  return season === undefined ? undefined : weatherChance(season, trigger);
}

/**
 * The chance after a next season that only one in a hundred would be worse than for who sold YES:
 * that value joins the record, the season insured is one year nearer. A window is printed once a
 * year, so the next print is mostly the one that settles: then it is the payout itself.
 */
export function stressedWeatherChance(
  open: OpenWeather,
  trigger: WeatherTrigger,
): number | undefined {
  const { values, region, horizonMonths } = open;
  const next = openSeason(open, periodMonths.weather);
  if (next === undefined || !isHorizon(horizonMonths, MAX_WEATHER_MONTHS)) return undefined;
  if (horizonMonths === periodMonths.weather) {
    return weatherChance(next, trigger) >= STRESS_PROBABILITY ? 1 : 0;
  }
  const adverse = quantile(
    next,
    trigger.comparator === "gte" ? 1 - STRESS_PROBABILITY : STRESS_PROBABILITY,
  );
  const later = {
    kind: open.kind,
    values: [...values, adverse],
    // Of the others' next season nothing is known: it is their mean.
    region: region.map((one) => [...one, meanOf(one)]),
    horizonMonths: horizonMonths - periodMonths.weather,
  };
  return openWeatherChance(later, trigger);
}

function openSeason(open: OpenWeather, months: number): SeasonDistribution | undefined {
  if (!isHorizon(months, MAX_WEATHER_MONTHS)) return undefined;
  return seasonDistributionOf({ ...open, seasonsAhead: months / periodMonths.weather });
}

/** How far out a quantile is looked for, in deviations: beyond 1 % of either family. */
const SEARCH_DEVIATIONS = 20;
/** Halvings of that range: to the last digit of a double. */
const SEARCH_STEPS = 60;

/** The value that a season stays below with this chance. */
function quantile(season: SeasonDistribution, chance: number): number {
  const { mean, deviation } = season;
  if (deviation === 0) return mean;
  let low = mean - SEARCH_DEVIATIONS * deviation;
  let high = mean + SEARCH_DEVIATIONS * deviation;
  for (let step = 0; step < SEARCH_STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (chanceBelow(season, middle) < chance) low = middle;
    else high = middle;
  }
  return high;
}

function chanceBelow({ family, mean, deviation }: SeasonDistribution, threshold: number): number {
  if (family === "normal") return normalCdf(threshold, mean, deviation);
  const variance = deviation * deviation;
  return gammaCdf(Math.max(0, threshold), (mean * mean) / variance, mean / variance);
}

/** Wang's transform: the chance a risk-averse seller reckons with. Time does not enter. */
const wangChance = (chance: number): number =>
  normalCdf(normalQuantile(chance, 0, 1) + WANG_LAMBDA, 0, 1);

/**
 * Quotes full coverage if the season meets the trigger. `horizonMonths` runs from the month of the
 * quote to the end of the window and carries the seller's capital, no more.
 */
export function quoteWeather(
  season: SeasonDistribution,
  horizonMonths: number,
  trigger: WeatherTrigger,
  size: QuoteSize,
): QuoteResult<BinaryQuote> {
  if (!isHorizon(horizonMonths, MAX_WEATHER_MONTHS)) {
    const months = { minMonths: MIN_HORIZON_MONTHS, maxMonths: MAX_WEATHER_MONTHS };
    return { status: "refused", refusal: { code: "HORIZON_OUT_OF_RANGE", ...months } };
  }
  if (!Number.isFinite(trigger.threshold)) {
    return { status: "refused", refusal: { code: "INVALID_STRIKE" } };
  }

  const chance = weatherChance(season, trigger);
  const expected = {
    fairValue: chance,
    anyClaimProb: chance,
    fullLimitProb: chance,
    shiftedValue: wangChance(chance),
  };
  return {
    status: "quoted",
    quote: quoteOf(expected, horizonMonths / 12, { ...size, loads: firstLoads }),
  };
}

/** The add-on where a region stands in for the node, basis points. */
export const weatherQualityBps = ({ usedDefaultVol }: SeasonDistribution): number =>
  usedDefaultVol ? WEATHER_DEFAULT_BPS : 0;
