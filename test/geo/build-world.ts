// Rows a hierarchy is built from, made up, and the same build in another order.
// Invariant: every build made here is read back by readHierarchy before a test sees it.
import assert from "node:assert/strict";
import { monthOf } from "#base/month.ts";
import { buildHierarchy, type HierarchyBuild, type HierarchySources } from "#geo/build.ts";
import type { RegionRow } from "#geo/build-regions.ts";
import { hierarchyTable } from "#geo/build-table.ts";
import { readHierarchy } from "#geo/hierarchy.ts";
import type { GeoLevel, GeoNode } from "#geo/node.ts";
import { GeoTree } from "#geo/tree.ts";

export const region = (
  level: GeoLevel,
  regionId: number,
  name: string,
  more: Partial<RegionRow> = {},
): RegionRow => ({
  level,
  regionId: String(regionId),
  name,
  stateCode: level === "state" ? null : "TX",
  countyFips: null,
  city: null,
  county: null,
  lastMonth: monthOf(2024, 10),
  ...more,
});

/** Builds, and has the result read as the exchange would read its file. */
export function built(sources: Partial<HierarchySources>): HierarchyBuild {
  const build = buildHierarchy({
    provider: "zillow",
    regions: [],
    counties: [],
    zips: [],
    homesByZip: new Map(),
    known: [],
    ...sources,
  });
  const tree = GeoTree.builtIn();
  for (const node of sources.known ?? []) tree.put(node);
  const reading = build.nodes.length === 0 ? undefined : readHierarchy(tableOf(build), tree);
  if (reading !== undefined) {
    assert.ok("nodes" in reading, "refusal" in reading ? reading.refusal.message : "");
    assertSameBuild(reading, build, "the table holds every node as it was built");
  }
  return build;
}

const tableOf = ({ nodes }: Pick<HierarchyBuild, "nodes">): string[][] => hierarchyTable(nodes);

/** Compares line by line: node by node takes seconds, and a difference of a file tells nobody. */
export function assertSameBuild(
  actual: Pick<HierarchyBuild, "nodes">,
  expected: Pick<HierarchyBuild, "nodes">,
  message: string,
): void {
  const wanted = tableOf(expected).map((cells) => cells.join("\t"));
  const lines = tableOf(actual).map((cells) => cells.join("\t"));
  const at = wanted.findIndex((line, row) => line !== lines[row]);
  assert.equal(lines[at], wanted[at], message);
  assert.equal(lines.length, wanted.length, message);
}

export function nodeOf(build: HierarchyBuild, id: string): GeoNode {
  const node = build.nodes.find((one) => one.id === id);
  assert.ok(node !== undefined, `${id} among ${build.nodes.map((one) => one.id).join(" ")}`);
  return node;
}

/** The id of the place that a region became. */
export const idOf = (build: HierarchyBuild, regionId: number): string | undefined =>
  build.nodes.find(({ providerIds }) => providerIds.includes(`zillow:${regionId}`))?.id;
