// Every number of the reference models, each with the record it was estimated on.
// Invariant: no other file of this room holds an estimated number; knots rise with the horizon.

/** The indices whose declines HMR-t4 prices; vacancy and weather have models of their own. */
export type PricedIndex = "zhvi" | "zori";

export type PricingLevel =
  | "nation"
  | "state"
  | "county"
  | "metro"
  | "city"
  | "neighborhood"
  | "zip";

/** The models there are of a decline: the first one, and the one with a second regime. */
export const priceModels = ["hmr-t4", "hmr-t4r"] as const;
export type PriceModel = (typeof priceModels)[number];

/** The model where no setting names one. */
export const DEFAULT_PRICE_MODEL: PriceModel = "hmr-t4r";

/** Weights of the location: the intercept, then of m, g60, mN, mS, g60N and g60S. */
export type Weights = readonly [number, number, number, number, number, number, number];

/** The model at one horizon. Units: log change; momentum, growth and volatility are annual. */
export interface HorizonConstants {
  readonly b: Weights;
  /** Weight of lv in the log scale. */
  readonly gamma: number;
  /** Weight of growth above the long-run rate in the log scale. */
  readonly delta: number;
  /** Weight of |m − g60| in the log scale. */
  readonly eta: number;
  /** Weight of |mN − g60N| in the log scale. */
  readonly etaNation: number;
  /** Weight of |mS − g60S| in the log scale. */
  readonly etaState: number;
  /** Scale of a metro with usual volatility, no boom and steady growth. */
  readonly tau: number;
  /** Undefined where the model has one regime only. */
  readonly regime: RegimeConstants | undefined;
}

/** The bust: how likely, how far down, how wide. */
export interface RegimeConstants {
  /** The weight's logit without a boom, and what each 4 % a year of boom in the state adds. */
  readonly a: number;
  readonly c: number;
  /** Logs of the bust's distance below, its scale, and the usual regime's scale, each in s. */
  readonly d: number;
  readonly k: number;
  readonly r: number;
}

export interface Knot extends HorizonConstants {
  readonly months: number;
}

/** The constants at each whole horizon, the first of them at one month. */
export type HorizonTable = readonly HorizonConstants[];

/** A model's knots by year: each year's fitted only on outcomes before its January. Plain data. */
export interface KnotsByYear {
  readonly model: PriceModel;
  readonly years: Readonly<Record<number, readonly Knot[]>>;
}

type FirstWeights = readonly [number, number, number, number, number];

/** A knot of the first model: no growth of nation and state, one regime. */
const knot = (
  months: number,
  b: FirstWeights,
  scale: readonly [gamma: number, delta: number, eta: number],
  tau: number,
): Knot => ({
  months,
  b: [...b, 0, 0],
  gamma: scale[0],
  delta: scale[1],
  eta: scale[2],
  etaNation: 0,
  etaState: 0,
  tau,
  regime: undefined,
});

/** Fitted on FHFA metro 1975–2025Q4 stacked with ZHVI metro 2000–2025. */
const zhviKnots: readonly Knot[] = [
  knot(3, [0.0019, 0.081, -0.0523, 0.0591, 0.117], [0.322, 5.655, 2.809], 0.0103),
  knot(6, [0.0059, 0.1961, -0.1049, 0.0587, 0.2068], [0.268, 6.267, 4.143], 0.01468),
  knot(12, [0.0152, 0.3744, -0.2571, 0.1671, 0.3464], [0.207, 7.566, 4.664], 0.02312),
  knot(18, [0.0295, 0.5118, -0.4341, 0.2191, 0.48], [0.165, 8.045, 4.458], 0.03423),
  knot(24, [0.0466, 0.6153, -0.6394, 0.3023, 0.5728], [0.129, 8.527, 3.725], 0.04654),
  knot(36, [0.0861, 0.7338, -1.0849, 0.5492, 0.6746], [0.071, 8.635, 2.611], 0.07329),
  knot(48, [0.1265, 0.7764, -1.5332, 1.0576, 0.6323], [0.038, 7.663, 1.801], 0.10069),
  knot(60, [0.1699, 0.7116, -1.8927, 1.5259, 0.4767], [0.01, 6.76, 1.224], 0.12535),
];

