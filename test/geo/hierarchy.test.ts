// The operator's table of places: what is read, and what is refused at which row and column.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hierarchyColumns, readHierarchy } from "#geo/hierarchy.ts";
import { GeoTree } from "#geo/tree.ts";

type Row = readonly [
  id: string,
  level: string,
  name: string,
  stateCode: string,
  fips: string,
  aliases: string,
  parentIds: string,
  housingUnits: string,
  providerIds: string,
];

const county: Row = [
  "county:48201",
  "county",
  "Harris County",
  "TX",
  "48201",
  "",
  "state:tx",
  "1762698",
  "zillow:2981",
];
const city: Row = [
  "city:houston-tx",
  "city",
  "Houston",
  "TX",
  "",
  "H-Town|Space City",
  "county:48201",
  "",
  "zillow:39051",
];
const zip: Row = ["zip:77006", "zip", "77006", "TX", "", "", "city:houston-tx", "0", ""];

const table = (...rows: readonly (readonly string[])[]): string[][] =>
  [hierarchyColumns, ...rows].map((row) => [...row]);

const read = (...rows: readonly (readonly string[])[]) =>
  readHierarchy(table(...rows), GeoTree.builtIn());

/** `row` with one cell replaced. */
const but = (
  row: readonly string[],
  column: (typeof hierarchyColumns)[number],
  text: string,
): string[] => row.map((cell, at) => (hierarchyColumns[at] === column ? text : cell));

function refused(rows: readonly (readonly string[])[], row: number, column: string): string {
  const reading = read(...rows);
  assert.ok("refusal" in reading, `row ${row}, column ${column} is refused`);
  assert.deepEqual([reading.refusal.row, reading.refusal.column], [row, column]);
  const { message } = reading.refusal;
  assert.ok(message.startsWith(`Row ${row}, column ${column}: `), message);
  return message;
}

test("rows become nodes, in any order, whole", () => {
  const reading = read(zip, city, county);
  assert.ok("nodes" in reading);
  assert.deepEqual([reading.added, reading.changed], [3, 0]);
  assert.deepEqual(reading.nodes[1], {
    id: "city:houston-tx",
    level: "city",
    name: "Houston",
    stateCode: "TX",
    fips: null,
    aliases: ["H-Town", "Space City"],
    parentIds: ["county:48201"],
    housingUnits: 0,
    active: true,
    providerIds: ["zillow:39051"],
  });
  assert.equal(reading.nodes[2]?.housingUnits, 1_762_698);
});

test("columns may stand in any order", () => {
  const reversed = table(county).map((row) => row.toReversed());
  const reading = readHierarchy(reversed, GeoTree.builtIn());
  assert.ok("nodes" in reading);
  assert.equal(reading.nodes[0]?.name, "Harris County");
});

test("a known node is replaced, and counted as changed", () => {
  const tree = GeoTree.builtIn();
  const texas = ["state:TX", "state", "Texas", "TX", "48", "TX|Tejas", "", "", "zillow:54"];
  const reading = readHierarchy(table(texas, county), tree);
  assert.ok("nodes" in reading);
  assert.deepEqual([reading.added, reading.changed], [1, 1]);
  assert.equal(reading.nodes[0]?.id, "state:tx");
});

test("a county's FIPS is its id's", () => {
  const reading = read(but(county, "fips", ""));
  assert.ok("nodes" in reading);
  assert.equal(reading.nodes[0]?.fips, "48201");
  refused([but(county, "fips", "48157")], 2, "fips");
  refused([but(county, "fips", "4820l")], 2, "fips");
});

test("headers: missing, unknown and double columns are named", () => {
  const header = (...names: readonly string[]) => readHierarchy([names], GeoTree.builtIn());
  const column = (reading: ReturnType<typeof header>) =>
    "refusal" in reading ? reading.refusal.column : undefined;
  assert.equal(column(header(...hierarchyColumns.slice(1))), "id");
  assert.equal(column(header(...hierarchyColumns, "population")), "population");
  assert.equal(column(header(...hierarchyColumns, "id")), "id");
  assert.equal(column(readHierarchy([], GeoTree.builtIn())), "id");
  const empty = header(...hierarchyColumns);
  assert.ok("refusal" in empty && empty.refusal.message.includes("no rows"));
});

test("ids are of the form of their level", () => {
  for (const id of ["county:4820", "county:482011", "zip:77006", "county:48201 ", "COUNTY-48201"]) {
    refused([but(county, "id", id)], 2, "id");
  }
  for (const id of ["city:Houston TX", "city:-houston", "city:a--b", "city:", "nbhd:houston"]) {
    refused([county, but(city, "id", id)], 3, "id");
  }
  refused([county, but(city, "id", `city:${"a".repeat(101)}`)], 3, "id");
  refused([but(county, "level", "borough")], 2, "level");
  refused([county, county], 3, "id");
});

test("a short or long row is refused at its row", () => {
  refused([county, city.slice(1)], 3, "id");
  refused([county, [...city, ""]], 3, "id");
});

test("parents exist and are coarser, so that nothing lies in itself", () => {
  assert.match(refused([zip], 2, "parentIds"), /city:houston-tx is neither known/);
  refused([but(county, "parentIds", "county:48201")], 2, "parentIds");
  const twin = but(but(county, "id", "county:48157"), "fips", "");
  refused([but(county, "parentIds", "county:48157"), twin], 2, "parentIds");
  refused([but(county, "parentIds", "zip:77006"), city, zip], 2, "parentIds");
  refused([but(county, "parentIds", "state:tx|state:tx")], 2, "parentIds");
  refused([but(county, "parentIds", "state:tx|")], 2, "parentIds");
});

test("state codes are of known states", () => {
  refused([but(county, "stateCode", "tx")], 2, "stateCode");
  refused([but(county, "stateCode", "ZZ")], 2, "stateCode");
  refused([["state:tx", "state", "Texas", "NY", "", "", "", "", ""]], 2, "stateCode");
});

test("names, housing units and provider ids are well formed", () => {
  refused([but(county, "name", "")], 2, "name");
  refused([but(county, "name", " Harris")], 2, "name");
  for (const units of ["-1", "1.5", "1e6", "01", "1234567890"]) {
    refused([but(county, "housingUnits", units)], 2, "housingUnits");
  }
  for (const id of ["zillow", "Zillow:9", "zillow:", "zillow:9 8", "zillow:9||fred:1"]) {
    refused([but(county, "providerIds", id)], 2, "providerIds");
  }
});

test("one provider id is one place", () => {
  refused([county, but(city, "providerIds", "zillow:2981")], 3, "providerIds");
  const tree = GeoTree.builtIn();
  const first = readHierarchy(table(county), tree);
  assert.ok("nodes" in first);
  for (const node of first.nodes) tree.put(node);
  const taken = readHierarchy(table(but(city, "providerIds", "zillow:2981")), tree);
  assert.ok("refusal" in taken && taken.refusal.column === "providerIds");
  // Given up by its holder in the same table, it is free.
  const moved = readHierarchy(
    table(but(county, "providerIds", ""), but(city, "providerIds", "zillow:2981")),
    tree,
  );
  assert.ok("nodes" in moved);
  assert.ok("nodes" in readHierarchy(table(county), tree), "the holder may keep it");
});
