// The frame through the real server: credentials, methods, bodies, limits, streams, broken HTTP.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Type } from "typebox";
import { refuse } from "#http/route/errors.ts";
import { admin, bare, closed, nothing, publicData, type Route } from "#http/route/route.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { ADMIN_SECRET, World } from "./world.ts";

const upload: Route = admin.upload({
  method: "POST",
  url: "/api/admin/files",
  access: "operator",
  summary: "For a test",
  params: nothing,
  query: closed({ name: Type.String({ maxLength: 8 }) }),
  data: Type.Object({ name: Type.String(), content: Type.String() }),
  accepts: { types: ["text/csv"], limitBytes: 2_000_000 },
  upload: async ({ upload, query }) => ({
    data: { name: query.name, content: await text(upload) },
  }),
});

const search: Route = publicData.read({
  url: "/api/search/:place",
  access: "public",
  summary: "For a test",
  cost: 2,
  params: Type.Object({ place: Type.String({ maxLength: 300 }) }),
  query: closed({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
    notional: Type.Optional(Type.Number({ minimum: 0 })),
    active: Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String({ maxLength: 10 })),
  }),
  data: Type.Unknown(),
  read: ({ params, query }) => ({ data: { ...params, ...query } }),
});

const numbers = (count: number, failAt = -1): Route =>
  bare.read({
    url: "/api/numbers",
    access: "public",
    summary: "For a test",
    params: nothing,
    query: nothing,
    data: Type.Unknown(),
    read: () => ({ items: counted(count, failAt) }),
  });

async function* counted(count: number, failAt: number): AsyncGenerator<number> {
  for (let at = 0; at < count; at += 1) {
    if (at === failAt) throw new Error("the source broke off");
    yield at;
  }
}

const world = (t: TestContext): Promise<World> => World.open(t, [upload, search]);

test("a wrong credential is 401 whatever is wrong with it", async (t) => {
  const exchange = await world(t);
  const { secret } = await exchange.account("a");
  const other = newSecret("test", "another pepper").secret;
  const url = "/api/kyc/status";
  const cases: readonly Record<string, string | string[]>[] = [
    {},
    { authorization: "" },
    { authorization: "Bearer" },
    { authorization: "Bearer " },
    { authorization: secret },
    { authorization: `Basic ${secret}` },
    { authorization: `Bearer ${other}` },
    { authorization: `Bearer ${secret}x` },
    { authorization: `Bearer ${secret} ` },
    { authorization: `Bearer  ${secret}` },
    { authorization: `Bearer ${newSecret("pub", "a-pepper-for-tests").secret}` },
    { authorization: [`Bearer ${secret}`, `Bearer ${secret}`] },
    { authorization: `Bearer ${ADMIN_SECRET}` },
    { "x-api-key": secret },
    { "x-admin-secret": ADMIN_SECRET },
  ];
  for (const headers of cases) {
    const answer = await exchange.server.inject({ method: "GET", url, headers });
    assert.equal(answer.statusCode, 401, JSON.stringify(headers));
    assert.equal(answer.json().code, "UNAUTHENTICATED");
    assert.ok(!answer.body.includes(secret), "no credential is echoed");
  }
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const headers = { authorization: `${scheme} ${secret}` };
    const answer = await exchange.server.inject({ method: "GET", url, headers });
    assert.equal(answer.statusCode, 200, scheme);
  }
});

test("on the public surface a credential is optional, a wrong one still wrong", async (t) => {
  const exchange = await world(t);
  const { secret } = await exchange.account("a");
  const url = "/api/search/ny";
  assert.equal((await exchange.get(url)).statusCode, 200);
  assert.equal((await exchange.get(url, secret)).statusCode, 200);
  assert.match(String((await exchange.get(url, secret)).headers["ratelimit-policy"]), /^"key"/);
  assert.equal((await exchange.get(url, undefined, { "x-api-key": secret })).statusCode, 401);
  assert.equal((await exchange.get(url, "nonsense")).statusCode, 401);
});

