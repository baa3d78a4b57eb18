// Partitions that moved into the archive: read as before, judged as before, and every altered,
// missing or exchanged object of theirs found.
import assert from "node:assert/strict";
import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { sha256Hex } from "#base/digest.ts";
import { ArchiveOutOfReach } from "#journal/archive.ts";
import { ChainBreak } from "#journal/chain.ts";
import type { EntryFilter, Journal } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { verifyJournal } from "#journal/verify.ts";
import { wholeJournal } from "#journal/whole-journal.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { inFolder, places } from "./archive-places.ts";
import { drawing } from "./sealed.ts";
import {
  archiveAll,
  key,
  type StoredTrading,
  sealedTrading,
  storedTrading,
} from "./small-partitions.ts";

type Open = (typeof places)[number]["open"];

const trading = sealedTrading(5);
const { entries } = trading;
const last = entries.length;
const READS = sizeOfRun("FIRSTPRINT_ARCHIVE_READS", 150);

async function archived(t: TestContext, open: Open = inFolder): Promise<StoredTrading> {
  const stored = await storedTrading(t, trading, open);
  const moved = await archiveAll(stored);
  assert.ok(moved.length > 5, `${moved.length} partitions moved`);
  return stored;
}

async function inMemory(): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  const lead = await journal.lead(() => undefined);
  await lead.append(entries);
  return journal;
}

const verified = ({ journal }: Pick<StoredTrading, "journal">) =>
  verifyJournal(journal, { key, archived: journal });

/** A test for each place that an archive may lie in. */
function testEach(name: string, body: (t: TestContext, open: Open) => Promise<void>): void {
  for (const { place, open } of places) test(`${name}: ${place}`, (t) => body(t, open));
}

testEach("an archive that nobody alters", async (t, open) => {
  const stored = await archived(t, open);
  await t.test("a moved partition leaves the database, and is read as before", () =>
    assertReadAsBefore(stored),
  );
  await t.test("every read gives what a journal without archive gives", () =>
    assertReadAlike(stored),
  );
  await t.test("archive and database are judged as one chain, with the notes", () =>
    assertJudgedAsOne(stored),
  );
  await t.test("a node without the archive serves what is left, and says what it lacks", () =>
    assertWithoutArchive(stored),
  );
});

async function assertReadAsBefore({ client, journal, database }: StoredTrading): Promise<void> {
  const { rows } = await client.query<{ least: string; parts: string }>(
    `SELECT min(sequence) AS least,
       (SELECT count(*) FROM pg_class WHERE relname ~ '^journal_(touch_)?[0-9]+$'
          AND relkind = 'r') AS parts
     FROM journal WHERE sequence > 1`,
  );
  const upTo = await database.archivedUpTo();
  assert.equal(Number(rows[0]?.least), upTo + 1);
  const { rows: left } = await client.query(
    "SELECT first FROM journal_part WHERE manifest IS NULL",
  );
  assert.equal(Number(rows[0]?.parts), 2 * left.length, "no table of a moved partition is left");
  const read = await journal.read(1, last + 10);
  assert.deepEqual(
    read.map(({ hash }) => hash),
    entries.map(({ hash }) => hash),
  );
  // A follower that lags asks about the entry it has come to.
  assert.equal((await journal.glimpse(10)).hash, entries[9]?.hash);
}

