// The sample's places: a hierarchy that loads, and regions that the importer finds in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { readHierarchy } from "#geo/hierarchy.ts";
import { matchRegion } from "#geo/match.ts";
import { geoLevels } from "#geo/node.ts";
import { GeoTree } from "#geo/tree.ts";
import { hierarchyFile } from "#sample/hierarchy.ts";
import { regions } from "#sample/regions.ts";
import { linesOf, readReleases } from "./files.ts";

function loaded(): GeoTree {
  const tree = GeoTree.builtIn();
  const reading = readHierarchy(parse(hierarchyFile()), tree);
  if ("refusal" in reading) assert.fail(reading.refusal.message);
  assert.equal(reading.changed, 0);
  for (const node of reading.nodes) tree.put(node);
  return tree;
}

test("the hierarchy loads whole: seven states, each with places of every level", () => {
  const tree = loaded();
  const states = ["AZ", "CA", "CO", "FL", "NC", "NY", "TX"];
  for (const code of states) {
    for (const level of geoLevels) {
      const found = [...tree.nodes()].filter(
        (node) => node.level === level && node.stateCode === code,
      );
      assert.ok(found.length >= (level === "state" ? 1 : 3), `${found.length} ${level} of ${code}`);
    }
  }
  assert.equal(tree.size, regions.length);
});

test("every place lies in its own state, a zip in the county of its city", () => {
  const tree = loaded();
  for (const node of tree.nodes()) {
    if (node.level === "state") continue;
    const [state] = tree.ancestors(node.id);
    assert.equal(state?.stateCode, node.stateCode, node.id);
    assert.equal(state?.level, "state");
    if (node.level === "county") assert.equal(state.fips, node.fips?.slice(0, 2), node.id);
    if (node.level !== "zip" && node.level !== "neighborhood") continue;
    const [city] = node.parentIds.flatMap((id) => tree.get(id) ?? []).filter(isCity);
    assert.ok(city !== undefined, `${node.id} lies in a city`);
    const county = node.parentIds.find((id) => id.startsWith("county:"));
    assert.ok(county === undefined || city.parentIds.includes(county), `${node.id} in ${county}`);
  }
});

const isCity = ({ level }: { readonly level: string }): boolean => level === "city";

/** First three digits of the zips of each state's part that the sample touches. */
const zipRanges: Readonly<Record<string, RegExp>> = {
  AZ: /^8[56]/,
  CA: /^9[0-6]/,
  CO: /^8[01]/,
  FL: /^3[234]/,
  NC: /^2[78]/,
  NY: /^1[0-4]/,
  TX: /^7[5-9]/,
};

test("zips begin as those of their state do", () => {
  for (const { level, name, stateCode } of regions) {
    if (level === "zip") assert.match(name, zipRanges[stateCode] ?? /^$/, `${name} ${stateCode}`);
  }
});

test("every region of every file is found, each another place", async () => {
  const tree = loaded();
  const [newest] = (await readReleases(1)).slice(-1);
  assert.ok(newest !== undefined);
  const found = new Map<string, string>();
  for (const [name, row] of linesOf(newest)) {
    const node = matchRegion(tree, {
      provider: "sample",
      level: row.level,
      regionId: row.regionId,
      name: row.regionName,
      stateCode: row.stateCode,
      fips: row.countyFips,
      cityName: row.city,
      countyName: row.county,
    });
    assert.ok(node !== undefined, `${name} ${row.regionName}`);
    const [index] = name.split("|");
    assert.ok(!found.has(`${index}|${node}`), `${node} twice`);
    found.set(`${index}|${node}`, name);
    const region = regions.find(({ regionId }) => regionId === row.regionId);
    assert.equal(node, region?.nodeId);
  }
});
