// The sample's places as the hierarchy file an operator would load.
// Invariant: the text is a table that the importer of hierarchies reads whole; states are built in.

import { csvLine } from "#base/csv.ts";
import { hierarchyColumns } from "#geo/hierarchy.ts";
import { regions, type SampleRegion } from "./regions.ts";

/** The documented columns; lists separated by `|`. */
export const hierarchyFile = (): string =>
  [hierarchyColumns, ...regions.filter(({ level }) => level !== "state").map(rowOf)]
    .map(csvLine)
    .join("");

const rowOf = (region: SampleRegion): string[] => {
  const cells: Readonly<Record<(typeof hierarchyColumns)[number], string>> = {
    id: region.nodeId,
    level: region.level,
    name: region.name,
    stateCode: region.stateCode,
    fips: region.level === "county" ? (region.countyFips ?? "") : "",
    aliases: region.aliases.join("|"),
    parentIds: region.parentIds.join("|"),
    housingUnits: region.housingUnits === 0 ? "" : String(region.housingUnits),
    providerIds: `sample:${region.regionId}`,
  };
  return hierarchyColumns.map((column) => cells[column]);
};
