// Signatures against the published vector of the Standard Webhooks specification.
import assert from "node:assert/strict";
import { test } from "node:test";
import { messageBody, secretOf, secretShown, signedHeaders } from "#webhooks/signature.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("the published vector is signed as published", () => {
  const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  const body = bytes('{"test": 2432232314}');
  assert.deepEqual(signedHeaders([secret], { id, atSeconds: 1_614_265_330, body }), {
    "webhook-id": id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("while a secret is replaced, the newer one signs first and the one before beside it", () => {
  const parts = { id: "msg_1", atSeconds: 1, body: bytes("{}") };
  const [one, two] = [secretOf("key", "salt 1"), secretOf("key", "salt 2")];
  const alone = [one, two].map((secret) => signedHeaders([secret], parts)["webhook-signature"]);
  assert.equal(signedHeaders([one, two], parts)["webhook-signature"], alone.join(" "));
  assert.notEqual(alone[0], alone[1]);
});

test("a secret is drawn from its salt and the key together, and has 32 bytes", () => {
  const secret = secretOf("key", "salt");
  assert.equal(secret.length, 32);
  assert.match(secretShown(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(secretOf("key", "salt"), secret);
  assert.notDeepEqual(secretOf("key", "salT"), secret);
  assert.notDeepEqual(secretOf("kez", "salt"), secret);
});

test("a message is the entry of the private stream in an envelope", () => {
  const body = messageBody("own", 0, bytes('{"sequence":7,"events":[]}'));
  assert.deepEqual(JSON.parse(Buffer.from(body).toString()), {
    type: "account.entry",
    timestamp: "1970-01-01T00:00:00.000Z",
    data: { sequence: 7, events: [] },
  });
});
