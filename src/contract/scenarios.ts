// The scenarios that margin is measured by: a published list, the same for every market.
// Invariant: a scenario keeps its column for ever; a later version changes how one is computed or
// appends, so that arrays of any version can stand side by side.
import type { Tick } from "#base/price.ts";

/** Rises when a scenario is computed otherwise, or one is appended. Journalled with the marks. */
export const SCENARIOS_VERSION = 1;

const censusRegions = ["northeast", "midwest", "south", "west"] as const;
type CensusRegion = (typeof censusRegions)[number];

interface Scenario {
  readonly id: string;
  readonly title: string;
  /** Hurts sellers of protection against a fall, or against a rise. */
  readonly direction: "down" | "up";
}

const alone = (region: string): string =>
  `The ${region} alone falls: 6 prints at the 0.1 % quantile, with their states`;

/** In the order of the columns of a risk array. */
export const scenarios = [
  {
    id: "all-1",
    direction: "down",
    title: "All places fall together: 1 print at the 1 % quantile",
  },
  {
    id: "all-3",
    direction: "down",
    title: "All places fall together: 3 prints at the 1 % quantile",
  },
  {
    id: "all-6",
    direction: "down",
    title: "All places fall together: 6 prints at the 1 % quantile",
  },
  {
    id: "all-12",
    direction: "down",
    title: "All places fall together: 12 prints at the 1 % quantile",
  },
  { id: "northeast", direction: "down", title: alone("Northeast") },
  { id: "midwest", direction: "down", title: alone("Midwest") },
  { id: "south", direction: "down", title: alone("South") },
  { id: "west", direction: "down", title: alone("West") },
  { id: "replay-2006", direction: "down", title: "2006–2011 again, over the time that is left" },
  {
    id: "replay-1989",
    direction: "down",
    title: "1989–1996 again in California and New England, over the time that is left",
  },
  {
    id: "replay-1985",
    direction: "down",
    title: "1985–1989 again in Texas, Oklahoma and Louisiana, over the time that is left",
  },
  { id: "minus-20", direction: "down", title: "−20 % everywhere within 24 months" },
  { id: "missing-print", direction: "down", title: "No further print comes: the last one stands" },
  { id: "up-1", direction: "up", title: "All places rise together: 1 print at the 99 % quantile" },
  {
    id: "up-12",
    direction: "up",
    title: "All places rise together: 12 prints at the 99 % quantile",
  },
] as const satisfies readonly Scenario[];

/** The value of YES after each scenario, by column. */
export type RiskTicks = readonly Tick[];

export type ScenarioId = (typeof scenarios)[number]["id"];

/** The regions of the Census Bureau, by the codes of their states. */
const statesOf: Readonly<Record<CensusRegion, string>> = {
  northeast: "CT ME MA NH RI VT NJ NY PA",
  midwest: "IL IN MI OH WI IA KS MN MO NE ND SD",
  south: "DE DC FL GA MD NC SC VA WV AL KY MS TN AR LA OK TX",
  west: "AZ CO ID MT NV NM UT WY AK CA HI OR WA",
};

const regionByState = new Map(
  censusRegions.flatMap((region) =>
    statesOf[region].split(" ").map((stateCode) => [stateCode, region] as const),
  ),
);

export const isCensusRegion = (id: string): id is CensusRegion =>
  censusRegions.some((region) => region === id);

/** Undefined for what is in no state: the nation, a territory. */
export const censusRegionOf = (stateCode: string): CensusRegion | undefined =>
  regionByState.get(stateCode);
