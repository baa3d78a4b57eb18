// The raw archive on a real folder: kept once, whole, under its hash; nothing half written stays.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { RAW_LIMIT_BYTES } from "#ingest/raw-file.ts";
import { RawFolder } from "#ingest/raw-folder.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { pieces } from "./wide-file.ts";

const folderFor = (context: TestContext): Promise<string> =>
  temporaryFolder(context, "firstprint-raw-");

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const bytesOf = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(source));

test("the same bytes, plain or gzip, are one file that reads back as sent", async (context) => {
  const folder = await folderFor(context);
  const archive = await RawFolder.start(join(folder, "not", "there", "yet"));
  const content = randomBytes(70_000);

  const first = await archive.keep(pieces(content));
  assert.deepEqual(first, { sha256: sha256(content), bytes: content.length, wasKept: false });
  const again = await archive.keep(pieces(gzipSync(content, { level: 9 }), 31));
  const split = Buffer.concat([gzipSync(content.subarray(0, 9)), gzipSync(content.subarray(9))]);
  const inMembers = await archive.keep(pieces(split));
  assert.deepEqual(
    [again, inMembers],
    [
      { ...first, wasKept: true },
      { ...first, wasKept: true },
    ],
  );

  assert.deepEqual(await readdir(join(folder, "not", "there", "yet")), [`${first.sha256}.zst`]);
  assert.deepEqual(await bytesOf(archive.open(first.sha256)), content);
  assert.equal(await archive.has(first.sha256), true);
  assert.equal(await archive.has("0".repeat(64)), false);
});

test("gzip inside gzip is unpacked once: the file that it holds is the inner one", async (context) => {
  const archive = await RawFolder.start(await folderFor(context));
  const inner = gzipSync(randomBytes(1_000));
  const kept = await archive.keep(pieces(gzipSync(inner)));
  assert.deepEqual([kept.sha256, kept.bytes], [sha256(inner), inner.length]);
});

test("the same bytes sent twenty times at once are one file", async (context) => {
  const folder = await folderFor(context);
  const archive = await RawFolder.start(folder);
  const content = randomBytes(50_000);
  const kept = await Promise.all(Array.from({ length: 20 }, () => archive.keep(pieces(content))));
  assert.equal(new Set(kept.map((it) => it.sha256)).size, 1);
  assert.deepEqual(await readdir(folder), [`${sha256(content)}.zst`]);
  assert.deepEqual(await bytesOf(archive.open(sha256(content))), content);
});

test("a reading that is given up at once opens no file", async (context) => {
  const archive = await RawFolder.start(await folderFor(context));
  // Nobody would hear that there is none: the process would end by it.
  archive.open("0".repeat(64)).destroy();
  await assert.rejects(bytesOf(archive.open("0".repeat(64))), { code: "ENOENT" });
});

test("what is refused leaves nothing behind", async (context) => {
  const folder = await folderFor(context);
  const limit = 100_000;
  const archive = await RawFolder.start(folder, limit);
  const packed = gzipSync(randomBytes(50_000));
  const flipped = Buffer.from(packed);
  flipped.writeUInt8(flipped.readUInt8(30_000) ^ 1, 30_000);
  const cases: readonly (readonly [string, Buffer, RegExp])[] = [
    ["EMPTY_FILE", Buffer.alloc(0), /empty/],
    ["EMPTY_FILE", gzipSync(""), /empty/],
    ["TOO_LARGE", randomBytes(limit + 1), /upload.*100000 bytes/],
    ["TOO_LARGE", gzipSync(Buffer.alloc(limit + 1)), /decompressed.*100000 bytes/],
    ["TRUNCATED", packed.subarray(0, 20_000), /ends too early/],
    ["TRUNCATED", packed.subarray(0, 2), /ends too early/],
    ["BAD_GZIP", flipped, /damaged/],
    ["BAD_GZIP", Buffer.from([0x1f, 0x8b, 0, 0, 0]), /damaged/],
  ];
  for (const [code, bytes, message] of cases) {
    await assert.rejects(archive.keep(pieces(bytes)), { name: "ReleaseRefusal", code, message });
    assert.deepEqual(await readdir(folder), [], code);
  }
  assert.equal((await archive.keep(pieces(Buffer.alloc(limit)))).bytes, limit);
});

