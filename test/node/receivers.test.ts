// A part of a node that fails at an entry, beside others that do not.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "#core/outcome.ts";
import { log } from "#node/faults.ts";
import { Receivers } from "#node/receivers.ts";
import { World } from "#test/core/world.ts";

test("a part that fails at an entry keeps no other from it, and goes on with the next", () => {
  log.level = "silent";
  const world = new World();
  for (const name of ["a", "b"]) world.trader(name, "10");
  const [first, second] = world.journal;
  assert.ok(first !== undefined && second !== undefined);
  let faults = 0;
  const receivers = new Receivers(() => {
    faults += 1;
  });
  const [before, after, refreshed]: [number[], number[], number[]] = [[], [], []];
  const failing = {
    take: ({ sequence }: Entry): void => {
      if (sequence === first.sequence) throw new Error("a fault of ours");
      before.push(sequence);
    },
  };
  receivers.feeds = [failing, { take: ({ sequence }) => void after.push(sequence) }];
  receivers.refresh = ({ sequence }) => {
    refreshed.push(sequence);
    if (sequence === second.sequence) throw new Error("another");
  };
  for (const entry of [first, second]) receivers.take(entry);
  const both = [first.sequence, second.sequence];
  assert.deepEqual([before, after, refreshed], [[second.sequence], both, both]);
  assert.equal(faults, 2);
});
