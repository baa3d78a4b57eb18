// Prints and raw files changed behind the exchange's back: both verifications name the release.
// Each kind of damage is told in test/ingest/intake.db.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { urlOf } from "#test/support/database.ts";
import { listAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { runFile } from "./program.ts";
import { stateFile } from "./sample-files.ts";
import { upload } from "./upload.ts";

const flip =
  "UPDATE print_block SET bytes = set_bit(bytes, 161, 1 - get_bit(bytes, 161)) WHERE block = 0";

test("what is changed behind its back is named by both verifications", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { text, publishedAt } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const release = await upload(exchange, text, query);
  const id = textAt(release.body, "data", "id");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const connection = await exchange.connection();
  const client = new Client({ ...connection });
  await client.connect();
  // The database ends with the exchange, perhaps before this connection does.
  client.on("error", () => undefined);
  t.after(() => client.end());

  const place = { FIRSTPRINT_DATA_DIR: exchange.dataDir, DATABASE_URL: urlOf(connection) };
  const fromOutside = () => runFile("src/verify.ts", place);
  const fromInside = () => exchange.get("/api/audit/verify", { key: auditor.key });
  const sound = await fromOutside();
  assert.match(sound.output, /^first prints +of 1 releases hold\nraw files +of 1 releases hold$/m);
  assert.equal(sound.code, 0);

  assert.equal((await client.query(flip)).rowCount, 1);
  const told = await fromOutside();
  assert.equal(told.code, 1);
  const line = `^first prints +DAMAGED: The stored prints of ${id} \\(sample zhvi state\\)`;
  assert.match(told.output, new RegExp(line, "m"));
  assert.match(told.output, /^journal +holds$/m);
  assert.match(told.output, /^raw files +of 1 releases hold$/m);
  const inside = await fromInside();
  assert.deepEqual(listAt(inside.body, "data", "damagedReleases"), [id]);
  await client.query(flip);
  await client.query("DELETE FROM raw_file");
  const missing = await fromOutside();
  assert.equal(missing.code, 1);
  assert.match(missing.output, new RegExp(`The raw file of ${id} [^:]* is missing [(]`));
});