test("a gzip bomb is stopped soon after the limit, not at its end", async (context) => {
  const folder = await folderFor(context);
  const archive = await RawFolder.start(folder, 1_000_000);
  const member = gzipSync(Buffer.alloc(4_000_000));
  let sent = 0;
  async function* bomb(): AsyncGenerator<Uint8Array> {
    for (; sent < 100_000; sent += 1) yield member;
  }
  await assert.rejects(archive.keep(bomb()), { code: "TOO_LARGE" });
  assert.ok(sent < 200, `${sent} members of 4 MB were asked for`);
  assert.equal(RAW_LIMIT_BYTES, 536_870_912);
});

test("a fault of the sender stays that fault and leaves nothing behind", async (context) => {
  const folder = await folderFor(context);
  const archive = await RawFolder.start(folder);
  for (const start of [Buffer.from("RegionID,"), gzipSync(randomBytes(9_000)).subarray(0, 5_000)]) {
    async function* aborted(): AsyncGenerator<Uint8Array> {
      yield start;
      throw new Error("connection lost");
    }
    await assert.rejects(archive.keep(aborted()), /connection lost/);
    assert.deepEqual(await readdir(folder), []);
  }
});

test("a kept file that rotted is not passed on as good", async (context) => {
  const folder = await folderFor(context);
  const archive = await RawFolder.start(folder);
  const { sha256: name } = await archive.keep(pieces(Buffer.from("honest\n")));
  const path = join(folder, `${name}.zst`);
  assert.equal(zstdDecompressSync(await readFile(path)).toString(), "honest\n");
  const packed = zstdCompressSync(randomBytes(90_000));
  const flipped = Buffer.from(packed);
  flipped.writeUInt8(flipped.readUInt8(5) ^ 255, 5);
  const others = [gzipSync("honest\n"), zstdCompressSync("forged\n"), Buffer.from("honest\n")];
  for (const bytes of [...others, packed.subarray(0, 50_000), packed.subarray(0, 3), flipped]) {
    await writeFile(path, bytes);
    await assert.rejects(bytesOf(archive.open(name)), { name: "RawFileDamaged" });
  }
  assert.throws(() => archive.open("../../etc/passwd"), { name: "InvariantBreach" });
});

/** Keeps what it is sent on its standard input, and says so when the file has its name. */
const keeper = `
  const { RawFolder } = await import(process.argv[1]);
  const archive = await RawFolder.start(process.argv[2]);
  process.stdout.write("started\\n");
  const kept = await archive.keep(process.stdin);
  process.stdout.write(kept.sha256 + "\\n");
`;

test("killed half way, the next start finds only whole files", async (context) => {
  const folder = await folderFor(context);
  const before = await (await RawFolder.start(folder)).keep(pieces(Buffer.from("earlier\n")));
  const module = import.meta.resolve("#ingest/raw-folder.ts");
  const child = spawn(process.execPath, ["--input-type=module", "--eval", keeper, module, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.stdin.on("error", () => undefined);
  const content = randomBytes(3_000_000);
  child.stdin.write(content);
  while ((await readdir(folder)).length < 2) await new Promise((done) => setTimeout(done, 5));
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal((await readdir(folder)).filter((name) => name.endsWith(".partial")).length, 1);

  const archive = await RawFolder.start(folder);
  assert.deepEqual(await readdir(folder), [`${before.sha256}.zst`]);
  assert.equal(await archive.has(sha256(content)), false);
  assert.equal((await archive.keep(pieces(content, 65_536))).wasKept, false);
  assert.deepEqual(await bytesOf(archive.open(sha256(content))), content);
});
