// Reading ahead: one piece under way beside the one that is read, and no fault that nobody hears.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAhead } from "#storage/read-ahead.ts";

test("each piece is asked for while the one before is read, up to the last", async () => {
  const told: string[] = [];
  const pieces = readAhead<number>((before) => {
    told.push(`asked after ${before}`);
    return before === 3 ? undefined : Promise.resolve((before ?? 0) + 1);
  });
  for await (const piece of pieces) told.push(`read ${piece}`);
  assert.deepEqual(told, [
    "asked after undefined",
    "asked after 1",
    "read 1",
    "asked after 2",
    "read 2",
    "asked after 3",
    "read 3",
  ]);
  const none: number[] = await Array.fromAsync(readAhead<number>(() => undefined));
  assert.deepEqual(none, []);
});

test("a fault comes in its turn, and is nobody's where the reader stops before", async () => {
  const failing = () =>
    readAhead<number>((before) =>
      before === undefined ? Promise.resolve(1) : Promise.reject(new Error("out of reach")),
    );
  const read: number[] = [];
  await assert.rejects(async () => {
    for await (const piece of failing()) read.push(piece);
  }, /out of reach/);
  assert.deepEqual(read, [1]);

  // An unhandled rejection would fail this test.
  for await (const piece of failing()) {
    assert.equal(piece, 1);
    break;
  }
  await new Promise((done) => setImmediate(done));
});
