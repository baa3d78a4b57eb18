// The check of a message as docs/concepts/webhooks.md shows it, run as it stands on the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "#test/support/exchange.ts";
import { messageBody, secretOf, secretShown, signedHeaders } from "#webhooks/signature.ts";

const page = readFileSync(join(checkout, "docs/concepts/webhooks.md"), "utf8");

type Verified = (
  secret: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | string,
  nowSeconds?: number,
) => unknown;

async function recipe(): Promise<Verified> {
  const [, code] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(code !== undefined, "the page has a recipe");
  const module: { verified: Verified } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  return module.verified;
}

test("the recipe of the page takes what the exchange signs, and nothing else", async () => {
  const verified = await recipe();
  const [older, newer] = [secretOf("key", "salt 1"), secretOf("key", "salt 2")];
  const entry = Buffer.from('{"sequence":7,"time":"1970-01-01T00:00:00.000Z","events":[]}');
  const body = messageBody("own", 0, entry);
  const atSeconds = Math.floor(Date.now() / 1000);
  const headers = signedHeaders([newer, older], { id: "msg_9f_7", atSeconds, body });
  for (const secret of [older, newer]) {
    const message = verified(secretShown(secret), headers, Buffer.from(body));
    assert.deepEqual(message, JSON.parse(Buffer.from(body).toString()));
  }
  const shown = secretShown(newer);
  const text = Buffer.from(body).toString();
  const id = { "webhook-id": "msg_9f_8" };
  const time = { "webhook-timestamp": `${atSeconds + 1}` };
  assert.notEqual(verified(shown, headers, text), undefined);
  assert.equal(verified(secretShown(secretOf("key", "salt 3")), headers, text), undefined);
  assert.equal(verified(shown, { ...headers, ...id }, text), undefined);
  assert.equal(verified(shown, { ...headers, ...time }, text), undefined);
  assert.equal(verified(shown, headers, text.replace("7", "8")), undefined);
  assert.equal(verified(shown, headers, text, atSeconds + 301), undefined, "replayed later");
  assert.equal(verified(shown, { ...headers, "webhook-timestamp": "soon" }, text), undefined);
});

test("the published example of the page is that of the specification", async () => {
  const verified = await recipe();
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const message = verified(secret, headers, '{"test": 2432232314}', 1_614_265_330);
  assert.deepEqual(message, { test: 2_432_232_314 });
});
