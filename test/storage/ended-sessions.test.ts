// A server that ends each session with the same packet that begins it, as one does where a node
// ends its own sessions of before, or where it stops, and this process was busy meanwhile.
// Invariant tested: that is a fault of the work which asked for the session, not of the process.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import { PrintStore } from "#ingest/store.ts";
import { PostgresMarketDays } from "#journal/market-days-postgres.ts";
import { archiveOld } from "#journal/move-partitions.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { ObjectFolder } from "#storage/object-folder.ts";

const message = (letter: string, body: string): string => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return letter + length.toString("latin1") + body;
};

const begun = message("R", "\0\0\0\0") + message("Z", "I");
const ended = message(
  "E",
  "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0",
);

async function serverThatEnds(t: TestContext) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.from(begun + ended, "latin1")));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return { host: address.address, port: address.port, user: "nobody", database: "none" };
}

test("a session that ends as it begins is a fault of its work alone", async (t) => {
  const config = await serverThatEnds(t);
  const refused = { code: "57P01" };

  const days = new PostgresMarketDays(config);
  await assert.rejects(days.put(0, 1, []), /not queryable/, "a session is lent");
  await assert.rejects(days.reached(), refused, "a pool asks by itself");
  await days.close();

  const prints = PrintStore.connect(config, () => 1);
  await assert.rejects(prints.stage("release", 1), /not queryable/);
  await prints.close();

  const journal = new PostgresJournal(config);
  await assert.rejects(journal.exists(), refused);
  await assert.rejects(
    journal.lead(() => undefined),
    /not queryable/,
  );
  await journal.close();

  const store = new ObjectFolder(tmpdir());
  const log = (): void => undefined;
  await assert.rejects(archiveOld(config, { store, olderThanMillis: 0, log }), /not queryable/);
});
