// An importer on a real database, and small wide files to feed it; the journal is in memory.
// Invariant: the same world reopened has the same database, archive and journal, and nothing else.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Client, type Pool } from "pg";
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Actor } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { Submit } from "#engine/engine.ts";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { PlaceIntake } from "#ingest/places/intake.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { type Ingested, type PlaceResult, ReleaseIntake } from "#ingest/releases/intake.ts";
import type { ReleaseMeta } from "#ingest/releases/sent-as.ts";
import { PrintStore } from "#ingest/store.ts";
import { MemoryJournal } from "#journal/memory.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { firstEpoch, openPool } from "#test/support/database.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";
import { pieces } from "./wide-file.ts";

type Level = "metro" | "zip";

const FIRST_PUBLISHED = Date.UTC(2023, 0, 20);
const DAY_MILLIS = 86_400_000;

export class IntakeWorld {
  readonly pool: Pool;
  readonly view: ExchangeView;
  readonly engine: OpenEngine;
  readonly #archive: RawStore;
  readonly #level: Level;
  /** The intake's messages about files it read again. */
  readonly told: string[] = [];
  series = new SeriesView();
  store: PrintStore;
  intake: ReleaseIntake;
  /** The time by the exchange's clock. */
  nowMillis = Date.now();

