// The question of a quote: the place, the month, and the payoff asked for.
// Invariant: well formed; whether there is data and a model for it is another matter.
import type { Month } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import type { Comparator } from "#contract/terms.ts";
import type { GeoNode } from "#geo/node.ts";
import type { PricedIndex } from "#pricing/constants.ts";

export interface AskedPlace {
  readonly node: GeoNode;
  readonly expiry: Month;
  readonly coverageUsd: number;
}

export interface AskedDecline extends AskedPlace {
  readonly index: PricedIndex;
  readonly payoff: DeclinePayoff;
}

export interface AskedVacancy extends AskedPlace {
  readonly index: "vacancy";
  readonly comparator: Comparator;
  /** Basis points of the rate, and the same as a threshold. */
  readonly strikeBps: number;
  readonly thresholdE15: PrintValue;
}

export interface AskedWeather extends AskedPlace {
  readonly index: "weather";
  readonly comparator: Comparator;
  /** Basis points of the normal, which the prints say; or the threshold itself. */
  readonly trigger: { readonly strikeBps: number } | { readonly thresholdE15: PrintValue };
}

export type Asked = AskedDecline | AskedVacancy | AskedWeather;
