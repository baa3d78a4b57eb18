// A hierarchy built from provider rows and Census lists: ids, parents, names, and that they stay.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { monthOf } from "#base/month.ts";
import type { CountyRow, ZipRow } from "#geo/build.ts";
import type { RegionRow } from "#geo/build-regions.ts";
import { assertSameBuild, built, idOf, nodeOf, region } from "./build-world.ts";

const counties: readonly CountyRow[] = [
  { fips: "48453", name: "Travis County", housingUnits: 441_240 },
  { fips: "48491", name: "Williamson County", housingUnits: 162_773 },
  { fips: "29189", name: "St. Louis County", housingUnits: 438_032 },
  { fips: "29510", name: "St. Louis city", housingUnits: 176_002 },
  { fips: "35013", name: "Doña Ana County", housingUnits: 81_492 },
  { fips: "72001", name: "Adjuntas Municipio", housingUnits: 8_125 },
];
const [firstCounty = { fips: "", name: "", housingUnits: 0 }] = counties;
const austin = region("city", 10221, "Austin", { county: "Travis County" });
const zips: readonly ZipRow[] = [
  { zip: "78701", stateCode: "TX", county: "Travis", city: "Austin" },
  { zip: "78613", stateCode: "TX", county: "Williamson", city: "Cedar park" },
  { zip: "380HH", stateCode: "TN", county: "Dyer", city: "" },
];

test("stable ids, parents coarsest first, housing units, the provider's ids", () => {
  const build = built({
    regions: [
      region("state", 54, "Texas"),
      region("county", 1440, "Travis County", { countyFips: "48453" }),
      austin,
      region("neighborhood", 9, "Hyde Park", { city: "Austin", county: "Travis" }),
      region("zip", 92_615, "78704", { city: "Austin", county: "Travis County" }),
    ],
    counties,
    zips,
    homesByZip: new Map([
      ["78701", 7_319],
      ["78704", 27_766],
    ]),
  });
  assert.deepEqual(nodeOf(build, "state:tx").providerIds, ["zillow:54"]);
  assert.deepEqual(nodeOf(build, "county:48453"), {
    id: "county:48453",
    level: "county",
    name: "Travis County",
    stateCode: "TX",
    fips: "48453",
    aliases: [],
    parentIds: ["state:tx"],
    housingUnits: 441_240,
    active: true,
    providerIds: ["zillow:1440"],
  });
  assert.deepEqual(nodeOf(build, "city:austin-tx").parentIds, ["county:48453"]);
  assert.equal(nodeOf(build, "city:austin-tx").housingUnits, 7_319 + 27_766, "those of its zips");
  const park = nodeOf(build, "nbhd:hyde-park-austin-tx");
  assert.deepEqual(park.parentIds, ["county:48453", "city:austin-tx"]);
  const around = ["county:48453", "city:austin-tx"];
  assert.deepEqual(nodeOf(build, "zip:78704").parentIds, around);
  assert.deepEqual(nodeOf(build, "zip:78704").providerIds, ["zillow:92615"]);
  assert.deepEqual(nodeOf(build, "zip:78701").parentIds, around, "by the list");
  assert.equal(nodeOf(build, "zip:78701").housingUnits, 7_319);
  assert.deepEqual(nodeOf(build, "zip:78613").parentIds, ["county:48491"], "no such city");
  assert.ok(!build.nodes.some(({ id }) => id.includes("380") || id === "county:72001"));
});

test("a list that divides a state otherwise than the provider adds no counties to it", () => {
  const of = (fips: string) => ({ fips, name: `County ${fips}`, housingUnits: 0 });
  const county = (regionId: number, countyFips: string) =>
    region("county", regionId, `Region ${countyFips}`, { countyFips });
  const build = built({
    regions: [county(1, "09001"), county(2, "48453")],
    counties: ["09110", "09120", "36001", "48453", "48491"].map(of),
  });
  assert.deepEqual(
    build.nodes.map(({ id }) => id),
    ["county:09001", "county:36001", "county:48453", "county:48491"],
  );
  assert.deepEqual(build.otherCounties, ["09110", "09120"]);
});

test("of one name the lowest RegionID has the plain id, the others carry theirs", () => {
  const oakwood = (regionId: number, county: string) =>
    region("city", regionId, "Oakwood", { county });
  const build = built({
    regions: [
      oakwood(202_663, "Williamson County"),
      oakwood(9_999, "Travis County"),
      region("neighborhood", 77, "Downtown", { city: "Austin" }),
      region("neighborhood", 5, "Downtown", { city: "Austin" }),
      region("neighborhood", 4, "Downtown", { city: "Dallas" }),
    ],
    counties,
  });
  assert.equal(idOf(build, 9_999), "city:oakwood-tx");
  assert.equal(idOf(build, 202_663), "city:oakwood-tx-202663");
  assert.equal(idOf(build, 5), "nbhd:downtown-austin-tx");
  assert.equal(idOf(build, 77), "nbhd:downtown-austin-tx-77");
  assert.equal(idOf(build, 4), "nbhd:downtown-dallas-tx");
});

