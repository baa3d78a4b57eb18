// Slow receivers wait for slow ones: those that answer at once have a lane of their own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Lanes } from "#webhooks/lanes.ts";

/** Whether it is let in without anybody leaving. */
async function isLetIn(lanes: Lanes, isPrompt: boolean) {
  let leave: (() => void) | undefined;
  lanes.enter(isPrompt).then(
    (given) => {
      leave = given;
    },
    () => undefined,
  );
  await new Promise((resolve) => setImmediate(resolve));
  return leave;
}

test("sixty-four receivers that never answer hold up no prompt one", async () => {
  const lanes = new Lanes();
  const held: (() => void)[] = [];
  for (let at = 0; at < 64; at += 1) held.push(await lanes.enter(false));
  assert.equal(await isLetIn(lanes, false), undefined, "a slow one more has to wait");
  const prompt = await isLetIn(lanes, true);
  assert.ok(prompt !== undefined);
  prompt();
  held[0]?.();
  held[1]?.();
  assert.ok((await isLetIn(lanes, false)) !== undefined, "one went to who waited, one is free");
  assert.equal(await isLetIn(lanes, false), undefined);
});
