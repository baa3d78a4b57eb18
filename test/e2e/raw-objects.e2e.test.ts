// An exchange that keeps raw files in an S3-compatible store: while the store is gone a release is
// refused whole, everything else goes on, and the files move back when the setting goes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { S3Store } from "#storage/s3-store.ts";
import { Exchange, listAt, textAt } from "#test/support/exchange.ts";
import { ObjectServer } from "#test/support/object-server.ts";
import { runFile } from "./program.ts";
import { stateFile } from "./sample-files.ts";
import { until } from "./until.ts";
import { type Query, upload } from "./upload.ts";

const query = (publishedAt: string): Query => ({
  provider: "sample",
  index: "zhvi",
  level: "state",
  publishedAt,
});

test("without its store a release is refused whole, taken later, and moves back", async (t) => {
  const server = await ObjectServer.start(t);
  const place = server.environment;
  const exchange = await Exchange.start(t, { ...place, FIRSTPRINT_RAW_FILES: "s3" });
  const objects = new S3Store(server.address);
  const [older, newer] = [stateFile(1), stateFile()];
  const first = await upload(exchange, older.text, query(older.publishedAt));
  assert.ok(first.status < 300, first.text);
  assert.equal((await Array.fromAsync(objects.names())).length, 1);

  await server.kill();
  const refused = await upload(exchange, newer.text, query(newer.publishedAt));
  assert.equal(refused.status, 503, refused.text);
  assert.equal(textAt(refused.body, "code"), "STORAGE_UNAVAILABLE");
  const listed = await exchange.get("/api/admin/releases", { admin: true });
  assert.equal(listAt(listed.body, "data").length, 1, "nothing of it is kept");
  const vintages = `/api/index/state:tx/vintages?month=${older.lastMonth}`;
  await exchange.trader("anna", "100");
  await exchange.stop();
  await exchange.up();
  await until("the log says why files wait", () =>
    /the object store is out of reach: .*ECONNREFUSED/.test(exchange.output),
  );

  await server.up();
  const taken = await upload(exchange, newer.text, query(newer.publishedAt));
  assert.ok(taken.status < 300, taken.text);
  // The process that judges for the exchange reads no raw file, and is given no key to them.
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const whole = await exchange.get("/api/audit/verify", { key: auditor.key });
  assert.match(whole.text, /"valid":true.*"damagedReleases":\[\]/);
  const environment = { ...exchange.place, ...place };
  const judged = await runFile("src/verify.ts", environment);
  assert.match(judged.output, /^raw files +of 2 releases hold$/m);

  await exchange.stop();
  await exchange.up({ FIRSTPRINT_RAW_FILES: "database" });
  await until("both have moved", () => /2 raw files were moved/.test(exchange.output));
  assert.equal((await exchange.get(vintages)).status, 200);
  await exchange.stop();
  // It is told of no store.
  const alone = await runFile("src/verify.ts", exchange.place);
  assert.match(alone.output, /^raw files +of 2 releases hold$/m);
});
