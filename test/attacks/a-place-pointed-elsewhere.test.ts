// An operator who has bet on a place points it at another series of its provider, or moves it to
// another state, by whose prices it is then marked.
// Invariant: while markets of a place are open, one person changes neither whose prints it gets nor
// what it is priced by; a new id of the provider is a map that two people accept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import type { GeoRecord } from "#core/records.ts";
import { order, World } from "../core/world.ts";

const town: GeoRecord = {
  id: nodeId("zip:77001"),
  level: "zip",
  name: "77001",
  stateCode: "TX",
  fips: null,
  aliases: [],
  parentIds: [nodeId("state:tx")],
  housingUnits: 900,
  active: true,
  providerIds: ["zillow:91940"],
};
const elsewhere: GeoRecord = { ...town, id: nodeId("zip:77002"), providerIds: ["zillow:91941"] };

/** Protection of the town is sold; its record and another one's are loaded. */
function stage() {
  const world = new World();
  world.place = town.id;
  const olga = world.open("olga", "operator");
  const load = (...nodes: readonly GeoRecord[]) =>
    ({ type: "LoadGeo", nodes, sha256: "table" }) as const;
  world.do(olga.actor, load(town, elsewhere));
  world.print("2024-10", "300000");
  const [seller, buyer] = [world.trader("seller", "100"), world.trader("buyer", "100")];
  const listing = world.listing("2024-11", { kind: "binary", strikeBps: 500 });
  world.order(order(listing, "SELL", "10", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "10", "0.05"), buyer);
  return { world, olga, load };
}

test("while a market is open, nobody points its place elsewhere or moves it", (t) => {
  const { world, olga, load } = stage();
  for (const changed of [
    { ...town, providerIds: ["zillow:424242"] },
    { ...town, providerIds: [] },
    { ...town, providerIds: ["zillow:91940", "zillow:424242"] },
    { ...town, stateCode: "ND" },
    { ...town, level: "city" as const },
    { ...town, fips: "48201" },
  ]) {
    const { code, details } = world.refused(olga.actor, load(elsewhere, changed));
    assert.deepEqual([code, details?.status], ["GEO_IN_USE", town.id]);
    assert.deepEqual(world.state.geo.get(town.id), town);
  }
  t.diagnostic("after: GEO_IN_USE, 6 of 6");
});

test("names, homes, a new provider and other places change at any time; all, once it ended", () => {
  const { world, olga, load } = stage();
  const grown = { ...town, name: "Houston 77001", housingUnits: 901 };
  const vacancy = { ...grown, providerIds: ["zillow:91940", "census:houston-tx"] };
  const moved = { ...elsewhere, providerIds: ["zillow:5"] };
  world.do(olga.actor, load(grown, moved));
  world.do(olga.actor, load(vacancy));
  assert.deepEqual(world.state.geo.get(town.id), vacancy);
  world.runTo(Date.UTC(2024, 11, 20));
  world.print("2024-11", "299000");
  const pointed = { ...town, providerIds: ["zillow:424242"] };
  world.do(olga.actor, load(pointed));
  assert.deepEqual(world.state.geo.get(town.id), pointed);
});
