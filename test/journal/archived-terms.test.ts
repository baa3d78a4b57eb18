// The index of an archive over many blocks, each cut anywhere: in a term, between two.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ArchivedPart, JournalArchive } from "#journal/archive.ts";
import { encodeTerms, type TermRun } from "#journal/archive-block.ts";
import { digestOf, manifestBytes, manifestName, manifestOf } from "#journal/archive-manifest.ts";
import { drawing } from "./sealed.ts";

const place = { first: 2, last: 101 };
const terms = ["actor:a", "touch:b", "touch:bb", "touch:c"];

/** Rows rising by term, then sequence, cut into blocks of `size`. */
async function archiveOf(rows: readonly (readonly [string, number])[], size: number) {
  const stored = new Map<string, Uint8Array>();
  const objects = [];
  for (let at = 0; at < rows.length; at += size) {
    const block = rows.slice(at, at + size);
    const runs = [...Map.groupBy(block, ([term]) => term)].map(
      ([term, found]): TermRun => ({ term, sequences: found.map(([, sequence]) => sequence) }),
    );
    const bytes = await encodeTerms(runs);
    const [term, sequence] = block[0] ?? ["", 0];
    const name = `terms-${at}`;
    stored.set(name, bytes);
    objects.push({ name, sha256: digestOf(bytes), bytes: bytes.length, term, sequence });
  }
  const nothing = { previousHash: "", hash: "", checkpoint: "", logCheckpoint: "" };
  const manifest = manifestBytes(
    manifestOf({ ...place, ...nothing, counts: [], entries: [], terms: objects }),
  );
  stored.set(manifestName(place), manifest);
  const part: ArchivedPart = { ...place, manifest: digestOf(manifest) };
  const archive = new JournalArchive({
    place: "memory",
    put: async () => undefined,
    get: async (name) => stored.get(name),
  });
  return { archive, part };
}

test("each term finds its entries in any range and order, however blocks are cut", async () => {
  const draw = drawing(6);
  for (let size = 1; size <= 9; size += 1) {
    const rows = terms.flatMap((term) =>
      Array.from({ length: 100 }, (_, at): [string, number] => [term, at + 2]).filter(
        () => draw(3) > 0,
      ),
    );
    const { archive, part } = await archiveOf(rows, size);
    for (let round = 0; round < 40; round += 1) {
      const term = ["none", ...terms][draw(terms.length + 1)] ?? "";
      const after = draw(100);
      const before = after + draw(60);
      const expected = rows
        .filter(([name, at]) => name === term && at > after && at < before)
        .map(([, at]) => at);
      const oldest = archive.found(part, term, { after, before, order: "oldest" });
      assert.deepEqual(await Array.fromAsync(oldest), expected);
      const newest = archive.found(part, term, { after, before, order: "newest" });
      assert.deepEqual(await Array.fromAsync(newest), expected.toReversed());
    }
    const down = await Array.fromAsync(archive.termsDown(part, "touch:b", "touch:c"));
    const wanted = rows.filter(([term]) => term >= "touch:b" && term < "touch:c").toReversed();
    assert.deepEqual(down, wanted);
  }
});
