// Every region of the sample's files: what the provider calls it, where it lies, what it is worth.
// Invariant: a region id means one place in every release; ids grow within a level, in file order.
import { type NodeId, nodeId } from "#base/ids.ts";
import { type GeoLevel, geoLevels } from "#geo/node.ts";
import { builtInStates } from "#geo/states.ts";
import { aliases, cities, counties, neighborhoods, stateValues, zips } from "./places.ts";

export interface SampleRegion {
  readonly level: GeoLevel;
  readonly nodeId: NodeId;
  /** Made up, as the provider is. */
  readonly regionId: string;
  /** Place in its own level's file, from 0. */
  readonly rank: number;
  readonly name: string;
  readonly stateCode: string;
  readonly parentIds: readonly NodeId[];
  readonly aliases: readonly string[];
  /** Null for states and cities without one county. */
  readonly countyFips: string | null;
  readonly countyName: string | null;
  readonly cityName: string | null;
  readonly metro: string | null;
  /** The worth of a typical home at the end of the history, USD: invented. */
  readonly valueUsd: number;
  /** 0 where not known. */
  readonly housingUnits: number;
}

interface County {
  readonly fips: string;
  readonly id: NodeId;
  readonly name: string;
  readonly stateCode: string;
  readonly metro: string;
}

const firstRegionIds: Readonly<Record<GeoLevel, number>> = {
  state: 101,
  county: 1001,
  city: 2001,
  neighborhood: 3001,
  zip: 4001,
};

type RegionDraft = Omit<SampleRegion, "regionId" | "rank" | "aliases">;

const blank = { countyFips: null, countyName: null, cityName: null, metro: null, housingUnits: 0 };

const countiesByFips: ReadonlyMap<string, County> = new Map(
  counties.map(([fips, name, metro]) => [
    fips,
    {
      fips,
      id: nodeId(`county:${fips}`),
      name: `${name} County`,
      stateCode: stateOfFips(fips),
      metro,
    },
  ]),
);

function stateOfFips(fips: string): string {
  const state = builtInStates.find((one) => one.fips === fips.slice(0, 2));
  return known(state, `the state of county ${fips}`).stateCode;
}

function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`The sample's table of places lacks ${what}.`);
  return found;
}

const countyOf = (fips: string): County => known(countiesByFips.get(fips), `county ${fips}`);

const within = ({ fips, name, metro }: County) => ({
  countyFips: fips,
  countyName: name,
  metro,
});

const stateDrafts = builtInStates.map(
  (state, at): RegionDraft => ({
    ...blank,
    level: "state",
    nodeId: state.id,
    name: state.name,
    stateCode: state.stateCode,
    parentIds: [],
    valueUsd: known(stateValues[at], `the value of ${state.id}`) * 1000,
    housingUnits: state.housingUnits,
  }),
);

const countyDrafts = counties.map(([fips, , , value, units]): RegionDraft => {
  const county = countyOf(fips);
  return {
    ...blank,
    ...within(county),
    level: "county",
    nodeId: county.id,
    name: county.name,
    stateCode: county.stateCode,
    parentIds: [nodeId(`state:${county.stateCode}`)],
    valueUsd: value * 1000,
    housingUnits: units * 1000,
  };
});

const cityDrafts = cities.map(
  ([slug, name, stateCode, fips, value, units]): RegionDraft => ({
    ...blank,
    ...within(countyOf(fips[0] ?? "")),
    level: "city",
    nodeId: nodeId(`city:${slug}`),
    name,
    stateCode,
    parentIds: fips.map((code) => countyOf(code).id),
    valueUsd: value * 1000,
    housingUnits: units * 1000,
  }),
);

const cityNames: ReadonlyMap<string, string> = new Map(cities.map(([slug, name]) => [slug, name]));

const cityNamed = (slug: string): string => known(cityNames.get(slug), `city ${slug}`);

const slugOf = (name: string): string => name.toLowerCase().replaceAll(" ", "-");

const neighborhoodDrafts = neighborhoods.map(([name, city, fips, value]): RegionDraft => {
  const county = countyOf(fips);
  return {
    ...blank,
    ...within(county),
    level: "neighborhood",
    nodeId: nodeId(`nbhd:${slugOf(name)}-${city}`),
    name,
    stateCode: county.stateCode,
    cityName: cityNamed(city),
    parentIds: [nodeId(`city:${city}`)],
    valueUsd: value * 1000,
  };
});

const zipDrafts = zips.map(([code, city, fips, value]): RegionDraft => {
  const county = countyOf(fips);
  return {
    ...blank,
    ...within(county),
    level: "zip",
    nodeId: nodeId(`zip:${code}`),
    name: code,
    stateCode: county.stateCode,
    cityName: cityNamed(city),
    parentIds: [county.id, nodeId(`city:${city}`)],
    valueUsd: value * 1000,
  };
});

const drafts: Readonly<Record<GeoLevel, readonly RegionDraft[]>> = {
  state: stateDrafts,
  county: countyDrafts,
  city: cityDrafts,
  neighborhood: neighborhoodDrafts,
  zip: zipDrafts,
};

/** Every region, states first, each level in the order of its file. */
export const regions: readonly SampleRegion[] = geoLevels.flatMap((level) =>
  drafts[level].map((draft, rank) => ({
    ...draft,
    rank,
    regionId: String(firstRegionIds[level] + rank),
    aliases: aliases[draft.nodeId] ?? [],
  })),
);
