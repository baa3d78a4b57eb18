// Waiting for what can be seen to happen, instead of for a time that is hoped to be enough.
// Invariant: a condition that never comes fails the test with its name, it does not hang it.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** For a machine that does much else; where it comes about, nobody waits for it. */
const PATIENCE_MILLIS = 180_000;
const STEP_MILLIS = 10;

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MILLIS;
  while (!(await condition())) {
    if (performance.now() > deadline) assert.fail(`this did not come about: ${what}`);
    await sleep(STEP_MILLIS);
  }
}
