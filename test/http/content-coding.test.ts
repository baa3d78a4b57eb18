// How an answer goes out: coded as the request takes it, kept by whoever may keep it, tagged.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { CodedBodies, codingAsked } from "#http/server/content-coding.ts";
import { isHeld, tagOf } from "#http/server/entity-tag.ts";
import { PublicWorld } from "./public-world.ts";
import { type Holder, order } from "./world.ts";

test("the coding is what the request weighs most, and of equals the smaller", () => {
  const rows = [
    [[], "identity"],
    [[""], "identity"],
    [["br"], "br"],
    [["gzip"], "gzip"],
    [["x-gzip"], "gzip"],
    [["gzip, deflate, br"], "br"],
    [["gzip", "br"], "br"],
    [["BR ; Q=1.000"], "br"],
    [["br;q=0.5, gzip;q=0.9"], "gzip"],
    [["br;q=0, *"], "gzip"],
    [["*"], "br"],
    [["*;q=0"], "identity"],
    [["br;q=0, gzip;q=0"], "identity"],
    [["gzip;q=0.3, identity"], "identity"],
    [["gzip, identity;q=0"], "gzip"],
    [["deflate, zstd, compress"], "identity"],
    [["br;q=2"], "identity"],
    [["br;q=yes, gzip;q=0.1"], "gzip"],
    [["br;level=11"], "identity"],
    [[",,;q=1,"], "identity"],
  ] as const;
  for (const [sent, coding] of rows) assert.equal(codingAsked(sent), coding, sent.join(" + "));
});

test("a tag is held when the list names it, weakly", () => {
  const tag = tagOf("what it says");
  assert.match(tag, /^W\/"[\w-]{22}"$/);
  assert.equal(tagOf(Buffer.from("what it says")), tag, "of text and bytes alike");
  assert.notEqual(tagOf("what it says."), tag);
  const strong = tag.slice(2);
  for (const held of [tag, strong, `"a", ${tag}`, `${strong},"b"`, "*", ` ${tag} `]) {
    assert.ok(isHeld([held], tag), held);
  }
  assert.ok(isHeld(['"a"', tag], tag), "in a second header");
  for (const other of ["", '""', '"a"', tag.slice(3, -1), `"${strong.slice(1, -2)}"`, '"*"']) {
    assert.ok(!isHeld([other], tag), other);
  }
  assert.ok(!isHeld([], tag));
});

test("with too much to code, an answer stays as it is; what was coded is coded once", async () => {
  const bodies = new CodedBodies();
  const bytes = () => Buffer.from("a place and its value ".repeat(1_000));
  const same = await Promise.all([
    bodies.coded("br", bytes, "one"),
    bodies.coded("br", bytes, "one"),
  ]);
  assert.ok(same[0] !== undefined && same[0] === same[1], "two who ask at once share one coding");
  assert.equal(await bodies.coded("br", bytes, "one"), same[0]);
  const many = await Promise.all(
    Array.from({ length: 20 }, () => bodies.coded("gzip", bytes, undefined)),
  );
  assert.equal(many.filter((coded) => coded === undefined).length, 12, "eight at a time");
  assert.ok((await bodies.coded("gzip", bytes, undefined)) !== undefined, "room comes back");
});

async function openWorld(t: Parameters<typeof PublicWorld.open>[0]) {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  await world.world.listen();
  const fetched = async (
    path: string,
    headers: Record<string, string> = {},
    { method = "GET", body = "" } = {},
  ) => {
    const asked = request(`${world.world.url}${path}`, { method, headers, agent: false });
    asked.end(body);
    const [answer] = await once(asked, "response");
    return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
  };
  return { exchange: world.world, fetched };
}

const bearer = ({ secret }: Holder) => ({ authorization: `Bearer ${secret}` });
const VARY = "accept-encoding, firstprint-min-sequence";
const limits = "/api/limits";

