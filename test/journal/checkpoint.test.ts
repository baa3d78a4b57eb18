// Signed notes against a published example; the key and the file on disk; the refusals at a start.
import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkWitnesses, openCheckpoint, signCheckpoint } from "#journal/checkpoint.ts";
import { CheckpointFile, checkpointNotes } from "#journal/checkpoint-file.ts";
import { keyFile, loadSigningKey, readKeyFile } from "#journal/checkpoint-key.ts";
import { JournalRefusal } from "#journal/journal.ts";
import {
  generateSigningKey,
  openNote,
  readSigningKey,
  signNote,
  verifierKey,
} from "#journal/note.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { drawing, headOf, journalOf, sealedEntries } from "./sealed.ts";

const key = generateSigningKey();
const origin = `firstprint/${"c".repeat(32)}`;

const folder = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-checkpoint-");

/** The key pair that the documentation of Go's sumdb/note gives as its example. */
function exampleKey() {
  const encoded = Buffer.from("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz", "base64");
  const seed = encoded.subarray(1);
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const der = Buffer.concat([prefix, seed]);
  const pem = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return readSigningKey(pem.export({ type: "pkcs8", format: "pem" }).toString());
}

const exampleText =
  "If you think cryptography is the answer to your problem,\n" +
  "then you don't know what your problem is.\n";
const exampleSignature =
  "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";

test("a note is byte for byte what another implementation of the format writes", () => {
  const example = exampleKey();
  const note = `${exampleText}\n— PeterNeumann ${exampleSignature}\n`;
  assert.equal(signNote(example, "PeterNeumann", exampleText), note);
  assert.equal(openNote(example, "PeterNeumann", note), exampleText);
  assert.equal(
    verifierKey(example, "PeterNeumann"),
    "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
  );
});

test("a checkpoint has three lines, a blank one, and the signature", () => {
  const head = { size: 1234, hash: "0f".repeat(32) };
  const { size, note } = signCheckpoint(key, origin, head);
  assert.equal(size, 1234);
  const [first, second, third, blank, signature, end] = note.split("\n");
  assert.equal(first, origin);
  assert.equal(second, "1234");
  assert.equal(Buffer.from(third ?? "", "base64").toString("hex"), head.hash);
  assert.equal(blank, "");
  assert.match(signature ?? "", new RegExp(`^— ${origin} [A-Za-z0-9+/]{90}[A-Za-z0-9+/=]{2}$`));
  assert.equal(end, "");
  assert.deepEqual(openCheckpoint(key, origin, note), head);
});

test("a checkpoint holds for its own key and chain only; others may sign below", () => {
  const head = { size: 5, hash: "01".repeat(32) };
  const { note } = signCheckpoint(key, origin, head);
  assert.equal(openCheckpoint(generateSigningKey(), origin, note), undefined);
  assert.equal(openCheckpoint(key, `firstprint/${"d".repeat(32)}`, note), undefined);
  assert.equal(openCheckpoint(key, origin, note.slice(0, -1)), undefined);
  assert.equal(openCheckpoint(key, origin, `${note}\n`), undefined);
  const cosigned = `${note}— witness.example AAAAAQID\n`;
  assert.deepEqual(openCheckpoint(key, origin, cosigned), head);
  const broken = note.replace(/.{8}=\n$/, (end) => `${"A".repeat(end.length - 2)}=\n`);
  assert.equal(openCheckpoint(key, origin, broken), undefined);
});

test("the key is made once, for its owner only, and is the same ever after", async (t) => {
  const dataDir = join(await folder(t), "made", "on", "the", "way");
  const made = await loadSigningKey(dataDir);
  const again = await loadSigningKey(dataDir);
  assert.deepEqual(Buffer.from(made.publicBytes), Buffer.from(again.publicBytes));
  assert.equal((await stat(keyFile(dataDir))).mode & 0o777, 0o600);
  assert.equal(await readKeyFile(keyFile(await folder(t))), undefined);
  await writeFile(keyFile(dataDir), "not a key");
  await assert.rejects(() => loadSigningKey(dataDir), JournalRefusal);
});

test("a short file keeps every note; what a crash tore off the last one is cut away", async (t) => {
  const dataDir = await folder(t);
  const notes = [1, 2, 3].map((size) => signCheckpoint(key, origin, headAt(size)).note);
  const [first = "", second = "", third = ""] = notes;
  const file = await CheckpointFile.open(dataDir);
  assert.equal(file.newest(), undefined);
  await file.append(first);
  await file.append(second);
  await file.append(second);
  await file.close();
  for (let torn = 1; torn < Buffer.byteLength(third); torn += 13) {
    await appendFile(file.path, Buffer.from(third).subarray(0, torn));
    assert.deepEqual(await all(checkpointNotes(dataDir)), [first, second], `torn at ${torn}`);
    const again = await CheckpointFile.open(dataDir);
    assert.equal(again.newest(), second);
    await again.close();
    assert.equal(await readFile(file.path, "utf8"), first + second);
  }
  const again = await CheckpointFile.open(dataDir);
  await again.append(third);
  await again.close();
  assert.deepEqual(await all(checkpointNotes(dataDir)), notes);
});

test("a file that ends in something else is not cut, but refused", async (t) => {
  const dataDir = await folder(t);
  await appendFile(join(dataDir, "checkpoints"), "a\nb\nc\nd\ne\nf\n");
  await assert.rejects(() => CheckpointFile.open(dataDir), JournalRefusal);
  assert.equal(await readFile(join(dataDir, "checkpoints"), "utf8"), "a\nb\nc\nd\ne\nf\n");
});

test("more notes than fit into one read of the tail", async (t) => {
  const dataDir = await folder(t);
  const file = await CheckpointFile.open(dataDir);
  const notes = Array.from(
    { length: 60 },
    (_, at) => signCheckpoint(key, origin, headAt(at + 1)).note,
  );
  for (const note of notes) await file.append(note);
  await file.close();
  assert.deepEqual(await all(checkpointNotes(dataDir)), notes);
  const again = await CheckpointFile.open(dataDir);
  assert.equal(again.newest(), notes.at(-1));
  await again.close();
});

test("a start is refused, naming both, where journal and checkpoint disagree", async () => {
  const entries = sealedEntries(20);
  const other = sealedEntries(20, "another story");
  const { note } = signCheckpoint(key, origin, headOf(entries));
  const check = async (held: typeof entries, signer = key, chain: string | undefined = origin) =>
    checkWitnesses(await journalOf(held), headOf(held), signer, chain, [
      { place: "the database", note: undefined },
      { place: "the file", note },
    ]);
  await check(entries);
  await assert.rejects(() => check(entries.slice(0, 19)), /ends at entry 19.*signed at entry 20/);
  await assert.rejects(() => check(other), /hash at entry 20 is .* signed over .* rewritten/);
  await assert.rejects(() => check(entries, generateSigningKey()), /not one that this node's/);
  await assert.rejects(() => check(entries, key, "firstprint/other"), /not one that this node's/);
  const empty = journalOf([]);
  await assert.rejects(
    async () =>
      checkWitnesses(await empty, headOf([]), key, undefined, [{ place: "the file", note }]),
    (error) => error instanceof JournalRefusal && /empty.*at entry 20/.test(error.message),
  );
});

const headAt = (size: number) => {
  const draw = drawing(size);
  return { size, hash: Buffer.from(Array.from({ length: 32 }, () => draw(256))).toString("hex") };
};

async function all(notes: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const note of notes) found.push(note);
  return found;
}
