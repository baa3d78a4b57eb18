// One town's rent that jumps by 30 %, in a provider's file of cities: the town is held, the
// rest counts, and two persons release it, over HTTP, with a start between their words.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { at, type Json, listAt, numberAt, type Reply, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { scenarioFile } from "#test/support/shared-data.ts";
import { loadPlaces, upload } from "./upload.ts";

const CITIES = "City_zori_uc_sfrcondomfr_sm_month.csv.gz";
const columns = "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds";

const query = (published: string) =>
  ({
    provider: "zillow",
    index: "zori",
    level: "city",
    publishedAt: `${published}T00:00:00Z`,
  }) as const;

const ok = (reply: Reply): Json => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

const code = (reply: Reply): Json => [reply.status, at(reply.body, "code")];

const linesOf = (file: URL): readonly string[] =>
  gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");

const regionOf = (line: string): string => line.slice(0, line.indexOf(","));

/** Every region of the file, as a city of Texas. */
const placesOf = (lines: readonly string[]): string =>
  [columns, ...lines.slice(1).map(regionOf).map(placeLine)].join("\n");

const placeOf = (region: string): string => `city:tx-${region}`;
const placeLine = (region: string): string =>
  `${placeOf(region)},city,Town ${region},TX,,,state:tx,0,zillow:${region}`;

/** The first town of both files whose rents are calm, and the later file with its last one up. */
function resort(earlier: readonly string[], later: readonly string[]) {
  const known = new Set(earlier.map(regionOf));
  const nth = later.findIndex((line, at) => {
    const [first = 0, second = 0, last = 0] = line.split(",").slice(-3).map(Number);
    return at > 0 && first > 0 && Math.abs(last / second - 1) < 0.01 && known.has(regionOf(line));
  });
  const line = later[nth] ?? assert.fail("no town is calm");
  const value = Number(line.split(",").at(-2)) * 1.3;
  const text = `${later.with(nth, line.replace(/[^,]*$/, String(value))).join("\n")}\n`;
  return { place: placeOf(regionOf(line)), text, value };
}

test("a town that moves by 30 % in a file is held alone, and released by two", async (t) => {
  const earlier = scenarioFile(`zori/city/2024-10/${CITIES}`);
  const [before, after] = [earlier, scenarioFile(`zori/city/2025-02/${CITIES}`)].map(linesOf);
  assert.ok(before !== undefined && after !== undefined);
  const town = resort(before, after);
  const exchange = await InProcessExchange.start(t);
  await loadPlaces(exchange, `${placesOf(before)}\n`);
  const operator = await exchange.trader("operator", "0", "operator");
  const first = ok(await exchange.ingest(earlier, query("2024-11-16")));
  assert.deepEqual([at(first, "status"), at(first, "held")], ["accepted", 0]);

  const sent = await upload(exchange, town.text, query("2025-03-16"));
  const release = at(sent.body, "data");
  assert.equal(at(release, "status"), "accepted", `one place holds no file: ${sent.text}`);
  assert.equal(numberAt(release, "held"), 1);
  assert.ok(numberAt(release, "firstPrints") > 0, "the others count");
  const id = textAt(release, "id");
  const prints = async (): Promise<readonly Json[]> => {
    const reply = await exchange.get(`/api/index/${town.place}/prints?index=zori&limit=5`);
    return listAt(reply.body, "data");
  };
  const known = await prints();
  assert.ok(known.every((print) => at(print, "releaseId") !== id));
  const held = listAt(ok(await exchange.get("/api/admin/held-places", { admin: true })));
  assert.deepEqual(
    held.map((place) => [at(place, "nodeId"), at(place, "releaseId"), at(place, "wouldSettle")]),
    [[town.place, id, []]],
  );
  assert.match(
    String(listAt(held[0], "reasons")[0]),
    /^MOVE_TOO_LARGE: 2025-02 moves by 30(\.0\d)? %/,
  );

  const approve = `/api/admin/releases/${id}/places/${town.place}/approve`;
  const word = ok(await exchange.post(approve, {}, { admin: true }));
  assert.deepEqual([at(word, "status"), at(word, "approvedBy")], ["held", ["root"]]);
  await exchange.stop();
  await exchange.up();
  const twice = await exchange.post(approve, {}, { admin: true });
  assert.deepEqual(code(twice), [409, "RELEASE_SAME_OPERATOR"]);
  assert.deepEqual(await prints(), known);

  const done = ok(await exchange.post(approve, {}, { key: operator.key }));
  assert.equal(at(done, "status"), "released");
  const [print] = await prints();
  assert.deepEqual([at(print, "month"), at(print, "releaseId")], ["2025-02", id]);
  assert.equal(Number(textAt(print, "value")), town.value);
  const shown = ok(await exchange.get(`/api/admin/releases/${id}`, { admin: true }));
  assert.equal(numberAt(shown, "held"), 0);
  const again = await exchange.post(approve, {}, { admin: true });
  assert.deepEqual(code(again), [409, "PLACE_NOT_HELD"]);
  const verified = await exchange.get("/api/audit/verify", { key: operator.key });
  assert.equal(at(verified.body, "data", "valid"), true, verified.text);
});
