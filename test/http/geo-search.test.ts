// GET /api/geo/search over the real server: what it finds, shows and refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInStates } from "#geo/states.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";

const hierarchy = [
  "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
  "county:48453,county,Travis County,TX,,Travis,state:tx,441240,zillow:1",
  "city:austin-tx,city,Austin,TX,,Bat City|ATX,county:48453,400000,zillow:2",
  "city:austin-ny,city,Austin,NY,,,state:ny,,zillow:3",
  "city:austinburg-oh,city,Austinburg,OH,,,state:oh,,zillow:4",
  "nbhd:east-austin-austin-tx,neighborhood,East Austin,TX,,,city:austin-tx,,zillow:5",
  "zip:78701,zip,78701,TX,,,county:48453|city:austin-tx,9000,zillow:6",
].join("\n");

async function openWorld(t: Parameters<typeof PublicWorld.open>[0]): Promise<PublicWorld> {
  const world = await PublicWorld.open(t);
  const loaded = await world.admin("POST", "geo", hierarchy, "text/csv");
  assert.equal(loaded.status, 200, JSON.stringify(loaded.body));
  return world;
}

async function found(world: PublicWorld, query: string): Promise<readonly string[]> {
  const { status, body } = await world.get(`/api/geo/search?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(at(body, "success"), true);
  return listAt(body, "data").map((place) => textAt(place, "id"));
}

test("exact, then prefix, then substring; level and state narrow", async (t) => {
  const world = await openWorld(t);
  assert.deepEqual(await found(world, "q=AUSTIN"), [
    "city:austin-tx",
    "city:austin-ny",
    "city:austinburg-oh",
    "nbhd:east-austin-austin-tx",
  ]);
  assert.deepEqual(await found(world, "q=austin&state=NY"), ["city:austin-ny"]);
  assert.deepEqual(await found(world, "q=austin&level=neighborhood"), [
    "nbhd:east-austin-austin-tx",
  ]);
  assert.deepEqual(await found(world, "q=austin&limit=1"), ["city:austin-tx"]);
  assert.deepEqual(await found(world, "q=bat+city"), ["city:austin-tx"], "an alias");
  assert.deepEqual(await found(world, "q=787"), ["zip:78701"]);
  assert.deepEqual(await found(world, "q=tr%C3%A1vis"), ["county:48453"], "without accents");
  assert.deepEqual(await found(world, "q=nowhere"), []);
  assert.deepEqual(await found(world, `q=${"x".repeat(64)}`), []);
});

test("a place is shown with the interface's fields, without ancestors", async (t) => {
  const world = await openWorld(t);
  const { body } = await world.get("/api/geo/search?q=atx");
  assert.deepEqual(at(body, "data"), [
    {
      id: "city:austin-tx",
      level: "city",
      name: "Austin",
      stateCode: "TX",
      fips: null,
      aliases: ["Bat City", "ATX"],
      parentIds: ["county:48453"],
      housingUnits: 400_000,
      active: true,
      childCount: 2,
    },
  ]);
});

test("how a place was meant, and where each index is nearest to it", async (t) => {
  const world = await openWorld(t);
  await world.printStates("zhvi");
  const asked = async (q: string) => (await world.get(`/api/geo/search?q=${q}`)).body;
  const texas = [{ id: "state:tx", level: "state", name: "Texas", stateCode: "TX" }];
  const zhviOf = (...places: readonly object[]) =>
    places.map((it) => ({ ...it, indexes: ["zhvi"] }));
  for (const [q, match, named, nearest] of [
    ["Austin,+TX", "name", 1, zhviOf(...texas)],
    ["austin", "name", 2, zhviOf(...texas)],
    ["trav", "part", 0, zhviOf(...texas)],
    ["Ausitn+TX", "spelling", 0, zhviOf(...texas)],
    ["texas", "name", 1, zhviOf(...texas)],
    ["78702-1234", "none", 0, zhviOf(...texas)],
    ["Nowhere,+TX", "none", 0, zhviOf(...texas)],
    ["48453", "name", 1, zhviOf(...texas)],
    ["00601", "none", 0, []],
    ["xyzzyxyz", "none", 0, []],
  ] as const) {
    const body = await asked(q);
    assert.equal(at(body, "match"), match, q);
    assert.equal(at(body, "named"), named, q);
    assert.deepEqual(at(body, "nearest"), nearest, q);
  }
  const [ohio] = listAt(await asked("43215"), "nearest");
  assert.equal(textAt(ohio, "id"), "state:oh", "by the first three digits");
  await world.printPlace("zhvi", "city:austin-tx");
  const [nearer] = listAt(await asked("Austin,+TX"), "nearest");
  assert.equal(textAt(nearer, "id"), "city:austin-tx", "with its first print, at once");
});

test("ten places by default, fifty at most", async (t) => {
  const world = await openWorld(t);
  const states = builtInStates.filter(({ name, stateCode }) => /a/i.test(name + stateCode));
  assert.equal((await found(world, "q=a")).length, 10);
  const fifty = await found(world, "q=a&limit=50");
  assert.equal(fifty.length, states.length + 5, "all of them, and the five places with an a");
  assert.deepEqual(new Set(fifty).size, fifty.length);
});

test("what it does not take is a 400 that names the field and what it may be", async (t) => {
  const world = await openWorld(t);
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ["", "q", /1 to 64 characters/],
    ["q=", "q", /1 to 64 characters/],
    [`q=${"x".repeat(65)}`, "q", /1 to 64 characters/],
    ["q=%20%20", "q", /more than blanks/],
    ["q=a&limit=0", "limit", /1/],
    ["q=a&limit=51", "limit", /50/],
    ["q=a&limit=1.5", "limit", /integer/],
    ["q=a&level=metro", "level", /state, county, city, neighborhood, zip/],
    ["q=a&state=OH", "state", /NY, CA, CO, TX, FL, NC, AZ; leave it out to search every state/],
    ["q=a&page=2", "page", /no parameter/],
  ];
  for (const [query, field, message] of refusals) {
    const { status, body } = await world.get(`/api/geo/search?${query}`);
    assert.equal(status, 400, query);
    assert.equal(textAt(body, "error", "code"), "INVALID_REQUEST", query);
    assert.equal(textAt(body, "error", "field"), field, query);
    assert.match(textAt(body, "error", "message"), message, query);
  }
});

test("many places by their ids, each as it is found; what is no place is named", async (t) => {
  const world = await openWorld(t);
  await world.printStates("zhvi");
  const asked = async (query: string) => world.get(`/api/geo${query}`);
  const many = (await asked("?ids=CITY:austin-tx,zip:1,state:tx,state:tx,zip:1")).body;
  assert.deepEqual(
    listAt(many, "data").map((place) => textAt(place, "id")),
    ["city:austin-tx", "state:tx"],
    "one named twice is answered once",
  );
  const { body } = await world.get("/api/geo/search?q=atx");
  assert.deepEqual(listAt(many, "data")[0], listAt(body, "data")[0]);
  assert.deepEqual(at(many, "unknownIds"), ["zip:1"]);
  const ids = (count: number) => Array.from({ length: count }, (_, step) => `zip:${step}`);
  const most = await asked(`?ids=${ids(200).join(",")}`);
  assert.equal(listAt(most.body, "unknownIds").length, 200);
  for (const query of ["", "?ids=", "?ids=state:tx,", `?ids=${ids(201).join(",")}`]) {
    const refused = await asked(query);
    assert.equal(refused.status, 400, query);
    assert.equal(textAt(refused.body, "error", "code"), "INVALID_REQUEST");
  }
});