testEach("a place that is another exchange's is refused, and stays as it is", async (t, open) => {
  const first = await archived(t, open);
  const { store, names } = first.place;
  const kept = async () =>
    Promise.all((await names()).map(async (name) => [name, await store.get(name)] as const));
  const before = await kept();
  const other = await storedTrading(t, sealedTrading(6), async () => first.place);
  await assert.rejects(archiveAll(other), /is another exchange's: .* nothing was written/);
  assert.deepEqual(await kept(), before);
  const { rows } = await other.client.query("SELECT FROM journal WHERE sequence = 2");
  assert.equal(rows.length, 1, "and its entries are where they were");
  // A version that marked no place has written there.
  await rm(first.place.pathOf("journal/exchange.json"));
  await assert.rejects(archiveAll(other), /holds entries 2 to \d+ of another exchange/);
  assert.deepEqual(
    await kept(),
    before.filter(([name]) => name !== "journal/exchange.json"),
  );
  assert.equal((await verified(first)).valid, true);
});

async function assertReadAlike({ journal }: StoredTrading): Promise<void> {
  const plain = await inMemory();
  const draw = drawing(8);
  const one = <T>(list: readonly T[]): T | undefined => list[draw(list.length)];
  const subjects = [...new Set(entries.flatMap(({ touches }) => touches))].sort();
  const filters = (): EntryFilter => {
    const entry = one(entries);
    const filter: { -readonly [Name in keyof EntryFilter]: EntryFilter[Name] } = {};
    if (draw(3) === 0 && entry?.concerns) filter.party = entry.concerns;
    if (draw(4) === 0 && entry?.concerns) filter.concerns = entry.concerns;
    if (draw(4) === 0 && entry) filter.actor = entry.actor;
    if (draw(4) === 0 && entry) filter.action = entry.action;
    if (draw(6) === 0 && entry) filter.resource = entry.resource;
    if (draw(6) === 0) filter.withoutSealed = true;
    if (draw(6) === 0 && entry) filter.fromMillis = entry.timeMillis;
    return filter;
  };
  for (let round = 0; round < READS; round += 1) {
    const [filter, upTo, limit] = [filters(), 1 + draw(last), 1 + draw(60)];
    const [offset, after] = [draw(20), draw(last)];
    const order = draw(2) === 0 ? "oldest" : "newest";
    const [first, second] = [one(subjects) ?? "", one(subjects) ?? ""].sort();
    const wanted = [one(subjects) ?? "", ...(draw(3) === 0 ? [one(subjects) ?? ""] : [])] as const;
    const range = { subjects: wanted, after, before: after + draw(last), order } as const;
    const asks: readonly ((from: Journal) => Promise<unknown>)[] = [
      (from) => from.newest(filter, upTo, limit, offset),
      (from) => from.newest({ ...filter, after }, upTo, limit, 0),
      (from) => from.oldest(filter, after, Math.max(after, upTo), limit),
      (from) => from.counts(filter, upTo),
      (from) => from.counts({}, upTo),
      (from) => from.touching(range, limit),
      (from) => from.filed({ from: first ?? "", below: second ?? "", upTo }, limit),
      (from) => from.touches(after + 1, after + 40),
      (from) => from.entryHashes(after + 1, limit),
      (from) => from.read(after + 1, limit),
    ];
    for (const [at, ask] of asks.entries()) {
      const [found, expected] = [await ask(journal), await ask(plain)];
      assert.deepEqual(plainly(found), plainly(expected), `round ${round}, question ${at}`);
    }
  }
}

/** Buffers and arrays of bytes alike. */
const plainly = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, part: unknown) =>
      part instanceof Uint8Array
        ? Buffer.from(part).toString("hex")
        : typeof part === "object" && part !== null && "type" in part && part.type === "Buffer"
          ? Buffer.from(Object(part).data).toString("hex")
          : part,
    ),
  );

async function assertJudgedAsOne(stored: StoredTrading): Promise<void> {
  const { valid, size, checkpoints, logHeads } = await verified(stored);
  assert.deepEqual({ valid, size }, { valid: true, size: last });
  const inDatabase = await verifyJournal(stored.journal, { key });
  assert.ok(checkpoints > inDatabase.checkpoints, "signed heads in the archive are compared");
  assert.ok(logHeads > inDatabase.logHeads, "heads of the log in the archive are compared");
}

testEach("an altered, cut, missing or exchanged object is found, and named", async (t, open) => {
  const stored = await archived(t, open);
  const { pathOf, names: namesIn } = stored.place;
  const names = await namesIn();
  assert.ok(names.some((name) => name.includes("terms-")));
  const draw = drawing(3);
  for (const name of names.filter((one) => /entries-|manifest/.test(one))) {
    const path = pathOf(name);
    const sound = await readFile(path);
    const altered = Uint8Array.from(sound);
    const at = draw(altered.length);
    altered[at] = (altered[at] ?? 0) ^ (1 << draw(8));
    for (const bytes of [altered, sound.subarray(0, at)]) {
      await writeFile(path, bytes);
      await found(stored, name, /was altered/);
    }
    await rm(path);
    await found(stored, name, /is missing/);
    await writeFile(path, sound);
  }
  const [one = "", two = ""] = names.filter((name) => name.includes("entries-"));
  await rename(pathOf(one), pathOf("apart"));
  await copyFile(pathOf(two), pathOf(one));
  await copyFile(pathOf("apart"), pathOf(two));
  await found(stored, one, /was altered/);
});

