// The foundation of every other database test: databases of their own, from a template.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import type { Connection } from "#storage/embedded.ts";
import { createDatabase, openPool } from "#test/support/database.ts";

async function query(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(connection);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test("each test gets a database of its own, copied from a template filled once", async (t) => {
  let filled = 0;
  const prepare = async (connection: Connection): Promise<void> => {
    filled += 1;
    await query(connection, "CREATE TABLE kept AS SELECT 9 AS value");
  };
  let first: Connection | undefined;
  await t.test("one", async (inner) => {
    first = await createDatabase(inner, prepare);
    await query(first, "UPDATE kept SET value = 10");
  });
  await t.test("two", async (inner) => {
    const began = performance.now();
    const second = await createDatabase(inner, prepare);
    t.diagnostic(`a database in ${(performance.now() - began).toFixed(0)} ms`);
    assert.deepEqual(await query(second, "SELECT value FROM kept"), [{ value: 9 }]);
    assert.notEqual(second.database, first?.database);
  });
  await t.test("three, from no template", async (inner) => {
    const third = await createDatabase(inner);
    await assert.rejects(query(third, "SELECT value FROM kept"), { code: "42P01" });
  });
  assert.equal(filled, 1);
  assert.ok(first);
  await assert.rejects(query(first, "SELECT 1"), { code: "3D000" });
});

test("a pool's sessions are over when its test is", async (t) => {
  const watching = new Client(await createDatabase(t));
  await watching.connect();
  t.after(() => watching.end());
  const sessions = async (database: string) => {
    // The server's own workers look after any database when they like.
    const text = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = $1 AND backend_type = 'client backend'`;
    return (await watching.query<{ count: number }>(text, [database])).rows[0]?.count;
  };
  for (let round = 0; round < 10; round += 1) {
    let database = "";
    await t.test(`round ${round}`, async (inner) => {
      const pool = await openPool(inner);
      database = pool.options.database ?? "";
      await Promise.all(Array.from({ length: 10 }, () => pool.query("SELECT pg_sleep(0.02)")));
      assert.equal(await sessions(database), 10);
    });
    assert.equal(await sessions(database), 0);
  }
});
