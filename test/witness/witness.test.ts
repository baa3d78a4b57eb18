// A witness against C2SP tlog-witness: every status, what it keeps, and that it never goes back.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { sha256Hex } from "#base/digest.ts";
import { signCheckpoint } from "#journal/checkpoint.ts";
import { LogTree } from "#journal/log-tree.ts";
import { consistencyRanges, coverOf, joined } from "#journal/merkle.ts";
import {
  cosignerKey,
  generateSigningKey,
  openedBy,
  readVerifierKey,
  signNote,
  verifierKey,
} from "#journal/note.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { WitnessClient } from "#witness/client.ts";
import { serveWitness } from "#witness/serve.ts";
import { Visitors } from "#witness/visitors.ts";
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

async function listening(t: TestContext, server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}`;
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
  const kept = await evidenceIn(folder);
  assert.deepEqual(
    [...kept.keys()].map((name) => name.replace(/^[0-9a-f]{64}-(\d+)-[0-9a-f]{16}\./, "$1 ")),
    ["20 conflict", "30 conflict", "30 unproven"],
    "another root of one size, a proof of another beginning, no proof of anything",
  );
  const cosigned = await witness.newest(sha256Hex(origin));
  for (const fork of forks) assert.ok([...kept.values()].includes(`${cosigned}\n${fork}`));
  assert.equal(told.length, forks.length);
  assert.equal((await witness.add(bodyOf(20, 21))).status, 200);
});

/** The evidence that is kept, by its file. */
async function evidenceIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).filter((name) => /\.(conflict|unproven)$/.test(name));
  const texts = names
    .toSorted()
    .map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return new Map(await Promise.all(texts));
}

test("evidence stays as it was kept first, over a restart, whatever is sent after it", async (t) => {
  const { witness, folder, told, again } = await open(t);
  await witness.add(bodyOf(0, 20));
  const fork = noteOf(30, "other");
  await witness.add(bodyOf(20, 30, fork, "other"));
  const kept = await evidenceIn(folder);
  assert.equal(kept.size, 1);
  const lines = `${sha256Base64("noise")}\n`;
  for (const opened of [() => Promise.resolve(witness), again]) {
    const one = await opened();
    assert.equal((await one.add(bodyOf(20, 30, fork, "other"))).status, 422);
    // The head is public: anybody can send it with noise in the place of its proof.
    for (const noise of ["", lines, lines.repeat(5)]) {
      assert.equal((await one.add(`old 20\n${noise}\n${fork}`)).status, 422);
    }
    for (const [name, content] of kept) assert.equal((await evidenceIn(folder)).get(name), content);
  }
  assert.deepEqual(
    [...(await evidenceIn(folder)).keys()].map((name) => name.replace(/.*\./, "")),
    ["conflict", "unproven"],
  );
  assert.equal(told.length, 2, "a head is told once");
  const now = await evidenceIn(folder);
  const same = [...kept].filter(([name, content]) => now.get(name) === content).length;
  t.diagnostic(`after: ${same} of ${kept.size} texts of evidence is what it was`);
});

test("four hundred requests without a proof hold no log, nor fill the folder", async (t) => {
  const { witness, folder, told } = await open(t);
  await witness.add(bodyOf(0, 20));
  let answered = 0;
  const strangers = Array.from({ length: 400 }, async (_, at) => {
    const { status } = await witness.add(`old 20\n\n${noteOf(21 + at)}`);
    answered += 1;
    return status;
  });
  assert.equal((await witness.add(bodyOf(20, 21))).status, 200);
  const { size } = await evidenceIn(folder);
  // Evidence is written one file after another, beside the head: by then a few of them are there.
  // A log that waited behind the requests would find all hundred.
  assert.ok(size < 50, `${size} files were written before the log's own head was`);
  t.diagnostic(`after: the log waits behind ${size} of 400 requests without a proof`);
  assert.deepEqual([...new Set(await Promise.all(strangers))], [422]);
  assert.equal(answered, 400);
  assert.equal((await evidenceIn(folder)).size, 100);
  assert.equal(told.length, 100);
  const proven = bodyOf(21, 30, noteOf(30, "other"), "other");
  assert.equal((await witness.add(proven)).status, 422);
  const last = [...(await evidenceIn(folder)).keys()].filter((name) => name.endsWith("conflict"));
  assert.equal(last.length, 1, "what strangers leave takes no room from what is proven");
});

const sha256Base64 = (of: string): string => Buffer.from(sha256Hex(of), "hex").toString("base64");

