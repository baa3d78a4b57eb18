// The meaning of a published value, in words: shown beside every value that is not in dollars.
// Invariant: a definition says where the value comes from, its unit, and which month it stands in.
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import { definitionOf, unitOf, weatherSeriesAt } from "./weather-series.ts";

interface WeatherMeasure {
  /** Its id: `cdd-jul`. */
  readonly series: string;
  /** Sentences. */
  readonly definition: string;
  /** As it stands after a number. */
  readonly unit: string;
}

const vacancy: WeatherMeasure = {
  series: "rental-vacancy-rate",
  definition:
    "Rental vacancy rate of a quarter: vacant year-round units for rent, as a percentage of all " +
    "rental units, as the Housing Vacancy Survey estimates it. Four values a year; a quarter's " +
    "month is its last. A survey estimate: its margin of error is published beside it.",
  unit: "percent",
};

/** Of the print of a month; undefined for home values and rents, whose unit is the dollar. */
export function measureOf(index: IndexKind, month: Month): WeatherMeasure | undefined {
  if (index === "vacancy") return vacancy;
  const series = index === "weather" ? weatherSeriesAt(month) : undefined;
  if (series === undefined) return undefined;
  return { series: series.id, definition: definitionOf(series), unit: unitOf(series) };
}
