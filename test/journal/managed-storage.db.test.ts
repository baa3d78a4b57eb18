// A service whose storage hides its settings: led on by the operator's written word alone, and the
// journal says so at the beginning of each such term.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { StorageKind } from "#core/storage-kind.ts";
import { type EngineOptions, openEngine } from "#engine/open.ts";
import { JournalRefusal } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { startEmbedded } from "#storage/embedded.ts";
import { answered, fund, openAccount, request } from "#test/engine/requests.ts";
import { Exchange, textAt } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

/** As a service may say that writes no files of PostgreSQL's own. */
const hidden = { fsync: "off", full_page_writes: "off" };

const folder = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-managed-");

type Server = Awaited<ReturnType<typeof startEmbedded>>;

/** The server it gives ends with the test, before its folder goes: hooks run as they are added. */
function cluster(t: TestContext): (settings?: Record<string, string>) => Promise<Server> {
  let server: Server | undefined;
  t.after(() => server?.stop());
  const made = folder(t);
  return async (settings = {}) => {
    await server?.stop();
    server = await startEmbedded({ dataDir: await made, settings });
    return server;
  };
}

/** A term on the server, one deposit in it; the entries that say on which storage terms began. */
async function lead(
  { connection }: Server,
  dataDir: string,
  storage: StorageKind,
): Promise<readonly string[]> {
  const journal = new PostgresJournal({ ...connection }, 0, storage);
  const options: EngineOptions = { journal, dataDir, clock: "real" };
  try {
    const engine = await openEngine(options);
    if (engine.status().durableSequence < 3) answered(await engine.submit(request(openAccount(1))));
    answered(await engine.submit(request(fund(1))));
    const begun = await Array.fromAsync(engine.history.newest({ action: "term.begun" }, 10, 0));
    await engine.stop();
    return begun.toReversed().map(({ entry }) => {
      const { actor, command } = entry.envelope;
      assert.equal(command.type, "BeginTerm");
      return `${actor.type} ${command.storage}`;
    });
  } finally {
    await journal.close();
  }
}

test("hidden settings are led on by the operator's word alone, named in each term", async (t) => {
  const serve = cluster(t);
  const dataDir = await folder(t);
  let server = await serve(hidden);
  await assert.rejects(lead(server, dataDir, "checked"), (error) => {
    assert.ok(error instanceof JournalRefusal);
    return /refused: fsync is off: .* full_page_writes is off/.test(error.message);
  });
  const word = "system managed";
  assert.deepEqual(await lead(server, dataDir, "managed"), [word]);
  assert.deepEqual(await lead(server, dataDir, "managed"), [word, word]);
  await assert.rejects(lead(server, dataDir, "checked"), JournalRefusal, "never implied");

  server = await serve();
  const withdrawn = [word, word, "system checked"];
  assert.deepEqual(await lead(server, dataDir, "checked"), withdrawn);
  assert.deepEqual(await lead(server, dataDir, "checked"), withdrawn, "nothing is left to say");
});

test("the word covers what is hidden: a commit that is not waited for is refused", async (t) => {
  const server = await cluster(t)({ ...hidden, synchronous_commit: "off" });
  const dataDir = await folder(t);
  await assert.rejects(lead(server, dataDir, "managed"), (error) => {
    assert.ok(error instanceof JournalRefusal);
    return /refused: synchronous_commit is off: [^:]*$/.test(error.message);
  });
});

test("the status says on whose word the exchange leads", async (t) => {
  const server = await cluster(t)(hidden);
  const { host, user, password, database } = server.connection;
  const query = new URLSearchParams({ host: String(host) });
  const exchange = await Exchange.start(t, {
    DATABASE_URL: `postgres://${user}:${password}@/${database}?${query}`,
    FIRSTPRINT_STORAGE: "managed",
  });
  const { body } = await exchange.get("/api/status");
  assert.equal(textAt(body, "storage"), "managed");
});