test("a name without ASCII letters, or too long for an id, goes by its RegionID", () => {
  const long = "Llanfair ".repeat(20).trim();
  const build = built({ regions: [region("city", 7, "日本"), region("city", 8, long)] });
  assert.equal(idOf(build, 7), "city:tx-7");
  assert.match(idOf(build, 8) ?? "", /^city:(llanfair-)+.*-tx-8$/);
});

test("built again with more files, a known place keeps its id, aliases and RegionID", () => {
  const before = built({ regions: [austin, region("city", 500, "Oakwood")], counties });
  assert.equal(idOf(before, 500), "city:oakwood-tx");
  const known = before.nodes.map((node) =>
    node.id === "city:austin-tx" ? { ...node, aliases: ["Bat City"] } : node,
  );
  const renamed = { ...austin, name: "Austin City", lastMonth: monthOf(2026, 1) };
  const more = [austin, region("city", 500, "Oakwood"), region("city", 3, "Oakwood"), renamed];
  const after = built({ regions: more, counties, known });
  assert.equal(idOf(after, 500), "city:oakwood-tx", "though a lower RegionID came");
  assert.equal(idOf(after, 3), "city:oakwood-tx-3");
  assert.equal(idOf(after, 10221), "city:austin-tx", "though it has a new name");
  assert.equal(nodeOf(after, "city:austin-tx").name, "Austin City");
  assert.deepEqual(nodeOf(after, "city:austin-tx").aliases, ["Austin", "Bat City"]);
});

test("a neighborhood that becomes a city leaves its RegionID to the city", () => {
  const old = region("neighborhood", 27_225, "Spring Valley", { city: "Ramapo" });
  const young = region("city", 27_225, "Spring Valley", { lastMonth: monthOf(2025, 9) });
  assert.equal(idOf(built({ regions: [young, old] }), 27_225), "city:spring-valley-tx");
  const before = built({ regions: [old] });
  const after = built({ regions: [old, young], known: before.nodes });
  assert.equal(idOf(after, 27_225), "city:spring-valley-tx");
  assert.deepEqual(nodeOf(after, "nbhd:spring-valley-ramapo-tx").providerIds, []);
});

test("counties are found however they are written", () => {
  const city = (id: number, stateCode: string, county: string) =>
    region("city", id, `Town ${id}`, { stateCode, county });
  const build = built({
    regions: [
      city(1, "TX", "Travis"),
      city(2, "MO", "Saint Louis County"),
      city(3, "MO", "Saint Louis City"),
      city(4, "MO", "St. Louis"),
      city(5, "NM", "Dona Ana County"),
      city(6, "TX", "Nowhere County"),
      city(7, "MO", "Travis County"),
    ],
    counties,
  });
  const parents = [1, 2, 3, 4, 5, 6, 7].map((id) => nodeOf(build, idOf(build, id) ?? "").parentIds);
  assert.deepEqual(parents, [
    ["county:48453"],
    ["county:29189"],
    ["county:29510"],
    ["county:29189"],
    ["county:35013"],
    ["state:tx"],
    ["state:mo"],
  ]);
  assert.deepEqual(build.withoutCounty, ["city:town-6-tx", "city:town-7-mo"]);
});

test("the gazetteer's name goes first, the provider's is an alias; garbled names give way", () => {
  const county = (name: string, lastMonth = monthOf(2024, 10)) =>
    region("county", 2_252, name, { stateCode: "NM", countyFips: "35013", lastMonth });
  const build = built({
    regions: [
      county("Dona Ana County"),
      county("Dona Ana", monthOf(2018, 1)),
      region("county", 1, "Saint Louis County", { stateCode: "MO", countyFips: "29189" }),
      region("city", 3_958, "Ca±on City", { lastMonth: monthOf(2025, 9) }),
      region("city", 3_958, "Cañon City", { lastMonth: monthOf(2022, 4) }),
      region("city", 33_501, "Port Saint Lucie"),
    ],
    counties,
  });
  assert.equal(nodeOf(build, "county:35013").name, "Doña Ana County");
  assert.deepEqual(nodeOf(build, "county:35013").aliases, [], "no bare name, none without accents");
  assert.deepEqual(nodeOf(build, "county:29189").aliases, [
    "Saint Louis County",
    "St Louis County",
  ]);
  assert.equal(nodeOf(build, "city:canon-city-tx").name, "Cañon City");
  assert.deepEqual(nodeOf(build, "city:canon-city-tx").aliases, []);
  assert.deepEqual(nodeOf(build, "city:port-saint-lucie-tx").aliases, [
    "Port St. Lucie",
    "Port St Lucie",
  ]);
});

