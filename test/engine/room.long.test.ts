// A process with little memory knows when it is full, before it ends for want of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runProgram } from "#test/e2e/program.ts";

const HEAP_MEGABYTES = 160;
const KEPT_MEGABYTES = 120;

/** Keeps so much in small objects, has the heap collected, and says what share is in use. */
const program = `
  import { setImmediate as nextTurn } from "node:timers/promises";
  import { HeapRoom } from "#engine/room.ts";
  const room = new HeapRoom();
  const kept = [];
  while (process.memoryUsage().heapUsed < ${KEPT_MEGABYTES} * 1e6) {
    for (let at = 0; at < 1_000; at += 1) kept.push({ at, name: "order " + kept.length });
  }
  globalThis.gc();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  const { heapUsed } = process.memoryUsage();
  console.log(JSON.stringify({ kept: kept.length, heapUsed, share: room.share }));
  room.close();
`;

test("what stays is counted against the memory for what stays", async (t) => {
  const flags = ["--expose-gc", `--max-old-space-size=${HEAP_MEGABYTES}`];
  const run = ["--input-type=module", "--eval", program];
  const { code, output } = await runProgram(process.execPath, [...flags, ...run]);
  assert.equal(code, 0, output);
  const [share, heapUsed] = ["share", "heapUsed"].map((name) =>
    Number(new RegExp(`"${name}":([0-9.]+)`).exec(output)?.[1]),
  );
  assert.ok(share !== undefined && heapUsed !== undefined);
  const expected = heapUsed / (HEAP_MEGABYTES * 1_024 * 1_024);
  assert.ok(Math.abs(share - expected) < 0.05, `${share} in use where ${expected} is kept`);
  t.diagnostic(`${Math.round(heapUsed / 1e6)} MB are ${share.toFixed(2)} of ${HEAP_MEGABYTES} MB`);
});
