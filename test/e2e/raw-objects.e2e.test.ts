// An exchange whose settings name an S3-compatible store for raw files: they go there, `npm run
// verify` reads them there, and they move back when the setting goes.
// Invariant tested: while the store is gone a release is refused whole, and taken later. The
// store's own promises are told in test/ingest/raw-objects.db.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { S3Store } from "#storage/s3-store.ts";
import { withClient } from "#storage/with-client.ts";
import { urlOf } from "#test/support/database.ts";
import { listAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { ObjectServer } from "#test/support/object-server.ts";
import { runFile } from "./program.ts";
import { stateFile } from "./sample-files.ts";
import { until } from "./until.ts";
import { upload } from "./upload.ts";

test("without its store a release is refused whole, taken later, and moves back", async (t) => {
  const server = await ObjectServer.start(t);
  const place = server.environment;
  const exchange = await InProcessExchange.start(t, { ...place, FIRSTPRINT_RAW_FILES: "s3" });
  const objects = new S3Store(server.address);
  const { text, publishedAt } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const send = () => upload(exchange, text, query);

  await server.kill();
  const refused = await send();
  assert.equal(refused.status, 503, refused.text);
  assert.equal(textAt(refused.body, "code"), "STORAGE_UNAVAILABLE");
  const listed = await exchange.get("/api/admin/releases", { admin: true });
  assert.deepEqual(listAt(listed.body, "data"), [], "nothing of it is kept");
  await server.up();
  const taken = await send();
  assert.ok(taken.status < 300, taken.text);
  const names = () => Array.fromAsync(objects.names());
  assert.equal((await names()).length, 1);

  const verify = async (): Promise<string> => {
    const environment = {
      ...place,
      DATABASE_URL: urlOf(await exchange.connection()),
      FIRSTPRINT_DATA_DIR: exchange.dataDir,
    };
    return (await runFile("src/verify.ts", environment)).output;
  };
  assert.match(await verify(), /^raw files +of 1 releases hold$/m);
  await exchange.stop();
  await exchange.up({ FIRSTPRINT_RAW_FILES: "database" });
  const connection = await exchange.connection();
  await until("it has moved", async () => {
    const chunks = await withClient({ ...connection }, (client) =>
      client.query("SELECT FROM raw_chunk"),
    );
    return chunks.rows.length > 0;
  });
});
