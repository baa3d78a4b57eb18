// A body with two prices, and a label that reads backwards: a proxy that keeps the first of two
// members approved one order, and the exchange placed the other; and an operator who revoked the
// key "read only" looked at a name that ends before it begins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "#http/server/json-source.ts";
import { order, World } from "#test/http/world.ts";
import { at } from "#test/support/exchange.ts";

const repeatedIn = (text: string): string | undefined => parseJson(Buffer.from(text))?.repeated;

const codeOf = (body: string): unknown => at(JSON.parse(body), "code");

test("an order with two prices is refused, however the second is written", async (t) => {
  const world = await World.open(t);
  const { secret } = await world.trader("anna");
  const market = await world.market("300000");
  const sent = JSON.stringify(order(market, { price: 0.4 }));
  const twice = ['"price":0.9', '"pric\\u0065" : 0.9'].map((second) =>
    sent.replace(/}$/, `,${second}}`),
  );
  const answers = [];
  for (const payload of twice) {
    const answer = await world.server.inject({
      method: "POST",
      url: "/api/trading/orders",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      payload,
    });
    answers.push(`${answer.statusCode} ${codeOf(answer.body)}`);
    assert.equal(at(JSON.parse(answer.body), "error", "field"), "price");
  }
  assert.deepEqual(answers, ["400 INVALID_REQUEST", "400 INVALID_REQUEST"]);
  assert.equal((await world.post("/api/trading/orders", secret, JSON.parse(sent))).statusCode, 200);
  t.diagnostic(`after: ${answers.join(", ")}`);
});

test("only a name that one object bears twice is one", () => {
  for (const once of [
    "{}",
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '["a","a",":"]',
    '{"a":"a\\":","b":"a"}',
    '{"a":"\\\\","b":"{\\"a\\":1,\\"a\\":2}"}',
  ]) {
    assert.equal(repeatedIn(once), undefined, once);
  }
  for (const twice of [
    '{"a":1,"a":1}',
    '{"b":[{"a":1 , "a"\n:2}]}',
    '{"a":{"c":[]},"\\u0061":2}',
    '[{},{"b":"}","a":1,"a":2}]',
  ]) {
    assert.equal(repeatedIn(twice), "a", twice);
  }
});

test("a label that reads backwards, or hides what it says, is refused", async (t) => {
  const world = await World.open(t);
  const { secret } = await world.trader("anna");
  const make = (label: string) =>
    world.post("/api/trading/keys", secret, { label, permissions: ["read:markets"] });
  const answers = new Set<string>();
  for (const hidden of ["\u202e", "\u2066", "\u200f", "\u061c", "\u0000", "\u001b[2J", "\u0085"]) {
    const answer = await make(`read ${hidden} only`);
    answers.add(`${answer.statusCode} ${codeOf(answer.body)}`);
    assert.equal(at(answer.json(), "error", "field"), "label");
  }
  assert.deepEqual([...answers], ["400 INVALID_REQUEST"]);
  const plain = await make("lecture seule \u05e7\u05e8\u05d9\u05d0\u05d4 \u8aad\u307f");
  assert.equal(plain.statusCode, 200, plain.body);
  t.diagnostic(`after: ${[...answers].join(", ")}`);
});
