// Base64 and hex as the verifier of exports reads them, in Node and in a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBase64, fromHex, isSame, joined, toHex } from "../../tools/octets.ts";

test("base64 is read in its one form, and bytes come back from hex", () => {
  for (let length = 0; length < 50; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) % 256);
    assert.deepEqual(fromBase64(Buffer.from(bytes).toString("base64")), bytes);
    assert.equal(toHex(bytes), Buffer.from(bytes).toString("hex"));
    assert.deepEqual(fromHex(toHex(bytes)), bytes);
    assert.ok(isSame(joined([bytes.subarray(0, 7), bytes.subarray(7)]), bytes));
  }
  for (const text of [" QUI=", "QUI", "QUJ=", "QU=I", "Q U I =", "QU-_", "%", undefined, 7]) {
    assert.equal(fromBase64(text), undefined, `${text}`);
  }
});
