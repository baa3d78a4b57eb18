// The rows beside the journal: who may write them, and which of them leave.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { webhookId } from "#base/ids.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { withClient } from "#storage/with-client.ts";
import { createDatabase } from "#test/support/database.ts";
import { type Cursor, DeliveryStore, type LoggedAttempt, NotLeading } from "#webhooks/store.ts";

const id = webhookId("whk-1");

const cursor = (more: Partial<Cursor> = {}): Cursor => ({
  ...{ id, run: 3, delivered: 7, attempts: 0, failingSinceMillis: null, nextAttemptMillis: null },
  ...{ logged: 0, ...more },
});

const attempt = (number: number): LoggedAttempt => ({
  ...{ id, number, sequence: 1_000 + number, attempt: 1, atMillis: 1.7e12 + number },
  ...{
    tookMillis: 5,
    status: number % 2 === 0 ? 204 : null,
    fault: number % 2 ? "TIMED_OUT" : null,
  },
});

async function open(t: TestContext) {
  const config = await createDatabase(t);
  const journal = new PostgresJournal({ ...config });
  const lead = await journal.lead(() => undefined);
  const store = new DeliveryStore(config);
  t.after(async () => {
    await store.close();
    await journal.close();
  });
  return { store, lead, journal, config };
}

test("what is written is read back, and the newest thousand attempts stay", async (t) => {
  const { store, lead } = await open(t);
  const failing = { attempts: 4, failingSinceMillis: 1.7e12, nextAttemptMillis: 1.7e12 + 5 };
  await store.write(lead.epoch, [cursor(failing)], [], []);
  assert.deepEqual(await store.cursors(), [cursor(failing)]);
  const many = Array.from({ length: 1_050 }, (_, at) => attempt(at + 1));
  await store.write(lead.epoch, [cursor({ logged: 1_050 })], many, []);
  await store.write(lead.epoch, [cursor({ logged: 1_050 })], [], []);
  assert.deepEqual(await store.cursors(), [cursor({ logged: 1_050 })]);
  assert.deepEqual(await store.attempts(id, undefined, 2), [attempt(1_050), attempt(1_049)]);
  assert.deepEqual(await store.attempts(id, 52, 100), [attempt(51)], "50 have left");
  await store.write(lead.epoch, [], [], [id]);
  assert.deepEqual(await store.cursors(), []);
  assert.deepEqual(await store.attempts(id, undefined, 100), []);
  await lead.release();
});

test("a node that another has led after writes nothing", async (t) => {
  const { store, lead, journal } = await open(t);
  await store.write(lead.epoch, [cursor()], [attempt(1)], []);
  await lead.release();
  const later = await journal.lead(() => undefined);
  const writing = store.write(lead.epoch, [cursor({ delivered: 99 })], [attempt(2)], [id]);
  await assert.rejects(writing, NotLeading);
  assert.deepEqual(await store.cursors(), [cursor()]);
  assert.deepEqual(await store.attempts(id, undefined, 9), [attempt(1)]);
  await store.write(later.epoch, [cursor({ delivered: 8 })], [], []);
  assert.deepEqual(await store.cursors(), [cursor({ delivered: 8 })]);
  await later.release();
});

test("a row that is refused keeps no other from being written", async (t) => {
  const { store, lead } = await open(t);
  const ids = Array.from({ length: 9 }, (_, at) => webhookId(`whk-${at}`));
  const all = ids.map((one) => cursor({ id: one }));
  assert.deepEqual(await store.write(lead.epoch, all, [], []), []);
  const tooMany = 2 ** 40;
  const [removed, fraction, large, ...well] = ids;
  assert.ok(removed !== undefined && fraction !== undefined && large !== undefined);
  const later = [
    cursor({ id: fraction, delivered: 8, nextAttemptMillis: 1.7e12 + 0.25 }),
    cursor({ id: large, delivered: 8, attempts: tooMany }),
    ...well.map((one) => cursor({ id: one, delivered: 8, logged: 2 })),
  ];
  const [owner = removed] = well;
  const attempts = [
    { ...attempt(1), id: owner, tookMillis: tooMany },
    { ...attempt(2), id: owner },
    { ...attempt(3), id: owner, tookMillis: 0.5 },
  ];
  const refused = await store.write(lead.epoch, later, attempts, [removed]);
  assert.deepEqual(
    refused.map(({ table, row, error }) => [table, row.id, error.message]),
    [
      [
        "webhook_cursor",
        fraction,
        "nextAttemptMillis is 1700000000000.25, which is no whole number",
      ],
      ["webhook_delivery", owner, "tookMillis is 0.5, which is no whole number"],
      ["webhook_cursor", large, 'value "1099511627776" is out of range for type integer'],
      ["webhook_delivery", owner, 'value "1099511627776" is out of range for type integer'],
    ],
  );
  const written = await store.cursors();
  assert.deepEqual(
    new Map(written.map((one) => [one.id, one.delivered])),
    new Map([[fraction, 7], [large, 7], ...well.map((one) => [one, 8] as const)]),
  );
  assert.deepEqual(await store.attempts(owner, undefined, 9), [{ ...attempt(2), id: owner }]);
  await lead.release();
});

test("a fault of the whole statement is thrown, and nothing counts as refused", async (t) => {
  const { store, lead, config } = await open(t);
  await withClient(config, (client) => client.query("ALTER TABLE webhook_cursor RENAME TO away"));
  await assert.rejects(store.write(lead.epoch, [cursor()], [], []), { code: "42P01" });
  await lead.release();
});
