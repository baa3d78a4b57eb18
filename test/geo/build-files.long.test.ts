// The hierarchy of the files that providers and the Census Bureau published: what comes of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMonth } from "#base/month.ts";
import type { CountyRow, HierarchyBuild, HierarchySources } from "#geo/build.ts";
import { isGarbled } from "#geo/build-names.ts";
import type { RegionRow } from "#geo/build-regions.ts";
import { type GeoLevel, geoLevels, isGeoLevel } from "#geo/node.ts";
import { GeoTree } from "#geo/tree.ts";
import { readCounties, readHomes, readRegions, readZctas, readZips } from "#ingest/places/build.ts";
import { counties as madeCounties } from "#sample/places.ts";
import { genuineOnly, isGenuine, sharedFile } from "#test/ingest/shared-data.ts";
import { assertSameBuild, built, idOf, nodeOf } from "./build-world.ts";
import { searches } from "./searches.ts";

const options = { skip: genuineOnly };

const zhvi = "zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz";
const zori = "zori_uc_sfrcondomfr_sm_month.csv.gz";
/** All of the provider's files that come as it published them. */
const files = [
  `zhvi/state/2021-09/State_${zhvi}`,
  `zhvi/state/2025-09/State_${zhvi}`,
  "zhvi/county/2018-01/County_Zhvi_AllHomes.csv.gz",
  "zhvi/neighborhood/2018-01-bayarea/Neighborhood_Zhvi_AllHomes.csv.gz",
  "zhvi/zip/2025-07-sample10/Zillow_Home_Value_Index_sample.csv.gz",
  `zhvi/metro/2024-11/Metro_${zhvi}`,
  `zori/county/2023-10/County_${zori}`,
  `zori/county/2025-04/County_${zori}`,
  `zori/city/2024-10/City_${zori}`,
  `zori/city/2025-02/City_${zori}`,
];

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const regionsIn = (path: string): Promise<RegionRow[]> => {
  const bytes = sharedFile(path);
  return readRegions(() => inPieces(bytes));
};

const lists = (): Pick<HierarchySources, "counties" | "zips" | "zctas" | "homesByZip"> => ({
  counties: readCounties(sharedFile("geo/census-gazetteer-2010/Gaz_counties_national.txt.gz")),
  zips: readZips(sharedFile("geo/zip-county-city/geo-data.csv.gz")),
  zctas: readZctas(sharedFile("geo/census-gazetteer-zcta/Gaz_zcta_national.txt.gz")),
  homesByZip: readHomes(sharedFile("geo/acs5-2022-b25003-zcta/Homeowners_Data.csv.gz")),
});

const countOf = ({ nodes }: HierarchyBuild): Partial<Record<GeoLevel, number>> =>
  Object.fromEntries(
    geoLevels.map((level) => [level, nodes.filter((node) => node.level === level).length]),
  );

/** Checks the rules of every hierarchy of these lists; the places are looked up one by one. */
function checkPlaces(build: HierarchyBuild): void {
  const travis = nodeOf(build, "county:48453");
  assert.equal(travis.name, "Travis County");
  assert.deepEqual(travis.parentIds, ["state:tx"]);
  assert.equal(travis.housingUnits, 441_240, "as the census of 2010 counted");
  assert.deepEqual(travis.providerIds, ["zillow:1440"]);
  assert.deepEqual(nodeOf(build, "state:tx").providerIds, ["zillow:54"]);
  const austin = nodeOf(build, "city:austin-tx");
  assert.deepEqual(austin.parentIds, ["county:48453"]);
  assert.deepEqual(austin.providerIds, ["zillow:10221"]);
  assert.deepEqual(nodeOf(build, "zip:78701").parentIds, ["county:48453", "city:austin-tx"]);
  assert.ok(nodeOf(build, "zip:78701").housingUnits > 1_000);
  assert.equal(nodeOf(build, "county:35013").name, "Doña Ana County", "Latin-1 was read as such");
  const canonCity = nodeOf(build, "zip:81212");
  assert.deepEqual(canonCity.parentIds, ["county:08043", "city:canon-city-co"]);
  const garbled = build.nodes.filter(({ name, aliases }) => [name, ...aliases].some(isGarbled));
  assert.deepEqual(garbled, [], "the metros' garbled names come nowhere near a place");
  assert.ok(build.withoutCounty.length <= 25, build.withoutCounty.join(" "));
  assert.deepEqual(build.leftOut, []);
}