test("operators: by the admin secret or an operator's key, and nobody else", async (t) => {
  const exchange = await world(t);
  const [operator, trader] = [await exchange.account("a", "operator"), await exchange.account("b")];
  const send = (headers: Record<string, string | string[]>) =>
    exchange.server.inject({
      method: "POST",
      url: "/api/admin/files?name=f",
      headers: { "content-type": "text/csv", ...headers },
      payload: "a,b",
    });
  const good = await send({ "x-admin-secret": ADMIN_SECRET });
  assert.deepEqual(good.json(), { success: true, data: { name: "f", content: "a,b" } });
  assert.equal((await send({ authorization: `Bearer ${operator.secret}` })).statusCode, 200);
  const refused = await send({ authorization: `Bearer ${trader.secret}` });
  assert.deepEqual([refused.statusCode, refused.json().code], [403, "NOT_OPERATOR"]);
  assert.match(refused.json().message, /role trader; send the Bearer key of an operator's account/);
  for (const headers of [
    {},
    { "x-admin-secret": "" },
    { "x-admin-secret": `${ADMIN_SECRET}x` },
    { "x-admin-secret": [ADMIN_SECRET, ADMIN_SECRET] },
    { "x-admin-secret": "wrong", authorization: `Bearer ${operator.secret}` },
    { "x-api-key": ADMIN_SECRET },
  ]) {
    assert.equal((await send(headers)).statusCode, 401, JSON.stringify(headers));
  }
});

test("wrong admin secrets have their own bucket and fold into an entry a minute", async (t) => {
  const exchange = await world(t);
  const send = (secret: string) =>
    exchange.server.inject({
      method: "POST",
      url: "/api/admin/files?name=f",
      headers: { "content-type": "text/csv", "x-admin-secret": secret },
      payload: "a",
    });
  const entries = async () =>
    (
      await Array.fromAsync(exchange.engine.history.newest({ action: "access.refused" }, 10, 0))
    ).map(({ entry }) => entry.envelope.command);
  const codes: number[] = [];
  for (let sent = 0; sent < 12; sent += 1) codes.push((await send("wrong")).statusCode);
  assert.deepEqual(codes, [...new Array(10).fill(401), 429, 429]);
  assert.equal((await send(ADMIN_SECRET)).statusCode, 429, "nothing is compared any more");
  assert.equal((await exchange.get("/api/search/ny")).statusCode, 200, "nor is the address");
  const operation = "x-admin-secret from 127.0.0.1";
  const entry = { type: "RecordRefusal", code: "UNAUTHENTICATED", operation };
  assert.deepEqual(await entries(), [{ ...entry, count: 1 }]);

  exchange.nowMillis += 60_000;
  assert.equal((await send(ADMIN_SECRET)).statusCode, 200);
  await send("wrong");
  assert.deepEqual(await entries(), [
    { ...entry, count: 10 },
    { ...entry, count: 1 },
  ]);
});

test("every answer has its requestId, its rate and a browser's rules, refused too", async (t) => {
  const exchange = await world(t);
  const { secret } = await exchange.account("a");
  for (const answer of [
    await exchange.get("/api/status"),
    await exchange.get("/api/search/ny"),
    await exchange.get("/api/kyc/status", secret),
    await exchange.get("/api/kyc/status"),
    await exchange.get("/api/nowhere"),
    await exchange.get("/api/%zz"),
    await exchange.post("/api/trading/orders", secret, "{"),
  ]) {
    assert.match(String(answer.headers["x-request-id"]), /^[0-9a-f-]{36}$/);
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
    assert.match(String(answer.headers["content-security-policy"]), /frame-ancestors 'none'/);
    assert.equal(answer.headers["referrer-policy"], "no-referrer");
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
    assert.match(String(answer.headers["ratelimit-policy"]), /^"[a-z]+";q=\d+;w=60$/);
    assert.match(String(answer.headers.ratelimit), /^"[a-z]+";r=\d+;t=\d+$/);
    const { error } = answer.json();
    if (error !== undefined) assert.equal(error.requestId, answer.headers["x-request-id"]);
  }
});

test("beyond its burst a caller gets 429 with a wait; the status stays free", async (t) => {
  const exchange = await world(t);
  const { secret } = await exchange.account("a");
  const made = await exchange.post("/api/trading/keys", secret, {
    label: "slow",
    permissions: ["read:portfolio"],
    rateLimit: 60,
  });
  const slow = made.json().data.secret;
  for (let sent = 0; sent < 10; sent += 1) {
    assert.equal((await exchange.get("/api/kyc/status", slow)).statusCode, 200);
  }
  const refused = await exchange.get("/api/kyc/status", slow);
  assert.deepEqual([refused.statusCode, refused.json().message], [429, "Rate limit exceeded"]);
  assert.equal(refused.headers["retry-after"], "2");
  assert.equal((await exchange.get("/api/status", slow)).statusCode, 200);
  assert.equal((await exchange.get("/api/kyc/status", secret)).statusCode, 200);
  exchange.nowMillis += 2_000;
  assert.equal((await exchange.get("/api/kyc/status", slow)).statusCode, 200);
});

test("a path that is there but not for this method names those it takes", async (t) => {
  const exchange = await world(t);
  for (const [method, url, allow] of [
    ["PUT", "/api/trading/keys", "POST, GET, HEAD"],
    ["GET", "/api/trading/keys/key-1", "DELETE"],
    ["DELETE", "/api/status", "GET, HEAD"],
    ["OPTIONS", "/api/kyc/inquiry", "POST"],
  ] as const) {
    const answer = await exchange.server.inject({ method, url });
    assert.deepEqual([answer.statusCode, answer.headers.allow], [405, allow], `${method} ${url}`);
    assert.equal(answer.json().code, "METHOD_NOT_ALLOWED");
  }
  const posted = await exchange.post("/api/nowhere", undefined, "<not json>", {
    "content-type": "text/xml",
  });
  assert.equal(posted.statusCode, 404, "a body for nowhere is not looked at");
  assert.ok(!posted.body.includes("nowhere"));
  assert.equal((await exchange.server.inject({ method: "HEAD", url: "/api/status" })).body, "");
});

test("bodies that are not JSON in UTF-8 are refused for what they are", async (t) => {
  const exchange = await world(t);
  const { secret } = await exchange.account("a");
  const url = "/api/kyc/inquiry";
  const send = (body: string, type: string | undefined, more: Record<string, string> = {}) =>
    exchange.server.inject({
      method: "POST",
      url,
      payload: body,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(type === undefined ? {} : { "content-type": type }),
        ...more,
      },
    });
  const json = "application/json";
  for (const [body, type, status, more] of [
    ['{"tier":"basic"', json, 400],
    ["", json, 400],
    ["null", json, 400],
    ["[]", json, 400],
    ['"basic"', json, 400],
    ["1", json, 400],
    ['{"__proto__":{"tier":"basic"}}', json, 400],
    ['{"tier":"basic","tier2":1}', json, 400],
    ["[".repeat(100_000), json, 400],
    ["tier=basic", "application/x-www-form-urlencoded", 415],
    ['{"tier":"basic"}', "text/plain", 415],
    ['{"tier":"basic"}', "text/csv", 415],
    ['{"tier":"basic"}', "application/jsonp", 415],
    ['{"tier":"basic"}', "nonsense", 415],
    ['{"tier":"basic"}', "application/json; charset=utf-16", 415],
    ['{"tier":"basic"}', undefined, 415],
    ['{"tier":"basic"}', json, 415, { "content-encoding": "gzip" }],
    [`{"tier":"${"x".repeat(131_072)}"}`, json, 413],
    ['{"tier":"basic"}', "application/json; charset=UTF-8", 200],
  ] as const) {
    const answer = await send(body, type, more);
    assert.equal(answer.statusCode, status, `${type}: ${body.slice(0, 40)} → ${answer.body}`);
    if (status >= 400) assert.equal(answer.json().success, false);
  }
});

