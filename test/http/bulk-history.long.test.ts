// First prints and marks in bulk over real HTTP: the three forms, the scope, the tag, slow readers.
// Invariant: a bulk answer says row by row what the place or market alone is answered with.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { parse } from "csv-parse/sync";
import { marketId, nodeId, releaseId } from "#base/ids.ts";
import { addMonths } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { firstLevel, parsePrintValue } from "#base/print-value.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { LAST_MONTH, month, monthAfter, PublicWorld } from "./public-world.ts";
import { order } from "./world.ts";

type Row = Readonly<Record<string, unknown>>;

const textOf = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(url, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const objectIn = (json: unknown): Row => Object(json);

/** The rows in all three forms, which have to agree. */
async function rowsOf(base: string, path: string): Promise<readonly Row[]> {
  const url = `${base}${path}${path.includes("?") ? "&" : "?"}`;
  const json = await textOf(`${url}format=json`);
  assert.equal(json.status, 200, json.text);
  const rows = listAt(JSON.parse(json.text), "data").map(objectIn);
  const lines = await textOf(url, { accept: "application/x-ndjson" });
  assert.equal(lines.headers.get("content-type"), "application/x-ndjson");
  const parsed = lines.text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
  assert.deepEqual(parsed, rows);
  const csv = await textOf(url, { accept: "text/csv;q=0.9, application/json;q=0.1" });
  assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(
    csv.headers.get("content-disposition") ?? "",
    /^attachment; filename="[a-z-]+\.csv"$/,
  );
  const cells: unknown[] = parse(csv.text, { columns: true });
  const asCells = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, String(cell ?? "")]));
  assert.deepEqual(cells.map(objectIn), rows.map(asCells));
  return rows;
}

async function opened(t: Parameters<typeof PublicWorld.open>[0]) {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi", monthAfter(LAST_MONTH, -12));
  await world.world.listen();
  return { world, base: world.world.url };
}

test("prints in bulk are those of each place, with the release that carried each", async (t) => {
  const { world, base } = await opened(t);
  await world.admin("POST", "clock", { setTo: "2024-12-18T12:00:00Z" });
  await world.printNext("zhvi", "state:tx", "262345.5");
  const all = await rowsOf(base, "/api/history/prints");
  assert.ok(all.length > 1_000);
  for (const id of ["state:tx", "state:ny"]) {
    const { body } = await world.get(`/api/index/${id}/prints?limit=100`);
    const alone = listAt(body, "data").map(objectIn).reverse();
    const { body: releases } = await world.get("/api/releases");
    const expected = alone.map((print) => {
      const release = listAt(releases, "data").find(
        (one) => at(one, "id") === at(print, "releaseId"),
      );
      const { publishedAt, ingestedAt } = objectIn(release);
      return { nodeId: id, ...print, publishedAt, ingestedAt };
    });
    assert.deepEqual(await rowsOf(base, `/api/history/prints?place=${id.toUpperCase()}`), expected);
    assert.deepEqual(
      all.filter(({ nodeId: node }) => node === id),
      expected,
    );
  }
  const query = `place=us&level=state&from=2024-09&to=${LAST_MONTH}`;
  const some = await rowsOf(base, `/api/history/prints?${query}`);
  const months = new Set(some.map((row) => at(row, "month")));
  assert.deepEqual([...months], ["2024-09", LAST_MONTH]);
  assert.equal(some.length, 100, "fifty states, two months each");
  assert.deepEqual(await rowsOf(base, "/api/history/prints?level=zip"), []);
  assert.deepEqual(await rowsOf(base, "/api/history/prints?index=zori"), []);

  const before = await rowsOf(base, "/api/history/prints?place=state:tx&asOf=2024-12-17");
  assert.equal(at(before.at(-1), "month"), LAST_MONTH, "December's release was not known");
  assert.deepEqual(await rowsOf(base, "/api/history/prints?asOf=2024-11-19"), []);
});

