// Requests that grow where they are read: heads, bodies, JSON, files. Each is refused with a code
// that is documented, others are answered meanwhile, and the process does not grow with them.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { constants, gzipSync } from "node:zlib";
import { zipOf } from "#test/ingest/workbook-file.ts";
import { ADMIN_SECRET, at } from "#test/support/exchange.ts";
import { processorSeconds, residentMegabytes } from "./process-facts.ts";
import { openTradedWorld } from "./traded-world.ts";
import { uploadPath } from "./upload.ts";

/** So many of each at once, but files: those are packed anew as they come. */
const TOGETHER = 4;
const MOST_TRIES = 3;
const PATIENCE_MILLIS = 60_000;
/** Most of it is what a collection has not yet found. */
const MORE_MEGABYTES = 400;
const MEGABYTE = 1_048_576;
/** Of memory, and by one who asks meanwhile. */
const LOOK_EACH_MILLIS = 20;

interface Bomb {
  readonly name: string;
  readonly first: string;
  /** Sent after it, again and again, until an answer comes or so much was sent. */
  readonly part?: Uint8Array | string;
  readonly mostBytes?: number;
  readonly status: number;
  readonly code: string;
  /** Its head alone is refused too: which of the two answers comes first is anybody's guess. */
  readonly headToo?: readonly [number, string];
}

const head = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n");

/** The answer's status and code. A client held up for a second may be hung up on: asked again. */
async function heardBy(port: number, bomb: Bomb) {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const heard = await spoken(port, bomb);
    if (!isWhole(heard)) continue;
    const body: unknown = JSON.parse(heard.slice(heard.indexOf("\r\n\r\n") + 4));
    return [Number(heard.slice(9, 12)), at(body, "code")];
  }
  return assert.fail(`${bomb.name}: no answer`);
}

/** The rest of the bomb is not sent once the answer has begun. */
async function spoken(port: number, { first, part = "", mostBytes = 0 }: Bomb): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.setTimeout(PATIENCE_MILLIS, () => socket.destroy());
  socket.on("error", () => undefined);
  let heard = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    heard += chunk;
    if (isWhole(heard)) socket.destroy();
  });
  const closed = new Promise<void>((done) => socket.once("close", () => done()));
  socket.write(first);
  for (let sent = 0; sent < mostBytes && heard === "" && !socket.destroyed; sent += part.length) {
    if (!socket.write(part)) await Promise.race([drained(socket), closed]);
    await new Promise((done) => setImmediate(done));
  }
  await closed;
  return heard;
}

const drained = (socket: Socket): Promise<void> =>
  new Promise((done) => socket.once("drain", () => done()));

function isWhole(heard: string): boolean {
  const end = heard.indexOf("\r\n\r\n");
  const length = /\ncontent-length: (\d+)/i.exec(heard.slice(0, Math.max(end, 0)))?.[1];
  return length !== undefined && heard.length >= end + 4 + Number(length);
}

function headBombs(): readonly Bomb[] {
  const endless = { part: "x".repeat(65_536), mostBytes: 64 * MEGABYTE };
  const start = "GET /api/time HTTP/1.1\r\nhost: localhost\r\n";
  const tooLarge = { status: 431, code: "HEADERS_TOO_LARGE" };
  const chunked = head("POST /api/trading/orders", "transfer-encoding: chunked");
  const bad = { status: 400, code: "INVALID_REQUEST" };
  return [
    { name: "an endless header", first: `${start}x: `, ...endless, ...tooLarge },
    { name: "an endless header name", first: start, ...endless, ...tooLarge },
    { name: "headers without end", first: start, ...endless, part: "a: b\r\n", ...tooLarge },
    { name: "an endless path", first: "GET /", ...endless, ...tooLarge },
    { name: "an endless method", first: "", ...endless, ...bad },
    {
      name: "an endless chunk extension",
      first: `${chunked}1;`,
      ...endless,
      ...tooLarge,
      headToo: [401, "UNAUTHENTICATED"],
    },
    {
      name: "thousands of parameters",
      first: head(`GET /api/markets?${"a=1&".repeat(3_000)}`),
      ...bad,
    },
    {
      name: "a key of 10,000 characters",
      first: head("GET /api/trading/account", `authorization: Bearer ${"x".repeat(10_000)}`),
      status: 401,
      code: "UNAUTHENTICATED",
    },
  ];
}