test("a name that could reach a prototype is refused by its name", async (t) => {
  const exchange = await world(t);
  const { secret } = await exchange.account("a");
  for (const [body, field] of [
    ['{"__proto__":{"tier":"basic"}}', "__proto__"],
    ['{"tier":{"__proto__":{"tier":"basic"}}}', "tier.__proto__"],
    ['{"tier":"basic","constructor":1}', "constructor"],
  ] as const) {
    const answer = await exchange.post("/api/kyc/inquiry", secret, body);
    assert.deepEqual([answer.statusCode, answer.json().error.field], [400, field], body);
  }
});

test("query text becomes a number only where it is written as one", async (t) => {
  const exchange = await world(t);
  const good = await exchange.get(
    "/api/search/new%20york?limit=7&notional=1.50&active=true&q=a+b%2Bc",
  );
  assert.deepEqual(good.json().data, {
    place: "new york",
    limit: 7,
    notional: 1.5,
    active: true,
    q: "a b+c",
  });
  for (const [query, field] of [
    ["limit=51", "limit"],
    ["limit=0", "limit"],
    ["limit=", "limit"],
    ["limit", "limit"],
    ["limit=1.0", "limit"],
    ["limit=1e1", "limit"],
    ["limit=%2B1", "limit"],
    ["limit=+1", "limit"],
    ["limit=0x1", "limit"],
    ["limit=01", "limit"],
    ["limit=1&limit=2", "limit"],
    ["notional=-0", "notional"],
    ["notional=NaN", "notional"],
    ["notional=Infinity", "notional"],
    ["notional=1,5", "notional"],
    ["active=1", "active"],
    ["q=12345678901", "q"],
    ["q=%E0%A4%A", "q"],
    ["stranger=1", "stranger"],
    ["__proto__=1", "__proto__"],
    ["constructor=1", "constructor"],
  ]) {
    const answer = await exchange.get(`/api/search/ny?${query}`);
    assert.equal(answer.statusCode, 400, query);
    assert.deepEqual([answer.json().code, answer.json().error.field], ["INVALID_REQUEST", field]);
  }
  assert.equal((await exchange.get("/api/search/%E0%A4%A")).statusCode, 400);
  assert.equal((await exchange.get(`/api/search/${"x".repeat(400)}`)).statusCode, 404);
  assert.equal((await exchange.get(`/api/search/${"x".repeat(600)}`)).statusCode, 404);
});

