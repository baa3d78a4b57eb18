// A release: one publication by a provider of one index at one level, and who the providers are.
// Invariant: a release is known by the SHA-256 of its decompressed bytes, whatever its file's name.
import { DAY_MILLIS } from "#base/day.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { type Month, monthEndMillis } from "#base/month.ts";
import type { Chaining } from "./first-prints.ts";

/** The levels of the interface, `metro` (kept for pricing) and `nation` (`us`). */
export const printLevels = [
  "nation",
  "state",
  "metro",
  "county",
  "city",
  "neighborhood",
  "zip",
] as const;
export type PrintLevel = (typeof printLevels)[number];

/** A neighborhood's boundary moves with its provider: it links only where growth stays the same. */
export const chainingOf = (index: IndexKind, level: string): Chaining =>
  level === "neighborhood" && isChained(index) ? "same-growth" : isChained(index);

export const isPrintLevel = (text: string): text is PrintLevel =>
  printLevels.some((level) => level === text);

export const providerIds = ["zillow", "census", "fred", "noaa", "sample"] as const;
export type ProviderId = (typeof providerIds)[number];

export const isProviderId = (text: string): text is ProviderId =>
  providerIds.some((provider) => provider === text);

interface Provider {
  readonly id: ProviderId;
  /** As it stands in an attribution. */
  readonly name: string;
  readonly indices: readonly IndexKind[];
  /** Of which it has files of its own. */
  readonly levels: readonly PrintLevel[];
  /** Day of the month after the measurement month on which the print is expected. */
  readonly expectedDay: number;
}

const placeLevels = printLevels.filter((level) => level !== "nation");

/** Days are the providers' habit, not their promise: a release is found by its new column. */
export const providers: Readonly<Record<ProviderId, Provider>> = {
  zillow: {
    id: "zillow",
    name: "Zillow",
    indices: ["zhvi", "zori"],
    levels: placeLevels,
    expectedDay: 20,
  },
  census: {
    id: "census",
    name: "U.S. Census Bureau",
    indices: ["vacancy"],
    levels: ["state", "metro"],
    expectedDay: 28,
  },
  fred: {
    id: "fred",
    name: "FRED, Federal Reserve Bank of St. Louis",
    indices: ["vacancy"],
    levels: ["nation"],
    expectedDay: 28,
  },
  noaa: {
    id: "noaa",
    name: "NOAA National Centers for Environmental Information",
    indices: ["weather"],
    levels: ["state"],
    expectedDay: 8,
  },
  sample: {
    id: "sample",
    name: "Firstprint Sample Data",
    indices: ["zhvi", "zori", "vacancy", "weather"],
    levels: printLevels,
    expectedDay: 20,
  },
};

/** The string that travels with every index value of this provider. */
export const attributionOf = (provider: ProviderId): string =>
  `Data from ${providers[provider].name}`;

/** When the print of `month` is expected: 00:00 UTC, milliseconds since 1970. */
export const expectedPublicationMillis = (provider: ProviderId, month: Month): number =>
  monthEndMillis(month) + (providers[provider].expectedDay - 1) * DAY_MILLIS;

/** Only zhvi and zori are chained: their levels are rescaled by the provider, always positive. */
export const isChained = (index: IndexKind): boolean => index === "zhvi" || index === "zori";
