// How long a webhook waits between two attempts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseMillis, webhookPace } from "#webhooks/pace.ts";

test("waits double from 5 s to 4 h, and no sooner than the receiver asks", () => {
  const pace = { ...webhookPace, random: () => 0 };
  const waits = [1, 2, 3, 11, 12, 13, 40].map((attempts) => pauseMillis(pace, attempts, 0) / 1000);
  assert.deepEqual(waits, [5, 10, 20, 5_120, 10_240, 14_400, 14_400]);
  assert.equal(pauseMillis(pace, 1, 60_000), 60_000);
  assert.equal(pauseMillis(pace, 1, 10 ** 9), 14_400_000, "nobody is asked to wait for ever");
  assert.equal(pauseMillis({ ...pace, random: () => 0.5 }, 1, 0), 5_500);
  let whole = 0;
  let attempts = 0;
  while (whole < pace.patienceMillis) whole += pauseMillis(pace, ++attempts, 0);
  assert.ok(attempts >= 25 && attempts <= 35, `${attempts} attempts in three days`);
});

test("each wait that is really drawn is a whole number of milliseconds", () => {
  for (let attempts = 1; attempts <= 40; attempts += 1) {
    const pause = pauseMillis(webhookPace, attempts, 0);
    assert.ok(Number.isSafeInteger(pause), `${pause} ms after ${attempts} attempts`);
  }
});
