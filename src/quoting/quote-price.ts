// Prices the payoff asked for by the model of its index from the prints known now.
// Invariant: the payoff that is priced is the payoff the series would settle by, to the last digit.
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { formatMonth, type Month } from "#base/month.ts";
import { formatPrintValue, type PrintValue, printNumber } from "#base/print-value.ts";
import { hasPrintIn, NORMAL_YEARS, weatherNormal, weatherThreshold } from "#contract/level.ts";
import type { LevelPayoff } from "#contract/series.ts";
import type { Payoff } from "#contract/terms.ts";
import { MAX_WEATHER_MONTHS, SCORED_MONTHS } from "#pricing/constants.ts";
import { loadsOf } from "#pricing/loads.ts";
import { outlookOf } from "#pricing/mark.ts";
import {
  type BinaryQuote,
  dataQualityAddOnBps,
  type LayeredQuote,
  type PricingRefusal,
  quoteBinary,
  quoteLayered,
  refusalOf,
} from "#pricing/quote.ts";
import { quoteVacancy, vacancyFeaturesOf, vacancyQualityBps } from "#pricing/vacancy.ts";
import { quoteWeather, seasonDistributionOf, weatherQualityBps } from "#pricing/weather.ts";
import { percentText } from "#views/description.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { Asked, AskedDecline, AskedVacancy, AskedWeather } from "./asked.ts";
import { noPrintIn } from "./print-months.ts";
import type { ReferenceData } from "./reference.ts";

export interface Priced {
  /** The newest first print, which the model starts from. */
  readonly print: SeriesPoint;
  readonly payoff: Payoff;
  readonly strikeBps: number | null;
  readonly quote: BinaryQuote | LayeredQuote;
  readonly usedDefaultVol: boolean;
  /** A note on how the threshold was chosen. */
  readonly remark: string | null;
}

/** True beyond the horizons whose forecasts were scored: quoted, and not listed. */
export const isIndicative = (index: IndexKind, horizonMonths: number): boolean =>
  (index === "zhvi" || index === "zori") && horizonMonths > SCORED_MONTHS;

/** Why there is no price, and the one field of the request to change. */
export interface Unpriced {
  readonly unpriced:
    | { readonly code: "NO_INDEX_DATA"; readonly field: "node" }
    | { readonly code: "INVALID_LAYER"; readonly field: "exhaustBps" }
    | {
        readonly code: "INVALID_REQUEST";
        readonly field: "expiry" | "strikeBps";
        readonly message: string;
      };
}

export function priceOf(referenceData: ReferenceData, asked: Asked, now: Month): Priced | Unpriced {
  const newest = referenceData.series.newest(asked.index, asked.node.id);
  if (newest === undefined) return noData();
  const { index, expiry } = asked;
  if (!hasPrintIn(index, expiry)) {
    return invalid("expiry", noPrintIn(index, expiry, newest.month));
  }
  switch (asked.index) {
    case "vacancy":
      return vacancyPrice(referenceData, asked, now);
    case "weather":
      return weatherPrice(referenceData, asked, now);
    default:
      return declinePrice(referenceData, asked, newest, now);
  }
}

const noData = (): Unpriced => ({
  unpriced: { code: "NO_INDEX_DATA", field: "node" },
});

const invalid = (field: "expiry" | "strikeBps", message: string): Unpriced => ({
  unpriced: { code: "INVALID_REQUEST", field, message },
});

const alreadyPrinted = (newest: Month): Unpriced =>
  invalid("expiry", `must be after ${formatMonth(newest)}, the newest print`);

function declinePrice(
  { reference, exchange }: ReferenceData,
  { index, node, expiry, payoff, coverageUsd }: AskedDecline,
  print: SeriesPoint,
  now: Month,
): Priced | Unpriced {
  const input = reference.inputOf(index, node);
  if (input === undefined) return noData();
  const { asOfMonth, level } = input;
  if (expiry <= asOfMonth) return alreadyPrinted(asOfMonth);

  const outlook = outlookOf(input, expiry - asOfMonth);
  const { usedDefaultVol } = outlook.features;
  const quality = { index, level, usedDefaultVol, payoff, asOfAgeMonths: now - asOfMonth };
  const contract = { node: input, horizonMonths: expiry - asOfMonth, accruedLogChange: 0, payoff };
  const refusal = refusalOf(index, contract.horizonMonths, payoff);
  if (refusal !== undefined) return unpriced(refusal);

  const loads = loadsOf(contract, node.stateCode, exchange.rules.price.carryBps / 10_000);
  const size = { coverageUsd, dataQualityBps: dataQualityAddOnBps(quality), loads };
  const result =
    payoff.kind === "layered"
      ? quoteLayered(outlook, payoff, size)
      : quoteBinary(outlook, payoff.strikeBps, size);
  if (result.status === "refused") return unpriced(result.refusal);
  const strikeBps = payoff.kind === "binary" ? payoff.strikeBps : null;
  return { print, payoff, strikeBps, quote: result.quote, usedDefaultVol, remark: null };
}