test(
  "from the files as published: counts, known places, and every row loads",
  options,
  async () => {
    const rows = await Promise.all(files.map(regionsIn));
    const sources = lists();
    const build = built({ ...sources, regions: rows.flat() });
    assert.deepEqual(countOf(build), {
      state: 51,
      county: 3_143,
      city: 3_899,
      neighborhood: 401,
      zip: 31_254,
    });
    checkPlaces(build);

    const permuted = built({
      regions: rows.toReversed().flat().reverse(),
      counties: [...sources.counties].reverse(),
      zips: [...sources.zips].reverse(),
      zctas: new Set([...(sources.zctas ?? [])].reverse()),
      homesByZip: new Map([...sources.homesByZip].reverse()),
    });
    assertSameBuild(permuted, build, "in any order of files and lines");

    const fewer = built({ ...sources, regions: rows.slice(2, 9).flat() });
    const grown = built({ ...sources, regions: rows.flat(), known: fewer.nodes });
    assert.deepEqual(moved(fewer, grown), [], "on an earlier build every region stays itself");
    const renamed = ["city:commerce-mi", "city:north-brunswick-township-nj"];
    assert.deepEqual(moved(fewer, build), renamed, "the provider renamed two cities in between");
  },
);

/** Ids of the earlier build whose regions have another id in the later one. */
function moved(earlier: HierarchyBuild, later: HierarchyBuild): string[] {
  const now = new Map(
    later.nodes.flatMap(({ id, providerIds }) => providerIds.map((name) => [name, id])),
  );
  return earlier.nodes
    .filter(({ id, providerIds }) => providerIds.some((name) => now.get(name) !== id))
    .map(({ id }) => id);
}

/** The regions of many files in one table; the month of each file stands in its source. */
function manyRegions(): RegionRow[] {
  const [, ...lines] = sharedFile("derived/zillow_regions.tsv.gz").toString().trim().split("\n");
  return lines.map((line) => {
    const cells = line.split("\t").map((cell) => (cell === "" ? null : cell));
    const [level, regionId, name, stateCode = null, city = null, , county = null] = cells;
    const [, , , , , , , countyFips = null, , source] = cells;
    const lastMonth = parseMonth((source ?? "").split("/")[2]?.slice(0, 7) ?? "");
    assert.ok(level && isGeoLevel(level) && regionId && name && lastMonth !== undefined, line);
    return { level, regionId, name, stateCode, city, county, countyFips, lastMonth };
  });
}

test("from 37,932 regions: counts, repeated names, loading and finding", options, () => {
  const regions = manyRegions();
  const sources = lists();
  const build = built({ ...sources, regions });
  const counts = { state: 51, county: 3_143, city: 4_617, neighborhood: 6_500, zip: 32_698 };
  assert.deepEqual(countOf(build), counts);
  checkPlaces(build);
  const repeated = build.nodes.filter(({ id }) => /-[0-9]+$/.test(id)).map(({ id }) => id);
  assert.deepEqual(repeated, [
    "city:oakwood-oh-202663",
    "nbhd:bay-terrace-new-york-ny-270800",
    "nbhd:baywood-san-mateo-ca-753708",
    "nbhd:murray-hill-new-york-ny-274627",
    "nbhd:sunnyside-new-york-ny-275620",
  ]);
  assert.equal(idOf(build, 27_225), "city:spring-valley-ny", "once a neighborhood of Ramapo");

  const tree = GeoTree.builtIn();
  for (const node of build.nodes) tree.put(node);
  const first = (text: string) => tree.search({ text, limit: 1 }).places[0]?.id;
  assert.equal(first("austin"), "city:austin-tx");
  assert.equal(first("st. louis"), "city:saint-louis-mo");
  assert.equal(first("dona ana"), "county:35013");
  assert.equal(first("78701"), "zip:78701");
  const wanted = searches.filter(({ onGenuine }) => onGenuine !== null);
  assert.deepEqual(
    wanted.map(({ typed }) => `${typed} → ${first(typed)}`),
    wanted.map(({ typed, onGenuine }) => `${typed} → ${onGenuine}`),
  );
});

test("lists that are not what they are taken for are refused by column", () => {
  const zips = sharedFile("geo/zip-county-city/geo-data.csv.gz");
  const counties = sharedFile("geo/census-gazetteer-2010/Gaz_counties_national.txt.gz");
  assert.throws(() => readCounties(zips), /no column GEOID/);
  assert.throws(() => readZips(counties), /no column zipcode/);
  assert.throws(() => readHomes(zips), /no column GEO_ID/);
  assert.throws(() => readZctas(zips), /no column GEOID/);
  const rows: readonly CountyRow[] = readCounties(counties);
  assert.equal(rows.length, isGenuine ? 3_221 : madeCounties.length);
});
