// A stream that is cut at every byte of what was sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resumed } from "#sdk/stream.ts";
import { inPieces, readAll, transcript, whole, withoutWaiting } from "./transcript.ts";

test("cut at every byte, it is taken up: every entry once, in order, whole", async (t) => {
  const pass = withoutWaiting(t);
  const full = transcript(2);
  for (let cut = 0; cut < full.length; cut += 1) {
    const asked: (number | undefined)[] = [];
    const open = async (after: number | undefined) => {
      asked.push(after);
      return asked.length === 1
        ? inPieces(full.subarray(0, cut), 1 + (cut % 7))
        : inPieces(transcript(after ?? 0), 11);
    };
    const read = await readAll(resumed(open, { after: 2, onInterrupted: pass }));
    assert.deepEqual(read, whole, `cut at byte ${cut}`);
    assert.deepEqual(asked.length, 2);
  }
});