test("an upload passes whole up to its limit and fails beyond it", async (t) => {
  const exchange = await world(t);
  const send = (payload: string | ReadableStream, type = "text/csv", query = "?name=f") =>
    fetch(`${exchange.url}/api/admin/files${query}`, {
      method: "POST",
      headers: { "content-type": type, "x-admin-secret": ADMIN_SECRET },
      body: payload,
      duplex: "half",
    });
  await exchange.listen();
  const whole = await send("x".repeat(2_000_000));
  assert.equal(whole.status, 200);
  assert.equal(JSON.parse(await whole.text()).data.content.length, 2_000_000);
  assert.equal((await send("x".repeat(2_000_001))).status, 413);
  const chunked = await send(ReadableStream.from(pieces(30, "x".repeat(100_000))));
  assert.equal(chunked.status, 413, "a length that was not declared is counted");
  for (const type of ["application/octet-stream", "application/x-www-form-urlencoded"]) {
    assert.equal((await send("a", type)).status, 200, `${type}: of a client that was not told`);
  }
  const json = await send("{}", "application/json");
  assert.equal(json.status, 415);
  assert.match(JSON.parse(await json.text()).error.message, /with one of these types: text\/csv/);
  assert.equal((await send("a", "text/csv", "?name=longerthan8")).status, 400);
});

