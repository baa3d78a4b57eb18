// The console's files as they are served: from memory, packed as the reader takes them, kept for
// ever under their hashed names; the page at each screen's address, and nowhere under /api.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { sha256Hex } from "#base/digest.ts";
import { consoleRoutes } from "#http/console.ts";
import { World } from "./world.ts";

const html = "<!doctype html><title>Firstprint</title>";
/** So long, packed too, that an answer of the API would be compressed. */
const script = Array.from({ length: 100 }, (_, at) => `"${sha256Hex(String(at))}";`).join("");
const SCRIPT = "/assets/index-Ab_1-2.js";

/** An exchange that serves a made-up console. */
async function opened(t: TestContext): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-console-"));
  mkdirSync(join(folder, "assets"));
  for (const [name, text] of [
    ["index.html", html],
    [SCRIPT.slice(1), script],
  ] as const) {
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
  }
  const routes = consoleRoutes(pathToFileURL(`${folder}/`));
  rmSync(folder, { recursive: true });
  return World.open(t, routes);
}

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

test("the page is asked for anew each time, and may load nothing from elsewhere", async (t) => {
  const world = await opened(t);
  const page = await world.get("/?from=a-letter", undefined, browser);
  assert.equal(page.body, html);
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  assert.equal(page.headers["cache-control"], "no-cache");
  assert.equal(page.headers["cross-origin-opener-policy"], "same-origin");
  assert.equal(page.headers["x-content-type-options"], "nosniff");
  assert.equal(page.headers["referrer-policy"], "no-referrer");
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types firstprint-verifier$/);
  assert.ok(!/unsafe|https?:|\*/.test(policy), policy);

  const etag = String(page.headers.etag);
  const again = await world.get("/", undefined, { "if-none-match": etag });
  assert.deepEqual([again.statusCode, again.body], [304, ""]);
});

test("a hashed file is kept for ever, and comes packed as its reader takes it", async (t) => {
  const world = await opened(t);
  const asked = async (accepted: string) => {
    const reply = await world.get(SCRIPT, undefined, { "accept-encoding": accepted });
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(reply.headers.vary, "accept-encoding");
    return { coding: reply.headers["content-encoding"], bytes: reply.rawPayload };
  };
  const best = await asked("gzip, deflate, br");
  assert.deepEqual([best.coding, `${brotliDecompressSync(best.bytes)}`], ["br", script]);
  const old = await asked("gzip;q=0.5, br;q=0");
  assert.deepEqual([old.coding, `${gunzipSync(old.bytes)}`], ["gzip", script]);
  const plain = await asked("identity");
  assert.deepEqual([plain.coding, `${plain.bytes}`], [undefined, script]);
});

test("a screen's own address gives a browser the page; programs get their 404", async (t) => {
  const world = await opened(t);
  for (const url of ["/place/zip:78704", "/market/mkt-001?tab=book", "/nothing/of/ours"]) {
    const page = await world.get(url, undefined, browser);
    assert.deepEqual([page.statusCode, page.body], [200, html], url);
    const program = await world.get(url, undefined, { accept: "application/json" });
    assert.equal(program.statusCode, 404, url);
  }
  for (const url of ["/api/nothing", "/api", "/assets/gone-1234.js"])
    assert.equal((await world.get(url, undefined, browser)).statusCode, 404, url);
  const refused = await world.get("/api/trading/cancel-after", undefined, browser);
  assert.equal(refused.statusCode, 405);
  assert.equal((await world.post("/place/x", undefined, {}, browser)).statusCode, 404);
});

test("the console costs no rate, however often it is loaded", async (t) => {
  const world = await opened(t);
  const left = async (): Promise<string> => {
    const reply = await world.get("/api/status");
    return String(reply.headers.ratelimit);
  };
  const before = await left();
  for (let count = 0; count < 20; count += 1) {
    await world.get("/", undefined, browser);
    await world.get("/place/zip:78704", undefined, browser);
    await world.get(SCRIPT);
  }
  assert.equal(await left(), before);
});

test("an exchange whose console was not built serves none", () => {
  assert.deepEqual(consoleRoutes(new URL("file:///nothing-is-built-here/")), []);
});
