// A search understands a state, a zip, a county's code, other spellings, slips of the keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { type GeoLevel, type GeoNode, geoLevels, placeOf } from "#geo/node.ts";
import type { GeoQuery } from "#geo/search.ts";
import { MOST_COMPARED, slipsBetween } from "#geo/spelling.ts";
import { GeoTree } from "#geo/tree.ts";

const prefixes = ["state:", "county:", "city:", "nbhd:", "zip:"] as const;

/** A place by its id and name; a zip is named by its digits. */
function place(id: string, name: string, stateCode: string, housingUnits = 0): GeoNode {
  const level: GeoLevel = geoLevels[prefixes.findIndex((prefix) => id.startsWith(prefix))] ?? "zip";
  return {
    ...{ id: nodeId(id), level, name, stateCode, housingUnits },
    ...{ fips: level === "county" ? placeOf(nodeId(id)) : null, aliases: [], parentIds: [] },
    ...{ active: true, providerIds: [] },
  };
}

const places = [
  place("county:48453", "Travis County", "TX", 570),
  place("county:48015", "Austin County", "TX", 12),
  place("county:10001", "Kent County", "DE", 70),
  place("county:39049", "Franklin County", "OH", 590),
  place("city:austin-tx", "Austin", "TX", 450),
  place("city:austin-mn", "Austin", "MN", 11),
  place("city:columbus-ga", "Columbus", "GA", 90),
  place("city:columbus-oh", "Columbus", "OH", 400),
  place("city:saint-louis-mo", "Saint Louis", "MO", 170),
  place("city:st-louis-park-mn", "St. Louis Park", "MN", 20),
  place("city:winston-salem-nc", "Winston-Salem", "NC", 110),
  place("city:ofallon-mo", "O'Fallon", "MO", 35),
  place("city:coeur-dalene-id", "Coeur d'Alene", "ID", 25),
  place("city:fort-worth-tx", "Fort Worth", "TX", 360),
  place("city:mount-pleasant-sc", "Mount Pleasant", "SC", 40),
  place("city:commerce-mi", "Commerce Township", "MI", 18),
  place("city:new-york-ny", "New York", "NY", 3_600),
  place("city:lincoln-ne", "Lincoln", "NE", 120),
  place("nbhd:lincoln-neighborhood-x-ca", "Lincoln Neighborhood", "CA", 9),
  place("city:charleston-wv", "Charleston", "WV", 25),
  place("city:charleston-sc", "Charleston", "SC", 70),
  place("city:pittsburgh-pa", "Pittsburgh", "PA", 150),
  place("city:tucson-az", "Tucson", "AZ", 240),
  place("zip:78701", "78701", "TX", 9),
  place("zip:10001", "10001", "NY", 14),
];

function treeOf(nodes: readonly GeoNode[]): GeoTree {
  const tree = GeoTree.builtIn();
  for (const node of nodes) tree.put(node);
  return tree;
}

/** The places looked at one by one, and in the index: as many others as make one. */
const others = Array.from({ length: 600 }, (_, at) => place(`zip:${90_000 + at}`, "Xx", "CA"));
const trees = [treeOf(places), treeOf([...others, ...places])];

function assertFirst(text: string, wanted: string | undefined, more: Partial<GeoQuery> = {}): void {
  for (const tree of trees) {
    const [first] = tree.search({ text, limit: 10, ...more }).places;
    assert.equal(first?.id, wanted, text);
  }
}

test("a state at the end filters, as code or name, with a comma or without", () => {
  for (const [text, wanted] of [
    ["Austin, TX", "city:austin-tx"],
    ["austin tx", "city:austin-tx"],
    ["austin texas", "city:austin-tx"],
    ["Austin,MN", "city:austin-mn"],
    ["Austin, Minnesota", "city:austin-mn"],
    ["Columbus, OH", "city:columbus-oh"],
    ["columbus ga.", "city:columbus-ga"],
    ["Travis County, TX", "county:48453"],
    ["travis, tx", "county:48453"],
    ["Charleston West Virginia", "city:charleston-wv"],
    ["Charleston, S.C.", "city:charleston-sc"],
    ["St Louis, MO", "city:saint-louis-mo"],
    ["78701 TX", "zip:78701"],
    ["lincoln ne", "city:lincoln-ne"],
  ] as const) {
    assertFirst(text, wanted);
  }
  assertFirst("Austin, OH", undefined);
  assertFirst("Austin, TX", undefined, { stateCode: "MN" });
  assertFirst("Austin, TX", "county:48015", { level: "county" });
});

test("a state is not in itself, but stands alone, and for its one city", () => {
  assertFirst("New York, NY", "city:new-york-ny");
  assertFirst("New York", "state:ny");
  assertFirst("west virginia", "state:wv");
  assertFirst("DC", "state:dc");
  assertFirst("Washington DC", "state:dc");
  assertFirst("Washington, D.C.", "state:dc");
  assertFirst("washington", "state:wa");
});

