// Rows that come in PostgreSQL's binary form are those that the driver's own queries give.
// Invariant: each byte is as it lies there, also of what is no text, and of rows of any size.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { copyOut } from "#storage/copy-out.ts";
import { poolOf } from "#storage/with-client.ts";
import { createDatabase } from "#test/support/database.ts";

test("each type comes as it is, row after row, those that are null too", async (t) => {
  const pool = poolOf({ ...(await createDatabase(t)) });
  t.after(() => pool.end());
  const rows = await copyOut(
    pool,
    `SELECT n::bigint, decode('00ff80c3', 'hex'), 'größer', NULL::text, ''::text
     FROM unnest(ARRAY[-1, 0, 9007199254740991]) AS n`,
    (row) => [row.bigint(), row.bytes().toString("hex"), row.text(), row.text(), row.text()],
  );
  const others = ["00ff80c3", "größer", null, ""];
  assert.deepEqual(rows, [
    [-1, ...others],
    [0, ...others],
    [Number.MAX_SAFE_INTEGER, ...others],
  ]);
  assert.deepEqual(await copyOut(pool, "SELECT 1 WHERE false", String), []);
});

test("rows of all sizes keep their bytes while others arrive", async (t) => {
  const pool = poolOf({ ...(await createDatabase(t)) });
  t.after(() => pool.end());
  const rows = await copyOut(
    pool,
    `SELECT sha256(bytes), bytes FROM (
       SELECT decode(repeat(md5(n::text), (n * n * 7) % 5003), 'hex') AS bytes
       FROM generate_series(1, 400) AS n) AS made`,
    (row) => ({ digest: row.hex(), bytes: row.bytes() }),
  );
  assert.equal(rows.length, 400);
  for (const { digest, bytes } of rows) assert.equal(hash("sha256", bytes), digest);
});

test("what the server refuses is thrown, and the pool goes on", async (t) => {
  const pool = poolOf({ ...(await createDatabase(t)), max: 1 });
  t.after(() => pool.end());
  const failing = "SELECT 1 / (500 - n) FROM generate_series(1, 1000) AS n";
  await assert.rejects(copyOut(pool, failing, String), /division by zero/);
  const [row] = await copyOut(pool, "SELECT 7::bigint", (one) => one.bigint());
  assert.equal(row, 7);
});
