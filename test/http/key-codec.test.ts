// Keys as text: their form, their checksum, and what is kept of them.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { keyKind, newSecret, sameSecret, secretDigest } from "#http/server/key-codec.ts";

test("a new key has its form, its prefix of 12 characters and the HMAC of the whole of it", () => {
  for (const kind of ["live", "test", "pub"] as const) {
    const { secret, prefix, digest } = newSecret(kind, "pepper");
    assert.match(secret, new RegExp(`^fp_${kind}_[0-9A-Za-z]{36}$`));
    assert.equal(keyKind(secret), kind);
    assert.equal(prefix, secret.slice(0, 12));
    assert.equal(digest, createHmac("sha256", "pepper").update(secret).digest("hex"));
    assert.notEqual(secretDigest(secret, "another pepper"), digest);
  }
});

test("the checksum is the CRC-32 of what stands before it, in base 62, six digits", () => {
  // Worked out apart from this code: their CRC-32 is 1804777005, "1y8ewX" in base 62.
  assert.equal(keyKind("fp_live_0123456789ABCDEFGHIJKLMNOPQRST1y8ewX"), "live");
  assert.equal(keyKind("fp_live_0123456789ABCDEFGHIJKLMNOPQRST000000"), undefined);
});

test("any one character changed is noticed without a look-up", () => {
  const { secret } = newSecret("live", "pepper");
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: secret.length - 1 }),
      fc.stringMatching(/^[0-9A-Za-z]$/),
      (at, letter) => {
        fc.pre(secret[at] !== letter);
        assert.equal(keyKind(secret.slice(0, at) + letter + secret.slice(at + 1)), undefined);
      },
    ),
  );
});

test("text of another form is no key", () => {
  const { secret } = newSecret("test", "pepper");
  for (const text of [
    "",
    "fp_test_",
    secret.slice(0, -1),
    `${secret}0`,
    ` ${secret}`,
    `${secret}\n`,
    secret.replace("test", "live"),
    secret.replace("fp_test_", "fp_prod_"),
    secret.toUpperCase(),
  ]) {
    assert.equal(keyKind(text), undefined, JSON.stringify(text));
  }
});

test("no two keys are alike", () => {
  const secrets = Array.from({ length: 1_000 }, () => newSecret("live", "pepper").secret);
  assert.equal(new Set(secrets).size, secrets.length);
});

test("secrets of any lengths are compared by their content", () => {
  assert.equal(sameSecret("correct horse", "correct horse"), true);
  assert.equal(sameSecret("correct horse", "correct hors"), false);
  assert.equal(sameSecret("", "correct horse"), false);
  assert.equal(sameSecret("Correct horse", "correct horse"), false);
});
