import { test } from "node:test";
import fc from "fast-check";
import { Pair } from "./pair.ts";
import { commandsFor } from "./pair-commands.ts";

const runs = Number(process.env.FIRSTPRINT_TWIN ?? 100);
test("twin", () => {
  fc.assert(
    fc.property(commandsFor(80), (commands) => {
      const pair = new Pair(3, "10");
      fc.modelRun(() => ({ model: pair, real: pair }), commands);
    }),
    { numRuns: runs, seed: 1 },
  );
});
