// The place a provider's region is, and those it is not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hierarchyColumns, readHierarchy } from "#geo/hierarchy.ts";
import { matchRegion } from "#geo/match.ts";
import { GeoTree } from "#geo/tree.ts";

const rows = [
  ["county:48201", "county", "Harris County", "TX", "", "", "state:tx", "", "zillow:2981"],
  ["county:48039", "county", "Brazoria County", "TX", "", "", "state:tx", "", ""],
  ["city:houston-tx", "city", "Houston", "TX", "", "H-Town", "county:48201", "", ""],
  ["city:pearland-tx", "city", "Pearland", "TX", "", "", "county:48039|county:48201", "", ""],
  ["city:springfield-a-tx", "city", "Springfield", "TX", "", "", "county:48201", "", ""],
  ["city:springfield-b-tx", "city", "Springfield", "TX", "", "", "county:48039", "", ""],
  ["city:houston-ny", "city", "Houston", "NY", "", "", "state:ny", "", ""],
  ["nbhd:heights-tx", "neighborhood", "The Heights", "TX", "", "", "city:houston-tx", "", ""],
  ["nbhd:heights-b-tx", "neighborhood", "The Heights", "TX", "", "", "city:pearland-tx", "", ""],
  ["zip:77006", "zip", "77006", "TX", "", "", "city:houston-tx", "", ""],
];

function world(): GeoTree {
  const tree = GeoTree.builtIn();
  const reading = readHierarchy([[...hierarchyColumns], ...rows], tree);
  assert.ok("nodes" in reading, JSON.stringify(reading));
  for (const node of reading.nodes) tree.put(node);
  return tree;
}

type Region = Parameters<typeof matchRegion>[1];

const region = (level: string, name: string, more: Partial<Region> = {}): Region => ({
  provider: "zillow",
  level,
  regionId: "999999",
  name,
  stateCode: "TX",
  fips: null,
  ...more,
});

const match = (asked: Region) => matchRegion(world(), asked);

test("states by name, with or without their code", () => {
  assert.equal(match(region("state", "Texas", { stateCode: null })), "state:tx");
  assert.equal(match(region("state", "Texas")), "state:tx");
  assert.equal(match(region("state", "District of Columbia", { stateCode: null })), "state:dc");
  assert.equal(match(region("state", "Texas", { stateCode: "NY" })), undefined);
  assert.equal(match(region("state", "TX", { stateCode: null })), undefined, "a code is no name");
  assert.equal(match(region("state", "Puerto Rico", { stateCode: null })), undefined);
});

test("counties by FIPS and never by name", () => {
  const fips = (code: string | null) => match(region("county", "anything", { fips: code }));
  assert.equal(fips("48039"), "county:48039");
  assert.equal(fips("48999"), undefined);
  assert.equal(match(region("county", "Brazoria County")), undefined);
});

test("zips by their five digits", () => {
  assert.equal(match(region("zip", "77006")), "zip:77006");
  assert.equal(match(region("zip", "7006")), undefined);
});

test("cities by state and name, narrowed by the county where the name repeats", () => {
  assert.equal(match(region("city", "houston")), "city:houston-tx");
  assert.equal(match(region("city", "H-Town")), "city:houston-tx");
  assert.equal(match(region("city", "Houston", { stateCode: "NY" })), "city:houston-ny");
  assert.equal(match(region("city", "Houston", { stateCode: null })), undefined);
  assert.equal(match(region("city", "Springfield")), undefined, "two it could be are none");
  const inCounty = (countyName: string) => match(region("city", "Springfield", { countyName }));
  assert.equal(inCounty("Harris County"), "city:springfield-a-tx");
  assert.equal(inCounty("Brazoria"), "city:springfield-b-tx");
  assert.equal(inCounty("Travis County"), undefined);
});

test("a city in two counties is itself in either", () => {
  for (const countyName of ["Harris County", "Brazoria County"]) {
    assert.equal(match(region("city", "Pearland", { countyName })), "city:pearland-tx");
  }
});

test("neighborhoods by the city they lie in", () => {
  const inCity = (cityName: string) => match(region("neighborhood", "The Heights", { cityName }));
  assert.equal(inCity("Houston"), "nbhd:heights-tx");
  assert.equal(inCity("Pearland"), "nbhd:heights-b-tx");
  assert.equal(match(region("neighborhood", "The Heights")), undefined);
});

test("a provider's id, once known, decides alone", () => {
  const harris = { regionId: "2981" };
  assert.equal(match(region("county", "renamed", { ...harris, fips: "48039" })), "county:48201");
  assert.equal(match(region("city", "Houston", harris)), undefined, "the id is a county's");
  const other = region("county", "Harris County", { regionId: "7", fips: "48201" });
  assert.equal(match(other), undefined, "the county has another id with this provider");
  assert.equal(match({ ...other, provider: "census" }), "county:48201");
});

test("levels without nodes match nothing; the nation is the nation", () => {
  assert.equal(match(region("metro", "Houston, TX")), undefined);
  assert.equal(match(region("nation", "United States", { stateCode: null })), "us");
});
