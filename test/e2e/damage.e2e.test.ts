// Prints and raw files changed behind the exchange's back: both verifications name the release.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { urlOf } from "#test/support/database.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { runFile } from "./program.ts";
import { stateFile } from "./sample-files.ts";
import { upload } from "./upload.ts";

const whereTexas = (id: string): string => `WHERE places LIKE '%state:${id}%'`;

/** Each is undone by the second statement. */
const damages = {
  "a bit of a value": [
    "UPDATE print_block SET bytes = set_bit(bytes, 161, 1 - get_bit(bytes, 161)) WHERE block = 0",
    "UPDATE print_block SET bytes = set_bit(bytes, 161, 1 - get_bit(bytes, 161)) WHERE block = 0",
  ],
  "a letter of a place": [
    `UPDATE print_block SET places = replace(places, 'state:tx', 'state:tz') ${whereTexas("tx")}`,
    `UPDATE print_block SET places = replace(places, 'state:tz', 'state:tx') ${whereTexas("tz")}`,
  ],
  "the number of its first place": [
    "UPDATE print_block SET first_place = first_place + 1 WHERE block = 0",
    "UPDATE print_block SET first_place = first_place - 1 WHERE block = 0",
  ],
} as const;

test("a byte in prints, places or a raw file is found, and the release is named", async (t) => {
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

  for (const [what, [change, undo]] of Object.entries(damages)) {
    assert.equal((await client.query(change)).rowCount, 1, what);
    const told = await fromOutside();
    assert.equal(told.code, 1, what);
    const line = `^first prints +DAMAGED: The stored prints of ${id} \\(sample zhvi state\\)`;
    assert.match(told.output, new RegExp(line, "m"));
    assert.match(told.output, /^journal +holds$/m);
    const inside = await fromInside();
    assert.deepEqual(listAt(inside.body, "data", "damagedReleases"), [id], what);
    await client.query(undo);
  }
  const healed = await fromInside();
  assert.deepEqual(listAt(healed.body, "data", "damagedReleases"), []);
  assert.equal(at(healed.body, "data", "valid"), true);

  const flip = "UPDATE raw_chunk SET bytes = set_bit(bytes, 999, 1 - get_bit(bytes, 999))";
  assert.equal((await client.query(flip)).rowCount, 1);
  const raw = await fromOutside();
  assert.equal(raw.code, 1);
  const line = `^raw files +DAMAGED: The raw file of ${id} .*chunk 1 of 1 is not what its digest`;
  assert.match(raw.output, new RegExp(line, "m"));
  assert.match(raw.output, /^first prints +of 1 releases hold$/m);
  await client.query(flip);
  assert.equal((await fromOutside()).code, 0);
  await client.query("DELETE FROM raw_file");
  const missing = await fromOutside();
  assert.equal(missing.code, 1);
  assert.match(missing.output, new RegExp(`The raw file of ${id} [^:]* is missing [(]`));
});
