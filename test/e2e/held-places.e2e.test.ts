// One town's rent that jumps by 30 %, in a provider's file of cities: the town is held, the
// rest counts, and two persons release it, with the process killed between any two steps.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import {
  ADMIN_SECRET,
  at,
  checkout,
  Exchange,
  type Json,
  listAt,
  numberAt,
  type Reply,
  textAt,
} from "#test/support/exchange.ts";
import { providerFile } from "#test/support/shared-data.ts";
import { runFile } from "./program.ts";

const run = promisify(execFile);
const CITIES = "City_zori_uc_sfrcondomfr_sm_month.csv.gz";

const query = (published: string): Record<string, string> => ({
  provider: "zillow",
  index: "zori",
  level: "city",
  publishedAt: `${published}T00:00:00Z`,
});

const ok = (reply: Reply): Json => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

const code = (reply: Reply): Json => [reply.status, at(reply.body, "code")];

/** The cells of months that only the later file has a value of, for towns of the table. */
function newCells(earlier: URL, text: string, table: string, held: string): number {
  const isKnown = new Set(table.match(/(?<=zillow:)\d+/g));
  const before = new Set(cellsOf(gunzipSync(readFileSync(earlier)).toString()));
  return cellsOf(text).filter((cell) => {
    const [region = ""] = cell.split(" ");
    return region !== held && isKnown.has(region) && !before.has(cell);
  }).length;
}

/** `6181 2024-10-31` for each value. */
function cellsOf(text: string): string[] {
  const [header = [], ...rows]: string[][] = parse(text);
  return rows.flatMap(([region = "", ...cells]) =>
    cells.flatMap((cell, at) =>
      /^2/.test(header[at + 1] ?? "") && cell !== "" ? [`${region} ${header[at + 1]}`] : [],
    ),
  );
}

/** The newest rents of a line, oldest first. */
const newest = (line: string): readonly number[] => line.split(",").slice(-3).map(Number);

/** The first town of both files whose rents are calm, and the later file with its last one up. */
function resort(earlier: URL, later: URL, table: string) {
  const known = gunzipSync(readFileSync(earlier)).toString();
  const [header = "", ...lines] = gunzipSync(readFileSync(later)).toString().trimEnd().split("\n");
  for (const [nth, line] of lines.entries()) {
    const region = line.slice(0, line.indexOf(","));
    const place = table.split("\n").find((row) => row.includes(`zillow:${region}`));
    const [first = 0, second = 0, last = 0] = newest(line);
    const isCalm = first > 0 && Math.abs(last / second - 1) < 0.01;
    if (
      nth < Math.min(40, lines.length / 2) ||
      !isCalm ||
      place === undefined ||
      !known.includes(`\n${region},`)
    )
      continue;
    const jumped = line.replace(/[^,]*$/, String(second * 1.3));
    const text = [header, ...lines.with(nth, jumped)].join("\n");
    return {
      region,
      place: place.slice(0, place.indexOf(",")),
      text: `${text}\n`,
      value: second * 1.3,
    };
  }
  return assert.fail("no town is calm");
}

test("a town that moves by 30 % in a file is held alone, through kills", async (t) => {
  const earlier = providerFile(t, `zori/city/2024-10/${CITIES}`);
  const later = providerFile(t, `zori/city/2025-02/${CITIES}`);
  const counties = providerFile(t, "geo/census-gazetteer-2010/Gaz_counties_national.txt.gz");
  if (earlier === undefined || later === undefined || counties === undefined) return;
  const words = ["--zillow", fileURLToPath(earlier), "--counties", fileURLToPath(counties)];
  const { stdout: table } = await run(process.execPath, ["tools/build-hierarchy.ts", ...words], {
    cwd: checkout,
    maxBuffer: 64 * 1024 * 1024,
  });
  const town = resort(earlier, later, table);
  const exchange = await Exchange.start(t);
  const path = join(exchange.dataDir, "jumped.csv");
  await writeFile(path, town.text);
  const loaded = await fetch(`${exchange.url}/api/admin/geo`, {
    method: "POST",
    headers: { "content-type": "text/csv", "x-admin-secret": ADMIN_SECRET },
    body: table,
  });
  assert.equal(loaded.status, 200, await loaded.text());
  const operator = await exchange.trader("operator", "0", "operator");
  const first = ok(await exchange.ingest(earlier, query("2024-11-16")));
  assert.deepEqual([at(first, "status"), at(first, "held")], ["accepted", 0]);

  const release = ok(await exchange.ingest(pathToFileURL(path), query("2025-03-16")));
  assert.equal(at(release, "status"), "accepted", "one place holds no file");
  assert.equal(numberAt(release, "held"), 1);
  const others = newCells(earlier, town.text, table, town.region);
  assert.equal(numberAt(release, "firstPrints"), others, "the others count");
  const id = textAt(release, "id");
  const prints = async (): Promise<readonly Json[]> => {
    const reply = await exchange.get(`/api/index/${town.place}/prints?index=zori&limit=5`);
    return listAt(reply.body, "data");
  };
  const before = await prints();
  assert.ok(before.every((print) => at(print, "releaseId") !== id));

  const restart = async (): Promise<void> => {
    await exchange.kill();
    await exchange.up();
  };
  await restart();
  const held = listAt(ok(await exchange.get("/api/admin/held-places", { admin: true })));
  assert.deepEqual(
    held.map((place) => [at(place, "nodeId"), at(place, "releaseId"), at(place, "wouldSettle")]),
    [[town.place, id, []]],
  );
  assert.match(String(listAt(held[0], "reasons")[0]), /^MOVE_TOO_LARGE: 2025-02 moves by 30 %/);
  assert.deepEqual(await prints(), before);

  const approve = `/api/admin/releases/${id}/places/${town.place}/approve`;
  const word = ok(await exchange.post(approve, {}, { admin: true }));
  assert.deepEqual([at(word, "status"), at(word, "approvedBy")], ["held", ["root"]]);
  await restart();
  const twice = await exchange.post(approve, {}, { admin: true });
  assert.deepEqual(code(twice), [409, "RELEASE_SAME_OPERATOR"]);
  assert.deepEqual(await prints(), before);

  // The second word, and the end of the process while its files are read or just after.
  const second = exchange.post(approve, {}, { key: operator.key }).catch(() => undefined);
  await restart();
  await second;
  const left = listAt(ok(await exchange.get("/api/admin/held-places", { admin: true })));
  if (left.length > 0) {
    assert.deepEqual(await prints(), before, "all of it or nothing");
    const done = ok(await exchange.post(approve, {}, { key: operator.key }));
    assert.equal(at(done, "status"), "released");
  }
  const [print] = await prints();
  assert.deepEqual([at(print, "month"), at(print, "releaseId")], ["2025-02", id]);
  assert.equal(Number(textAt(print, "value")), town.value);
  const shown = ok(await exchange.get(`/api/admin/releases/${id}`, { admin: true }));
  assert.equal(numberAt(shown, "held"), 0);
  const again = await exchange.post(approve, {}, { admin: true });
  assert.deepEqual(code(again), [409, "PLACE_NOT_HELD"]);

  const printed = await prints();
  await restart();
  assert.deepEqual(await prints(), printed);
  assert.equal(await exchange.stop(), 0);
  const verified = await runFile("src/verify.ts", exchange.place);
  assert.equal(verified.code, 0, verified.output);
});
