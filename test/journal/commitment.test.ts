// Salts of entries and of their parts: nobody who has one finds another, or what another hides.
import assert from "node:assert/strict";
import { test } from "node:test";
import { discloseAll, drawSalt } from "#journal/commitment.ts";

const stored = (salt: string, ...closed: readonly string[]): Uint8Array =>
  Buffer.from(['{"version":1,"sequence":1}', salt, ...closed].join("\u001e"));

test("each entry's salt is drawn anew, and each part has its own", () => {
  const drawn = Array.from({ length: 3_000 }, drawSalt);
  assert.ok(drawn.every((salt) => /^[0-9a-f]{32}$/.test(salt)));
  assert.equal(new Set(drawn).size, drawn.length);
  const salts = drawn.slice(0, 50).flatMap((salt) => {
    const { bytes, closed } = discloseAll(stored(salt, "{}", "{}", "{}"));
    const { parts } = JSON.parse(Buffer.from(bytes).toString("utf8"));
    assert.equal(new Set(parts).size, 3, "equal parts are committed to otherwise");
    return [salt, ...closed.map((part) => part.salt)];
  });
  assert.equal(new Set(salts).size, 200);
});

test("no two stored forms have one commitment", () => {
  const salt = "5".repeat(32);
  const forms = [
    stored(salt, "{}"),
    stored(salt, "{}", "{}"),
    stored(salt, "{}", ""),
    stored(salt, "{} "),
    stored("6".repeat(32), "{}"),
    Buffer.from('{"version":1,"sequence":1}'),
    Buffer.from('{"version":1,"sequence":1,"parts":[]}'),
    discloseAll(stored(salt, "{}")).bytes,
  ];
  const made = forms.map((form) => Buffer.from(discloseAll(form).bytes).toString("utf8"));
  assert.equal(new Set(made).size, forms.length);
  for (const malformed of [stored(salt), stored("5", "{}"), stored(`${salt}\0`, "{}")]) {
    assert.throws(() => discloseAll(malformed), /no entry/);
  }
});
