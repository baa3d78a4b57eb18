// Waiting for what can be seen to happen, instead of for a time that is hoped to be enough.
// Invariant: a condition that never comes fails the test with its name, it does not hang it.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** For a machine that does much else; where it comes about, nobody waits for it. */
const PATIENCE_MILLIS = 180_000;
const FIRST_STEP_MILLIS = 10;
/** A long wait is asked for less often: the process that is asked pays for each look, too. */
const LONGEST_STEP_MILLIS = 50;

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MILLIS;
  for (let step = FIRST_STEP_MILLIS; !(await condition()); step += 1) {
    if (performance.now() > deadline) assert.fail(`this did not come about: ${what}`);
    await sleep(Math.min(step, LONGEST_STEP_MILLIS));
  }
}
