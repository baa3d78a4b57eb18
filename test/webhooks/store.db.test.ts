// The rows beside the journal: who may write them, and which of them leave.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { webhookId } from "#base/ids.ts";
import { PostgresJournal } from "#journal/postgres.ts";
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
  return { store, lead, journal };
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
