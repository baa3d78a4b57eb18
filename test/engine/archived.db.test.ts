// An engine whose first entries are in the archive: it starts from a snapshot, from nothing, and as
// a follower; a start that needs an object it cannot have names it. Orders go on while they move.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rename } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { stateHash } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import { type OpenEngine, openEngine, openFollower } from "#engine/open.ts";
import { archiveOld } from "#journal/move-partitions.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { wholeJournal } from "#journal/whole-journal.ts";
import type { Connection } from "#storage/embedded.ts";
import { type ArchivePlace, folder, inFolder, places } from "#test/journal/archive-places.ts";
import { smallPartitions } from "#test/journal/small-partitions.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { answered, fund, openAccount, request } from "./requests.ts";

const program = fileURLToPath(new URL("../../src/verify.ts", import.meta.url));
const DEPOSITS = 300;

interface Store {
  readonly connection: Connection;
  readonly dataDir: string;
  readonly archive: ArchivePlace;
}

async function store(
  t: TestContext,
  open: (typeof places)[number]["open"] = inFolder,
): Promise<Store> {
  const connection = await createDatabase(t, smallPartitions);
  return { connection, dataDir: await folder(t), archive: await open(t) };
}

const journalOf = ({ connection, archive }: Store) =>
  wholeJournal(new PostgresJournal({ ...connection }), archive.store);

async function served<T>(
  from: Store,
  use: (engine: OpenEngine, state: State | undefined) => Promise<T>,
): Promise<T> {
  const journal = journalOf(from);
  const { dataDir } = from;
  let state: State | undefined;
  try {
    const engine = await openEngine({
      ...{ journal, dataDir, clock: "real" },
      onRecovered: (recovered) => {
        state = recovered;
      },
    });
    try {
      return await use(engine, state);
    } finally {
      await engine.stop();
    }
  } finally {
    await journal.close();
  }
}

const deposits = (from: Store): Promise<string> =>
  served(from, async (engine) => {
    answered(await engine.submit(request(openAccount(1))));
    for (let usd = 1; usd <= DEPOSITS; usd += 1) answered(await engine.submit(request(fund(usd))));
    return (await engine.history.verify()).stateHash;
  });

const move = ({ connection, archive }: Store) =>
  archiveOld({ ...connection }, { store: archive.store, olderThanMillis: 0, log: () => undefined });

async function forgetSnapshots({ connection }: Store): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await client.query("DELETE FROM snapshot_place");
  await client.end();
}

/** `named`: whether it is told where the archive is. */
async function verify({ connection, dataDir, archive }: Store, named: boolean) {
  const { FIRSTPRINT_ARCHIVE: place = "", ...key } = archive.environment;
  const child = spawn(process.execPath, [program, ...(named ? ["--archive", place] : [])], {
    env: {
      PATH: process.env.PATH ?? "",
      ...key,
      DATABASE_URL: urlOf(connection),
      FIRSTPRINT_DATA_DIR: dataDir,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, output };
}

for (const { place, open } of places) {
  test(`an engine starts as if nothing had moved: ${place}`, (t) => started(t, open));
}

async function started(t: TestContext, open: (typeof places)[number]["open"]): Promise<void> {
  const from = await store(t, open);
  const hash = await deposits(from);
  assert.ok((await move(from)).length >= 4);
  const hashNow = await served(from, async (_engine, state) => state && stateHash(state));
  assert.equal(hashNow, hash);
  await forgetSnapshots(from);
  const replayed = await served(from, async (engine, state) => {
    assert.equal((await engine.history.entry(10))?.entry.sequence, 10);
    const exported: number[] = [];
    for await (const { entry } of engine.history.export({})) exported.push(entry.sequence);
    assert.deepEqual(
      exported,
      Array.from({ length: DEPOSITS + 2 }, (_, at) => at + 1),
    );
    assert.equal((await engine.history.verify()).valid, true);
    return state && stateHash(state);
  });
  assert.equal(replayed, hash);
  const { code, output } = await verify(from, true);
  assert.equal(code, 0, output);
  assert.match(output, /sound entries +302\narchived +entries 2 to 256\n/);
}

test("a follower replays through the archive", async (t) => {
  const from = await store(t);
  const hash = await deposits(from);
  await move(from);
  await served(from, async () => {
    const journal = journalOf(from);
    let state: State | undefined;
    const follower = await openFollower({
      ...{ journal, dataDir: from.dataDir, clock: "real" },
      onRecovered: (recovered) => {
        state = recovered;
      },
      onDurable: () => undefined,
    });
    assert.equal(state && stateHash(state), hash);
    assert.equal((await follower.history.entry(3))?.entry.sequence, 3);
    await follower.stop();
    await journal.close();
  });
});

test("an object that is missing is named by a start that needs it, and by verify", async (t) => {
  const from = await store(t);
  await deposits(from);
  await move(from);
  const [, name = ""] = await from.archive.names();
  await rename(from.archive.pathOf(name), from.archive.pathOf("elsewhere"));
  await served(from, async (engine) => {
    await assert.rejects(engine.history.entry(20), /is missing in the archive/);
    assert.equal((await engine.history.entry(290))?.entry.sequence, 290);
  });
  await forgetSnapshots(from);
  await assert.rejects(
    served(from, async () => undefined),
    /is missing in the archive .* Restore it from a copy of the archive/,
  );
  const without = await verify(from, false);
  assert.equal(without.code, 2, "it could not look, and found nothing");
  assert.match(without.output, /^Entries from 2 on are archived in .*, and no archive is named/);
  assert.doesNotMatch(without.output, /BROKEN/);
});

test("orders go on while partitions move", async (t) => {
  const from = await store(t);
  await deposits(from);
  await served(from, async (engine) => {
    let isMoving = true;
    const moving = move(from).finally(() => {
      isMoving = false;
    });
    let given = 0;
    for (; isMoving; given += 1) answered(await engine.submit(request(fund(1))));
    assert.ok((await moving).length >= 4);
    assert.ok(given > 0);
    assert.equal((await engine.history.verify()).valid, true);
  });
});
