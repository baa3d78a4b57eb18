// The cost of full-size releases: time, memory, bytes in the database, start-up, index reads.
//   node --expose-gc bench/ingest-full-size.ts [--levels zip] [--indices zhvi] [--releases 2] …
// Everything is real but the files: PostgreSQL, engine, journal, archive, views. No HTTP.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createGunzip } from "node:zlib";
import { Pool } from "pg";
import { nodeId } from "#base/ids.ts";
import { openEngine } from "#engine/open.ts";
import { RawFolder } from "#ingest/raw-folder.ts";
import { type Ingested, ReleaseIntake } from "#ingest/releases/intake.ts";
import { PrintStore } from "#ingest/store.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { startEmbedded } from "#storage/embedded.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";
import { fullSizeLevels, fullSizePlaces, fullSizes, writeFullSize } from "./full-size.ts";

const { values: options } = parseArgs({
  options: {
    levels: { type: "string", default: "zip" },
    indices: { type: "string", default: "zhvi" },
    releases: { type: "string", default: "2" },
    months: { type: "string", default: "320" },
    /** Starts on a folder that an earlier run filled, and says how long it took. */
    start: { type: "string" },
  },
});
const levels = fullSizeLevels.filter((level) => options.levels.split(",").includes(level));
const indices = (["zhvi", "zori"] as const).filter((name) => options.indices.includes(name));
const releases = Number(options.releases);
const firstMonths = Number(options.months);

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const seconds = (millis: number): string => `${(millis / 1_000).toFixed(2)} s`;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function open(dataDir: string) {
  const database = await startEmbedded({ dataDir });
  const journal = new PostgresJournal(database.connection);
  let view: ExchangeView | undefined;
  const engine = await openEngine({
    journal,
    dataDir,
    clock: "real",
    onRecovered: (state) => {
      view = ExchangeView.from(state);
    },
    onDurable: (entry) => view?.fold(entry),
  });
  if (view === undefined) throw new Error("a recovered engine has shown its state");
  const engineMillis = performance.now();
  const store = PrintStore.connect(database.connection, () => engine.epoch());
  await store.removeStrays([...view.releases.keys()]);
  const archive = await RawFolder.start(join(dataDir, "raw"));
  const series = new SeriesView();
  const intake = new ReleaseIntake(archive, store, view, series, (command) =>
    engine.submit({ actor: { type: "system" }, command, requestId: "bench", idempotency: null }),
  );
  await intake.catchUp();
  const stop = async (): Promise<void> => {
    await engine.stop();
    await store.close();
    await journal.close();
    await database.stop();
  };
  return { engine, view, series, intake, database, engineMillis, stop };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function loadPlaces({ engine }: Opened): Promise<void> {
  for (const level of levels) {
    if (level === "state") continue;
    const result = await engine.submit({
      actor: { type: "root" },
      command: {
        type: "LoadGeo",
        nodes: fullSizePlaces(level, fullSizes[level]),
        sha256: "0".repeat(64),
      },
      requestId: "bench",
      idempotency: null,
    });
    if (!("outcome" in result)) throw new Error(JSON.stringify(result));
  }
}

/** Resident memory, seen every 20 ms. */
async function measured<T>(work: () => Promise<T>) {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const began = performance.now();
  const processor = process.cpuUsage();
  const result = await work();
  const millis = performance.now() - began;
  const { user, system } = process.cpuUsage(processor);
  clearInterval(timer);
  globalThis.gc?.();
  return {
    result,
    millis,
    cpuMillis: (user + system) / 1_000,
    grown: most - before,
    kept: process.memoryUsage().rss - before,
  };
}

/** The floor: the file read, decompressed and hashed, and nothing else. */
async function readOnly(path: string): Promise<number> {
  const began = performance.now();
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path).pipe(createGunzip())) hash.update(chunk);
  hash.digest("hex");
  return performance.now() - began;
}

function summary(ingested: Ingested): string {
  if (!("release" in ingested)) throw new Error(JSON.stringify(ingested).slice(0, 400));
  const { rows, firstPrints, revisions, unchanged, rescaled, unmatched } = ingested.release;
  return (
    `${rows} rows, ${firstPrints} first, ${revisions} revised, ${unchanged} unchanged, ` +
    `${rescaled} rescaled, ${unmatched} unmatched`
  );
}

