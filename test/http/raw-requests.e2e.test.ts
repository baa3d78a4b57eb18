// Bytes on a raw socket that are HTTP, nearly HTTP, or two readings of HTTP at once.
//
//   FIRSTPRINT_HOSTILE_SEED=7   another draw
//
// Invariant tested: what is answered is a refusal in the envelope, or a sound request's answer;
// where a proxy could read the bytes otherwise than we do there is one answer, a 400, and the end.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { until } from "#test/e2e/until.ts";
import { drawing } from "#test/journal/sealed.ts";
import { at, type Json } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { type Draw, pick } from "./hostile-values.ts";
import { World } from "./world.ts";

const CASES = 500;
const seed = sizeOfRun("FIRSTPRINT_HOSTILE_SEED", 1);
const PATIENCE_MILLIS = 15_000;

interface Answer {
  readonly status: number;
  readonly body: Json;
}

function connected(world: World): Socket {
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
  socket.setTimeout(PATIENCE_MILLIS, () => socket.destroy(new Error("no end of it")));
  return socket;
}

/** Sends the bytes, hangs up its own side, and gives what came until the server closed. */
async function spoken(world: World, bytes: string): Promise<readonly Answer[]> {
  const socket = connected(world);
  await once(socket, "connect");
  const heard = text(socket);
  socket.end(Buffer.from(bytes, "latin1"));
  return answersIn(await heard);
}

function answersIn(heard: string): readonly Answer[] {
  const answers: Answer[] = [];
  let rest = Buffer.from(heard);
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    assert.ok(end > 0, `no end of a head in ${heard}`);
    const head = rest.subarray(0, end).toString();
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (status === 100) {
      rest = rest.subarray(end + 4);
      continue;
    }
    const length = Number(/\ncontent-length: (\d+)/i.exec(head)?.[1]);
    assert.ok(Number.isInteger(length), `no length in ${head}`);
    const body = rest.subarray(end + 4, end + 4 + length).toString();
    answers.push({ status, body: body === "" ? undefined : JSON.parse(body) });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}

async function opened(t: Parameters<typeof World.open>[0]): Promise<World> {
  const world = await World.open(t);
  await world.listen();
  return world;
}

const inner = "GET /api/status HTTP/1.1\r\nhost: localhost\r\n\r\n";
const chunked = `0\r\n\r\n${inner}`;
const post = (headers: string, body: string): string =>
  `POST /api/kyc/inquiry HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n${body}`;

/** Each may be read in two ways; the second way would be a request that nobody saw. */
const ambiguous: readonly (readonly [string, string])[] = [
  ["a length and chunks", post(`content-length: 5\r\ntransfer-encoding: chunked`, chunked)],
  ["chunks and a length", post(`transfer-encoding: chunked\r\ncontent-length: 5`, chunked)],
  ["two lengths", post(`content-length: 0\r\ncontent-length: ${inner.length}`, inner)],
  ["a list of lengths", post(`content-length: 0, ${inner.length}`, inner)],
  ["a length with a sign", post("content-length: +0", inner)],
  ["a length below zero", post("content-length: -1", inner)],
  ["a length in hex", post("content-length: 0x0", inner)],
  ["a length of 400 digits", post(`content-length: ${"9".repeat(400)}`, inner)],
  ["a space before the colon", post("content-length : 0", inner)],
  ["chunks by another name", post("transfer-encoding: xchunked", chunked)],
  ["chunked twice", post("transfer-encoding: chunked, chunked", chunked)],
  ["chunked, then something", post("transfer-encoding: chunked, identity", chunked)],
  ["a tab before chunked", post("transfer-encoding:\x0bchunked", chunked)],
  ["a folded header", post("transfer-encoding:\r\n chunked", chunked)],
  ["a header ended by LF", post("a: b\ntransfer-encoding: chunked", chunked)],
  ["a header ended by CR", post("a: b\rtransfer-encoding: chunked", chunked)],
  ["a NUL in a header", post("a: b\0c\r\ncontent-length: 0", inner)],
  ["a header without a name", post(": b\r\ncontent-length: 0", inner)],
  ["a header without a colon", post("ab\r\ncontent-length: 0", inner)],
  ["a chunk with a sign", post("transfer-encoding: chunked", `+0\r\n\r\n${inner}`)],
  ["a chunk in 0x", post("transfer-encoding: chunked", `0x0\r\n\r\n${inner}`)],
  ["a chunk too long to count", post("transfer-encoding: chunked", `${"f".repeat(17)}\r\n`)],
  ["chunks ended by LF", post("transfer-encoding: chunked", `0\n\n${inner}`)],
  ["a length with HTTP/0.9", `GET /api/status HTTP/0.9\r\nhost: localhost\r\n\r\n${inner}`],
];

for (const [name, bytes] of ambiguous) {
  test(`${name}: one answer, a 400, and the end`, async (t) => {
    const answers = await spoken(await opened(t), bytes);
    assert.equal(answers.length, 1, JSON.stringify(answers));
    assert.ok(answers[0] !== undefined);
    assert.deepEqual([answers[0].status, at(answers[0].body, "code")], [400, "INVALID_REQUEST"]);
  });
}