/** A witness that is served, asked by `POST /add-checkpoint`. */
async function served(t: TestContext) {
  const { witness } = await open(t);
  const clock = { millis: 1_700_000_000_000 };
  const server = serveWitness(
    witness,
    (error) => assert.fail(String(error)),
    new Visitors(() => clock.millis),
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const url = `http://127.0.0.1:${address.port}`;
  const send = (body: string) => fetch(`${url}/add-checkpoint`, { method: "POST", body });
  return { url, clock, send };
}

test("a stranger has sixty requests a minute; who brings new heads is no stranger", async (t) => {
  const { url, clock, send } = await served(t);
  for (let at = 0; at < 60; at += 1) {
    const answer = await (at % 2 === 0 ? fetch(`${url}/x`) : send(`old 0\n\n${at}`));
    assert.ok(answer.status >= 400 && answer.status < 429, `${answer.status}`);
  }
  const refused = await send(bodyOf(0, 7));
  assert.equal(refused.status, 429);
  const seconds = Number(refused.headers.get("retry-after"));
  assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`);
  clock.millis += seconds * 1_000;
  assert.equal((await send(bodyOf(0, 7))).status, 200);
  for (let at = 0; at < 100; at += 1) assert.equal((await send("old")).status, 400);
  assert.equal((await send(bodyOf(7, 9))).status, 200);
});

test("strangers are counted together too, IPv6 by its network, and the known apart", () => {
  const clock = { millis: 60_000 };
  const visitors = new Visitors(() => clock.millis);
  visitors.noteCosigned("2001:db8:1:2::9");
  const asked = (address: string, times: number) =>
    Array.from({ length: times }, () => visitors.secondsToWait(address)).filter((it) => it > 0);
  assert.equal(asked("2001:db8:7::1", 30).length, 0);
  assert.equal(asked("2001:0db8:7:0:ffff::2", 40).length, 10, "one network");
  assert.equal(asked("::ffff:192.0.2.1", 60).length, 0);
  assert.equal(asked("192.0.2.1", 1).length, 1, "one address");
  for (let at = 0; at < 8; at += 1) assert.equal(asked(`198.51.100.${at}`, 60).length, 0);
  assert.equal(asked("203.0.113.1", 1).length, 1, "600 of all");
  assert.equal(asked("2001:db8:1:2:3::4", 100).length, 0);
  clock.millis += 3_600_000;
  assert.equal(asked("2001:db8:1:2::9", 61).length, 1, "an hour later it is a stranger again");
});

test("a witness's answer is read as far as a cosignature goes, and leads nowhere else", async (t) => {
  let sent = 0;
  let moved = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/moved") === true) {
      response.writeHead(307, { location: "/elsewhere/add-checkpoint" }).end();
      return;
    }
    if (request.url?.startsWith("/elsewhere") === true) moved += 1;
    response.writeHead(200);
    const more = (): void => {
      if (response.destroyed) return;
      sent += 65_536;
      response.write(Buffer.alloc(65_536, "x"), () => setImmediate(more));
    };
    more();
  });
  const url = await listening(t, server);
  const cosigner = cosignerKey(generateSigningKey(), "witness.example/1");
  const told: string[] = [];
  const client = new WitnessClient(
    ["endless", "moved"].map((path) => ({
      verifierKey: cosigner,
      url: `${url}/${path}`,
    })),
    (_, sentence) => told.push(sentence),
  );
  t.after(() => client.stop());
  client.start({ history: { log: () => undefined }, cosigned: () => Promise.resolve() });
  client.submit({ size: 3, note: noteOf(3) });
  while (told.length < 2) await new Promise((later) => setImmediate(later));
  assert.match(told.join("\n"), /more than 16384 bytes/);
  assert.match(told.join("\n"), /redirect/);
  assert.equal(moved, 0);
  assert.ok(sent < 20_000_000, `${sent} bytes were sent`);
});

test("a witness that knows the old key alone cosigns what both keys signed", async (t) => {
  const { witness } = await open(t);
  const rotated = generateSigningKey();
  const { note } = signCheckpoint(rotated, origin, {
    size: 9,
    hash: treeOf(9).root().toString("hex"),
  });
  const text = note.slice(0, note.lastIndexOf("\n\n") + 1);
  const [, ofOldKey = ""] = signNote(key, origin, text).split("\n\n");
  const cosigned = `— another.example/1 ${Buffer.alloc(76).toString("base64")}\n`;
  const server = createServer(async (request, response) => {
    const answer = await witness.add(await textOf(request));
    response.writeHead(answer.status).end(answer.body);
  });
  const url = await listening(t, server);
  const client = new WitnessClient([{ verifierKey: witness.verifierKey, url }], () => undefined);
  t.after(() => client.stop());
  const lines = new Promise<string>((kept) => {
    const keep = async (_: unknown, given: string): Promise<void> => kept(given);
    client.start({ history: { log: () => undefined }, cosigned: keep });
  });
  client.submit({ size: 9, note: `${note}${ofOldKey}${cosigned}` });
  assert.ok(openedBy(readVerifierKey(witness.verifierKey), `${note}${await lines}`));
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
