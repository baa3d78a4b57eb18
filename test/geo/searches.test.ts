// People type on the sample what they mean, and find it first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { readHierarchy } from "#geo/hierarchy.ts";
import { GeoTree } from "#geo/tree.ts";
import { hierarchyFile } from "#sample/hierarchy.ts";
import { searches } from "./searches.ts";

function sample(): GeoTree {
  const tree = GeoTree.builtIn();
  const reading = readHierarchy(parse(hierarchyFile()), tree);
  if ("refusal" in reading) assert.fail(reading.refusal.message);
  for (const node of reading.nodes) tree.put(node);
  return tree;
}

test("each search finds the place that is meant first", () => {
  const tree = sample();
  const wanted = searches.filter(({ onSample }) => onSample !== null);
  assert.ok(searches.length >= 40 && wanted.length >= 25);
  const found = wanted.map(({ typed }) => {
    const [first] = tree.search({ text: typed, limit: 10 }).places;
    return `${typed} → ${first?.id ?? "nothing"}`;
  });
  assert.deepEqual(
    found,
    wanted.map(({ typed, onSample }) => `${typed} → ${onSample}`),
  );
});
