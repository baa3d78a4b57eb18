// The reference page: whole without any other server, no script but its own files, and free.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServedReference } from "#http/served-reference.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { drawDocument } from "../../tools/openapi.ts";
import { PublicWorld } from "./public-world.ts";

const REFERENCE = "/api/docs/openapi.json";

const assetsOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = ""]) => url);

test("the page and all that it names are served, each as what it is", async (t) => {
  const { world } = await PublicWorld.open(t);
  const html = await world.get("/api/docs");
  assert.equal(html.statusCode, 200);
  assert.equal(html.headers["content-type"], "text/html; charset=utf-8");
  assert.equal((await world.get("/api/docs/")).body, html.body);
  const start = await world.get("/api/docs/start.js");
  const named = [...assetsOf(html.body), /url: "([^"]+)"/.exec(start.body)?.[1] ?? ""];
  const types: readonly (readonly [RegExp, string])[] = [
    [/\.js$/, "text/javascript; charset=utf-8"],
    [/\.css$/, "text/css; charset=utf-8"],
    [/\.json$/, "application/json"],
    [/\.png$/, "image/png"],
  ];
  assert.equal(new Set(named).size, 5);
  for (const url of named) {
    assert.match(url, /^\/api\/docs\/[a-z0-9.-]+$/i, "nothing is loaded from anywhere else");
    const asset = await world.get(url);
    assert.equal(asset.statusCode, 200, url);
    const type = types.find(([form]) => form.test(url))?.[1];
    assert.equal(asset.headers["content-type"], type, url);
    assert.equal(asset.headers["x-content-type-options"], "nosniff");
    assert.ok(asset.rawPayload.length > 100, url);
  }
  const style = await world.get("/api/docs/swagger-ui.css");
  assert.ok(!/url\((?!["']?data:)/.test(style.body), "the style loads nothing");
});

test("no script runs but the page's own files, and nobody frames it", async (t) => {
  const { world } = await PublicWorld.open(t);
  const html = await world.get("/api/docs");
  const policy = String(html.headers["content-security-policy"]);
  assert.match(policy, /default-src 'self'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.ok(!policy.includes("unsafe"), policy);
  assert.ok(!/https?:|\*/.test(policy), policy);
  assert.ok(!/<script(?![^>]*src=)/.test(html.body), "no inline script");
  assert.ok(!/ on[a-z]+=|style=/.test(html.body), "no inline handler or style");
});

test("the reference costs nothing, however often it is read", async (t) => {
  const { world } = await PublicWorld.open(t);
  const holder = await world.account("a");
  const slow = await world.post("/api/trading/keys", holder.secret, {
    label: "slow",
    permissions: ["read:portfolio"],
    rateLimit: 1,
  });
  const key = textAt(slow.json(), "data", "secret");
  for (let read = 0; read < 12; read += 1) {
    assert.equal((await world.get("/api/docs/openapi.json", key)).statusCode, 200);
  }
  const left = await world.get("/api/docs", key);
  assert.match(String(left.headers.ratelimit), /^"loopback";r=600;/, "nothing of it is spent");
  const wrong = await world.get("/api/docs", "nonsense");
  assert.equal(wrong.statusCode, 401, "a wrong credential is wrong here too");
  const head = await world.server.inject({ method: "HEAD", url: "/api/docs/swagger-ui.css" });
  assert.deepEqual([head.statusCode, head.body], [200, ""]);
});

test("an empty exchange names no place, market or order that it does not hold", async (t) => {
  const { world } = await PublicWorld.open(t);
  const { body } = await world.get(REFERENCE);
  const parameters: unknown[] = Object.values(JSON.parse(body).paths)
    .flatMap((methods) => Object.values(Object(methods)))
    .flatMap((operation) => Object(operation).parameters ?? []);
  const examples = parameters.flatMap((one) =>
    at(one, "example") === undefined
      ? []
      : [`${textAt(one, "name")} ${String(at(one, "example"))}`],
  );
  assert.ok(examples.includes("tier standard"), "what every exchange has stays");
  for (const example of examples) assert.doesNotMatch(example, /^(marketId|orderId|against|node) /);
});

test("the served reference is drawn once, and again when there is something new", async (t) => {
  const public_ = await PublicWorld.open(t);
  const ports = {
    view: public_.world.view,
    series: public_.series,
    engine: public_.world.engine,
    demoAccount: () => undefined,
  };
  const reference = new ServedReference(JSON.stringify(drawDocument()), ports);
  const first = reference.bytes();
  assert.equal(reference.bytes(), first, "the same bytes, not a copy of them");
  await public_.printStates("zhvi");
  const second = reference.bytes();
  assert.notEqual(second, first);
  const quote = at(JSON.parse(second.toString()), "paths", "/api/quotes", "get", "parameters");
  const expiry = listAt({ quote }, "quote").find((one) => at(one, "name") === "expiry");
  assert.equal(at(expiry, "example"), "2025-10", "a year after the newest print");
});