const methods = [
  "GET",
  "POST",
  "DELETE",
  "PUT",
  "get",
  "G\0T",
  "",
  "PRI",
  "CONNECT",
  "X".repeat(99),
];
const targets = [
  ...["/api/status", "/api/time", "/", "*", "", "api/status", "//", "/%", "/\0", "/\x7f", "/ /"],
  ...["/api/status?a=%ff", "http://a/api/status", "http://[::1", "/api/../api/status", "?", "#"],
  ...[`/${"a".repeat(9_000)}`, `/api/status?${"a&".repeat(9_000)}`, "/\u00e9", "a:443", "\\"],
];
const versions = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/", "", "X/1.1"];
const headers = [
  ...[
    "host: localhost",
    "host: localhost",
    "host: localhost",
    "host:",
    "host: localhost\r\nhost: localhost",
    "HOST: localhost",
    "",
  ],
  ...[
    "host: localhost\r\nconnection: close",
    "host: localhost\r\nconnection: upgrade\r\nupgrade: websocket",
  ],
  ...[
    "host: localhost\r\nexpect: 100-continue",
    "host: localhost\r\nexpect: 200-ok",
    "host: localhost\r\nupgrade: h2c",
  ],
  ...[
    "host: localhost\r\ncontent-length: 3",
    "host: localhost\r\ntransfer-encoding: chunked",
    "host: localhost\r\n: b",
  ],
  ...[
    `host: localhost\r\nx: ${"y".repeat(20_000)}`,
    `host: localhost\r\n${"x: y\r\n".repeat(2_000)}x: y`,
  ],
  ...[
    "host: localhost\r\ntransfer-encoding: gzip",
    "host: localhost\r\nx: \xff\xfe",
    "host: localhost\r\nx: \x01",
  ],
  ...["host: localhost\r\ncontent-type: application/json\r\ncontent-length: 1048577"],
];
const ends = ["\r\n\r\n", "\r\n\r\n", "\r\n\r\n", "\n\n", "\r\r", "\r\n", "", "\r\n\r\n\r\n", "\0"];
const bodies = [
  "",
  "",
  "{}",
  "abc",
  "3\r\nabc\r\n0\r\n\r\n",
  "3\r\nabc",
  "zz\r\n",
  "\0".repeat(99),
];
const whole = [
  "",
  "\0",
  "\r\n",
  "\r\n".repeat(99),
  "\x16\x03\x01\x02",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
];

/** Sound in most parts: what is odd is not always the first thing that is met. */
function requestOf(draw: Draw): string {
  const part = (sound: string, odd: readonly string[]): string =>
    draw(4) === 0 ? pick(draw, odd) : sound;
  const line = [part("GET", methods), part("/api/status", targets), part("HTTP/1.1", versions)];
  const head = `${line.join(" ")}\r\n${part("host: localhost", headers)}`;
  return `${head}${part("\r\n\r\n", ends)}${part("", bodies)}`;
}

test("a request that breaks after its answer gets no second one", async (t) => {
  const world = await opened(t);
  const socket = connected(world);
  let heard = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    heard += chunk;
  });
  const headers = "host: localhost\r\ntransfer-encoding: chunked";
  socket.write(`POST /api/trading/orders HTTP/1.1\r\n${headers}\r\n\r\n`);
  await until("the head is refused", () => heard.includes('"UNAUTHENTICATED"'));
  socket.write("no chunk\r\n");
  await once(socket, "close");
  assert.deepEqual(
    answersIn(heard).map(({ status }) => status),
    [401],
  );
});

test("the answer reaches a client that sends everything before it reads", async (t) => {
  const world = await opened(t);
  const part = Buffer.alloc(1_000_000, "x");
  const announced = "host: localhost\r\nconnection: close\r\ncontent-length: 32000000\r\n\r\n";
  for (const [head, ...expected] of [
    [`POST /api/trading/orders HTTP/1.1\r\n${announced}`, 401, "UNAUTHENTICATED"],
    ["GET /api/status HTTP/1.1\r\nhost: localhost\r\nx: ", 431, "HEADERS_TOO_LARGE"],
  ] as const) {
    const socket = connected(world);
    socket.write(head);
    for (let sent = 0; sent < 32; sent += 1) {
      if (!socket.write(part)) await once(socket, "drain");
    }
    const [answer] = answersIn(await text(socket));
    assert.deepEqual([answer?.status, at(answer?.body, "code")], expected);
  }
});

test("an expectation that nobody here knows is no reason to refuse", async (t) => {
  const expecting = `GET /api/status HTTP/1.1\r\nhost: localhost\r\nexpect: 200-ok\r\n\r\n`;
  const [answer] = await spoken(await opened(t), expecting);
  assert.deepEqual([answer?.status, at(answer?.body, "mode")], [200, "open"]);
});

test("a request that names a type and has no body is answered", async (t) => {
  const world = await opened(t);
  const { secret } = await world.trader("ada");
  const headers = `authorization: Bearer ${secret}\r\ncontent-type: application/json`;
  const head = `POST /api/trading/orders HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n`;
  const [answer] = await spoken(world, head);
  assert.deepEqual([answer?.status, at(answer?.body, "code")], [400, "INVALID_REQUEST"]);
});

test(`${CASES} drawn requests are refused in the envelope or hung up on, never 5xx`, async (t) => {
  const world = await opened(t);
  const draw = drawing(seed);
  t.diagnostic(`seed ${seed}`);
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < CASES; sent += 1) {
    const bytes = draw(20) === 0 ? pick(draw, whole) : requestOf(draw);
    // The limiter's clock: no bucket is ever empty.
    world.nowMillis += 60_000;
    const told = `seed ${seed} case ${sent}: ${JSON.stringify(bytes).slice(0, 400)}`;
    const answers = await spoken(world, bytes).catch((error) => assert.fail(`${told}\n${error}`));
    for (const { status, body } of answers) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      assert.ok(status >= 200 && status < 500, `${told}\n${JSON.stringify(body)}`);
      const isNamed = typeof at(body, "code") === "string";
      assert.ok(status < 400 || isNamed, `${told}\n${status} ${JSON.stringify(body)}`);
    }
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(statuses)));
  assert.equal((await world.get("/api/status")).statusCode, 200);
});
