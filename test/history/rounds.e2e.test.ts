// The history seen from outside, three times a minute of it: see docs/internals/history.md.
//
//   FIRSTPRINT_HISTORY_ROUNDS=30 node --test test/history/rounds.e2e.test.ts
//
// FIRSTPRINT_HISTORY_SECONDS: how long a round is; each fault comes at least once in any.
// FIRSTPRINT_HISTORY_SEED: the first round's seed, which draws what clients and nemesis do.
import { test } from "node:test";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { playRound } from "./round.ts";

const seconds = sizeOfRun("FIRSTPRINT_HISTORY_SECONDS", 60);
const rounds = sizeOfRun("FIRSTPRINT_HISTORY_ROUNDS", 3);
const first = sizeOfRun("FIRSTPRINT_HISTORY_SEED", 1);

for (let seed = first; seed < first + rounds; seed += 1) {
  test(`${seconds} s of kills, pauses and cuts, from seed ${seed}`, (t) =>
    playRound(t, seed, seconds));
}
