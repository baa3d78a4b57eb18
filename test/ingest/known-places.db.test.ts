// A intake that keeps what it knows between files, beside one that reads the store again for each.
// Invariant tested: both put the same releases to the exchange, to the last digit.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import type { ReleaseId } from "#base/ids.ts";
import type { Command } from "#core/command.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { Result } from "#engine/engine.ts";
import { GeoTree } from "#geo/tree.ts";
import { RawFolder } from "#ingest/raw-folder.ts";
import { ReleaseIntake } from "#ingest/releases/intake.ts";
import { PrintStore } from "#ingest/store.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { stateFile } from "#test/e2e/sample-files.ts";
import { firstEpoch, openPool } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { SeriesView } from "#views/series.ts";

const AGES = [5, 4, 3, 2, 1, 0];

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}

/** A store and an archive of their own, and an exchange that accepts whatever is put to it. */
class Counter {
  readonly store: PrintStore;
  readonly commands: Command[] = [];
  readonly releases = new Map<ReleaseId, AcceptedRelease>();
  readonly #archive: RawFolder;
  readonly #geo = GeoTree.builtIn();

  private constructor(store: PrintStore, archive: RawFolder) {
    this.store = store;
    this.#archive = archive;
  }

  static async open(t: TestContext): Promise<Counter> {
    const pool = await openPool(t, prepare);
    const folder = await temporaryFolder(t, "firstprint-known-");
    return new Counter(new PrintStore(pool, firstEpoch), await RawFolder.start(folder));
  }

  intake(): ReleaseIntake {
    const nothing = {
      ...{ quarantine: new Map(), heldPlaces: new Map(), markets: new Map() },
      ...{ renames: new Map(), chainPoints: new Map() },
    };
    const isSecond = () => false;
    const durable = { releases: this.releases, geo: this.#geo, isSecond, ...nothing };
    return new ReleaseIntake(this.#archive, this.store, durable, new SeriesView(), (command) =>
      this.#accept(command),
    );
  }

  async ingest(intake: ReleaseIntake, age: number): Promise<void> {
    const { text, publishedAt } = stateFile(age);
    const publishedAtMillis = Date.parse(publishedAt);
    const meta = { provider: "sample", index: "zhvi", level: "state", publishedAtMillis } as const;
    const file = ReadableStream.from([Buffer.from(text)]);
    const ingested = await intake.ingest(file, meta, (command) => this.#accept(command));
    assert.ok("release" in ingested && !ingested.repeated);
  }

  async #accept(command: Command): Promise<Result> {
    assert.ok(command.type === "AcceptRelease");
    this.commands.push(command);
    const { release } = command;
    this.releases.set(release.id, { ...release, ingestedAtMillis: 0, resolvedMarkets: [] });
    const outcome = { events: [] };
    return { sequence: 1, timeMillis: 0, requestId: "", outcome, replayed: false };
  }
}

test("what an intake keeps between files is what reading them again would give", async (t) => {
  const keeping = await Counter.open(t);
  const reading = await Counter.open(t);
  const intake = keeping.intake();
  for (const age of AGES) {
    await keeping.ingest(intake, age);
    await reading.ingest(reading.intake(), age);
  }

  assert.equal(keeping.commands.length, AGES.length);
  assert.deepEqual(keeping.commands, reading.commands);
  const last = keeping.commands.at(-1);
  assert.ok(last?.type === "AcceptRelease");
  assert.ok(last.release.firstPrints > 0 && last.release.rescaled > 0, "the files do differ");
});
