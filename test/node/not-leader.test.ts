// Requests that are refused as NOT_LEADER are counted, and each reason is a line a minute.
import assert from "node:assert/strict";
import { test } from "node:test";
import { notLeaderReasons } from "#engine/engine.ts";
import { NotLeaderNotes } from "#node/not-leader.ts";

test("each reason is counted each time, and told at first and a minute later", () => {
  const counted = new Map<string, number>();
  const lines: string[] = [];
  const notes = new NotLeaderNotes({
    count: (reason, requests) => counted.set(reason, (counted.get(reason) ?? 0) + requests),
    warn: (sentence) => lines.push(sentence),
  });
  for (const reason of notLeaderReasons) {
    for (const millis of [0, 1, 59_999, 60_000]) notes.note(reason, 2, millis);
  }
  assert.deepEqual(
    [...counted],
    notLeaderReasons.map((reason) => [reason, 8]),
  );
  assert.equal(lines.length, 2 * notLeaderReasons.length);
  for (const reason of notLeaderReasons) {
    assert.equal(lines.filter((line) => line.includes(`NOT_LEADER (${reason}): `)).length, 2);
  }
});
