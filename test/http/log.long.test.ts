// /api/log/…: tiles, heads and proofs as a stranger takes them, without the exchange's code.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { holdsBefore, rootOfInclusion } from "../../tools/log-proofs.ts";
import { openNote, readVerifierKey } from "../../tools/signed-note.ts";
import { PublicWorld } from "./public-world.ts";

const decoded = (proof: readonly unknown[]): Buffer[] =>
  proof.map((hash) => Buffer.from(String(hash), "base64"));

test("heads, tiles, hashes of entries and proofs agree with each other", async (t) => {
  const public_ = await PublicWorld.open(t);
  const { world } = public_;
  const raw = async (path: string) => {
    const answer = await world.server.inject({ method: "GET", url: `/api/log/${path}` });
    return { status: answer.statusCode, bytes: answer.rawPayload, type: answer.headers };
  };
  const auditor = await world.account("auditor", "auditor");
  for (let nth = 0; nth < 300; nth += 1) {
    await world.root({ type: "HaltExchange", reason: "a drill" });
    await world.root({ type: "ResumeExchange", reason: "it is over" });
  }
  const size = world.engine.status().durableSequence;
  for (let tries = 0; ; tries += 1) {
    const log = await world.get("/api/log", undefined);
    if (numberAt(log.json(), "data", "size") === size) break;
    assert.ok(tries < 200, "the newest head covers every entry");
    await sleep(25);
  }
  const info = (await world.get("/api/log", undefined)).json();
  const key = readVerifierKey(textAt(info, "data", "verifierKey"));
  const newest = await raw("checkpoint");
  assert.equal(newest.type["content-type"], "text/plain; charset=utf-8");
  const head = await openNote(newest.bytes.toString(), key);
  assert.ok(!("fault" in head));
  assert.equal(head.size, size);
  assert.deepEqual((await raw(`checkpoint/${size}`)).bytes, newest.bytes);
  assert.equal((await raw("checkpoint/999999")).status, 404);
  assert.equal((await raw("checkpoint/witnessed")).status, 404, "there is no witness");

  // The tree made from the entries' hashes alone.
  const width = size % 256;
  const full = Math.floor(size / 256);
  const paths = Array.from({ length: full }, (_, index) => `00${index}`);
  const leaves: Buffer[] = [];
  const tiles: Buffer[] = [];
  for (const path of [...paths, `00${full}.p/${width}`]) {
    const bundle = (await raw(`tile/entries/${path}`)).bytes;
    for (let from = 0; from < bundle.length; from += 34) {
      assert.equal(bundle.readUInt16BE(from), 32);
      const entry = bundle.subarray(from + 2, from + 34);
      leaves.push(createHash("sha256").update(Uint8Array.of(0)).update(entry).digest());
    }
    const tile = await raw(`tile/0/${path}`);
    assert.equal(tile.type["content-type"], "application/octet-stream");
    tiles.push(tile.bytes);
  }
  assert.deepEqual(Buffer.concat(tiles), Buffer.concat(leaves));
  assert.deepEqual(rootOf(leaves), Buffer.from(head.root));
  const above = Array.from({ length: full }, (_, at) =>
    rootOf(leaves.slice(at * 256, at * 256 + 256)),
  );
  assert.deepEqual((await raw(`tile/1/000.p/${full}`)).bytes, Buffer.concat(above));
  for (const path of [
    "tile/0/009",
    `tile/0/00${full}`,
    "tile/1/000",
    "tile/7/000",
    "tile/entries/009",
  ]) {
    assert.equal((await raw(path)).status, 404, path);
  }
  for (const path of ["tile/00/000", "tile/64/000", "tile/0/0", "tile/0/000.p/256"]) {
    assert.ok([400, 404].includes((await raw(path)).status), path);
  }

  const exported = (await world.get("/api/audit/export", auditor.secret)).json();
  for (const entry of listAt(exported, "data")) {
    const proof = decoded(listAt(entry, "inclusion", "proof"));
    const hash = Buffer.from(textAt(entry, "hash"), "hex");
    const index = numberAt(entry, "inclusion", "index");
    const lead = (place: number) => rootOfInclusion(hash, place, size, proof);
    assert.deepEqual(Buffer.from(lead(index) ?? []), Buffer.from(head.root));
    assert.notDeepEqual(Buffer.from(lead(index + 1) ?? []), Buffer.from(head.root));
  }
  const one = (await world.get(`/api/log/inclusion/2`, undefined)).json();
  assert.equal(at(one, "data", "checkpoint"), newest.bytes.toString());
  for (const from of [1, 2, 255, 256, 257, 512, size]) {
    const answer = await world.get(`/api/log/consistency?from=${from}&to=${size}`, undefined);
    const before = { size: from, root: rootOf(leaves.slice(0, from)) };
    const proof = decoded(listAt(answer.json(), "data", "proof"));
    assert.ok(holdsBefore(before, head, proof), `${from} to ${size}`);
    assert.equal(holdsBefore({ ...before, root: head.root.subarray(1) }, head, proof), false);
  }
  const tooFar = await world.get(`/api/log/consistency?from=1&to=${size + 1}`, undefined);
  assert.deepEqual([tooFar.statusCode, at(tooFar.json(), "error", "field")], [400, "to"]);
  assert.equal((await world.get(`/api/log/inclusion/${size + 1}`, undefined)).statusCode, 404);
});

function rootOf(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes;
  if (hashes.length === 1 && only !== undefined) return only;
  const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return createHash("sha256")
    .update(Uint8Array.of(1))
    .update(rootOf(hashes.slice(0, split)))
    .update(rootOf(hashes.slice(split)))
    .digest();
}