test("a scope that cannot be is refused with its field", async (t) => {
  const { world } = await opened(t);
  for (const [query, status, field] of [
    ["place=state:zz", 404, "place"],
    ["from=2024-10&to=2024-09", 400, "to"],
    ["from=2024-13", 400, "from"],
    ["to=soon", 400, "to"],
    ["level=metro", 400, "level"],
    ["index=gold", 400, "index"],
    ["format=xml", 400, "format"],
    ["limit=3", 400, "limit"],
  ] as const) {
    for (const what of ["prints", "marks"]) {
      const { status: got, body } = await world.get(`/api/history/${what}?${query}`);
      assert.deepEqual([got, at(body, "error", "field")], [status, field], query);
    }
  }
  const { body } = await world.get("/api/history/prints?asOf=2031-01-01");
  assert.equal(at(body, "error", "field"), "asOf");
});

test("prints are kept under a tag until a release comes", async (t) => {
  const { world, base } = await opened(t);
  const url = `${base}/api/history/prints?format=csv`;
  const first = await textOf(url);
  const tag = first.headers.get("etag") ?? "";
  assert.match(tag, /^W\/"[!-~]+"$/);
  assert.equal(first.headers.get("cache-control"), "public, no-cache");
  let asked = 0;
  const points = world.series.points.bind(world.series);
  t.mock.method(world.series, "points", (...of: Parameters<typeof points>) => {
    asked += 1;
    return points(...of);
  });
  const again = await textOf(url, { "if-none-match": tag });
  assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", tag]);
  assert.equal(asked, 0, "nothing was made for it");
  for (const other of ["format=json", "format=csv&place=state:tx", "format=csv&to=2024-01"]) {
    const { headers, status } = await textOf(`${base}/api/history/prints?${other}`, {
      "if-none-match": tag,
    });
    assert.equal(status, 200, other);
    assert.notEqual(headers.get("etag"), tag, other);
  }
  await world.admin("POST", "clock", { setTo: "2024-12-18T12:00:00Z" });
  await world.printNext("zhvi", "state:tx", "262345.5");
  const later = await textOf(url, { "if-none-match": tag });
  assert.equal(later.status, 200);
  assert.notEqual(later.headers.get("etag"), tag);
});

const PLACES = 600;
const MONTHS = 300;

/** So many zips that an answer is far longer than what waits anywhere on its way. */
function printMany({ series }: PublicWorld): void {
  const value = parsePrintValue("250000.25");
  assert.ok(value !== undefined);
  const first = addMonths(month(LAST_MONTH), 1 - MONTHS);
  for (let zip = 0; zip < PLACES; zip += 1) {
    const points = Array.from({ length: MONTHS }, (_, step) => ({
      month: addMonths(first, step),
      valueE15: value,
      levelE12: firstLevel,
      releaseId: releaseId("rel-1"),
      backfill: true,
    }));
    series.extend("zhvi", nodeId(`zip:${10_000 + zip}`), points);
  }
}

test("a reader that stops is not read for, and one that leaves ends it", async (t) => {
  const { world, base } = await opened(t);
  printMany(world);
  let asked = 0;
  const points = world.series.points.bind(world.series);
  t.mock.method(world.series, "points", (...of: Parameters<typeof points>) => {
    asked += 1;
    return points(...of);
  });
  const { port } = new URL(base);
  const slow = connect(Number(port), "127.0.0.1");
  slow.on("error", () => undefined);
  slow.pause();
  slow.write("GET /api/history/prints?format=ndjson HTTP/1.1\r\nHost: localhost\r\n\r\n");
  let waits = 0;
  for (let before = -1; before !== asked || asked === 0; waits += 1) {
    before = asked;
    await wait(200);
    assert.ok(waits < 100, "it comes to rest");
  }
  t.diagnostic(`${asked} of ${PLACES} places`);
  assert.ok(asked < PLACES / 4, `${asked} places were read for a reader that reads nothing`);
  slow.destroy();

  const leaving = new AbortController();
  const answer = await fetch(`${base}/api/history/prints`, { signal: leaving.signal });
  const reader = answer.body?.getReader();
  await reader?.read();
  leaving.abort();
  await wait(500);
  const left = asked;
  await wait(500);
  assert.equal(asked, left, "nothing is read for a reader that has left");

  // Both have given their places back: an address has two.
  const whole = await textOf(`${base}/api/history/prints?format=csv`);
  assert.equal(whole.status, 200, whole.text.slice(0, 200));
  assert.ok(whole.text.split("\n").length > PLACES * MONTHS);
});