async function found({ place, database }: StoredTrading, name: string, how: RegExp) {
  const journal = wholeJournal(database, place.store);
  const { valid, brokenAt = 0, reason = "" } = await verified({ journal });
  assert.equal(valid, false, name);
  assert.ok(reason.includes(name), reason);
  assert.match(reason, how);
  const [, first, end] = /journal\/0*(\d+)-0*(\d+)\//.exec(name) ?? [];
  assert.ok(brokenAt >= Number(first) && brokenAt <= Number(end), `${name} breaks ${brokenAt}`);
}

test("an object rewritten with all its digests is found by the chain", async (t) => {
  const stored = await archived(t);
  const name = (await stored.place.names()).find((one) => one.includes("entries-"));
  assert.ok(name !== undefined);
  const path = stored.place.pathOf(name);
  const raw = await promisify(zstdDecompress)(await readFile(path));
  // The last byte of an entry's bytes, or a label: the chain tells, or deciding it again does.
  for (const [from, to] of [
    ["root", "toor"],
    ["account.opened", "account.closed"],
  ] as const) {
    const at = raw.indexOf(from);
    assert.ok(at > 0, from);
    const changed = Buffer.from(raw);
    changed.write(to, at);
    await rewrite(stored, name, path, changed);
    const { valid, reason = "" } = await verified({
      journal: wholeJournal(stored.database, stored.place.store),
    });
    assert.equal(valid, false);
    assert.match(reason, /is filed under|hash to|another outcome/);
  }
});

/** As somebody who may write everywhere but has no key of ours does it. */
async function rewrite(
  { place, client }: StoredTrading,
  name: string,
  path: string,
  raw: Uint8Array,
): Promise<void> {
  const before = sha256Hex(await readFile(path));
  const packed = await promisify(zstdCompress)(raw);
  await writeFile(path, packed);
  const manifest = place.pathOf(name.replace(/entries-.*/, "manifest.json"));
  const text = (await readFile(manifest, "utf8")).replace(before, sha256Hex(packed));
  await writeFile(manifest, text);
  const [, first] = /journal\/0*(\d+)-/.exec(name) ?? [];
  await client.query("UPDATE journal_part SET manifest = $2 WHERE first = $1", [
    first,
    sha256Hex(text),
  ]);
}

async function assertWithoutArchive({ database }: StoredTrading): Promise<void> {
  const journal = wholeJournal(database, undefined);
  const upTo = await database.archivedUpTo();
  assert.equal((await journal.read(1, 1)).length, 1, "the first entry is never archived");
  assert.equal((await journal.read(upTo + 1, 500)).length, last - upTo);
  await assert.rejects(journal.read(2, 1), (error) => {
    assert.ok(error instanceof ArchiveOutOfReach, "it could not look, which is no finding");
    assert.match(error.message, /journal\/0+2-0+64\/manifest\.json.*Set FIRSTPRINT_ARCHIVE/s);
    return true;
  });
}

testEach("what a cut pass left under a name is replaced", async (t, open) => {
  const stored = await storedTrading(t, trading, open);
  const { place, journal } = stored;
  for (const name of ["entries-000000.zst", "terms-000000.zst", "manifest.json"]) {
    await place.store.put(`journal/0000000000000002-0000000000000064/${name}`, Buffer.from("cut"));
  }
  assert.ok((await archiveAll(stored)).length > 5);
  const { valid, size } = await verified({ journal });
  assert.deepEqual({ valid, size }, { valid: true, size: last });
});

test("a partition whose chain does not hold stays in the database", async (t) => {
  const stored = await storedTrading(t, trading);
  await stored.client.query("UPDATE journal SET bytes = bytes || '\\x20' WHERE sequence = 70");
  await assert.rejects(archiveAll(stored), (error) => error instanceof ChainBreak);
  assert.equal(await stored.database.archivedUpTo(), 64);
  const { rows } = await stored.client.query(
    "SELECT count(*)::int AS left FROM journal WHERE sequence BETWEEN 65 AND 128",
  );
  assert.deepEqual(rows, [{ left: 64 }]);
});
