// A downloader, the intake it brings its files to, and an exchange that decides on them.
// Invariant: only the journal is in memory; archive and prints are real.

import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Pool } from "pg";
import { Client } from "pg";
import type { Actor, Command } from "#core/command.ts";
import type { Entry } from "#core/outcome.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { Submit } from "#engine/engine.ts";
import { openEngine } from "#engine/open.ts";
import { type DownloadLimits, downloadLimits } from "#ingest/downloads/download.ts";
import { Downloader, type DownloadPorts } from "#ingest/downloads/downloader.ts";
import { type DownloadSource, readDownloadPlan } from "#ingest/downloads/plan.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { ReleaseIntake } from "#ingest/releases/intake.ts";
import { PrintStore } from "#ingest/store.ts";
import { MemoryJournal } from "#journal/memory.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { firstEpoch, openPool } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";

/** An "hour" of a few milliseconds: what is due comes at once. */
const pace = { hourMillis: 5, retryMillis: 5, random: Math.random };

interface Circumstances {
  readonly wholeMillis?: number;
  readonly unpackedBytes?: number;
  readonly ingest?: DownloadPorts["intake"]["ingest"];
  /** The layer between the downloader and the exchange. */
  readonly between?: (submit: Submit) => Submit;
}

export class DownloadsToIntake {
  /** Where downloads lie on their way. */
  readonly folder: string;
  readonly logged: string[] = [];
  readonly fatal: unknown[] = [];
  /** Whether the node leads that the downloader belongs to. */
  leads = true;
  readonly entries: readonly Entry[];
  readonly ports: DownloadPorts;
  readonly #pool: Pool;
  readonly #submitAsRoot: Submit;
  readonly #limits: DownloadLimits;
  readonly #downloaders: Downloader[];

  private constructor(
    pool: Pool,
    folder: string,
    ports: Pick<DownloadPorts, "intake" | "submit" | "durable">,
    submitAsRoot: Submit,
    entries: readonly Entry[],
    downloaders: Downloader[],
    limits: DownloadLimits,
  ) {
    this.folder = join(folder, "downloads");
    this.#pool = pool;
    this.entries = entries;
    this.#submitAsRoot = submitAsRoot;
    this.#downloaders = downloaders;
    this.#limits = limits;
    this.ports = {
      ...ports,
      leads: () => this.leads,
      log: (severity, message) => this.logged.push(`${severity} ${message}`),
      onFatal: (error) => this.fatal.push(error),
    };
  }

  static async open(
    t: TestContext,
    { between, ingest, wholeMillis = 60_000, unpackedBytes = 1e9 }: Circumstances = {},
  ): Promise<DownloadsToIntake> {
    const downloaders: Downloader[] = [];
    // Hooks run in the order they are added: what uses the rest is ended first.
    t.after(() => Promise.all(downloaders.map((downloader) => downloader.stop())));
    const entries: Entry[] = [];
    let view: ExchangeView | undefined;
    const engine = await openEngine({
      journal: new MemoryJournal(),
      clock: "real",
      now: () => Date.now(),
      onRecovered: (state) => {
        view = ExchangeView.from(state);
      },
      onDurable: (entry) => {
        view?.fold(entry);
        entries.push(entry);
      },
      onFatal: (error) => assert.fail(String(error)),
    });
    t.after(() => engine.stop());
    const pool = await openPool(t, prepare);
    const folder = await temporaryFolder(t, "firstprint-downloads-");
    assert.ok(view !== undefined);
    const submitAs =
      (actor: Actor): Submit =>
      (command) =>
        engine.submit({ actor, command, requestId: "download", idempotency: null });
    const submit = submitAs({ type: "system" });
    const store = new PrintStore(pool, firstEpoch);
    const intake = new ReleaseIntake(new RawStore(pool), store, view, new SeriesView(), submit);
    const ports = {
      intake: ingest === undefined ? intake : { ingest },
      submit: between === undefined ? submit : between(submit),
      durable: view,
    };
    // A server of this process stands still whenever this machine is busy.
    const limits = { ...downloadLimits, idleMillis: 60_000, wholeMillis, unpackedBytes };
    return new DownloadsToIntake(
      pool,
      folder,
      ports,
      submitAs({ type: "root" }),
      entries,
      downloaders,
      limits,
    );
  }

  /** How many raw files are kept. */
  async raw(): Promise<number> {
    return (await this.#pool.query("SELECT FROM raw_file")).rowCount ?? 0;
  }

  get releases(): readonly AcceptedRelease[] {
    return [...this.ports.durable.releases.values()];
  }

  /** Starts a downloader of these sources; it ends with the test. */
  async download(...sources: readonly DownloadSource[]): Promise<Downloader> {
    const allow = [...new Set(sources.map(({ url }) => url.origin))];
    const plan = readDownloadPlan(JSON.stringify({ allow, sources }));
    const options = { limits: this.#limits, pace };
    const downloader = await Downloader.open(plan, this.folder, this.ports, options);
    this.#downloaders.push(downloader);
    return downloader;
  }

  /** As the bootstrap operator; fails the test unless it is accepted. */
  async command(command: Command): Promise<void> {
    const result = await this.#submitAsRoot(command);
    assert.ok("outcome" in result && "events" in result.outcome);
  }

  /** How many lines of the log are like this. */
  says(pattern: RegExp): number {
    return this.logged.filter((message) => pattern.test(message)).length;
  }
}

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}