function vacancyPrice(
  { reference }: ReferenceData,
  { node, expiry, comparator, strikeBps, thresholdE15, coverageUsd }: AskedVacancy,
  now: Month,
): Priced | Unpriced {
  const record = reference.levels.vacancyOf(node);
  if (record === undefined) return noData();
  const { print, rates, group } = record;
  const { level } = node;
  const features = vacancyFeaturesOf(rates, level, group);
  if (features === undefined) return noData();
  if (expiry <= print.month) return alreadyPrinted(print.month);

  const { usedDefaultVol } = features;
  const asOfAgeMonths = now - print.month;
  const dataQualityBps = vacancyQualityBps({ level, usedDefaultVol, asOfAgeMonths });
  const result = quoteVacancy(
    { level, features, horizonMonths: expiry - print.month },
    { comparator, rateBps: strikeBps },
    { coverageUsd, dataQualityBps },
  );
  if (result.status === "refused") return unpriced(result.refusal);
  const payoff = { kind: "level", comparator, thresholdE15 } as const;
  return { print, payoff, strikeBps, quote: result.quote, usedDefaultVol, remark: null };
}

function weatherPrice(
  { reference }: ReferenceData,
  asked: AskedWeather,
  now: Month,
): Priced | Unpriced {
  const { node, expiry, comparator, trigger, coverageUsd } = asked;
  const record = reference.levels.weatherOf(node, expiry);
  if (record === undefined) return noData();
  const { print, years, season: known } = record;
  if (expiry <= print.month) return alreadyPrinted(print.month);
  const horizonMonths = expiry - print.month;
  if (horizonMonths > MAX_WEATHER_MONTHS) {
    return unpriced({
      code: "HORIZON_OUT_OF_RANGE",
      minMonths: periodMonths.weather,
      maxMonths: MAX_WEATHER_MONTHS,
    });
  }
  const values = years.map(({ valueE15 }) => valueE15);
  const thresholdE15 = thresholdOf(asked, values);
  if (thresholdE15 === undefined) return withoutThreshold(values);
  const season = seasonDistributionOf({
    ...known,
    seasonsAhead: horizonMonths / periodMonths.weather,
  });
  if (season === undefined) return noData();

  // The seller's capital is bound from today on, and the season may be nearly here.
  const boundMonths = Math.min(horizonMonths, Math.max(1, expiry - now));
  const result = quoteWeather(
    season,
    boundMonths,
    { comparator, threshold: printNumber(thresholdE15) },
    { coverageUsd, dataQualityBps: weatherQualityBps(season) },
  );
  if (result.status === "refused") return unpriced(result.refusal);
  const payoff = { kind: "level", comparator, thresholdE15 } as const;
  const strikeBps = "strikeBps" in trigger ? trigger.strikeBps : null;
  const remark = strikeBps === null ? null : normalRemark(payoff, strikeBps, values);
  const { usedDefaultVol } = season;
  return { print, payoff, strikeBps, quote: result.quote, usedDefaultVol, remark };
}

/** Undefined where so many basis points of the normal are no threshold above 0. */
function thresholdOf(
  { expiry, comparator, trigger }: AskedWeather,
  years: readonly PrintValue[],
): PrintValue | undefined {
  if ("thresholdE15" in trigger) return trigger.thresholdE15;
  const { strikeBps } = trigger;
  const named = weatherThreshold({ measurementMonth: expiry, comparator, strikeBps, years });
  return named !== undefined && named > 0n ? named : undefined;
}

const withoutThreshold = (years: readonly PrintValue[]): Unpriced =>
  invalid(
    "strikeBps",
    `names no threshold here, where the normal is ${formatPrintValue(weatherNormal(years))}; ` +
      "give threshold instead",
  );

function normalRemark(
  { comparator }: LevelPayoff,
  strikeBps: number,
  years: readonly PrintValue[],
): string {
  const [strike, normal] = [percentText(strikeBps), formatPrintValue(weatherNormal(years))];
  const count = Math.min(NORMAL_YEARS, years.length);
  const side = comparator === "gte" ? "above" : "below";
  return `The threshold is ${strike} % ${side} ${normal}, the mean of the newest ${count} years.`;
}

function unpriced(refusal: PricingRefusal): Unpriced {
  switch (refusal.code) {
    case "HORIZON_OUT_OF_RANGE": {
      const { minMonths, maxMonths } = refusal;
      return invalid(
        "expiry",
        `must be ${minMonths} to ${maxMonths} months after the newest print`,
      );
    }
    case "INVALID_LAYER":
      return { unpriced: { code: "INVALID_LAYER", field: "exhaustBps" } };
    case "INVALID_STRIKE":
      return invalid("strikeBps", "must be from 1 to 9999");
  }
}