const order = { outcomeIndex: 0, side: "BUY", amount: "1", price: 0.1 };

function jsonBombs(key: string, marketId: string): readonly Bomb[] {
  const bearer = [`authorization: Bearer ${key}`, "content-type: application/json"] as const;
  const post = (path: string, body: string, ...more: readonly string[]): string =>
    head(`POST ${path}`, ...bearer, `content-length: ${body.length}`, ...more) + body;
  const bad = { status: 400, code: "INVALID_REQUEST" };
  const large = { status: 413, code: "BODY_TOO_LARGE" };
  const one = JSON.stringify({ ...order, marketId });
  const orders = "/api/trading/orders";
  const batch = (items: string): string => post(`${orders}/batch`, `{"orders":[${items}]}`);
  const chunked = head(`POST ${orders}`, ...bearer, "transfer-encoding: chunked");
  const endless = { part: "x".repeat(65_536), mostBytes: 64 * MEGABYTE };
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  const named = (name: string, first: string) => ({ name, first, ...bad });
  const gigabyte = head(`POST ${orders}`, ...bearer, "content-length: 1000000000");
  return [
    { name: "a gigabyte that is announced", first: gigabyte, ...endless, ...large },
    { name: "chunks without end", first: chunked, ...endless, part: chunk, ...large },
    {
      name: "short chunks without end",
      first: chunked,
      ...endless,
      part: `10\r\n${"x".repeat(16)}\r\n`.repeat(2_000),
      ...large,
    },
    {
      name: "a packed body",
      first: post(orders, "{}", "content-encoding: gzip"),
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
    },
    named("120,000 brackets", post(orders, "[".repeat(120_000))),
    named("60,000 lists in each other", post(orders, "[".repeat(6e4) + "]".repeat(6e4))),
    named(
      "20,000 objects in each other",
      post(orders, `${'{"a":'.repeat(2e4)}1${"}".repeat(2e4)}`),
    ),
    named("100,000 digits", post(orders, one.replace('"1"', "9".repeat(100_000)))),
    named(
      "an exponent of 100,000 digits",
      post(orders, one.replace('"1"', `1e${"9".repeat(1e5)}`)),
    ),
    named("100,000 digits as text", post(orders, one.replace('"1"', `"${"9".repeat(100_000)}"`))),
    named("a name of 100,000 letters", post(orders, `{"${"x".repeat(100_000)}":1}`)),
    named("10,000 names", post(orders, JSON.stringify(Object.fromEntries(names(10_000))))),
    named("7,000 prototypes", batch(`${'{"__proto__":{}},'.repeat(7_000)}{}`)),
    named("101 orders", batch(new Array(101).fill(one).join(","))),
    named(
      "a thousand orders",
      batch(
        new Array(1_000)
          .fill(one)
          .join(",")
          .slice(0, 120_000)
          .replace(/,[^}]*$/, ""),
      ),
    ),
    named("60,000 nothings", batch(`${"0,".repeat(60_000)}0`)),
  ];
}

const names = (count: number) => Array.from({ length: count }, (_, at) => [`n${at}`, at] as const);

const query = {
  provider: "sample",
  index: "zhvi",
  level: "state",
  publishedAt: "2024-11-16",
} as const;
const secret = `x-admin-secret: ${ADMIN_SECRET}`;
const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Packed as small as it goes; that it repeats one byte is said to the packer, which is slow else. */
const packed = (bytes: Uint8Array): Buffer =>
  gzipSync(bytes, { level: 9, strategy: constants.Z_RLE });

