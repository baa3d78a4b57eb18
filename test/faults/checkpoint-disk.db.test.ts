// The disk of the checkpoint file, full under load: nothing goes on unsigned, no torn note stays.
// Invariant: a note that a full disk took half of is no part of the file once another is written.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEngine } from "#engine/open.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import { until } from "#test/e2e/until.ts";
import { answered, openAccount, request } from "#test/engine/requests.ts";
import { createDatabase } from "#test/support/database.ts";
import { canMount, SmallDisk } from "#test/support/small-disk.ts";
import { Claims, storedDeposits, untilOpen } from "./claims.ts";

test("the disk of the checkpoint file is full: the engine waits, and leads again", async (t) => {
  if (!canMount(t)) return;
  const connection = await createDatabase(t);
  const folder = await mkdtemp(join(tmpdir(), "firstprint-signed-"));
  const disk = new SmallDisk(folder, 1);
  const journal = new PostgresJournal({ ...connection });
  t.after(async () => {
    await journal.close();
    disk.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const said: string[] = [];
  const engine = await openEngine({
    journal,
    dataDir: folder,
    clock: "real",
    checkpoints: { entries: 2, millis: 5 },
    log: (message) => said.push(message),
  });
  answered(await engine.submit(request(openAccount(1))));
  const claims = new Claims();
  await disk.fill();
  // The page that the file has begun takes some notes more, and of one only the beginning.
  for (let at = 0; engine.status().mode === "open" && at < 2_000; at += 1) {
    await claims.ask(engine, `deposit ${at}`);
  }
  await until("it is told", () => said.some((one) => /not leading yet: ENOSPC/.test(one)));
  await claims.ask(engine, "while it is full");
  const torn = await readFile(join(folder, "checkpoints"), "utf8");
  t.diagnostic(`${claims.size} deposits asked for; ${torn.length} bytes of notes on a full disk`);

  await disk.free();
  await untilOpen(engine, () => said.at(-1) ?? "nothing");
  const stored = await storedDeposits(connection);
  const tally = claims.judge(stored);
  assert.ok(tally.answered > 0 && tally.refused > 0);
  await claims.settle(engine, stored);
  claims.judgeWhole(await storedDeposits(connection));
  await engine.stop();

  const notes = await readFile(join(folder, "checkpoints"), "utf8");
  const wrong = notes.split("\n").filter((line) => line.includes("firstprint/") && !isWhole(line));
  assert.deepEqual(wrong, [], "every line with the exchange's name is a whole one");
  const verification = await verifyJournal(journal, {
    key: await loadSigningKey(folder),
    file: checkpointNotes(folder),
  });
  assert.equal(verification.reason, undefined);
  assert.ok(verification.checkpoints > 10, `${verification.checkpoints} checkpoints hold`);
});

const isWhole = (line: string): boolean =>
  /^firstprint\/[0-9a-f]{32}$/.test(line) || /^— firstprint\/[0-9a-f]{32} \S+$/.test(line);
