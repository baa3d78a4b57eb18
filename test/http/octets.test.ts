// Base64 and hex as the verifier of exports reads them, in Node and in a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Decoded,
  fromBase64,
  fromHex,
  isSame,
  joined,
  Texts,
  textOf,
  toHex,
} from "../../tools/octets.ts";

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

test("a part of a text is what its bytes are alone, whatever stands around it", () => {
  const alphabets = ["plain", "Peñasco", "東京", "\u{1f3e0}", "\ufeff"];
  const wholes = alphabets.map((text) => Buffer.from(`{"a":"${text}"}${text}`));
  // No UTF-8: alone, in a row, cut off, and such as fit together where they meet.
  const bad = [[0xff], [0x80, 0x80], [0xe2, 0x82], [0x41, 0xe2], [0x82, 0xac, 0x42], [0xef, 0xbb]];
  for (const bytes of [
    ...wholes,
    ...bad,
    ...bad.flatMap((one) => bad.map((two) => [...one, ...two])),
  ]) {
    const whole = Uint8Array.from(bytes);
    const texts = new Texts(whole);
    for (let from = 0; from <= whole.length; from += 1) {
      for (let to = from; to <= whole.length; to += 1) {
        assert.equal(
          texts.of(from, to),
          textOf(whole.subarray(from, to)),
          `${whole} ${from} ${to}`,
        );
      }
    }
  }
});

test("texts decoded into one memory stand apart, and are there until it is cleared", () => {
  const decoded = new Decoded();
  for (const alphabet of ["abc", "añc"]) {
    const texts = [1, 40_000, 0, 60_000, 500_000].map((length) => alphabet.repeat(length));
    const all = texts.map((text) => decoded.add(Buffer.from(text).toString("base64")));
    assert.equal(decoded.add("Q U I ="), undefined);
    assert.equal(decoded.add(7), undefined);
    for (const [index, bytes = new Uint8Array()] of all.entries()) {
      assert.equal(Buffer.from(bytes).toString(), texts[index]);
      assert.equal(decoded.textOf(bytes), texts[index]);
    }
    decoded.clear();
  }
});
