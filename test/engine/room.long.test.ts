// A process with little memory knows when it is full, before it ends for want of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ORDERS_REFUSED_SHARE } from "#engine/room.ts";
import { runProgram } from "#test/e2e/program.ts";

const HEAP_MEGABYTES = 160;
const KEPT_MEGABYTES = 120;

/** Keeps so much in small objects, has the heap collected, and says what share is in use. */
const program = `
  import { setImmediate as nextTurn } from "node:timers/promises";
  import { MemoryRoom } from "#engine/room.ts";
  const room = new MemoryRoom();
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

/** The same in buffers, which lie outside the heap. */
const buffers = `
  import { setImmediate as nextTurn } from "node:timers/promises";
  import { MemoryRoom } from "#engine/room.ts";
  const room = new MemoryRoom(${HEAP_MEGABYTES} * 1024 * 1024);
  const kept = [];
  while (kept.length < ${KEPT_MEGABYTES}) kept.push(Buffer.alloc(1e6, 1));
  globalThis.gc();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  const { heapUsed, external } = process.memoryUsage();
  console.log(JSON.stringify({ kept: kept.length, heapUsed, external, share: room.share }));
  room.close();
`;

test("what stays in buffers is counted against the memory of the process", async () => {
  const run = ["--expose-gc", "--input-type=module", "--eval", buffers];
  const { code, output } = await runProgram(process.execPath, run);
  assert.equal(code, 0, output);
  const [share = 0, heapUsed = 0, external = 0] = ["share", "heapUsed", "external"].map((name) =>
    Number(new RegExp(`"${name}":([0-9.]+)`).exec(output)?.[1]),
  );
  const expected = (heapUsed + external) / (HEAP_MEGABYTES * 1_024 * 1_024);
  assert.ok(expected > ORDERS_REFUSED_SHARE, output);
  assert.ok(Math.abs(share - expected) < 0.05, `${share} in use where ${expected} is kept`);
});
