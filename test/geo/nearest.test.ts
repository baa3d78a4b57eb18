// Where each index is nearest to what was looked for, known or unknown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { nearestWithData } from "#geo/nearest.ts";
import type { GeoLevel, GeoNode } from "#geo/node.ts";
import { builtInStates } from "#geo/states.ts";
import { GeoTree } from "#geo/tree.ts";
import { stateOfZip } from "#geo/zip-states.ts";

const place = (id: string, level: GeoLevel, name: string, parents: readonly string[]): GeoNode => ({
  ...{ id: nodeId(id), level, name, stateCode: "OH", fips: null, aliases: [] },
  ...{ parentIds: parents.map(nodeId), housingUnits: 0, active: true, providerIds: [] },
});

const data: Readonly<Record<string, readonly IndexKind[]>> = {
  "zip:43219": ["zhvi"],
  "zip:43201": ["zhvi", "zori"],
  "zip:14321": ["weather"],
  "city:columbus-oh": ["zhvi"],
  "county:39049": ["zhvi", "zori"],
  "state:oh": ["zhvi", "zori", "vacancy", "weather"],
};

function nearest(text: string): readonly string[] {
  const tree = GeoTree.builtIn();
  tree.put(place("county:39049", "county", "Franklin County", ["state:oh"]));
  tree.put(place("city:columbus-oh", "city", "Columbus", ["county:39049"]));
  for (const zip of ["43201", "43216", "43219", "14321"]) {
    tree.put(place(`zip:${zip}`, "zip", zip, ["city:columbus-oh"]));
  }
  const found = tree.search({ text, limit: 10 });
  return nearestWithData(tree, text, found, ({ id }) => data[id] ?? []).map(
    ({ place: { id }, indexes }) => `${id} ${indexes.join(" ")}`,
  );
}

test("a known place: itself, then what it lies in, each index at the nearest", () => {
  assert.deepEqual(nearest("43219"), [
    "zip:43219 zhvi",
    "county:39049 zori",
    "state:oh vacancy weather",
  ]);
  assert.deepEqual(nearest("43216"), [
    "city:columbus-oh zhvi",
    "county:39049 zori",
    "state:oh vacancy weather",
  ]);
  assert.deepEqual(nearest("Ohio"), ["state:oh zhvi zori vacancy weather"]);
  assert.deepEqual(nearest("Texas"), [], "a place without any index is no answer");
});

test("an unknown zip: those that share most of its digits, then above them, then its state", () => {
  for (const text of ["43215", "zip:43215", "43215-0001", "1 High St, Columbus OH 43215"]) {
    assert.deepEqual(
      nearest(text),
      ["zip:43219 zhvi", "county:39049 zori", "state:oh vacancy weather"],
      text,
    );
  }
  assert.deepEqual(nearest("43299"), [
    "zip:43219 zhvi",
    "zip:43201 zori",
    "state:oh vacancy weather",
  ]);
  assert.deepEqual(nearest("44101"), ["state:oh zhvi zori vacancy weather"]);
  assert.deepEqual(nearest("00601"), [], "of a territory nothing is near");
});

test("an unknown name with its state: the state", () => {
  assert.deepEqual(nearest("Xyzzyville, Ohio"), ["state:oh zhvi zori vacancy weather"]);
  assert.deepEqual(nearest("Xyzzyville"), []);
});

test("three digits lie in a state that is built in, and each state has some", () => {
  const codes = Array.from({ length: 1_000 }, (_, at) => stateOfZip(String(at).padStart(3, "0")));
  const known = new Set(builtInStates.map(({ id }) => id));
  assert.deepEqual(new Set(codes.filter((code) => code !== undefined)), known);
  assert.equal(stateOfZip("43215"), "state:oh");
  assert.equal(stateOfZip("78701"), "state:tx");
  assert.equal(stateOfZip("20001"), "state:dc");
});