test("a city reaches over its county's line for the provider, not for a list", () => {
  const build = built({
    regions: [
      austin,
      region("zip", 1, "78717", { city: "Austin", county: "Williamson County" }),
      region("neighborhood", 2, "Anderson Mill", { city: "Austin", county: "Williamson County" }),
    ],
    counties,
    zips: [{ zip: "78729", stateCode: "TX", county: "Williamson", city: "Austin" }],
  });
  const both = ["county:48491", "city:austin-tx"];
  assert.deepEqual(nodeOf(build, "zip:78717").parentIds, both);
  assert.deepEqual(nodeOf(build, "nbhd:anderson-mill-austin-tx").parentIds, both);
  assert.deepEqual(nodeOf(build, "zip:78729").parentIds, ["county:48491"]);
});

test("zips of the list are taken where homes are; the provider's always", () => {
  const build = built({
    regions: [region("zip", 1, "78613")],
    zips: [...zips, { zip: "78711", stateCode: "TX", county: "Travis", city: "Austin" }],
    zctas: new Set(["78701"]),
  });
  assert.deepEqual(
    build.nodes.map(({ id }) => id),
    ["zip:78613", "zip:78701"],
  );
});

test("regions outside the states, or without their code, are left out and told", () => {
  const build = built({
    regions: [
      region("city", 1, "San Juan", { stateCode: "PR" }),
      region("city", 2, "Nowhere", { stateCode: null }),
      region("county", 3, "Adjuntas", { countyFips: "72001" }),
      region("state", 4, "Puerto Rico"),
      region("city", 5, " "),
    ],
  });
  assert.deepEqual(build.nodes, []);
  assert.deepEqual(build.leftOut, ["zillow:1", "zillow:2", "zillow:3", "zillow:4"]);
});

const few = <T>(...items: readonly T[]) => fc.constantFrom(...items);
const anyRegion: fc.Arbitrary<RegionRow> = fc.record({
  level: few("county", "city", "neighborhood", "zip"),
  regionId: fc.integer({ min: 1, max: 12 }).map(String),
  name: few("Oakwood", "OAKWOOD", "Oak Wood", "O'Fallon", "Saint Ann", "St. Ann", "Añil", "A±il"),
  stateCode: few("TX", "MO", "PR", null),
  countyFips: few("48453", "48491", "29189", "72001", null),
  city: few("Oakwood", "Saint Ann", "Austin", null),
  county: few("Travis County", "Travis", "Saint Louis City", "Williamson", null),
  lastMonth: few(monthOf(2018, 1), monthOf(2024, 10), monthOf(2025, 9)),
});
const zipNamed = anyRegion.map((row) =>
  row.level === "zip" ? { ...row, name: `7870${Number(row.regionId) % 4}` } : row,
);
const anyZip: fc.Arbitrary<ZipRow> = fc.record({
  zip: few("78701", "78702", "78703", "7870"),
  stateCode: few("TX", "MO"),
  county: few("Travis", "Williamson", "Saint Louis"),
  city: few("", "Austin", "Oakwood"),
});

test("the order of rows and files changes nothing, nor does building again on it", () => {
  const rows = fc.record({
    regions: fc.array(zipNamed, { maxLength: 30 }),
    zips: fc.array(anyZip, { maxLength: 8 }),
  });
  fc.assert(
    fc.property(rows, fc.infiniteStream(fc.nat()), (sources, keys) => {
      const shuffled = <T>(items: readonly T[]): T[] =>
        items
          .map((item) => ({ item, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
      const build = built({ ...sources, counties });
      const permuted = {
        regions: shuffled([...sources.regions, ...sources.regions.slice(0, 3)]),
        zips: shuffled(sources.zips),
        counties: shuffled([...counties, { ...firstCounty, housingUnits: 0 }]),
      };
      assert.deepEqual(built(permuted), build);
      const again = built({ ...permuted, known: build.nodes });
      assertSameBuild(again, build, "built again on itself");
    }),
    { numRuns: 400 },
  );
});

test("known ids stay whatever rows are added", () => {
  const lists = fc.array(zipNamed, { maxLength: 20 });
  fc.assert(
    fc.property(lists, lists, (some, more) => {
      const before = built({ regions: some, counties });
      const after = built({ regions: [...some, ...more], counties, known: before.nodes });
      for (const node of before.nodes) {
        if (node.level !== "city" && node.level !== "neighborhood") continue;
        for (const name of node.providerIds) {
          const now = after.nodes.find(({ providerIds }) => providerIds.includes(name));
          if (now?.level === node.level) assert.equal(now.id, node.id);
        }
      }
    }),
    { numRuns: 300 },
  );
});
