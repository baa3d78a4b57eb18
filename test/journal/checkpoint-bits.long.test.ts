// Every bit of a signed checkpoint, turned over: its signature covers all of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openCheckpoint, signCheckpoint } from "#journal/checkpoint.ts";
import { generateSigningKey } from "#journal/note.ts";
import { flipped } from "./sealed.ts";

const key = generateSigningKey();
const origin = `firstprint/${"c".repeat(32)}`;

test("no flipped bit of a checkpoint leaves it signed", () => {
  const { note } = signCheckpoint(key, origin, { size: 77, hash: "5a".repeat(32) });
  const bytes = Buffer.from(note);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const damaged = Buffer.from(flipped(bytes, bit)).toString("utf8");
    assert.equal(openCheckpoint(key, origin, damaged), undefined, `bit ${bit}`);
  }
});
