// The watch over an upload's body: silence, slowness as a whole, and a handler that takes its time.
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { limited, UploadTooSlow } from "#http/server/upload.ts";

const patience = { idleMillis: 40, wholeMillis: 10_000 };
/** A watch that never cuts must fail the test, not hold it up. */
const bounded = { timeout: 5_000 };
const kilobyte = Buffer.alloc(1_000);

test("a sender that falls silent is cut; one that goes on in time is not", bounded, async () => {
  const silent = new PassThrough();
  silent.write(kilobyte);
  await assert.rejects(buffer(limited(silent, 1e6, patience)), UploadTooSlow);

  const steady = new PassThrough();
  const whole = buffer(limited(steady, 1e6, { idleMillis: 400, wholeMillis: 10_000 }));
  for (let sent = 0; sent < 8; sent += 1) {
    steady.write(kilobyte);
    await wait(100);
  }
  steady.end();
  assert.equal((await whole).length, 8_000);
});

test(
  "a sender that never stops sending is cut where a whole upload has to be over",
  bounded,
  async (t) => {
    const endless = new PassThrough();
    const timer = setInterval(() => endless.write(kilobyte), 5);
    t.after(() => clearInterval(timer));
    const cut = buffer(limited(endless, 1e9, { idleMillis: 10_000, wholeMillis: 100 }));
    await assert.rejects(cut, UploadTooSlow);
  },
);

test("a handler that does not read for a while is not the sender's fault", bounded, async () => {
  const source = new PassThrough({ highWaterMark: 16_000_000 });
  const stream = limited(source, 1e9, patience);
  for (let sent = 0; sent < 10; sent += 1) source.write(Buffer.alloc(100_000));
  source.end();
  await wait(200);
  assert.equal((await buffer(stream)).length, 1_000_000);
});

test("who was answered and neither goes on nor hangs up is cut too", bounded, async () => {
  const source = new PassThrough();
  const stream = limited(source, 1e6, patience);
  stream.destroy();
  source.write(kilobyte);
  await wait(200);
  assert.equal(source.destroyed, true);
});