test("a handler that stops reading still answers, and the connection goes on", async (t) => {
  const glance = admin.upload({
    method: "POST",
    url: "/api/admin/glance",
    access: "operator",
    refusals: ["FILE_REFUSED"],
    summary: "For a test",
    params: nothing,
    query: nothing,
    data: Type.Unknown(),
    accepts: { types: ["text/csv"], limitBytes: 50_000_000 },
    upload: async ({ upload }) => {
      const [chunk] = await once(upload, "data");
      upload.pause();
      return refuse("FILE_REFUSED", { details: { first: chunk[0] } });
    },
  });
  const exchange = await World.open(t, [glance]);
  await exchange.listen();
  for (let sent = 0; sent < 3; sent += 1) {
    const answer = await fetch(`${exchange.url}/api/admin/glance`, {
      method: "POST",
      headers: { "content-type": "text/csv", "x-admin-secret": ADMIN_SECRET },
      body: "x".repeat(5_000_000),
    });
    assert.equal(answer.status, 422);
    assert.equal(JSON.parse(await answer.text()).error.details.first, 120);
  }
});

async function* pieces(count: number, piece: string): AsyncGenerator<string> {
  for (let at = 0; at < count; at += 1) yield piece;
}

test("a long answer streams whole; a late failure cuts it, an early one is a 500", async (t) => {
  const long = await World.open(t, [numbers(50_000)]);
  const answer = await long.get("/api/numbers");
  assert.equal(answer.json().length, 50_000);
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");

  const late = await World.open(t, [numbers(50_000, 40_000)]);
  await late.listen();
  await assert.rejects(async () => (await fetch(`${late.url}/api/numbers`)).text());
  assert.equal(late.faults.splice(0).length, 1);

  const early = await World.open(t, [numbers(3, 0)]);
  const failed = await early.get("/api/numbers");
  assert.deepEqual([failed.statusCode, failed.json().code], [500, "INTERNAL"]);
  assert.ok(!failed.body.includes("broke off"), "no inner message leaves the server");
  assert.equal(early.faults.splice(0).length, 1);
});

test("a fault of ours is a 500 without its text, and is told to the node", async (t) => {
  const broken = bare.read({
    url: "/api/broken",
    access: "public",
    summary: "For a test",
    params: nothing,
    query: nothing,
    data: Type.Null(),
    read: () => {
      throw new Error("inner secret");
    },
  });
  const exchange = await World.open(t, [broken]);
  const answer = await exchange.get("/api/broken");
  assert.deepEqual([answer.statusCode, answer.json().code], [500, "INTERNAL"]);
  assert.ok(!answer.body.includes("inner secret"));
  const [fault] = exchange.faults.splice(0);
  assert.ok(fault instanceof Error && fault.message === "inner secret");
});

test("what is not HTTP gets a 4xx in the envelope, and the connection is closed", async (t) => {
  const exchange = await world(t);
  await exchange.listen();
  const { port } = new URL(exchange.url);
  for (const [sent, status, code] of [
    ["nonsense\r\n\r\n", 400, "INVALID_REQUEST"],
    ["GET / HTTP/1.1\r\n\r\n", 400, "INVALID_REQUEST"],
    ["GET / HTTP/1.1\r\nhost: localhost\r\nbad header\r\n\r\n", 400, "INVALID_REQUEST"],
    [
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(40_000)}\r\n\r\n`,
      431,
      "HEADERS_TOO_LARGE",
    ],
    ["POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n", 400, "INVALID_REQUEST"],
  ] as const) {
    const answer = await spoken(Number(port), sent);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `), sent.slice(0, 40));
    assert.equal(JSON.parse(body).code, code, sent.slice(0, 40));
  }
});

/** Everything a raw connection is answered with, until the server closes it. */
async function spoken(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  return text(socket);
}

test("application/problem+json is given where it is asked for", async (t) => {
  const exchange = await world(t);
  const accept = (value: string) => exchange.get("/api/kyc/status", undefined, { accept: value });
  for (const value of ["application/problem+json", "text/html, application/problem+json;q=0.5"]) {
    const answer = await accept(value);
    assert.match(String(answer.headers["content-type"]), /^application\/problem\+json/);
    assert.equal(answer.json().status, 401);
  }
  for (const value of ["*/*", "application/json", "application/problem+json;q=0"]) {
    assert.match(String((await accept(value)).headers["content-type"]), /^application\/json/);
  }
});
