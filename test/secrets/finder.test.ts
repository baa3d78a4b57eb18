// The search for secrets itself: what is hidden as somebody might write it is found, and no more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Finder } from "./finder.ts";

const SECRET = "Zt4WqL9xJm2Rv7Bn6Ks1";
const finder = new Finder([
  { name: "secret", secret: SECRET },
  { name: "key", secret: `fp_test_abcdHv83nQpWz61KtYb`, shown: 12 },
  { name: "binary", secret: Uint8Array.from({ length: 32 }, (_, at) => (at * 37 + 200) % 256) },
]);
const found = (text: string | Uint8Array): readonly string[] => [
  ...finder.in(Buffer.concat([Buffer.from("before "), Buffer.from(text), Buffer.from(" after")])),
];

test("a secret is found as it is, in part, and in every encoding", () => {
  const bytes = Buffer.from(SECRET);
  const hidden: readonly (readonly [string, string | Uint8Array])[] = [
    ["as it is", SECRET],
    ["its first half", SECRET.slice(0, 9)],
    ["its end", SECRET.slice(-8)],
    ["in small letters", SECRET.toLowerCase()],
    ["in capitals", SECRET.toUpperCase()],
    ["hex", bytes.toString("hex")],
    ["hex in capitals", bytes.toString("hex").toUpperCase()],
    ["base64", bytes.toString("base64")],
    ["base64 behind one letter", Buffer.from(`x${SECRET}`).toString("base64")],
    ["base64 behind two", Buffer.from(`xy${SECRET}`).toString("base64url")],
    ["Basic", Buffer.from(`trader:${SECRET}`).toString("base64")],
    ["percent", [...bytes].map((byte) => `%${byte.toString(16)}`).join("")],
    ["JSON", [...bytes].map((byte) => `\\u00${byte.toString(16)}`).join("")],
    ["UTF-16", Buffer.from(SECRET, "utf16le")],
    ["with a byte after every eight", SECRET.replaceAll(/.{8}/g, (part) => `${part}\u0001`)],
  ];
  for (const [how, text] of hidden) assert.deepEqual(found(text), ["secret"], how);
});

test("what tells a key is no secret, and seven letters are not enough", () => {
  assert.deepEqual(found("fp_test_abcd"), []);
  assert.deepEqual(found("fp_test_abcdHv83nQp"), []);
  assert.deepEqual(found("fp_test_abcdHv83nQpW"), ["key"]);
  assert.deepEqual(found(SECRET.slice(3, 10)), []);
  assert.deepEqual(found(""), []);
});

test("bytes that are no text are found in a text's encodings too", () => {
  const binary = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + 200) % 256));
  assert.deepEqual(found(binary.subarray(5, 14)), ["binary"]);
  assert.deepEqual(found(binary.toString("base64")), ["binary"]);
  assert.deepEqual(found(binary.toString("hex").slice(10)), ["binary"]);
});
