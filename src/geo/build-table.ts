// A hierarchy as the table an operator loads.
// Invariant: readHierarchy reads the table back into the same nodes.
import { hierarchyColumns } from "./hierarchy.ts";
import type { GeoNode } from "./node.ts";

/** Header first. */
export const hierarchyTable = (nodes: readonly GeoNode[]): string[][] => [
  [...hierarchyColumns],
  ...nodes.map(rowOf),
];

function rowOf(node: GeoNode): string[] {
  const { id, level, name, stateCode, fips, housingUnits } = node;
  const cells: Readonly<Record<(typeof hierarchyColumns)[number], string>> = {
    id,
    level,
    name,
    stateCode,
    fips: fips ?? "",
    aliases: node.aliases.join("|"),
    parentIds: node.parentIds.join("|"),
    housingUnits: housingUnits === 0 ? "" : String(housingUnits),
    providerIds: node.providerIds.join("|"),
  };
  return hierarchyColumns.map((column) => cells[column]);
}
