// Matches a provider's region to its place.
// Invariant: a region matches one node of its own level or none, a metro the one it is given to; a
// provider's id, once known, decides alone, for names change, repeat and arrive mis-encoded.
import type { NodeId } from "#base/ids.ts";
import { type GeoLevel, type GeoNode, isGeoLevel, nation } from "./node.ts";
import { type GeoTree, plainName } from "./tree.ts";

interface ProviderRegion {
  readonly provider: string;
  /** A level of the hierarchy, `nation`, or `metro`, which is a node only where one is given. */
  readonly level: string;
  readonly regionId: string;
  readonly name: string;
  /** Two letters; null where the file leaves it out (state files do). */
  readonly stateCode: string | null;
  /** Five digits for a county. */
  readonly fips: string | null;
  /** Narrow a city or neighborhood whose name repeats in its state. */
  readonly cityName?: string | null;
  readonly countyName?: string | null;
}

const providerIdOf = ({ provider, regionId }: ProviderRegion): string => `${provider}:${regionId}`;

/** Undefined where there is no node, or more than one that it could be. */
export function matchRegion(nodes: GeoTree, region: ProviderRegion): NodeId | undefined {
  if (region.level === "nation") return nation.id;
  if (region.level === "metro") return nodes.byProviderId(providerIdOf(region))?.id;
  if (!isGeoLevel(region.level)) return undefined;
  const known = nodes.byProviderId(providerIdOf(region));
  if (known !== undefined) return known.level === region.level ? known.id : undefined;

  const match = firstMatch(nodes, region, region.level);
  return match === undefined || isKnownOtherwise(match, region) ? undefined : match.id;
}

/** The provider calls this node by another id already, so this region is another place. */
const isKnownOtherwise = (node: GeoNode, { provider }: ProviderRegion): boolean =>
  node.providerIds.some((name) => name.startsWith(`${provider}:`));

function firstMatch(nodes: GeoTree, region: ProviderRegion, level: GeoLevel): GeoNode | undefined {
  switch (level) {
    case "state":
      return stateNamed(nodes, region);
    case "county":
      return region.fips === null ? undefined : nodes.get(`county:${region.fips}`);
    case "zip":
      return nodes.get(`zip:${region.name}`);
    default: {
      const found = nodes.named(level, region.stateCode?.toUpperCase() ?? "", region.name);
      const fitting = found.filter((node) => liesAsSaid(nodes, node, region));
      return fitting.length === 1 ? fitting[0] : undefined;
    }
  }
}

/** State files name the state and leave its code out. */
function stateNamed(nodes: GeoTree, { name, stateCode }: ProviderRegion): GeoNode | undefined {
  for (const node of nodes.nodes()) {
    if (node.level !== "state" || plainName(node.name) !== plainName(name)) continue;
    return stateCode === null || stateCode.toUpperCase() === node.stateCode ? node : undefined;
  }
  return undefined;
}

/** A city or county that the region names must be one the node lies in, where that is known. */
function liesAsSaid(nodes: GeoTree, node: GeoNode, region: ProviderRegion): boolean {
  const ancestors = nodes.ancestors(node.id);
  const agrees = (level: GeoLevel, said: string | null | undefined): boolean => {
    if (said === null || said === undefined || said === "") return true;
    const here = ancestors.filter((ancestor) => ancestor.level === level);
    return here.length === 0 || here.some(({ name }) => bareName(name) === bareName(said));
  };
  return agrees("county", region.countyName) && agrees("city", region.cityName);
}

/** Providers write "Harris County" and "Harris" of one place. */
const bareName = (name: string): string => plainName(name).replace(/(county|parish|borough)$/, "");
