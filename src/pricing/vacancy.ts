// Rental vacancy: the chance that a published rate stands at or beyond a trigger, by the model V*.
// Invariant: works in logits, so every rate of 0…100 % has a chance in 0…1, and the chances of
// "at least" and "at most" the same trigger add up to 1.
import { periodMonths } from "#base/index-kind.ts";
import {
  addOnBps,
  MAX_VACANCY_MONTHS,
  MAX_VACANCY_VOLATILITY,
  MIN_HORIZON_MONTHS,
  MIN_VACANCY_VOLATILITY,
  type PricingLevel,
  RISK_LAMBDA,
  VACANCY_KAPPA,
  VACANCY_VOLATILITY_POWER,
  type VacancyKnot,
  type VacancyRow,
  vacancyAddOnBps,
  vacancyKnots,
} from "./constants.ts";
import type { LocationScale } from "./distribution.ts";
import { meanOf, medianOf, varianceOf } from "./moments.ts";
import {
  type BinaryQuote,
  firstLoads,
  isHorizon,
  type QuoteResult,
  type QuoteSize,
  quoteOf,
  staleBps,
} from "./quote.ts";

/** One node's quarters without a hole, oldest first: percent of rental units vacant, 0…100. */
export type QuarterlyRates = readonly number[];

/** The distribution of the nodes of one level, from which a node's own record is shrunk. Logits. */
export interface VacancyGroup {
  readonly mean: number;
  /** Variance of the node means that their sampling error does not explain. */
  readonly betweenVariance: number;
  /** Median over the nodes of the deviation of quarterly changes; undefined without any. */
  readonly usualDeviation: number | undefined;
}

/** Logits, but for the ratio. */
export interface VacancyFeatures {
  /** The newest quarter. */
  readonly last: number;
  /** Mean of the newest four quarters, or of those there are. */
  readonly yearMean: number;
  /** The node's mean, drawn to its group's by as much as chance may have moved it. */
  readonly nodeMean: number;
  /** Deviation of the node's quarterly changes over the group's median; 1 where unknown. */
  readonly volatilityRatio: number;
  /** True below two years of changes, and where a metro's constants stand in for the level's. */
  readonly usedDefaultVol: boolean;
}

export interface VacancyOutlook {
  readonly level: PricingLevel;
  readonly features: VacancyFeatures;
  /** Whole months from the as-of month to the measurement month, 1…36. */
  readonly horizonMonths: number;
}

export interface RateTrigger {
  readonly comparator: "gte" | "lte";
  /** Basis points of the rate: 800 is a vacancy of 8 %. Quoted only if whole, 1…9999. */
  readonly rateBps: number;
}

const YEAR_QUARTERS = 4;
const MIN_VOLATILITY_CHANGES = 8;
/** Published to a tenth of a percent: 0.0 may be anything below half of that. */
const LOWEST_RATE_PERCENT = 0.05;

/** ln(p/(1 − p)) of a rate in percent, kept finite at 0 and 100. */
function logit(ratePercent: number): number {
  const rate = Math.min(100 - LOWEST_RATE_PERCENT, Math.max(LOWEST_RATE_PERCENT, ratePercent));
  return Math.log(rate / (100 - rate));
}

/** Logits, newest first. */
const logitsOf = (rates: QuarterlyRates): number[] => rates.map(logit).reverse();

/** The group of a level's nodes; undefined when none has a rate. */
export function vacancyGroupOf(nodes: Iterable<QuarterlyRates>): VacancyGroup | undefined {
  const means: number[] = [];
  const samplingVariances: number[] = [];
  const deviations: number[] = [];
  for (const node of nodes) {
    const quarters = logitsOf(node);
    if (quarters.length === 0) continue;
    means.push(meanOf(quarters));
    if (quarters.length > 1) samplingVariances.push(varianceOf(quarters) / quarters.length);
    const deviation = changeDeviation(quarters);
    if (deviation !== undefined) deviations.push(deviation);
  }
  if (means.length === 0) return undefined;

  const sampling = samplingVariances.length === 0 ? 0 : meanOf(samplingVariances);
  return {
    mean: meanOf(means),
    betweenVariance: means.length < 2 ? 0 : Math.max(0, varianceOf(means) - sampling),
    usualDeviation: deviations.length === 0 ? undefined : medianOf(deviations),
  };
}

