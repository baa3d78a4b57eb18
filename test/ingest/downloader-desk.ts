// A downloader, the desk it brings its files to, and an exchange that decides on them.
// Invariant: only the journal is in memory; archive and prints are real, and shared as in a node.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Client, Pool } from "pg";
import type { Entry } from "#core/outcome.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { openEngine } from "#engine/open.ts";
import { IngestDesk, type Submit } from "#ingest/desk.ts";
import { downloadLimits } from "#ingest/download.ts";
import { type DownloadSource, readDownloadPlan } from "#ingest/download-plan.ts";
import { Downloader, type DownloadPorts } from "#ingest/downloader.ts";
import { RawArchive } from "#ingest/raw-archive.ts";
import { PrintStore } from "#ingest/store.ts";
import type { Connection } from "#journal/embedded.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { migrate } from "#journal/migrate.ts";
import { createDatabase } from "#test/support/database.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";

/** An "hour" of a few milliseconds: what is due comes at once. */
const pace = { hourMillis: 5, retryMillis: 5, random: Math.random };

interface Circumstances {
  readonly wholeMillis?: number;
  readonly rawLimitBytes?: number;
  readonly ingest?: DownloadPorts["desk"]["ingest"];
  /** What stands between the downloader and the exchange. */
  readonly between?: (submit: Submit) => Submit;
}

export class DownloadDesk {
  /** Of the archive. */
  readonly folder: string;
  readonly logged: string[] = [];
  readonly fatal: unknown[] = [];
  readonly entries: readonly Entry[];
  readonly ports: DownloadPorts;
  readonly #wholeMillis: number;
  readonly #downloaders: Downloader[];

  private constructor(
    folder: string,
    ports: Pick<DownloadPorts, "archive" | "desk" | "submit" | "releases">,
    entries: readonly Entry[],
    downloaders: Downloader[],
    wholeMillis: number,
  ) {
    this.folder = folder;
    this.entries = entries;
    this.#downloaders = downloaders;
    this.#wholeMillis = wholeMillis;
    this.ports = {
      ...ports,
      log: (severity, message) => this.logged.push(`${severity} ${message}`),
      onFatal: (error) => this.fatal.push(error),
    };
  }

  static async open(
    t: TestContext,
    { between, ingest, wholeMillis = 60_000, rawLimitBytes }: Circumstances = {},
  ): Promise<DownloadDesk> {
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
    const pool = new Pool(await createDatabase(t, prepare));
    t.after(() => pool.end());
    const folder = await mkdtemp(join(tmpdir(), "firstprint-downloads-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const archive = await RawArchive.start(folder, rawLimitBytes);
    assert.ok(view !== undefined);
    const desk = new IngestDesk(archive, new PrintStore(pool), view, new SeriesView());
    const submit: Submit = (command) =>
      engine.submit({
        actor: { type: "system" },
        command,
        requestId: "download",
        idempotency: null,
      });
    const ports = {
      archive,
      desk: ingest === undefined ? desk : { ingest },
      submit: between === undefined ? submit : between(submit),
      releases: view.releases,
    };
    return new DownloadDesk(folder, ports, entries, downloaders, wholeMillis);
  }

  get releases(): readonly AcceptedRelease[] {
    return [...this.ports.releases.values()];
  }

  /** Starts a downloader of these sources; it ends with the test. */
  download(...sources: readonly DownloadSource[]): Downloader {
    const allow = [...new Set(sources.map(({ url }) => url.origin))];
    const plan = readDownloadPlan(JSON.stringify({ allow, sources }));
    const limits = { ...downloadLimits, idleMillis: 500, wholeMillis: this.#wholeMillis };
    const downloader = new Downloader(plan, this.ports, { limits, pace });
    this.#downloaders.push(downloader);
    downloader.start();
    return downloader;
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
