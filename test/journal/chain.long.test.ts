// The chain: its hash as documented, and every single flipped bit found at its own sequence.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { ChainBreak, committedHash, entryHash, follow, noEntries } from "#journal/chain.ts";
import { originOf, signCheckpoint } from "#journal/checkpoint.ts";
import type { Head, Note, SealedEntry, StoredEntry } from "#journal/journal.ts";
import type { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { KeptVerification, verifyJournal } from "#journal/verify.ts";
import {
  chainId,
  drawing,
  flipped,
  headOf,
  journalOf,
  rewritten,
  sealedEntries,
} from "./sealed.ts";

const key = generateSigningKey();

test("the hash covers tag, previous hash, sequence, length and bytes, as the document says", () => {
  const bytes = Buffer.from('{"version":1}');
  const previous = "ab".repeat(32);
  const byHand = createHash("sha256")
    .update("firstprint/entry/v1\0")
    .update(previous, "hex")
    .update(Buffer.from([0, 0, 0, 1, 0, 0, 0, 2]))
    .update(Buffer.from([0, 0, 0, 13]))
    .update(bytes)
    .digest("hex");
  assert.equal(committedHash(previous, 2 ** 32 + 2, bytes), byHand);
  assert.deepEqual(noEntries, { size: 0, hash: "0".repeat(64) });
});

test("an entry out of its place does not follow", () => {
  const entries = sealedEntries(5);
  const [first, second, third] = entries;
  assert.ok(first && second && third);
  const head = follow(noEntries, first);
  assert.throws(() => follow(head, third), broken(2));
  assert.throws(() => follow(noEntries, second), broken(1));
  // Renumbered into the gap, its hash gives it away.
  assert.throws(() => follow(head, { ...third, sequence: 2 }), broken(2));
  // Nor does a gap pass that was closed by a hash made to fit.
  const fitting = entryHash(head.hash, 3, third.bytes);
  assert.throws(() => follow(head, { ...third, hash: fitting }), broken(2));
});

test("a flipped bit in any of 10,000 sampled places is found at its own sequence", async () => {
  const size = 3_000;
  const entries = sealedEntries(size);
  const heads = entries.map(({ sequence, hash }): Head => ({ size: sequence, hash }));
  const draw = drawing(20_261_121);
  for (let sample = 0; sample < 10_000; sample += 1) {
    const at = draw(size);
    const original = entries[at];
    assert.ok(original);
    const hashBytes = Buffer.from(original.hash, "hex");
    // One in eight flips hits the stored hash instead of the stored bytes.
    const damaged: StoredEntry =
      sample % 8 === 0
        ? { ...original, hash: Buffer.from(flipped(hashBytes, draw(256))).toString("hex") }
        : { ...original, bytes: flipped(original.bytes, draw(original.bytes.length * 8)) };
    // The walk from two entries before: what lies further back is the same for every sample.
    const from = Math.max(0, at - 2);
    const window = [...entries.slice(from, at), damaged, ...entries.slice(at + 1, at + 3)];
    assert.throws(() => walk(heads[from - 1] ?? noEntries, window), broken(at + 1));
  }
});

test("verify names the sequence of a flipped bit, wherever it is", async () => {
  const entries = sealedEntries(400);
  const draw = drawing(7);
  for (const at of [0, 1, 199, 398, 399, ...Array.from({ length: 20 }, () => draw(400))]) {
    const damaged = entries.map((entry, index) =>
      index === at
        ? { ...entry, bytes: flipped(entry.bytes, draw(entry.bytes.length * 8)) }
        : entry,
    );
    const verification = await verifyJournal(await journalOf(damaged), { key });
    assert.equal(verification.valid, false);
    assert.equal(verification.brokenAt, at + 1);
    assert.equal(verification.size, at);
    assert.equal(verification.head, entries[at - 1]?.hash ?? noEntries.hash);
  }
});

test("an untouched journal verifies, and two verifications agree", async () => {
  const journal = await journalOf(sealedEntries(300));
  const verification = await verifyJournal(journal, { key });
  assert.equal(verification.valid, true);
  assert.equal(verification.size, 300);
  assert.deepEqual(await verifyJournal(journal, { key, sliceMillis: 0 }), verification);
});

/** The journal of the moment, with some of its reads replaced. */
const replacing = (
  journal: () => MemoryJournal,
  reads: Partial<Pick<MemoryJournal, "read" | "checkpointsAfter">>,
): MemoryJournal =>
  new Proxy(journal(), {
    get: (_, name) => {
      const own: unknown = Reflect.get(reads, name);
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(journal(), name);
      return typeof member === "function" ? member.bind(journal()) : member;
    },
  });

test("a verification that stays reads the entries that came since, and no others", async () => {
  const entries = sealedEntries(1_039);
  const journal = await journalOf(entries);
  let read = 0;
  const counting = replacing(() => journal, {
    read: async (from, limit) => {
      const found = await journal.read(from, limit);
      read += found.length;
      return found;
    },
  });
  const kept = new KeptVerification(counting, { key });
  const first = await kept.upTo(1_000);
  assert.deepEqual([first.valid, first.size, read], [true, 1_000, 1_000]);
  read = 0;
  const later = await kept.upTo(1_039);
  assert.deepEqual([later.valid, later.size, later.totalEntries], [true, 1_039, 1_039]);
  assert.equal(read, 1 + 39, "the one it stood at, and those after it");
  const whole = await verifyJournal(journal, { key });
  assert.deepEqual([later.head, later.stateHash], [whole.head, whole.stateHash]);
  read = 0;
  assert.equal((await kept.upTo(1_039)).valid, true);
  assert.equal(read, 1);
  const cut = await kept.upTo(1_040);
  assert.deepEqual([cut.valid, cut.brokenAt], [false, 1_040]);
});

test("a verification that stays finds what was changed since, in entries and in checkpoints", async () => {
  const entries = sealedEntries(60);
  const draw = drawing(9);
  const stays = async (then: readonly SealedEntry[], notes: readonly Note[] = []) => {
    let journal = await journalOf(entries.slice(0, 50));
    let signed: readonly Note[] = [];
    const source = replacing(() => journal, {
      checkpointsAfter: async (after) => signed.filter(({ size }) => size > after),
    });
    const kept = new KeptVerification(source, { key });
    assert.equal((await kept.upTo(50)).valid, true);
    signed = notes;
    journal = await journalOf(then);
    return kept.upTo(60);
  };
  const origin = originOf(chainId);
  const { hash: late = "" } = entries[44] ?? {};
  const fit = signCheckpoint(key, origin, { size: 45, hash: late });
  const sound = await stays(entries, [fit]);
  assert.deepEqual([sound.valid, sound.checkpoints], [true, 1], "signed a moment after its entry");
  const lie = signCheckpoint(key, origin, { size: 45, hash: "0".repeat(64) });
  assert.deepEqual([(await stays(entries, [lie])).valid], [false]);
  const foreign = signCheckpoint(generateSigningKey(), origin, { size: 45, hash: late });
  assert.deepEqual([(await stays(entries, [foreign])).valid], [false]);
  const flippedAt = (at: number) =>
    entries.map((entry, index) =>
      index === at ? { ...entry, bytes: flipped(entry.bytes, draw(100)) } : entry,
    );
  assert.equal((await stays(flippedAt(55))).brokenAt, 56);
  const other = rewritten(entries, 50, '"reason":"deposit"', '"reason":"fee"');
  assert.equal((await stays(other)).brokenAt, 50, "the entry that it stood at");
});

test("a decision the core would not take is found, though the chain was recomputed", async () => {
  // Entry 11 says that the deposit was a fee; every hash from there on is made to fit.
  const entries = rewritten(sealedEntries(20), 11, '"reason":"deposit"', '"reason":"fee"');
  const verification = await verifyJournal(await journalOf(entries), { key });
  assert.equal(verification.brokenAt, 11);
  assert.match(verification.reason ?? "", /deciding it again gives another outcome/);
});

test("a column that says something else than the bytes is found", async () => {
  for (const change of [
    { action: "order.placed" },
    { severity: "critical" },
    { actor: "system" },
    { concerns: "acc-1" },
    { timeMillis: 1 },
  ]) {
    const entries = sealedEntries(9).map((entry) =>
      entry.sequence === 6 ? { ...entry, ...change } : entry,
    );
    const verification = await verifyJournal(await journalOf(entries), { key });
    assert.equal(verification.brokenAt, 6, JSON.stringify(change));
  }
});

test("a cut tail is found through the checkpoint", async () => {
  const entries = sealedEntries(50);
  const journal = await journalOf(entries.slice(0, 40));
  assert.equal((await verifyJournal(journal, { key })).valid, true);
  const verification = await verifyJournal(journal, {
    key,
    file: notes(signCheckpoint(key, `firstprint/${chainId}`, headOf(entries)).note),
  });
  assert.equal(verification.valid, false);
  assert.equal(verification.brokenAt, 41);
  assert.match(verification.reason ?? "", /signed at entry 50/);
});

test("an emptied journal is found through the checkpoint", async () => {
  const { note } = signCheckpoint(key, `firstprint/${chainId}`, headOf(sealedEntries(5)));
  const verification = await verifyJournal(await journalOf([]), { key, file: notes(note) });
  assert.equal(verification.brokenAt, 1);
  assert.match(verification.reason ?? "", /the journal is empty/);
});

test("a rewritten chain is found, after the last checkpoint that agrees", async () => {
  const [sealed, other] = [sealedEntries(50), sealedEntries(50, "another story")];
  const origin = `firstprint/${chainId}`;
  const at = (size: number) => signCheckpoint(key, origin, headOf(sealed.slice(0, size))).note;
  const journal = await journalOf(other);
  assert.equal((await verifyJournal(journal, { key })).valid, true);
  const verification = await verifyJournal(journal, { key, file: notes(at(1), at(2), at(30)) });
  assert.equal(verification.valid, false);
  assert.equal(verification.brokenAt, 3);
  assert.match(verification.reason ?? "", /at entry 30 was signed over/);
});

test("a checkpoint that another key signed is found", async () => {
  const entries = sealedEntries(10);
  const forged = signCheckpoint(generateSigningKey(), `firstprint/${chainId}`, headOf(entries));
  const verification = await verifyJournal(await journalOf(entries), {
    key,
    file: notes(forged.note),
  });
  assert.equal(verification.valid, false);
  assert.match(verification.reason ?? "", /not signed by this node's key/);
});

function walk(from: Head, entries: readonly StoredEntry[]): Head {
  let head = from;
  for (const entry of entries) head = follow(head, entry);
  return head;
}

const broken = (sequence: number) => (error: unknown) => {
  assert.ok(error instanceof ChainBreak, String(error));
  assert.equal(error.sequence, sequence);
  return true;
};

async function* notes(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}