async function ingestAll(opened: Opened, folder: string): Promise<number> {
  let prints = 0;
  for (let vintage = 0; vintage < releases; vintage += 1) {
    for (const level of levels) {
      const rows = fullSizes[level];
      const path = join(folder, `${level}.csv.gz`);
      await writeFullSize(path, { level, rows, months: firstMonths + vintage, vintage });
      for (const index of indices) {
        const floor = await readOnly(path);
        const publishedAtMillis = Date.now() - 86_400_000;
        const meta = { provider: "zillow", index, level, publishedAtMillis } as const;
        const ingest = () =>
          opened.intake.ingest(createReadStream(path), meta, (command) =>
            opened.engine.submit({
              actor: { type: "root" },
              command,
              requestId: "bench",
              idempotency: null,
            }),
          );
        const { result, millis, cpuMillis, grown, kept } = await measured(ingest);
        if ("release" in result) prints += result.release.firstPrints;
        say(
          `${index} ${level} ${vintage}: ${seconds(millis)} (${(millis / floor).toFixed(1)} × ` +
            `read, gunzip, hash ${seconds(floor)}), processor ${seconds(cpuMillis)}, ` +
            `memory +${megabytes(grown)} at most, ` +
            `+${megabytes(kept)} after; ${summary(result)}`,
        );
      }
      const { size } = await stat(path);
      if (vintage === 0) say(`  the file is ${megabytes(size)} compressed`);
      await rm(path);
    }
  }
  return prints;
}

async function bytesInDatabase({ database }: Opened, prints: number): Promise<void> {
  const pool = new Pool(database.connection);
  const { rows } = await pool.query<{ relname: string; bytes: string }>(
    `SELECT relname, pg_total_relation_size(oid) AS bytes FROM pg_class
     WHERE relkind = 'r' AND (relname LIKE 'print_%' OR relname = 'journal')`,
  );
  await pool.end();
  for (const { relname, bytes } of rows) {
    const each = (Number(bytes) / prints).toFixed(2);
    say(`${relname}: ${megabytes(Number(bytes))}, ${each} bytes a first print`);
  }
}

function indexReads({ series }: Opened): void {
  for (const index of indices) {
    const nodes = [...series.nodes(index)];
    for (const round of ["first", "again"]) {
      const micros = nodes.map((node) => {
        const began = performance.now();
        series.indexValue(index, nodeId(node));
        return 1_000 * (performance.now() - began);
      });
      micros.sort((a, b) => a - b);
      const at = (share: number) => (micros[Math.floor(micros.length * share)] ?? 0).toFixed(1);
      say(`${index} value, ${round}: p50 ${at(0.5)} µs, p99 ${at(0.99)} µs (${nodes.length})`);
    }
  }
}

async function startOnly(dataDir: string): Promise<void> {
  const began = performance.now();
  const before = process.memoryUsage().rss;
  const opened = await open(dataDir);
  const millis = performance.now() - began;
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  say(
    `start: ${seconds(millis)}, of which PostgreSQL and engine ` +
      `${seconds(opened.engineMillis - began)}; processor ` +
      `${seconds((user + system) / 1_000)}; memory +` +
      `${megabytes(process.memoryUsage().rss - before)}`,
  );
  indexReads(opened);
  await opened.stop();
}

async function main(): Promise<void> {
  if (options.start !== undefined) return startOnly(options.start);
  const folder = await mkdtemp(join(tmpdir(), "firstprint-bench-"));
  const dataDir = join(folder, "data");
  try {
    const opened = await open(dataDir);
    await loadPlaces(opened);
    const prints = await ingestAll(opened, folder);
    await bytesInDatabase(opened, prints);
    await opened.stop();
    const again = [...process.execArgv, import.meta.filename, "--start", dataDir];
    const child = spawn(process.execPath, [...again, "--indices", options.indices], {
      stdio: "inherit",
    });
    await once(child, "exit");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