test("hyphens, points, apostrophes, blanks and words cut short weigh nothing", () => {
  for (const [text, wanted] of [
    ["St Louis", "city:saint-louis-mo"],
    ["St. Louis, Missouri", "city:saint-louis-mo"],
    ["saint louis park", "city:st-louis-park-mn"],
    ["winston salem", "city:winston-salem-nc"],
    ["WinstonSalem", "city:winston-salem-nc"],
    ["ofallon", "city:ofallon-mo"],
    ["O Fallon MO", "city:ofallon-mo"],
    ["Coeur D Alene", "city:coeur-dalene-id"],
    ["Ft. Worth", "city:fort-worth-tx"],
    ["ft worth tx", "city:fort-worth-tx"],
    ["Mt Pleasant", "city:mount-pleasant-sc"],
    ["Commerce Twp", "city:commerce-mi"],
  ] as const) {
    assertFirst(text, wanted);
    for (const tree of trees) {
      assert.notEqual(tree.search({ text, limit: 1 }).match, "spelling", `${text} is no slip`);
    }
  }
});

test("five digits are a zip, then a county; four more find the zip", () => {
  assertFirst("48453", "county:48453");
  const [tree] = trees;
  const kent = tree?.search({ text: "10001", limit: 10 });
  assert.deepEqual(
    kent?.places.map(({ id }) => id),
    ["zip:10001", "county:10001"],
  );
  assert.equal(kent?.named, 1, "the zip alone is called so");
  for (const text of [
    "78701-1234",
    "78701 1234",
    "787011234",
    "100 Congress Ave, Austin TX 78701",
  ]) {
    assertFirst(text, "zip:78701");
  }
  assertFirst("48453-1234", undefined);
  assertFirst("zip:78701", "zip:78701");
  assertFirst("78701-1234", undefined, { level: "city" });
});

test("slips of the keys are forgiven where nothing else is found, the fewest first", () => {
  for (const [text, wanted] of [
    ["Austen", "city:austin-tx"],
    ["Colombus, OH", "city:columbus-oh"],
    ["Tuscon", "city:tucson-az"],
    ["Pitsburg", "city:pittsburgh-pa"],
    ["Pittsburg", "city:pittsburgh-pa"],
    ["Conneticut", "state:ct"],
    ["Sant Louis", "city:saint-louis-mo"],
  ] as const) {
    assertFirst(text, wanted);
  }
  assertFirst("Aus", "county:48015");
  assertFirst("Oustin", undefined);
  const [tree] = trees;
  assert.equal(tree?.search({ text: "Austen", limit: 9 }).match, "spelling");
  assert.equal(tree?.search({ text: "Aust", limit: 9 }).match, "part");
  assert.equal(tree?.search({ text: "Austin, TX", limit: 9 }).match, "name");
  assert.equal(tree?.search({ text: "Xyzzyx", limit: 9 }).match, "none");
});

test("each single slip but in the first letter is forgiven, and two of a long name", () => {
  const tree = treeOf([place("city:pittsburgh-pa", "Pittsburgh", "PA")]);
  const slips = (name: string): string[] =>
    [...name].flatMap((letter, at) => {
      const [before, after] = [name.slice(0, at), name.slice(at + 1)];
      if (at === 0) return [];
      const swapped = `${before}${after.charAt(0)}${letter}${after.slice(1)}`;
      return [`${before}${after}`, `${before}q${after}`, `${before}q${letter}${after}`, swapped];
    });
  const twice = slips("pitts").flatMap((half) => slips("burgh").map((other) => half + other));
  const all = [...slips("pittsburgh"), ...twice];
  assert.ok(all.length > 200);
  const missed = all.filter(
    (text) => tree.search({ text, limit: 1 }).places[0]?.id !== "city:pittsburgh-pa",
  );
  assert.deepEqual(missed, []);
});

test("slips: left out, added, replaced, swapped; no more than asked are counted", () => {
  assert.equal(slipsBetween("tucson", "tuscon", 2), 1);
  assert.equal(slipsBetween("tucson", "tucson", 2), 0);
  assert.equal(slipsBetween("pitsburg", "pittsburgh", 2), 2);
  assert.equal(slipsBetween("pitsburg", "pittsburgh", 1), 2, "more than one");
  assert.equal(slipsBetween("abcd", "wxyz", 2), 3);
  assert.equal(slipsBetween("", "ab", 2), 2);
});

test("a text costs a bounded number of looks, whatever it holds and however many places begin so", () => {
  const count = 20_000;
  const tree = treeOf(
    Array.from({ length: count }, (_, at) => place(`city:s-${at}-ca`, `Saaaaa${at % 10}b`, "CA")),
  );
  tree.search({ text: "a", limit: 1 });
  for (const text of [
    "saaaxaxb",
    "s".repeat(64),
    `${"aa ".repeat(20)}, ca`,
    "saaaaxx ca",
    "-,-",
    "., tx",
  ]) {
    const before = tree.searchLooks;
    tree.search({ text, limit: 50 });
    const looks = tree.searchLooks - before;
    // Each reading looks at the shortest list of one run of letters; two compare spellings.
    assert.ok(looks <= 8 * count + 2 * MOST_COMPARED, `${text}: ${looks}`);
  }
  const before = tree.searchLooks;
  tree.search({ text: "sxxaaxxb", limit: 50 });
  assert.ok(
    tree.searchLooks - before <= MOST_COMPARED,
    `${tree.searchLooks - before} names compared`,
  );
});
