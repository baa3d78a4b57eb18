// Places and how they lie in one another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import type { GeoLevel, GeoNode } from "#geo/node.ts";
import { builtInStates } from "#geo/states.ts";
import { GeoTree } from "#geo/tree.ts";

const place = (
  id: string,
  level: GeoLevel,
  parents: readonly string[],
  more: Partial<GeoNode> = {},
): GeoNode => ({
  id: nodeId(id),
  level,
  name: id,
  stateCode: "TX",
  fips: null,
  aliases: [],
  parentIds: parents.map(nodeId),
  housingUnits: 0,
  active: true,
  providerIds: [],
  ...more,
});

function houston(): GeoTree {
  const tree = GeoTree.builtIn();
  tree.put(place("county:48201", "county", ["state:tx"], { name: "Harris County" }));
  tree.put(place("county:48157", "county", ["state:tx"], { name: "Fort Bend County" }));
  tree.put(place("city:houston-tx", "city", ["county:48201", "county:48157"]));
  tree.put(place("zip:77006", "zip", ["city:houston-tx", "county:48201"]));
  return tree;
}

test("within a place is everything below it, however deep, and the place itself", () => {
  const tree = houston();
  const below = ["state:tx", "county:48201", "county:48157", "city:houston-tx", "zip:77006"];
  assert.deepEqual([...tree.within(nodeId("state:tx"))].sort(), below.toSorted());
  assert.deepEqual([...tree.within(nodeId("zip:77006"))], ["zip:77006"]);
  assert.deepEqual([...tree.within(nodeId("county:48157"))].sort(), [
    "city:houston-tx",
    "county:48157",
    "zip:77006",
  ]);
});

test("the built-in states are 51, each with its own id, code and FIPS, in FIPS order", () => {
  assert.equal(builtInStates.length, 51);
  for (const field of ["id", "name", "stateCode", "fips"] as const) {
    assert.equal(new Set(builtInStates.map((state) => state[field])).size, 51, field);
  }
  const fips = builtInStates.map((state) => Number(state.fips));
  assert.deepEqual(
    fips,
    fips.toSorted((a, b) => a - b),
  );
  // The FIPS numbers that no state has, of the 56 that were given out.
  const unused = [3, 7, 14, 43, 52];
  assert.equal(
    fips.reduce((sum, code) => sum + code, 0),
    (56 * 57) / 2 - unused.reduce((sum, code) => sum + code, 0),
  );
  for (const { id, stateCode, housingUnits } of builtInStates) {
    assert.equal(id, `state:${stateCode.toLowerCase()}`);
    assert.ok(housingUnits > 200_000, `${id} has housing units`);
  }
});

test("the states' housing units add up to the nation's of the 2020 census, within rounding", () => {
  const total = builtInStates.reduce((sum, { housingUnits }) => sum + housingUnits, 0);
  assert.ok(Math.abs(total - 140_498_736) < 51 * 500, `${total} is near 140,498,736`);
});

test("ids are matched without regard to case", () => {
  assert.equal(GeoTree.builtIn().get("State:NY")?.name, "New York");
  assert.equal(GeoTree.builtIn().get("us"), undefined, "the nation is no node");
});

test("ancestors are everything above, once, coarsest first", () => {
  const tree = houston();
  assert.deepEqual(
    tree.ancestors(nodeId("zip:77006")).map(({ id }) => id),
    ["state:tx", "county:48157", "county:48201", "city:houston-tx"],
  );
  assert.deepEqual(tree.ancestors(nodeId("state:tx")), []);
  assert.deepEqual(tree.ancestors(nodeId("zip:00000")), []);
});

test("children are those that name it, and follow when a node is put again elsewhere", () => {
  const tree = houston();
  assert.equal(tree.childCount(nodeId("state:tx")), 2);
  assert.equal(tree.childCount(nodeId("county:48201")), 2);
  assert.equal(tree.childCount(nodeId("zip:77006")), 0);
  tree.put(place("zip:77006", "zip", ["county:48157"]));
  assert.equal(tree.childCount(nodeId("county:48201")), 1);
  assert.equal(tree.childCount(nodeId("county:48157")), 2);
  tree.put(place("zip:77006", "zip", ["county:48157"]));
  assert.equal(tree.childCount(nodeId("county:48157")), 2, "put again, counted once");
});

test("names and provider ids lead to the node that has them now", () => {
  const tree = houston();
  const named = () => tree.named("county", "TX", "harris county").map(({ id }) => id);
  assert.deepEqual(named(), ["county:48201"]);
  const renamed = { name: "Harris", providerIds: ["zillow:1"], aliases: ["H-Town County"] };
  tree.put(place("county:48201", "county", ["state:tx"], renamed));
  assert.deepEqual(named(), []);
  assert.equal(tree.named("county", "TX", "h town county").length, 1);
  assert.equal(tree.byProviderId("zillow:1")?.id, "county:48201");
  tree.put(place("county:48201", "county", ["state:tx"]));
  assert.equal(tree.byProviderId("zillow:1"), undefined);
});