  private constructor(
    pool: Pool,
    view: ExchangeView,
    engine: OpenEngine,
    archive: RawStore,
    level: Level,
  ) {
    this.#level = level;
    this.pool = pool;
    this.view = view;
    this.engine = engine;
    this.#archive = archive;
    this.store = new PrintStore(pool, firstEpoch);
    this.intake = new ReleaseIntake(archive, this.store, view, this.series, this.#asSystem);
  }

  static async open(t: TestContext, level: Level = "metro"): Promise<IntakeWorld> {
    const pool = await openPool(t, prepare);
    let view: ExchangeView | undefined;
    let world: IntakeWorld | undefined;
    const engine = await openEngine({
      journal: new MemoryJournal(),
      clock: "real",
      now: () => world?.nowMillis ?? 0,
      onRecovered: (state) => {
        view = ExchangeView.from(state);
      },
      onDurable: (entry) => view?.fold(entry),
    });
    t.after(() => engine.stop());
    assert.ok(view !== undefined);
    world = new IntakeWorld(pool, view, engine, new RawStore(pool), level);
    return world;
  }

  /** Does as a start does: strays go, and every accepted release is shown anew. */
  async reopen(): Promise<void> {
    this.series = new SeriesView();
    this.store = new PrintStore(this.pool, firstEpoch);
    this.intake = new ReleaseIntake(
      this.#archive,
      this.store,
      this.view,
      this.series,
      this.#asSystem,
    );
    await this.intake.start();
  }

  readonly submit: Submit = (command) =>
    this.engine.submit({ actor: { type: "root" }, command, requestId: "test", idempotency: null });

  /** `day`: how many days after the first it was published. */
  take(file: string, day: number, submit: Submit = this.submit): Promise<Ingested> {
    return this.send(file, metaOf(day, this.#level), submit);
  }

  send(file: string | Buffer, meta: ReleaseMeta, submit: Submit = this.submit): Promise<Ingested> {
    return this.intake.ingest(pieces(Buffer.from(file), 65_537), meta, submit);
  }

  /** Loads places; what is due by it is left for `reread`. How many releases are due. */
  async load(table: string): Promise<number> {
    const reader = {
      whileIdle: <T>(work: () => Promise<T>) => this.intake.whileIdle(work),
      reread: () => undefined,
    };
    const loaded = await new PlaceIntake(this.view, reader).load(
      pieces(Buffer.from(table)),
      this.submit,
    );
    assert.ok("nodes" in loaded, JSON.stringify(loaded));
    return loaded.rereading;
  }

  reread(submit: Submit = this.#asSystem, signal = new AbortController().signal): Promise<void> {
    return this.intake.reread(submit, signal, (sentence) => this.told.push(sentence));
  }

  readonly #asSystem: Submit = (command) =>
    this.engine.submit({
      actor: { type: "system" },
      command,
      requestId: "reread",
      idempotency: null,
    });

  /** Two operators release what validation holds back: these tests are about the store. */
  async accepted(file: string, day: number): Promise<AcceptedRelease> {
    const taken = await this.take(file, day);
    assert.ok("release" in taken, JSON.stringify(taken));
    if ("resolvedMarkets" in taken.release) return taken.release;
    return this.approveRelease(taken.release.id);
  }

  /** Both words for a release that is held. */
  async approveRelease(id: ReleaseId): Promise<AcceptedRelease> {
    const second = await this.#operator();
    await this.intake.approve(id, "root", this.submit);
    const released = await this.intake.approve(id, second.accountId, this.#submitAs(second));
    assert.ok("release" in released && "resolvedMarkets" in released.release);
    return released.release;
  }

  /** Both words for a place that is held from the release on; `last`: in place of the second. */
  async approvePlace(id: ReleaseId, node: NodeId, last?: Submit): Promise<void> {
    const second = await this.#operator();
    done(await this.intake.approvePlace(id, node, "root", this.submit));
    const submit = last ?? this.#submitAs(second);
    done(await this.intake.approvePlace(id, node, second.accountId, submit));
  }

  /** The second word for a place that root gave the first for. */
  async agreePlace(id: ReleaseId, node: NodeId): Promise<void> {
    const second = await this.#operator();
    done(await this.intake.approvePlace(id, node, second.accountId, this.#submitAs(second)));
  }

  async rejectPlace(id: ReleaseId, node: NodeId): Promise<void> {
    done(await this.intake.rejectPlace(id, node, "a wrong row", this.submit));
  }

  #submitAs(actor: Actor): Submit {
    return (command) =>
      this.engine.submit({ actor, command, requestId: "test", idempotency: null });
  }

  async #operator(): Promise<Extract<Actor, { readonly type: "key" }>> {
    for (const key of this.view.keys.values()) {
      return { type: "key", accountId: key.accountId, keyId: key.id };
    }
    const opened = await this.submit({
      type: "OpenAccount",
      name: "second operator",
      role: "operator",
      address: "0x2",
      key: {
        label: "first",
        prefix: "fp_test_aaaa",
        digest: "second",
        permissions: ["admin:releases"],
        ratePerMinute: 600,
        expiresAtSeconds: null,
      },
    });
    assert.ok("outcome" in opened && "events" in opened.outcome);
    const made = opened.outcome.events.find((event) => event.type === "KeyChanged");
    assert.ok(made !== undefined);
    return { type: "key", accountId: made.key.accountId, keyId: made.key.id };
  }

  /** Names of the raw files that are kept. */
  async kept(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ sha256: string }>("SELECT sha256 FROM raw_file");
    return rows.map(({ sha256 }) => sha256);
  }

  /** Rows of each table of prints. */
  async stored(): Promise<{ readonly blocks: number; readonly latest: number }> {
    const { rows } = await this.pool.query<{ blocks: number; latest: number }>(
      `SELECT (SELECT count(*)::int FROM print_block) AS blocks,
              (SELECT count(*)::int FROM print_latest) AS latest`,
    );
    return rows[0] ?? assert.fail("no counts");
  }

  /** Every first print of every place, in text: what must never change. */
  prints(index: IndexKind = "zhvi"): Map<string, string> {
    const prints = new Map<string, string>();
    for (const node of this.series.nodes(index)) {
      for (const { month, ...print } of this.series.points(index, node)) {
        const { valueE15, levelE12, releaseId, backfill } = print;
        prints.set(`${node} ${month}`, `${valueE15} ${levelE12} ${releaseId} ${backfill}`);
      }
    }
    return prints;
  }

  value(node: NodeId, seen?: (release: ReleaseId) => boolean) {
    return this.series.indexValue("zhvi", node, undefined, seen);
  }
}

function done(answer: PlaceResult): void {
  assert.ok("decided" in answer, "the files can be read");
  const { decided } = answer;
  const isDone = "outcome" in decided && !isRejected(decided.outcome);
  assert.ok(
    isDone,
    JSON.stringify(decided, (_, value) => String(value)),
  );
}

const metaOf = (day: number, level: Level): ReleaseMeta => ({
  provider: "zillow",
  index: "zhvi",
  level,
  publishedAtMillis: FIRST_PUBLISHED + day * DAY_MILLIS,
});

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}

/** The same, of zips: a region's number is its zip. */
export function zipFile(
  months: number,
  regions: Iterable<readonly [string, readonly string[]]>,
): string {
  const [header = "", ...lines] = metroFile(months, regions).trimEnd().split("\n");
  const dates = header.split(",").slice(5);
  const columns = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName", "State"];
  const table = lines.map((line) => {
    const [region = "", rank = "", , , state = "", ...cells] = line.split(",");
    const zip = region.padStart(5, "0");
    return [region, rank, zip, "zip", state, state, "Town", "", "Harris County", ...cells];
  });
  const names = [...columns, "City", "Metro", "CountyName", ...dates];
  return `${[names, ...table].map((cells) => cells.join(",")).join("\n")}\n`;
}

/** A hierarchy of zips alone. */
export const zipPlaces = (regions: Iterable<string>): string =>
  [
    "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
    ...[...regions].map((region) => {
      const zip = region.padStart(5, "0");
      return `zip:${zip},zip,${zip},TX,,,state:tx,100,zillow:${region}`;
    }),
  ].join("\n");

/** A metro file that ends in 2022, when values had one decimal; cells by region, oldest first. */
export function metroFile(
  months: number,
  regions: Iterable<readonly [string, readonly string[]]>,
): string {
  const dates = Array.from({ length: months }, (_, at) =>
    new Date(Date.UTC(2018, at + 1, 0)).toISOString().slice(0, 10),
  );
  const lines = [["RegionID", "SizeRank", "RegionName", "RegionType", "StateName", ...dates]];
  for (const [region, cells] of regions) {
    lines.push([region, "1", `Town ${region}`, "msa", "TX", ...cells]);
  }
  return `${lines.map((cells) => cells.join(",")).join("\n")}\n`;
}