/** The features of a node; undefined without a rate. The nation has no group: pass undefined. */
export function vacancyFeaturesOf(
  rates: QuarterlyRates,
  level: PricingLevel,
  group: VacancyGroup | undefined,
): VacancyFeatures | undefined {
  const quarters = logitsOf(rates);
  const last = quarters[0];
  if (last === undefined) return undefined;

  const deviation = changeDeviation(quarters);
  const usual = group?.usualDeviation ?? 0;
  const known = deviation !== undefined && usual > 0;
  return {
    last,
    yearMean: meanOf(quarters.slice(0, YEAR_QUARTERS)),
    nodeMean: shrunkMean(quarters, group),
    volatilityRatio: known ? deviation / usual : 1,
    usedDefaultVol: deviation === undefined || (level !== "metro" && rowOf(level) === "metro"),
  };
}

/** Own mean where it is sure, the group's where it is not; a mean of one quarter says nothing. */
function shrunkMean(quarters: readonly number[], group: VacancyGroup | undefined): number {
  const own = meanOf(quarters);
  if (group === undefined) return own;
  if (quarters.length < 2) return group.mean;

  const sampling = varianceOf(quarters) / quarters.length;
  const total = group.betweenVariance + sampling;
  const belief = total > 0 ? group.betweenVariance / total : 1;
  return belief * own + (1 - belief) * group.mean;
}

/** Deviation of the quarterly changes; undefined below two years of them. */
function changeDeviation(quarters: readonly number[]): number | undefined {
  const changes = quarters.slice(1).map((older, at) => (quarters[at] ?? Number.NaN) - older);
  return changes.length < MIN_VOLATILITY_CHANGES ? undefined : Math.sqrt(varianceOf(changes));
}

/** Below the metro nothing was fitted: its constants, the widest there are, stand in. */
const rowOf = (level: PricingLevel): VacancyRow =>
  level === "nation" || level === "state" ? level : "metro";

/** The distribution of the logit of the rate at the measurement month: Student-t(6). */
export function vacancyDistributionOf(outlook: VacancyOutlook): LocationScale {
  const { last, yearMean, nodeMean, volatilityRatio } = outlook.features;
  const row = vacancyKnots[rowOf(outlook.level)];
  const { lastWeight, yearWeight, scale } = knotAt(
    row,
    outlook.horizonMonths / periodMonths.vacancy,
  );
  // Not `**`: two Nodes were seen to round it differently, and never exp and log.
  const ratioPower = Math.exp(VACANCY_VOLATILITY_POWER * Math.log(volatilityRatio));
  const volatility = Math.min(MAX_VACANCY_VOLATILITY, Math.max(MIN_VACANCY_VOLATILITY, ratioPower));
  return {
    mu: nodeMean + lastWeight * (last - nodeMean) + yearWeight * (yearMean - nodeMean),
    s: VACANCY_KAPPA * scale * volatility,
  };
}

/** Linear between the knots. Nothing was fitted below one quarter or above eight: held there. */
function knotAt(knots: readonly VacancyKnot[], quarters: number): Omit<VacancyKnot, "quarters"> {
  let below = knots[0] ?? { quarters: 0, lastWeight: 0, yearWeight: 0, scale: 0 };
  for (const above of knots) {
    if (above.quarters >= quarters) {
      const width = above.quarters - below.quarters;
      const weight = width > 0 ? Math.max(0, quarters - below.quarters) / width : 0;
      return {
        lastWeight: below.lastWeight + weight * (above.lastWeight - below.lastWeight),
        yearWeight: below.yearWeight + weight * (above.yearWeight - below.yearWeight),
        scale: below.scale + weight * (above.scale - below.scale),
      };
    }
    below = above;
  }
  return below;
}

/**
 * P(T ≤ z) for Student-t with 6 degrees of freedom, exact. With w = z/√(6+z²) and c = 1+w the
 * usual form is c³(3w² − 9w + 8)/16, which keeps its digits far out in the lower tail.
 */
export function studentT6(z: number): number {
  const root = Math.sqrt(6 + z * z);
  const c = z < 0 ? 6 / (root * (root - z)) : 1 + z / root;
  const w = z / root;
  return (c * c * c * (3 * w * w - 9 * w + 8)) / 16;
}

/** The chance that the trigger is met. */
export function vacancyChance({ mu, s }: LocationScale, trigger: RateTrigger): number {
  const z = (mu - logit(trigger.rateBps / 100)) / s;
  return studentT6(trigger.comparator === "gte" ? z : -z);
}

