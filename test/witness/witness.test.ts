// A witness against C2SP tlog-witness: every status, what it keeps, and that it never goes back.
import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sha256Hex } from "#base/digest.ts";
import { signCheckpoint } from "#journal/checkpoint.ts";
import { LogTree } from "#journal/log-tree.ts";
import { consistencyRanges, coverOf, joined } from "#journal/merkle.ts";
import {
  generateSigningKey,
  openedBy,
  readVerifierKey,
  signNote,
  verifierKey,
} from "#journal/note.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { Witness } from "#witness/witness.ts";

const origin = "firstprint/log-of-a-test/log";
const key = generateSigningKey();
const log = readVerifierKey(verifierKey(key, origin));

function treeOf(size: number, kind = "leaf"): LogTree {
  const tree = new LogTree();
  for (let at = 0; at < size; at += 1) tree.append(sha256Hex(`${kind} ${at}`));
  return tree;
}

const noteOf = (size: number, kind?: string, signer = key): string =>
  signCheckpoint(signer, origin, { size, hash: treeOf(size, kind).root().toString("hex") }).note;

/** The body of `POST add-checkpoint`; the proof is of trees that fit a tile. */
function bodyOf(old: number, size: number, note = noteOf(size), kind?: string): string {
  const tree = treeOf(size, kind);
  const lines = consistencyRanges(old, size).map((range) => {
    const hashes = coverOf(range).map((part) => tree.edgeHash(part) ?? assert.fail("a hash"));
    return `${joined(hashes).toString("base64")}\n`;
  });
  return `old ${old}\n${lines.join("")}\n${note}`;
}

async function open(t: TestContext) {
  const folder = await temporaryFolder(t, "firstprint-witness-");
  const told: string[] = [];
  const again = () => Witness.open(folder, "witness.example/1", [log], (it) => told.push(it));
  return { folder, told, again, witness: await again() };
}

test("it cosigns a tree that grows, over a restart, and answers its size otherwise", async (t) => {
  const { witness, again, folder } = await open(t);
  const cosigner = readVerifierKey(witness.verifierKey);
  for (const [old, size] of [
    [0, 7],
    [7, 7],
    [7, 100],
    [100, 113],
  ] as const) {
    const answer = await witness.add(bodyOf(old, size));
    assert.equal(answer.status, 200, answer.body);
    assert.ok(openedBy(cosigner, `${noteOf(size)}${answer.body}`), "the cosignature is valid");
    assert.equal(openedBy(cosigner, `${noteOf(size + 1)}${answer.body}`), undefined);
  }
  const behind = await (await again()).add(bodyOf(7, 100));
  assert.deepEqual(behind, { status: 409, body: "113\n", contentType: "text/x.tlog.size" });
  const shown = await witness.newest(sha256Hex(origin));
  assert.ok(shown !== undefined && openedBy(cosigner, shown) && openedBy(log, shown));
  assert.equal(await witness.newest(sha256Hex("another")), undefined);
  const mode = (await stat(join(folder, "witness.key"))).mode & 0o777;
  assert.equal(mode, 0o600);
});

test("another history is refused, kept as evidence, and what it knows stays", async (t) => {
  const { witness, folder, told } = await open(t);
  assert.equal((await witness.add(bodyOf(0, 20))).status, 200);
  const forks = [
    bodyOf(20, 30, noteOf(30, "other"), "other"),
    bodyOf(20, 20, noteOf(20, "other")),
    bodyOf(20, 30).replace(/\n[^\n]{44}\n/, "\n"),
  ];
  for (const fork of forks) assert.equal((await witness.add(fork)).status, 422);
  assert.equal(told.length, forks.length);
  assert.ok((await readdir(folder)).some((name) => name.endsWith(".conflict")));
  assert.equal((await witness.add(bodyOf(20, 21))).status, 200);
});

test("two submissions at once: the second is held against the first", async (t) => {
  const { witness } = await open(t);
  const both = await Promise.all([witness.add(bodyOf(0, 9)), witness.add(bodyOf(0, 5))]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 409],
  );
});

test("no request, an unknown log, a signature that is not the log's", async (t) => {
  const { witness } = await open(t);
  const status = async (body: string) => (await witness.add(body)).status;
  const note = noteOf(3);
  for (const body of [
    "",
    "old 0\n",
    `old 01\n\n${note}`,
    `old -1\n\n${note}`,
    `old 0\nAAAA\n\n${note}`,
  ]) {
    assert.ok([400, 404].includes(await status(body)), body);
  }
  assert.equal(await status(`old 4\n\n${note}`), 400);
  assert.equal(await status(`old 0\n\n${note.replaceAll(origin, "another/log")}`), 404);
  assert.equal(await status(bodyOf(0, 3, noteOf(3, "leaf", generateSigningKey()))), 403);
  const broken = note.replace(/\n3\n/, "\n4\n");
  assert.equal(await status(bodyOf(0, 3, broken)), 403, "its signature is of another text");
  const first = `${treeOf(3).root().toString("base64")}\n`;
  assert.equal(await status(`old 0\n${first}\n${note}`), 422, "no proof goes with the first");
  const odd = signNote(key, origin, `${origin}\n0\n${first}`);
  assert.equal(await status(`old 0\n\n${odd}`), 422, "the empty tree has one root");
});
