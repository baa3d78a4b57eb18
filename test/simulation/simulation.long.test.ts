// The exchange under everything at once: seeds of random trading, clocks, crashes and recoveries.
// Invariant: a failure says its seed and commit; `npm run sim -- <seed>` runs that seed alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crashes, faults } from "./mortal-journal.ts";
import { corpus, coverage, failureOf, type Result, runSeeds } from "./seeds.ts";

const COMMANDS = 2_000;
/** About a minute on two processors; `npm run sim -- --seeds 1000` is the run before a release. */
const SEEDS = 80;

const isKept = (result: Result): boolean => !("failure" in result);

test(`${SEEDS} seeds of ${COMMANDS} commands: all is kept, served and agreed on`, async () => {
  const range = Array.from({ length: SEEDS }, (_, at) => at + 1);
  const seeds = [...new Set([...corpus(), ...range])];
  const results = await runSeeds(seeds, COMMANDS, isKept);
  const failures = results.filter((result) => "failure" in result).map(failureOf);
  assert.equal(failures.join("\n\n"), "");
  assert.equal(results.length, seeds.length);

  const counts = coverage(results);
  const wanted = [
    ...["PARTIALLY_FILLED", "SELF_TRADE", "batch refused", "liquidation", "void"],
    ...["AmendOrder", "AcceptQuote", "CollectPayment", "DecideDispute", "ExpireOrder"],
    ...["ExpireKyc", "HaltExchange", "REDUCE_ONLY", "PROTECTION", "CANCEL_AFTER", "takeover"],
    ...["FINALIZED lacks", "CANCELLED lacks", "replayed", "unknown", "NOT_LEADER", "SetClock"],
    ...["IDEMPOTENCY_MISMATCH", "IDEMPOTENCY_IN_FLIGHT", "ORDER_NOT_FOUND"],
    ...crashes,
    ...faults,
  ];
  const rare = wanted.filter((word) => (counts.get(word) ?? 0) * 100 < results.length);
  assert.deepEqual(rare, [], "each comes up in a hundredth of the seeds");
});

test("a seed is one run: the same twice, to the hash of the last entry", async () => {
  const once = await runSeeds([9], 500, isKept);
  const twice = await runSeeds([9], 500, isKept);
  assert.deepEqual(twice, once);
  assert.ok(once.every((result) => "head" in result && result.entries > 100));
});
