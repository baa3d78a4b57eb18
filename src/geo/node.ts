// A place of the exchange: its level, its names, and how its id is formed.
// Invariant: an id begins with the prefix of its level, and a parent is always of a coarser level.
import { type NodeId, nodeId } from "#base/ids.ts";

/** Coarsest first. */
export const geoLevels = ["state", "county", "city", "neighborhood", "zip"] as const;
export type GeoLevel = (typeof geoLevels)[number];

export const isGeoLevel = (text: string): text is GeoLevel =>
  geoLevels.some((level) => level === text);

/** 0 is the coarsest. */
export const coarseness = (level: GeoLevel): number => geoLevels.indexOf(level);

export interface GeoNode {
  readonly id: NodeId;
  readonly level: GeoLevel;
  readonly name: string;
  /** Two capital letters. */
  readonly stateCode: string;
  readonly fips: string | null;
  readonly aliases: readonly string[];
  /** The next coarser places it lies in; it may lie in several. */
  readonly parentIds: readonly NodeId[];
  /** 0 where not known. */
  readonly housingUnits: number;
  readonly active: boolean;
  /** Its names with providers: `zillow:9`. */
  readonly providerIds: readonly string[];
}

/** The whole country: priced, never traded, and no node of the hierarchy. */
export const nation = { id: nodeId("us"), name: "United States" } as const;

const idForms: Readonly<Record<GeoLevel, RegExp>> = {
  state: /^state:[a-z]{2}$/,
  county: /^county:[0-9]{5}$/,
  city: /^city:[a-z0-9]+(-[a-z0-9]+)*$/,
  neighborhood: /^nbhd:[a-z0-9]+(-[a-z0-9]+)*$/,
  zip: /^zip:[0-9]{5}$/,
};

/** The longest place a series id can carry. */
const LONGEST_ID = 105;

export const isIdOfLevel = (id: string, level: GeoLevel): boolean =>
  id.length <= LONGEST_ID && idForms[level].test(id);

/** The part after the prefix: `10001` of `zip:10001`. */
export const placeOf = (id: NodeId): string => id.slice(id.indexOf(":") + 1);
