// A whole exchange without HTTP for the sample's story: real engine, importers, views and model.
// Invariant: only the journal is in memory; files go through the importer into real PostgreSQL.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Client } from "pg";
import { sha256Hex } from "#base/digest.ts";
import type { State } from "#core/state.ts";
import { openEngine } from "#engine/open.ts";
import { PlaceIntake } from "#ingest/places/intake.ts";
import { RawFolder } from "#ingest/raw-folder.ts";
import { ReleaseIntake } from "#ingest/releases/intake.ts";
import { PrintStore } from "#ingest/store.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { DEFAULT_PRICE_MODEL } from "#pricing/constants.ts";
import { listingFor, marksDue, publishing } from "#quoting/listing.ts";
import { Reference } from "#quoting/reference.ts";
import type { SamplePorts } from "#sample/stage.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { firstEpoch, openPool } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";

export interface SampleExchange {
  readonly ports: SamplePorts;
  readonly journal: MemoryJournal;
  readonly view: ExchangeView;
  readonly series: SeriesView;
  readonly reference: Reference;
  /** Every time the clock was set to. */
  readonly times: readonly number[];
}

export async function openExchange(t: TestContext): Promise<SampleExchange> {
  const store = new PrintStore(await openPool(t, prepare), firstEpoch);
  const archive = await archiveFor(t);
  const journal = new MemoryJournal();
  const times: number[] = [];
  const faults: unknown[] = [];
  let view: ExchangeView | undefined;
  const engine = await openEngine({
    journal,
    clock: "real",
    now: () => times.at(-1) ?? 0,
    onRecovered: (state: State) => {
      view = ExchangeView.from(state);
    },
    onDurable: (entry) => view?.fold(entry),
    onFatal: (error) => faults.push(error),
  });
  t.after(() => engine.stop());
  const exchange = view;
  assert.ok(exchange !== undefined);
  const series = new SeriesView();
  const reference = new Reference(series, () => exchange.geo, DEFAULT_PRICE_MODEL);
  const ports: SamplePorts = {
    engine,
    releases: new ReleaseIntake(archive, store, exchange, series, (command) =>
      engine.submit({
        actor: { type: "system" },
        command,
        requestId: "release",
        idempotency: null,
      }),
    ),
    geo: new PlaceIntake(exchange, { whileIdle: (work) => work(), reread: () => undefined }),
    listingFor: (id) => listingFor({ exchange, series, reference }, id),
    marksDue: () => publishing(marksDue({ exchange, series, reference })),
    setTime: (millis) => {
      times.push(millis);
    },
    makeKey: (label) => ({
      secret: `secret of ${label}`,
      prefix: "fp_test_aaaa",
      digest: sha256Hex(label),
    }),
    keyRatePerMinute: 6_000,
  };
  return { ports, journal, view: exchange, series, reference, times };
}

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}

async function archiveFor(t: TestContext): Promise<RawFolder> {
  const folder = await temporaryFolder(t, "firstprint-sample-");
  return RawFolder.start(folder);
}