/** Quotes full coverage if the rate of the measurement month meets the trigger. */
export function quoteVacancy(
  outlook: VacancyOutlook,
  trigger: RateTrigger,
  size: QuoteSize,
): QuoteResult<BinaryQuote> {
  if (!isHorizon(outlook.horizonMonths, MAX_VACANCY_MONTHS)) {
    const months = { minMonths: MIN_HORIZON_MONTHS, maxMonths: MAX_VACANCY_MONTHS };
    return { status: "refused", refusal: { code: "HORIZON_OUT_OF_RANGE", ...months } };
  }
  const { rateBps, comparator } = trigger;
  if (!Number.isInteger(rateBps) || rateBps < 1 || rateBps > 9_999) {
    return { status: "refused", refusal: { code: "INVALID_STRIKE" } };
  }

  const years = outlook.horizonMonths / 12;
  const distribution = vacancyDistributionOf(outlook);
  const { mu, s } = distribution;
  const shift = (comparator === "gte" ? 1 : -1) * RISK_LAMBDA * Math.sqrt(years) * s;
  const chance = vacancyChance(distribution, trigger);
  const expected = {
    fairValue: chance,
    anyClaimProb: chance,
    fullLimitProb: chance,
    shiftedValue: vacancyChance({ mu: mu + shift, s }, trigger),
  };
  return { status: "quoted", quote: quoteOf(expected, years, { ...size, loads: firstLoads }) };
}

interface OpenVacancy {
  readonly rates: QuarterlyRates;
  readonly level: PricingLevel;
  readonly group: VacancyGroup | undefined;
  /** Whole months from the as-of month to the measurement month. */
  readonly horizonMonths: number;
  readonly trigger: RateTrigger;
}

/** The chance as known now; undefined where the model does not reach. */
export function openVacancyChance(open: OpenVacancy): number | undefined {
  const outlook = outlookOf(open);
  return outlook === undefined
    ? undefined
    : vacancyChance(vacancyDistributionOf(outlook), open.trigger);
}

/** T6⁻¹(99 %): how many scales away the next print lies that only one in a hundred goes beyond. */
const ADVERSE_SCORES = 3.1426684032909833;

/**
 * The chance after a next quarter that only one in a hundred would be worse than for who sold YES:
 * that rate joins the history, the features are taken anew, a quarter less is left. Where the next
 * quarter is the one that settles, the payout itself.
 */
export function stressedVacancyChance(open: OpenVacancy): number | undefined {
  const { rates, horizonMonths, trigger } = open;
  const isLast = horizonMonths <= periodMonths.vacancy;
  const outlook = outlookOf(open);
  if (outlook === undefined) return undefined;
  const next = isLast ? outlook : { ...outlook, horizonMonths: periodMonths.vacancy };
  const { mu, s } = vacancyDistributionOf(next);
  const adverse = mu + (trigger.comparator === "gte" ? ADVERSE_SCORES : -ADVERSE_SCORES) * s;
  const adversePercent = 100 / (1 + Math.exp(-adverse));
  if (isLast) return meets(trigger, adversePercent) ? 1 : 0;
  const later = {
    rates: [...rates, adversePercent],
    horizonMonths: horizonMonths - periodMonths.vacancy,
  };
  return openVacancyChance({ ...open, ...later });
}

const meets = ({ comparator, rateBps }: RateTrigger, percent: number): boolean =>
  comparator === "gte" ? percent * 100 >= rateBps : percent * 100 <= rateBps;

function outlookOf({
  rates,
  level,
  group,
  horizonMonths,
}: OpenVacancy): VacancyOutlook | undefined {
  if (!isHorizon(horizonMonths, MAX_VACANCY_MONTHS)) return undefined;
  const features = vacancyFeaturesOf(rates, level, group);
  return features === undefined ? undefined : { level, features, horizonMonths };
}

interface VacancyQuality {
  readonly level: PricingLevel;
  readonly usedDefaultVol: boolean;
  /** Months from the as-of month to the month of the quote. */
  readonly asOfAgeMonths: number;
}

/** The add-on for sampling error, a default volatility and an old print, basis points. */
export function vacancyQualityBps(quality: VacancyQuality): number {
  const { level, usedDefaultVol, asOfAgeMonths } = quality;
  return (
    vacancyAddOnBps[rowOf(level)] +
    (usedDefaultVol ? addOnBps.defaultVolatility : 0) +
    staleBps(asOfAgeMonths, periodMonths.vacancy)
  );
}