test("a release that comes meanwhile is in no row of an answer", async (t) => {
  const { world, base } = await opened(t);
  printMany(world);
  const answer = await fetch(`${base}/api/history/prints?format=csv`, {
    headers: { "accept-encoding": "identity" },
  });
  const reader = answer.body?.getReader();
  assert.ok(reader !== undefined);
  const pieces = [(await reader.read()).value ?? new Uint8Array()];
  await world.admin("POST", "clock", { setTo: "2024-12-18T12:00:00Z" });
  await world.printNext("zhvi", "state:tx", "262345.5");
  const last = nodeId(`zip:${10_000 + PLACES - 1}`);
  const newest = world.series.newest("zhvi", last);
  assert.ok(newest !== undefined);
  const next = { ...newest, month: addMonths(newest.month, 1), releaseId: releaseId("rel-2") };
  world.series.extend("zhvi", last, [next]);
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    pieces.push(read.value);
  }
  const rows = Buffer.concat(pieces).toString().split("\n");
  assert.equal(rows.filter((row) => row.startsWith(`${last},`)).length, MONTHS);
  assert.equal(rows.filter((row) => row.includes(",rel-2,")).length, 0);
});

test("an address has two long answers under way, those without an account four", async (t) => {
  const { world, base } = await opened(t);
  printMany(world);
  const open = async (path: string) => {
    const answer = await fetch(`${base}/api/history/prints${path}`);
    t.after(() => answer.body?.cancel().catch(() => undefined));
    return answer.status;
  };
  assert.deepEqual([await open(""), await open("?format=csv")], [200, 200]);
  const third = await textOf(`${base}/api/history/prints`);
  assert.deepEqual([third.status, third.headers.get("retry-after")], [429, "5"]);
  assert.equal(textAt(JSON.parse(third.text), "code"), "RATE_LIMITED");
  assert.equal(await open("?place=state:tx"), 200, "a short answer takes no place");
});

test("marks in bulk are the days of each market", async (t) => {
  const { world, base } = await opened(t);
  const { world: exchange } = world;
  const [maker, taker] = [await exchange.trader("a"), await exchange.trader("b")];
  const markets = [await exchange.market(), await exchange.market("250000")].sort();
  const mark = async (market: string, price: string): Promise<void> => {
    const [markTick, stressedTick] = [parseTick(price), parseTick("0.9")];
    assert.ok(markTick !== undefined && stressedTick !== undefined);
    const marks = [{ marketId: marketId(market), markTick, stressedTick }];
    const command = publishMarks(marks);
    const actor = { type: "system" } as const;
    await exchange.engine.submit({ actor, command, requestId: "marks", idempotency: null });
  };
  for (const day of ["2024-11-21", "2024-12-02", "2024-12-03"]) {
    await exchange.root({ type: "SetClock", toMillis: Date.parse(`${day}T12:00:00Z`) });
    for (const [number, market] of markets.entries()) {
      await mark(market, `0.4${number}`);
      for (const [secret, side] of [
        [maker.secret, "SELL"],
        [taker.secret, "BUY"],
      ] as const) {
        const body = order(market, { side, amount: "3", price: 0.5 + number / 100 });
        const placed = await exchange.post("/api/trading/orders", secret, body);
        assert.equal(placed.statusCode, 200, placed.body);
      }
    }
  }
  const expected: Row[] = [];
  for (const market of markets) {
    const { body } = await world.get(`/api/markets/${market}/history`);
    for (const candle of listAt(body, "data").map(objectIn).reverse()) {
      const { period, ...rest } = candle;
      const { measurementMonth } = objectIn(
        at((await world.get(`/api/markets/${market}/resolution`)).body, "data"),
      );
      const of = { marketId: market, index: "zhvi", nodeId: "state:tx", measurementMonth };
      expected.push({ ...of, day: period, ...rest });
    }
  }
  assert.deepEqual(await rowsOf(base, "/api/history/marks?place=state:tx"), expected);
  assert.deepEqual(
    await rowsOf(base, "/api/history/marks?from=2024-12&to=2024-12"),
    expected.filter((row) => String(at(row, "day")).startsWith("2024-12")),
  );
  for (const none of ["place=state:ny", "index=zori", "to=2024-10", "level=zip"]) {
    assert.deepEqual(await rowsOf(base, `/api/history/marks?${none}`), [], none);
  }
});