function fileBombs(): readonly Bomb[] {
  const zeros = Buffer.alloc(600 * MEGABYTE);
  const bomb = packed(zeros);
  const twice = packed(packed(zeros.subarray(0, 100 * MEGABYTE)));
  const sheet = zipOf([["xl/workbook.xml", zeros.subarray(0, 300 * MEGABYTE)]], { level: 1 });
  const inTurn = zipOf([["xl/workbook.xml", sheet]]);
  const refused = { status: 422, code: "FILE_REFUSED" };
  const sending = (name: string, type: string, bytes: Uint8Array, provider = "sample"): Bomb => ({
    name: `${name}, ${bytes.length} bytes`,
    first: head(
      `POST ${uploadPath({ ...query, provider })}`,
      secret,
      `content-type: ${type}`,
      `content-length: ${bytes.length}`,
    ),
    part: bytes,
    mostBytes: bytes.length,
    ...refused,
  });
  const claimed = head(
    `POST ${uploadPath(query)}`,
    secret,
    "content-type: text/csv",
    "content-length: 600000000",
  );
  return [
    sending("600 MB of nothing, packed", "application/gzip", bomb),
    sending("100 MB of nothing, packed twice", "application/gzip", twice),
    sending("a workbook of 300 MB", workbookType, sheet),
    sending("a workbook in a workbook", workbookType, inTurn),
    { name: "a file announced too large", first: claimed, status: 413, code: "BODY_TOO_LARGE" },
  ];
}

test("what is too large is refused by name, and nobody else waits for it", async (t) => {
  const { exchange, traders, market } = await openTradedWorld(t, ["bomber"], "1000000");
  const [bomber] = traders;
  assert.ok(bomber !== undefined);
  const port = Number(new URL(exchange.url).port);
  // Packing them takes this process a while: before anybody is looked at.
  const files = fileBombs();
  const sequence = at((await exchange.get("/api/status")).body, "sequence");
  const before = residentMegabytes(exchange.pid);
  let most = before;
  let looks = 0;
  let longestMillis = 0;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const askedMillis = performance.now();
      assert.equal((await exchange.get("/api/index/state:tx")).status, 200);
      longestMillis = Math.max(longestMillis, performance.now() - askedMillis);
      most = Math.max(most, residentMegabytes(exchange.pid));
      looks += 1;
      await sleep(LOOK_EACH_MILLIS);
    }
  })();
  looking.catch(() => undefined);

  const bombs = [...headBombs(), ...jsonBombs(bomber.key, market), ...files];
  for (const bomb of bombs) {
    const together = files.includes(bomb) ? 1 : TOGETHER;
    const [from, fromSeconds] = [most, processorSeconds(exchange.pid)];
    const heard = await Promise.all(Array.from({ length: together }, () => heardBy(port, bomb)));
    const expected = [
      [bomb.status, bomb.code],
      ...(bomb.headToo === undefined ? [] : [bomb.headToo]),
    ];
    for (const one of heard) {
      // Where this machine is too busy to send it all, the time is over first.
      const isLate = bomb.mostBytes !== undefined && one[0] === 408;
      const isExpected = expected.some((answer) => isDeepStrictEqual(one, answer));
      assert.ok(isLate || isExpected, `${bomb.name}: ${one.join(" ")}`);
    }
    const seconds = processorSeconds(exchange.pid) - fromSeconds;
    if (most > from + 20 || seconds > 1) {
      const cost = `${(most - from).toFixed(0)} MB more, ${seconds.toFixed(1)} s of processor`;
      t.diagnostic(`${together} × ${bomb.name}: ${cost}`);
    }
  }
  isOver = true;
  await looking;
  t.diagnostic(
    `${bombs.length} kinds, ${TOGETHER} at once; ${before.toFixed(0)} MB before, ` +
      `${most.toFixed(0)} at most; ${looks} answered beside them, ` +
      `each within ${longestMillis.toFixed(0)} ms`,
  );
  assert.ok(looks >= bombs.length, `${looks} were answered meanwhile`);
  assert.ok(most < before + MORE_MEGABYTES, `${most} MB after ${before}`);
  assert.equal(at((await exchange.get("/api/status")).body, "sequence"), sequence);
});
