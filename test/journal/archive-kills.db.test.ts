// The archiving program killed at any moment: each entry is in the database or in the archive, and
// a later run ends what was begun. Appends go on meanwhile.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifyJournal } from "#journal/verify.ts";
import { wholeJournal } from "#journal/whole-journal.ts";
import { urlOf } from "#test/support/database.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { places } from "./archive-places.ts";
import { drawing } from "./sealed.ts";
import {
  archiveAll,
  inTiny,
  key,
  sealedTrading,
  storedTrading,
  TINY_ENTRIES,
} from "./small-partitions.ts";

const program = fileURLToPath(new URL("../../src/archive.ts", import.meta.url));
/** Each costs a process; a request to a bucket takes longer than a file. */
const FOLDER_KILLS = sizeOfRun("FIRSTPRINT_ARCHIVE_KILLS", 10);
const KILLS = { "a folder": FOLDER_KILLS, "a bucket": Math.ceil(0.4 * FOLDER_KILLS) };
/** Thirty partitions. */
const COMMANDS = 250;
const MOST_OBJECTS = 14;
const LONGEST_MILLIS = 30;

for (const { place: where, open } of places) {
  test(`killed again and again it loses no entry, and comes to its end: ${where}`, (t) =>
    killed(t, open, KILLS[where]));
}

async function killed(
  t: TestContext,
  open: (typeof places)[number]["open"],
  kills: number,
): Promise<void> {
  const trading = sealedTrading(9, COMMANDS);
  const { entries } = trading;
  const stored = await storedTrading(t, trading, open, inTiny, TINY_ENTRIES);
  const { place } = stored;
  const draw = drawing(Number(process.env.FIRSTPRINT_SEED ?? 4));
  const environment = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATABASE_URL: urlOf(stored.connection),
    ...place.environment,
    FIRSTPRINT_ARCHIVE_DAYS: "0",
  };
  const begin = () => spawn(process.execPath, [program], { env: environment, stdio: "ignore" });
  const reached: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const child = begin();
    const ended = once(child, "close");
    // However slow the machine is, the kill falls into the work.
    const goal = (await place.names()).length + draw(MOST_OBJECTS);
    const until = async (): Promise<void> => {
      while (child.exitCode === null && (await place.names()).length < goal) await sleep(10);
      await sleep(draw(LONGEST_MILLIS));
    };
    await Promise.race([ended, until()]);
    child.kill("SIGKILL");
    await ended;
    const journal = wholeJournal(stored.database, place.store);
    const hashes = (await journal.read(1, entries.length + 1)).map(({ hash }) => hash);
    assert.deepEqual(
      hashes,
      entries.map(({ hash }) => hash),
      `after kill ${kill}`,
    );
    reached.push(await stored.database.archivedUpTo());
  }
  const last = begin();
  const [code] = await once(last, "close");
  assert.equal(code, 0);
  const { rows } = await stored.client.query<{ left: string[] }>(
    `SELECT coalesce(array_agg(first), '{}') AS left FROM journal_part
     WHERE manifest IS NOT NULL
       AND coalesce(to_regclass('journal_' || first), to_regclass('journal_touch_' || first))
         IS NOT NULL`,
  );
  assert.deepEqual(rows, [{ left: [] }], "no table of an archived partition is left");
  assert.deepEqual(await archiveAll(stored), [], "nothing is left to do");
  const journal = wholeJournal(stored.database, place.store);
  const { valid, size } = await verifyJournal(journal, { key, archived: journal });
  assert.deepEqual({ valid, size }, { valid: true, size: entries.length });
  t.diagnostic(`archived up to, after each kill: ${reached.join(" ")}`);
}
