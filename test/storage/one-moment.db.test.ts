// A copy of a database while others write to it.
// Invariant: every table is of the moment in which the copy began.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atOneMoment } from "#backup/tables.ts";
import { migrate } from "#storage/migrate.ts";
import { withClient } from "#storage/with-client.ts";
import { createDatabase } from "#test/support/database.ts";

test("rows that are written while a copy is read are in none of its tables", async (t) => {
  const config = await createDatabase(t);
  await withClient(config, migrate);
  const write = (statement: string) => withClient(config, (client) => client.query(statement));
  await write("CREATE TABLE first_read (n int); CREATE TABLE read_later (n int)");
  const rows = await atOneMoment(config, async ({ rowsOf }) => {
    const read = async (table: string) => (await Array.fromAsync(rowsOf(table))).join("");
    const first = await read("first_read");
    await write("INSERT INTO first_read VALUES (41); INSERT INTO read_later VALUES (42)");
    return [first, await read("read_later"), await read("first_read")];
  });
  assert.deepEqual(
    rows.map((text) => /41|42/.test(text)),
    [false, false, false],
  );
  const after = await atOneMoment(config, ({ rowsOf }) => Array.fromAsync(rowsOf("read_later")));
  assert.match(after.join(""), /42/, "the next copy has them");
});
