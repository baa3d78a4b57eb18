// The weather indices: which variable, over which calendar window, in which unit. Data, not code.
// Invariant: no two series end in the same month of the year, so that a month names its series.
import { calendarMonth, type Month } from "#base/month.ts";
import { type PrintValue, printValue, wholePrint } from "#base/print-value.ts";
import { divHalfEven } from "#base/rounding.ts";

export const weatherVariables = [
  "temperature",
  "precipitation",
  "heatingDegreeDays",
  "coolingDegreeDays",
] as const;
export type WeatherVariable = (typeof weatherVariables)[number];

interface VariableDefinition {
  /** As it stands in a sentence. */
  readonly name: string;
  /** The provider's file, before its version and date. */
  readonly file: string;
  readonly unit: string;
  /** The provider's last published digit, in the unit. */
  readonly stepE15: bigint;
  /** How a window's months become one value. */
  readonly combine: "sum" | "mean";
}

const variableDefinitions: Readonly<Record<WeatherVariable, VariableDefinition>> = {
  temperature: {
    name: "average temperature",
    file: "climdiv-tmpcst",
    unit: "degrees Fahrenheit",
    stepE15: wholePrint / 10n,
    combine: "mean",
  },
  precipitation: {
    name: "precipitation",
    file: "climdiv-pcpnst",
    unit: "inches",
    stepE15: wholePrint / 100n,
    combine: "sum",
  },
  heatingDegreeDays: {
    name: "heating degree days",
    file: "climdiv-hddcst",
    unit: "Fahrenheit degree days",
    stepE15: wholePrint,
    combine: "sum",
  },
  coolingDegreeDays: {
    name: "cooling degree days",
    file: "climdiv-cddcst",
    unit: "Fahrenheit degree days",
    stepE15: wholePrint,
    combine: "sum",
  },
};

export interface WeatherSeries {
  readonly id: string;
  readonly variable: WeatherVariable;
  /** 1…12; the window lies in one calendar year. */
  readonly firstMonth: number;
  /** 1…12, and the month of the year of every print. */
  readonly lastMonth: number;
}

/** Published: a change of any of these is a new series with a new id. */
export const weatherSeries: readonly WeatherSeries[] = [
  { id: "hdd-jan-mar", variable: "heatingDegreeDays", firstMonth: 1, lastMonth: 3 },
  { id: "cdd-jul", variable: "coolingDegreeDays", firstMonth: 7, lastMonth: 7 },
  { id: "precipitation-jun-aug", variable: "precipitation", firstMonth: 6, lastMonth: 8 },
  { id: "temperature-jan-dec", variable: "temperature", firstMonth: 1, lastMonth: 12 },
];

/** Undefined for a month no window ends in: no print can stand there. */
export const weatherSeriesAt = (month: Month): WeatherSeries | undefined =>
  weatherSeries.find(({ lastMonth }) => lastMonth === calendarMonth(month));

export const weatherSeriesOf = (variable: WeatherVariable): readonly WeatherSeries[] =>
  weatherSeries.filter((series) => series.variable === variable);

export const unitOf = ({ variable }: WeatherSeries): string => variableDefinitions[variable].unit;

/** A tick of the thresholds that are listed, in units of 1e-15. */
export const stepOf = ({ variable }: WeatherSeries): bigint =>
  variableDefinitions[variable].stepE15;

/** The definition shown beside every value of the series. */
export function definitionOf({ variable, firstMonth, lastMonth }: WeatherSeries): string {
  const { name, file, unit, combine } = variableDefinitions[variable];
  const isOneMonth = firstMonth === lastMonth;
  const window = isOneMonth
    ? nameOfMonth(lastMonth)
    : `${nameOfMonth(firstMonth)} to ${nameOfMonth(lastMonth)}`;
  const made = isOneMonth
    ? "the value"
    : `the ${combine} of the ${lastMonth - firstMonth + 1} monthly values`;
  const rounding = combine === "mean" && !isOneMonth ? ", to 15 decimals, ties to even," : "";
  return (
    `${name[0]?.toUpperCase()}${name.slice(1)}, ${window}: ${made}${rounding} that NOAA ` +
    "publishes for the state (for the nation: the contiguous 48 states) in " +
    `${file}, in ${unit}. One value a year; its month is ${nameOfMonth(lastMonth)}. ` +
    "No value where a month of the window is missing."
  );
}

/** The window's value of one year, exact; `months` are that year's twelve. */
export function windowValue(
  { variable, firstMonth, lastMonth }: WeatherSeries,
  months: readonly (PrintValue | null)[],
): PrintValue | null {
  let sum = 0n;
  for (let month = firstMonth; month <= lastMonth; month += 1) {
    const value = months[month - 1] ?? null;
    if (value === null) return null;
    sum += value;
  }
  const count = BigInt(lastMonth - firstMonth + 1);
  return printValue(
    variableDefinitions[variable].combine === "mean" ? divHalfEven(sum, count) : sum,
  );
}

const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const nameOfMonth = (month: number): string => monthNames[month - 1] ?? "";
