// A bucket that refuses, fails or breaks off: what moves stays in the database and goes on later,
// and what is read is told as out of reach, never as altered.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isStorageFault } from "#base/storage-fault.ts";
import { ArchiveOutOfReach } from "#journal/archive.ts";
import { verifyJournal } from "#journal/verify.ts";
import { wholeJournal } from "#journal/whole-journal.ts";
import { S3Store } from "#storage/s3-store.ts";
import type { Fault } from "#test/support/object-way.ts";
import { type BucketPlace, inBucket } from "./archive-places.ts";
import {
  archiveAll,
  key,
  type StoredTrading,
  sealedTrading,
  storedTrading,
} from "./small-partitions.ts";

const trading = sealedTrading(5);
const last = trading.entries.length;

async function stored(t: TestContext): Promise<StoredTrading & { readonly place: BucketPlace }> {
  let place: BucketPlace | undefined;
  const kept = await storedTrading(t, trading, async (scope) => {
    place = await inBucket(scope);
    return place;
  });
  return { ...kept, place: place ?? assert.fail("it has a place") };
}

async function holds({ database, place }: StoredTrading): Promise<void> {
  const journal = wholeJournal(database, place.store);
  const { valid, size } = await verifyJournal(journal, { key, archived: journal });
  assert.deepEqual({ valid, size }, { valid: true, size: last });
}

/** A request of a pass, how it fails, and the sentence that the pass ends with. */
const failing: readonly (readonly [string, RegExp, Fault, RegExp])[] = [
  ["PUT", /entries-000000/, 403, /entries-000000\.zst cannot be written into .* 403 Refused\. The/],
  ["PUT", /terms-000000/, 500, /terms-000000\.zst cannot be written into .* 500 Refused\. The/],
  ["PUT", /manifest/, "cut", /manifest\.json cannot be written .* out of reach: .*\. The part/],
  ["GET", /entries-000000/, "cut", /entries-000000\.zst in .* cannot be read: .* broke off/],
  ["GET", /manifest/, 503, /manifest\.json in the archive http\S* cannot be read: .* 503 Refused/],
];

test("a partition that the bucket does not take stays where it is, and moves later", async (t) => {
  const kept = await stored(t);
  const { way } = kept.place;
  for (const [wanted, names, fault, said] of failing) {
    way.fault = (method, path) => (method === wanted && names.test(path) ? fault : undefined);
    await assert.rejects(archiveAll(kept), said);
    assert.equal(await kept.database.archivedUpTo(), 0, `${wanted} ${names}`);
    assert.equal((await kept.database.read(1, last)).length, last);
  }
  way.fault = () => undefined;
  assert.ok((await archiveAll(kept)).length > 5);
  await holds(kept);
});

test("a bucket that is too busy for each request at first is asked again", async (t) => {
  const kept = await stored(t);
  const asked = new Set<string>();
  const busy: readonly Fault[] = [503, "cut", 500];
  kept.place.way.fault = (method, path) => {
    if (asked.has(method + path)) return undefined;
    asked.add(method + path);
    return busy[asked.size % busy.length];
  };
  assert.ok((await archiveAll(kept)).length > 5);
  assert.ok(asked.size > 30, `${asked.size} requests failed once`);
  await holds(kept);
});

test("a bucket that is out of reach is told as that, by reads and by a judgement", async (t) => {
  const kept = await stored(t);
  const { way } = kept.place;
  await archiveAll(kept);
  const outOfReach = async (said: RegExp, store = kept.place.store): Promise<void> => {
    const isTold = (error: unknown): boolean => {
      assert.ok(error instanceof ArchiveOutOfReach && isStorageFault(error), String(error));
      assert.match(error.message, /^journal\/0+2-0+64\/manifest\.json in the archive http:/);
      assert.match(error.message, said);
      return true;
    };
    const journal = wholeJournal(kept.database, store);
    await assert.rejects(journal.read(2, 1), isTold);
    await assert.rejects(verifyJournal(journal, { key, archived: journal }), isTold);
    assert.equal((await journal.read(last, 1)).length, 1, "what is not archived is served");
  };
  for (const status of [403, 404, 500]) {
    way.fault = () => status;
    await outOfReach(new RegExp(`it answered ${status} Refused`));
  }
  way.fault = () => "cut";
  await outOfReach(/broke off journal/);
  way.fault = () => undefined;
  const nobody = new S3Store({ ...way.address, accessKeyId: "nobody", secretAccessKey: "guessed" });
  await outOfReach(/403 InvalidAccessKeyId/, nobody);
  await way.server.kill();
  await outOfReach(/ECONNREFUSED/, new S3Store(way.server.address));
  await way.server.up();
  await holds(kept);
});
