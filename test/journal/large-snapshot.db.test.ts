// Snapshots of more than a string of Node's can carry in hexadecimal (268 MB, in the nightly run):
// kept in parts, read back, and passed over where they cannot be. On a real PostgreSQL.
import assert from "node:assert/strict";
import { randomFillSync } from "node:crypto";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { nodeId } from "#base/ids.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { State } from "#core/state.ts";
import { openEngine } from "#engine/open.ts";
import type { SnapshotPage } from "#journal/journal.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { openSnapshot, sealSnapshot } from "#journal/snapshot.ts";
import { answered, fund, openAccount, request } from "#test/engine/requests.ts";
import { createDatabase } from "#test/support/database.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const key = generateSigningKey();
const origin = `firstprint/${"c".repeat(32)}`;
const head = { size: 7, hash: "a".repeat(64) };
const PLACES = sizeOfRun("FIRSTPRINT_SNAPSHOT_PLACES", 4_000);
const PLACE_BYTES = 75_000;
/** PostgreSQL's limit on a value in an answer is far above this. */
const MOST_A_PAGE = 4_300_000;

/** A state of so many places, each with a name that hardly compresses. */
function stateOf(places: number, nameBytes: number): State {
  const state = new State();
  state.deciderVersion = DECIDER_VERSION;
  for (let at = 0; at < places; at += 1) {
    const id = nodeId(`zip:${10_000 + at}`);
    state.geo.set(id, {
      id,
      level: "zip",
      name: randomFillSync(Buffer.alloc(nameBytes)).toString("base64"),
      stateCode: "TX",
      fips: null,
      aliases: [],
      parentIds: [],
      housingUnits: at,
      active: true,
      providerIds: [],
    });
  }
  return state;
}

const lengthOf = (pages: readonly SnapshotPage[]): number =>
  pages.reduce((sum, { bytes }) => sum + bytes.length, 0);

async function journalOn(t: TestContext, connection: ConstructorParameters<typeof Client>[0]) {
  const journal = new PostgresJournal({ ...Object(connection) });
  t.after(() => journal.close());
  const client = new Client(connection);
  await client.connect();
  t.after(() => client.end());
  return { journal, client };
}

test(`a snapshot of ${PLACES * PLACE_BYTES} bytes is kept in pages and read back`, async (t) => {
  const { journal } = await journalOn(t, await createDatabase(t));
  const lead = await journal.lead(() => undefined);
  const state = stateOf(PLACES, 77_000);
  const sealed = sealSnapshot(key, origin, head, state);
  const bytes = lengthOf(sealed.pages);
  assert.ok(bytes > PLACES * PLACE_BYTES, `${bytes} bytes`);
  assert.ok(Math.max(...sealed.pages.map(({ bytes }) => bytes.length)) < MOST_A_PAGE);
  const begun = performance.now();
  await lead.keepSnapshot(sealed);
  const kept = performance.now();
  const found = await journal.newestSnapshot(100);
  assert.ok(found !== undefined && found.size === head.size);
  const { size, note } = found;
  const pages = await found.pages();
  const read = performance.now();
  // It is hashed and compared with what the note promises as it is opened.
  const opened = openSnapshot(key, origin, { size, note, pages });
  assert.deepEqual(opened.head, head);
  assert.equal(opened.state.geo.size, state.geo.size);
  await lead.release();
  t.diagnostic(
    `${bytes} bytes in ${pages.length} pages: kept in ${Math.round(kept - begun)} ms, ` +
      `read in ${Math.round(read - kept)} ms`,
  );
});

test("a snapshot that is not whole is passed over, and the start goes on without it", async (t) => {
  const { journal, client } = await journalOn(t, await createDatabase(t));
  const dataDir = await temporaryFolder(t, "firstprint-parts-");
  const engine = await openEngine({ journal, dataDir, clock: "real" });
  answered(await engine.submit(request(openAccount(1))));
  answered(await engine.submit(request(fund(5))));
  await engine.stop();
  const said: string[] = [];
  const start = async (): Promise<void> => {
    const again = await openEngine({
      journal,
      dataDir,
      clock: "real",
      log: (message) => said.push(message),
    });
    assert.equal(again.status().durableSequence, 3);
    await again.stop();
  };
  await client.query("UPDATE snapshot_place SET place = place + 1");
  await start();
  assert.match(said.join("\n"), /the snapshot at entry 3 is passed over: its bytes are damaged/);
  // A read that fails altogether: the table is a view whose rows cannot be read.
  await client.query("ALTER TABLE snapshot_page RENAME TO taken_away");
  await client.query(
    `CREATE VIEW snapshot_page AS
     SELECT digest, set_byte(bytes, length(bytes), 0) AS bytes FROM taken_away`,
  );
  said.length = 0;
  await start();
  assert.match(said.join("\n"), /the snapshot at entry 3 is passed over: index \d+ out of valid/);
});