/** Fitted on ZORI metro 2015–2025 with 15 % weight on FHFA metro. */
const zoriKnots: readonly Knot[] = [
  knot(6, [0.0079, 0.0271, -0.0574, 0.0968, 0.2797], [0.275, 5.412, 4.91], 0.01466),
  knot(12, [0.0223, 0.1659, -0.1742, 0.1597, 0.4086], [0.14, 6.41, 5.711], 0.02206),
  knot(18, [0.0442, 0.2011, -0.2709, 0.1274, 0.5661], [0.078, 6.18, 5.597], 0.03371),
  knot(24, [0.07, 0.2706, -0.3978, 0.0938, 0.6546], [0.036, 6.486, 5.012], 0.04565),
  knot(36, [0.1214, 0.3869, -0.7199, 0.2477, 0.81], [0.017, 6.557, 3.857], 0.06983),
];

/** The knots of the first model, HMR-t4. */
export const firstKnots: Readonly<Record<PricedIndex, readonly Knot[]>> = {
  zhvi: zhviKnots,
  zori: zoriKnots,
};

/** The shortest horizon priced, months. */
export const MIN_HORIZON_MONTHS = 1;

/** The longest horizon priced, months: the last knot that was fitted. */
export const maxHorizonMonths: Readonly<Record<PricedIndex, number>> = { zhvi: 60, zori: 36 };

/** The longest horizon that was scored, months: a quote of a longer one is only indicative. */
export const SCORED_MONTHS = 36;

/** Widening for parameter uncertainty; 1.10 had the best log score on ZHVI metro and county. */
export const kappaOf: Readonly<Record<PricedIndex, number>> = { zhvi: 1.1, zori: 1 };

/**
 * Scale of each level's residuals against a metro's, rounded from the panels at 6 to 36 months.
 * State, county, metro and zip are measured; nation, city and neighborhood are assumed.
 */
export const levelScale: Readonly<Record<PricingLevel, number>> = {
  nation: 0.8,
  state: 0.9,
  county: 1,
  metro: 1,
  city: 1.1,
  zip: 1.15,
  neighborhood: 1.2,
};

/**
 * Usual annual volatility of a level where too few nodes are at hand to measure it: the panels'
 * medians; city, neighborhood and nation are interpolated.
 */
export const defaultVolatility: Readonly<
  Record<PricedIndex, Readonly<Record<PricingLevel, number>>>
> = {
  zhvi: {
    nation: 0.007,
    state: 0.008,
    county: 0.011,
    metro: 0.0115,
    city: 0.013,
    zip: 0.015,
    neighborhood: 0.016,
  },
  zori: {
    nation: 0.012,
    state: 0.018,
    metro: 0.0245,
    county: 0.025,
    city: 0.03,
    zip: 0.039,
    neighborhood: 0.042,
  },
};

/** Seasonal profile of log rents, January to December; ZORI metro 2015–2025. Sums to zero. */
export const zoriSeason: readonly number[] = [
  -0.0067, -0.0058, -0.0028, 0, 0.0029, 0.0049, 0.0061, 0.0058, 0.0038, 0.0006, -0.003, -0.0058,
];

/** Annual log growth that short histories lean on, and above which a boom widens the scale. */
export const LONG_RUN_GROWTH = 0.04;

/** Largest |momentum| let into the model. */
export const MOMENTUM_LIMIT = 0.4;
/** Range of five-year growth let into the model. */
export const MIN_LONG_GROWTH = -0.2;
export const MAX_LONG_GROWTH = 0.25;
/** Largest |lv|: a node counts as at most four times calmer or wilder than its level. */
export const LOG_VOLATILITY_LIMIT = Math.log(4);
/** Largest exponent of the scale, so that features far outside the record stay bounded. */
export const SCALE_EXPONENT_LIMIT = 1.8;

/**
 * Market price of risk: the location moves toward the trigger by λ·√T·s. Chosen on the same
 * records it was tested on, so it is a reserve rule and no forecast of profit.
 */
export const RISK_LAMBDA = 0.25;
/** The first model's yearly return on all that the seller stands to lose. */
export const FIRST_CARRY_PER_YEAR = 0.01;
/**
 * Yearly return on the margin that the seller binds, in the record of the models: about what cash
 * earns. Judgement. Quotes follow the exchange's rule.
 */
export const RECORDED_CARRY = 0.04;
/**
 * The margin behind the carry, by the rules of margin: the floor of the least demanding tier, the
 * spread of an auction, and initial margin over maintenance.
 */
export const EXPECTED_MARGIN_FLOOR = 0.05;
export const LEAST_AUCTION_SPREAD = 0.01;
export const SPREAD_PART_OF_STRESS = 0.25;
export const INITIAL_OVER_MAINTENANCE = 1.25;
/** Part of the price that is there whatever the risk. */
export const FLAT_LOAD = 0.0015;