test("a public answer: coded, tagged, and not sent again to who holds it", async (t) => {
  const { exchange, fetched } = await openWorld(t);
  const plain = await fetched(limits);
  const said = plain.bytes.toString("utf8");
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(plain.headers["cache-control"], "public, no-cache");
  assert.equal(plain.headers.vary, VARY);
  const br = await fetched(limits, { "accept-encoding": "gzip, br" });
  assert.equal(br.headers["content-encoding"], "br");
  assert.equal(brotliDecompressSync(br.bytes).toString("utf8"), said);
  assert.ok(br.bytes.length < plain.bytes.length / 4, `${br.bytes.length} of ${said.length} bytes`);
  const gzip = await fetched(limits, { "accept-encoding": "gzip" });
  assert.equal(gunzipSync(gzip.bytes).toString("utf8"), said);
  for (const { headers, bytes } of [br, gzip]) {
    assert.equal(headers.etag, plain.headers.etag, "one tag in every coding");
    assert.equal(headers.vary, VARY);
    assert.equal(headers["content-length"], String(bytes.length));
  }

  const held = await fetched(limits, { "if-none-match": String(plain.headers.etag) });
  assert.equal(held.status, 304);
  assert.equal(held.bytes.length, 0);
  assert.equal(held.headers.etag, plain.headers.etag);
  assert.equal(held.headers["cache-control"], "public, no-cache");
  assert.equal(held.headers.vary, VARY);
  assert.ok(held.headers["x-request-id"] !== undefined);
  const other = await fetched(limits, { "if-none-match": '"another"' });
  assert.equal(other.status, 200);
  const head = await fetched(limits, { "accept-encoding": "br" }, { method: "HEAD" });
  assert.equal(head.headers["content-length"], br.headers["content-length"]);
  assert.equal(head.bytes.length, 0);

  const short = await fetched("/api/time", { "accept-encoding": "br" });
  assert.equal(short.headers["content-encoding"], undefined, "a short one is sent as it is");
  const page = await fetched("/api/docs/swagger-ui.css", { "accept-encoding": "br" });
  assert.equal(page.headers["content-encoding"], "br");
  assert.equal(page.headers["cache-control"], "public, max-age=600", "a file says for itself");
  const stream = request(`${exchange.url}/api/stream`, { headers: { "accept-encoding": "br" } });
  const [opened] = await once(stream.end(), "response");
  assert.equal(opened.headers["content-encoding"], undefined, "a stream holds nothing back");
  stream.destroy();
  const picture = await fetched("/api/docs/favicon-32x32.png", { "accept-encoding": "br" });
  assert.equal(picture.headers["content-encoding"], undefined, "a picture does not shrink");
  const wrong = await fetched("/api/index/state:zz", { "if-none-match": "*" });
  assert.equal(wrong.status, 404);
  assert.equal(wrong.headers.etag, undefined, "a refusal has no tag");
  assert.equal(wrong.headers["cache-control"], "no-store");
});

test("one's own answers are kept by nobody, those of operators are never coded", async (t) => {
  const { exchange, fetched } = await openWorld(t);
  const trader = await exchange.trader("a");
  const auditor = await exchange.account("b", "auditor");
  const operator = await exchange.account("c", "operator");
  const marketId = await exchange.market();
  const orders = Array.from({ length: 20 }, (_, at) =>
    order(marketId, { clientOrderId: `o${at}` }),
  );
  const br = { "accept-encoding": "br", "content-type": "application/json" };
  const body = JSON.stringify({ orders });
  const placed = await fetched(
    "/api/trading/orders/batch",
    { ...br, ...bearer(trader) },
    { method: "POST", body },
  );
  assert.equal(placed.status, 200, placed.bytes.toString());
  assert.ok(placed.bytes.length > 1_024);
  const own = await fetched("/api/trading/orders", { ...br, ...bearer(trader) });
  const logs = await fetched("/api/audit/logs", { ...br, ...bearer(auditor) });
  const rules = await fetched("/api/admin/accounts", { ...br, ...bearer(operator) });
  for (const { status, headers } of [placed, own, logs, rules]) {
    assert.equal(status, 200);
    assert.equal(headers["cache-control"], "private, no-store");
    assert.equal(headers.etag, undefined, "a tag would tell whether it changed");
  }
  assert.equal(own.headers["content-encoding"], "br");
  const { data } = JSON.parse(brotliDecompressSync(own.bytes).toString("utf8"));
  assert.equal(data.length, 20);
  for (const { headers } of [placed, logs, rules]) {
    assert.equal(headers["content-encoding"], undefined, "it repeats what callers wrote");
  }
  const held = await fetched("/api/trading/orders", { ...bearer(trader), "if-none-match": "*" });
  assert.equal(held.status, 200, "it is answered whole, whatever the caller holds");

  const exported = await fetched("/api/audit/export", { ...br, ...bearer(trader) });
  assert.equal(exported.headers["content-encoding"], "br");
  assert.ok(JSON.parse(brotliDecompressSync(exported.bytes).toString("utf8")).data.length >= 1);
});
