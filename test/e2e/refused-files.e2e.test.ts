// Files that must not be taken, over HTTP: another cut's, the same one again, half of one.
// Invariant tested: a refusal says why and where, and leaves the state hash as it was.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import { withClient } from "#storage/with-client.ts";
import { ADMIN_SECRET, at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { stateFile } from "./sample-files.ts";
import { until } from "./until.ts";
import { type Query, upload, uploadPath } from "./upload.ts";

/** The state that a refused file must leave alone. */
class Watch {
  readonly #exchange: InProcessExchange;

  constructor(exchange: InProcessExchange) {
    this.#exchange = exchange;
  }

  /** The hash of the state that the journal replays to. */
  async stateHash(): Promise<string> {
    const journal = new PostgresJournal({ ...(await this.#exchange.connection()) });
    try {
      const key = await loadSigningKey(this.#exchange.dataDir);
      const { valid, reason, stateHash } = await verifyJournal(journal, { key });
      assert.equal(valid, true, reason);
      return stateHash;
    } finally {
      await journal.close();
    }
  }

  async releases(): Promise<readonly string[]> {
    const { body } = await this.#exchange.get("/api/admin/releases", { admin: true });
    return listAt(body, "data").map((release) => textAt(release, "id"));
  }

  /** Uploads of which the database holds a part, whole or not. */
  begun(): Promise<readonly string[]> {
    return column(this.#exchange, "SELECT DISTINCT upload::text AS value FROM raw_chunk");
  }

  rawFiles(): Promise<readonly string[]> {
    return column(this.#exchange, "SELECT sha256 AS value FROM raw_file ORDER BY sha256");
  }
}

async function column(exchange: InProcessExchange, sql: string): Promise<readonly string[]> {
  const connection = await exchange.connection();
  const rows = await withClient({ ...connection }, (client) => client.query(sql));
  return rows.rows.map((row) => textAt(row, "value"));
}

test("a file named as another cut is refused, naming both; its series shows its own", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { text, publishedAt } = stateFile();
  const file = pathToFileURL(join(exchange.dataDir, "states.csv"));
  await writeFile(file, text);
  const query = { provider: "zillow", index: "zhvi", level: "state", publishedAt };
  const own = "uc_sfrcondo_tier_0.33_0.67_sm_sa";
  const other = "bdrmcnt_3_uc_sfrcondo_tier_0.33_0.67_sm_sa";
  const named = (cut: string) => ({ ...query, fileName: `State_zhvi_${cut}_month.csv` });
  const refused = await exchange.ingest(file, named(other));
  assert.equal(refused.status, 422, refused.text);
  assert.equal(textAt(refused.body, "error", "details", "reason"), "OTHER_CUT");
  const message = textAt(refused.body, "error", "message");
  assert.ok(message.includes(`"zhvi ${other}"`) && message.includes(`"zhvi ${own}"`), message);
  const unnamed = await exchange.ingest(file, { ...query, fileName: "x".repeat(256) });
  assert.equal(unnamed.status, 400, unnamed.text);

  const taken = await exchange.ingest(file, named(own));
  assert.equal(taken.status, 200, taken.text);
  assert.equal(textAt(taken.body, "data", "cut"), own);
  const { body } = await exchange.get("/api/releases");
  assert.deepEqual(
    listAt(body, "data").map((release) => textAt(release, "cut")),
    [own],
  );
});

test("the same bytes again are the same release, packed or plain, under any name", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const watch = new Watch(exchange);
  const { text, publishedAt } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const first = await upload(exchange, text, query);
  assert.equal(first.status, 200, first.text);
  const id = textAt(first.body, "data", "id");
  assert.ok(numberAt(first.body, "data", "firstPrints") > 0);
  const after = await watch.stateHash();
  const files = await watch.rawFiles();
  const { body: status } = await exchange.get("/api/status");

  const renamed = join(exchange.dataDir, "another-name.txt.gz");
  await writeFile(renamed, gzipSync(text, { level: 9 }));
  const later = { ...query, publishedAt: new Date().toISOString() };
  const again = [
    await upload(exchange, text, query),
    await upload(exchange, text, query, "text/plain"),
    await upload(exchange, new Uint8Array(gzipSync(text)), query, "application/gzip"),
    await upload(exchange, text, later),
    await exchange.ingest(pathToFileURL(renamed), query),
  ];
  for (const repeated of again) assert.deepEqual(at(repeated.body, "data"), at(first.body, "data"));
  assert.deepEqual(await watch.releases(), [id]);
  assert.deepEqual(await watch.rawFiles(), files, "the file is kept once");
  assert.equal(await watch.stateHash(), after);
  const now = await exchange.get("/api/status");
  assert.equal(numberAt(now.body, "sequence"), numberAt(status, "sequence"), "nothing is entered");
});

test("the same file sent by many at once is taken once", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const watch = new Watch(exchange);
  for (const age of [1, 0]) {
    const { text, publishedAt } = stateFile(age);
    const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
    const before = await watch.releases();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => upload(exchange, text, query)),
    );
    for (const { status, body, text: said } of replies) {
      assert.equal(status, 200, said);
      assert.deepEqual(at(body, "data"), at(replies[0]?.body, "data"));
    }
    assert.equal((await watch.releases()).length, before.length + 1);
    assert.equal((await watch.rawFiles()).length, before.length + 1);
  }
});

/** Sends the head of a request and half of its body, and cuts when that is being kept. */
async function cutOff(
  exchange: InProcessExchange,
  watch: Watch,
  query: Query,
  body: Buffer,
  isChunked: boolean,
): Promise<void> {
  const length = isChunked
    ? { "transfer-encoding": "chunked" }
    : { "content-length": String(body.length) };
  const sending = request(exchange.url + uploadPath(query), {
    method: "POST",
    headers: { "content-type": "text/csv", "x-admin-secret": ADMIN_SECRET, ...length },
  });
  sending.on("error", () => undefined);
  sending.write(body.subarray(0, body.length / 2));
  await until("the first half has come", async () => (await watch.begun()).length > 0);
  sending.destroy();
  await until("the first half is gone", async () => (await watch.begun()).length === 0);
}

test("an upload cut in the middle leaves nothing behind", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const watch = new Watch(exchange);
  const { text, publishedAt } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const before = await watch.stateHash();
  const packed = gzipSync(text);
  // Large, and of nothing that can be packed: half of it fills more than a chunk.
  const large = randomBytes(2_000_000);
  for (const body of [large, gzipSync(large)]) {
    for (const isChunked of [false, true]) {
      await cutOff(exchange, watch, query, body, isChunked);
    }
  }
  const half = await upload(exchange, new Uint8Array(packed.subarray(0, packed.length / 2)), query);
  assert.equal(half.status, 422, half.text);
  assert.equal(textAt(half.body, "error", "details", "reason"), "TRUNCATED");

  assert.deepEqual([...(await watch.rawFiles()), ...(await watch.begun())], []);
  assert.deepEqual(await watch.releases(), []);
  assert.equal(await watch.stateHash(), before);
  const whole = await upload(exchange, text, query);
  assert.equal(whole.status, 200, whole.text);
  assert.equal((await watch.rawFiles()).length, 1);
});
