// Signatures of keys that were replaced: those they have made, and those they may still make.
// Invariant tested: it can be opened for ever; nothing is signed by them after their time, and a
// journal whose newest head is by such a key alone does not hold.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CheckpointWalk, openCheckpoint, signCheckpoint } from "#journal/checkpoint.ts";
import {
  FORMER_KEYS,
  keyFile,
  loadSigningKey,
  readKeyFile,
  rotateCheckpointKey,
} from "#journal/checkpoint-key.ts";
import { generateSigningKey, type SigningKey, signedByFormer } from "#journal/note.ts";
import { isCosigned } from "#journal/note-pages.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const origin = "firstprint/former";
const head = { size: 7, hash: "0f".repeat(32) };
const HOUR_MILLIS = 3_600_000;

const folder = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-former-");

const noteOf = (key: SigningKey): string =>
  signedByFormer(key, origin, signCheckpoint(key, origin, head).note);

test("both sign during the overlap, then the new key alone, and old notes open", async (t) => {
  const dataDir = await folder(t);
  const old = await loadSigningKey(dataDir);
  const first = noteOf(old);
  await rotateCheckpointKey(dataDir, HOUR_MILLIS, "Mina Roth: yearly rotation");
  const both = await loadSigningKey(dataDir);
  const fresh: SigningKey = { ...both, former: [] };
  assert.deepEqual(openCheckpoint(both, origin, first), head);
  assert.equal(openCheckpoint(fresh, origin, first), undefined);
  for (const key of [old, fresh]) assert.deepEqual(openCheckpoint(key, origin, noteOf(both)), head);
  assert.equal(isCosigned(noteOf(both)), false);
  assert.equal(isCosigned(`${noteOf(both)}— witness.example AAAA\n`), true);

  await rotateCheckpointKey(dataDir, -1, "Mina Roth: the key has leaked");
  const twice = await loadSigningKey(dataDir);
  const since = noteOf(twice);
  assert.deepEqual(openCheckpoint(old, origin, since), head, "its hour lasts");
  assert.equal(openCheckpoint(fresh, origin, since), undefined, "its time is over");
  for (const note of [first, noteOf(fresh)]) {
    assert.deepEqual(openCheckpoint(twice, origin, note), head);
  }
  const lines = (await readFile(join(dataDir, FORMER_KEYS), "utf8")).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => line.split(" ").length),
    [3, 2],
    "a private half that signs no more is gone",
  );
  assert.equal((await readKeyFile(keyFile(dataDir)))?.former?.length, 2);
});

test("the newest head is not by a key alone whose time is over", async () => {
  const old = generateSigningKey();
  const judge = async (notes: readonly string[], untilMillis: number): Promise<void> => {
    const key = { ...generateSigningKey(), former: [{ ...old, untilMillis }] };
    const all = async function* () {
      yield* notes;
      if (notes.length === 0) yield* [noteOf(old), noteOf(key)];
    };
    const walk = new CheckpointWalk("the database", all(), key, true);
    await walk.pass(head, origin);
    await walk.end(head, origin);
  };
  await judge([noteOf(old)], Date.now() + HOUR_MILLIS);
  await judge([], Date.now() - 1);
  await assert.rejects(judge([noteOf(old)], Date.now() - 1), /signed only by a key that was repl/);
});