/** Data-quality add-ons to the price, basis points of coverage. Judgement, not estimates. */
export const addOnBps = {
  defaultVolatility: 50,
  smallArea: 25,
  zori: 25,
  bespokeLayer: 50,
  staleMonth: 50,
} as const;
/** An as-of print up to this old costs nothing extra. */
export const FRESH_AGE_MONTHS = 2;

/**
 * Rental vacancy (V*) at one horizon: weights of the last quarter's and the last four quarters'
 * deviation from the node mean, and the scale. Deviations and scale are in logits of the rate.
 */
export interface VacancyKnot {
  readonly quarters: number;
  readonly lastWeight: number;
  readonly yearWeight: number;
  readonly scale: number;
}

export type VacancyRow = "nation" | "state" | "metro";

const vacancyKnot = (
  quarters: number,
  lastWeight: number,
  yearWeight: number,
  scale: number,
): VacancyKnot => ({ quarters, lastWeight, yearWeight, scale });

/**
 * Census HVS rental vacancy: the nation 1956–2024, 51 states 2005–2022, 75 metros 2015–2022.
 * Rounded from the last of the expanding-window fits; what was scored are the fits, not these.
 */
export const vacancyKnots: Readonly<Record<VacancyRow, readonly VacancyKnot[]>> = {
  nation: [
    vacancyKnot(1, 0.7, 0.3, 0.047),
    vacancyKnot(4, 1.22, -0.25, 0.074),
    vacancyKnot(8, 1.64, -0.72, 0.113),
  ],
  state: [
    vacancyKnot(1, 0.33, 0.61, 0.217),
    vacancyKnot(4, 0.29, 0.65, 0.252),
    vacancyKnot(8, 0.29, 0.65, 0.277),
  ],
  metro: [
    vacancyKnot(1, 0.22, 0.34, 0.47),
    vacancyKnot(4, 0.23, 0.02, 0.49),
    vacancyKnot(8, 0.06, 0, 0.52),
  ],
};

/** Part of the fitted scale that is kept, with t(6) in place of the normal it was fitted with. */
export const VACANCY_KAPPA = 0.87;
/** How much of a node's volatility ratio its scale follows, and the bounds of that factor. */
export const VACANCY_VOLATILITY_POWER = 0.7;
export const MIN_VACANCY_VOLATILITY = 0.4;
export const MAX_VACANCY_VOLATILITY = 2.5;
/** The longest horizon scored, months: twelve quarters. */
export const MAX_VACANCY_MONTHS = 36;

/**
 * The add-on for sampling error to a vacancy price, basis points. Judgement on the published
 * standard errors: 1.4 points a state, 2.3 a metro; most of a quarter's change is noise.
 */
export const vacancyAddOnBps: Readonly<Record<VacancyRow, number>> = {
  nation: 0,
  state: 50,
  metro: 100,
};

/**
 * Weather, on nClimDiv of 48 states, 1960–2025. Degree days and temperature: a normal of 30 years
 * with 0.75 of a slope that is half the node's and half its region's. Best of seven forms compared
 * on the same years, so the choice is in-sample.
 */
export const WEATHER_YEARS = 30;
export const TREND_PART = 0.75;
export const OWN_TREND_PART = 0.5;
/** Precipitation: a gamma, mean half of 30 and half of 60 years, variance of 60. Same record. */
export const RAIN_YEARS = 60;
/** Below this many years a node borrows its region's. Judgement. */
export const MIN_WEATHER_YEARS = 10;
/** Wang's risk load: the normal score of the chance moves by this much. Judgement. */
export const WANG_LAMBDA = 0.25;
/** Added to a weather price where the region stands in for the node, basis points. Judgement. */
export const WEATHER_DEFAULT_BPS = 100;
/** The furthest season priced, months ahead; only the next one was scored. */
export const MAX_WEATHER_MONTHS = 60;

/** Probability of the adverse next print behind the stressed mark. */
export const STRESS_PROBABILITY = 0.01;

/**
 * How far the growth of its state, and of the nation, goes with that of a place where all fall
 * together. Judgement, above what `tools/betas.ts` measures behind a single place in its worst
 * hundredth: .56 and .31 at most (metros; docs/concepts/clearing.md). Noise of the place alone
 * lowers that figure, and the scenario is a fall that all have in common.
 */
export const STATE_BETA = 0.9;
export const NATION_BETA = 0.7;
