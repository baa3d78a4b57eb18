// The file of checkpoints is thinned out once it is long, and loses nothing that a start looks at.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { CheckpointFile, checkpointNotes } from "#journal/checkpoint-file.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const origin = `firstprint/${"c".repeat(32)}`;

test("a long file is thinned: of old notes the last in each thousand stays", async (t) => {
  const dataDir = await temporaryFolder(t, "firstprint-checkpoint-");
  const noteOf = (size: number): string =>
    `${origin}\n${size}\n${"R".repeat(44)}\n\n— ${origin} ${"s".repeat(92)}\n`;
  const sizes = Array.from({ length: 100_000 }, (_, at) => 3 * at + 1_000_000);
  const needed = Math.floor(2 ** 24 / Buffer.byteLength(noteOf(1_000_000)));
  const before = sizes.slice(0, needed);
  const last = sizes[needed] ?? 0;
  await writeFile(join(dataDir, "checkpoints"), before.slice(0, -1).map(noteOf).join(""));
  const file = await CheckpointFile.open(dataDir);
  await file.append(noteOf(before.at(-1) ?? 0));
  const reading = file.notes()[Symbol.asyncIterator]();
  await reading.next();
  await file.append(noteOf(last));

  const stays = new Map<number, string>();
  for (const size of [...before, last]) {
    const isOld = size < Math.floor((last - 10_000) / 1_000) * 1_000;
    stays.set(isOld ? Math.floor(size / 1_000) : -size, noteOf(size));
  }
  assert.deepEqual(await Array.fromAsync(checkpointNotes(dataDir)), [...stays.values()]);
  assert.ok(stays.size < before.length / 10);
  let read = 1;
  while ((await reading.next()).done !== true) read += 1;
  assert.ok(read >= before.length, "a reader reads the file that it began with");

  await file.append(noteOf(last + 1));
  await file.close();
  const again = await CheckpointFile.open(dataDir);
  assert.equal(again.newest(), noteOf(last + 1));
  await again.close();
});
