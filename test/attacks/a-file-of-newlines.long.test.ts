// A release file of nothing but newlines: a few hundred bytes of gzip that are millions of lines.
// It is refused at its first short line, for no more work than honest bytes of that length take.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readZillowWide, type ZillowFileKind } from "#ingest/sources/zillow.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { stateFile } from "../ingest/wide-file.ts";

const BYTES = 4_194_304;
const CHUNK_BYTES = 65_536;
const TRIES = 5;
const kind: ZillowFileKind = { index: "zhvi", level: "state" };

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

/** The refusal, and the processor time until then: the least of a few tries. */
async function refused(bytes: Buffer): Promise<{ line: number | null; micros: number }> {
  let line: number | null = null;
  let micros = Number.POSITIVE_INFINITY;
  for (let time = 0; time < TRIES; time += 1) {
    const before = process.cpuUsage();
    await assert.rejects(
      async () => {
        const { rows } = await readZillowWide(chunksOf(bytes), kind);
        for await (const _row of rows);
      },
      (refusal) => {
        assert.ok(refusal instanceof ReleaseRefusal);
        line = refusal.line;
        return true;
      },
    );
    const { user, system } = process.cpuUsage(before);
    micros = Math.min(micros, user + system);
  }
  return { line, micros };
}

test("a file of nothing but newlines", async (t) => {
  const text = Buffer.from(stateFile());
  const header = text.subarray(0, text.indexOf(10) + 1);
  const [, first = ""] = text.toString().split("\n");
  // Refused at its second line as well, for the region that the first one names.
  const honest = Buffer.concat([header, Buffer.from(`${first}\n`.repeat(BYTES / first.length))]);
  const newlines = Buffer.concat([header, Buffer.alloc(BYTES, "\n")]);
  const usual = await refused(honest);
  assert.equal(usual.line, 3);

  for (const [bytes, line] of [
    [newlines, 2],
    [Buffer.alloc(BYTES, "\n"), 1],
    [Buffer.concat([header, Buffer.alloc(BYTES, "\r\n")]), 2],
  ] as const) {
    const found = await refused(bytes);
    assert.equal(found.line, line);
    const times = found.micros / usual.micros;
    assert.ok(times < 10, `${times.toFixed(1)} × the work of an honest file`);
  }
  const { micros } = await refused(newlines);
  t.diagnostic(`after: ${(micros / usual.micros).toFixed(1)} × the work of an honest file`);
});
