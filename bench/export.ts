// The audit trail as a stream, beside merely reading it; and what it costs the server in memory.
// Invariant: the export is whole and is judged by the verifier that shares no code with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SLICE_ENTRIES } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { runningConnection } from "#storage/embedded.ts";
import { checkout, numberAt } from "#test/support/exchange.ts";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, type Scope, times } from "./figure.ts";
import { LoadClient } from "./http-load.ts";

const ENTRIES = 100_000;
const FILL_MILLIS = 4_000;
const WATCH_MILLIS = 20;
const MIB = 1_048_576;

export async function exporting(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange } = market;
  const requests = await meetingOrders(market);
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const client = new LoadClient(scope);
  const load = { port: portOf(exchange), connections: 64, millis: FILL_MILLIS, requests };
  while (numberAt((await exchange.get("/api/status")).body, "durableSequence") < ENTRIES) {
    await client.run(load);
  }
  const read = await readingOnly(scope, exchange.dataDir);

  const file = join(exchange.dataDir, "export.json");
  const server = await Watched.start(exchange.pid);
  const started = performance.now();
  const headers = { authorization: `Bearer ${auditor.key}` };
  const { body } = await fetch(`${exchange.url}/api/audit/export`, { headers });
  if (body === null) throw new Error("the export has no body");
  await pipeline(Readable.fromWeb(body), createWriteStream(file));
  const perSecond = (1_000 * read.entries) / (performance.now() - started);
  const grown = await server.grown();
  const size = (await readFile(file)).length;
  const verified = await verifyOffline(file, read.entries);
  return [
    {
      what: `export of ${digits(read.entries)} entries`,
      value: `${digits(perSecond)} a second`,
      against: `reading them only: ${digits(read.perSecond)}`,
      ratio: times(perSecond / read.perSecond),
    },
    {
      what: "memory the server took for it",
      value: `${digits(grown / MIB)} MiB`,
      against: `the export: ${digits(size / MIB)} MiB`,
      ratio: times(grown / size),
    },
    {
      what: "that export judged offline",
      value: `${digits(verified.perSecond)} a second`,
      against: `reading them only: ${digits(read.perSecond)}`,
      ratio: times(verified.perSecond / read.perSecond),
    },
    {
      what: "memory the verifier took for it",
      value: `${digits(verified.most / MIB)} MiB`,
      against: `the export: ${digits(size / MIB)} MiB`,
      ratio: times(verified.most / size),
    },
  ];
}

async function readingOnly(scope: Scope, dataDir: string) {
  const connection = await runningConnection(dataDir);
  if (connection === undefined) throw new Error("the store is running");
  const journal = new PostgresJournal({ ...connection, application_name: "bench" });
  scope.after(() => journal.close());
  const started = performance.now();
  let entries = 0;
  for (;;) {
    const slice = await journal.read(entries + 1, SLICE_ENTRIES);
    entries += slice.length;
    if (slice.length < SLICE_ENTRIES) break;
  }
  return { entries, perSecond: (1_000 * entries) / (performance.now() - started) };
}

async function verifyOffline(file: string, entries: number) {
  const started = performance.now();
  const child = spawn(process.execPath, ["tools/verify-audit.ts", file, "--json"], {
    cwd: checkout,
    stdio: "ignore",
  });
  if (child.pid === undefined) throw new Error("the verifier does not start");
  const watched = await Watched.start(child.pid);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the export does not hold: ${code}`);
  const perSecond = (1_000 * entries) / (performance.now() - started);
  return { perSecond, most: await watched.most() };
}

/** A process's resident memory, looked at again and again. */
class Watched {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  readonly #before: number;
  #most: number;

  private constructor(pid: number, before: number) {
    this.#pid = pid;
    this.#before = before;
    this.#most = before;
    this.#timer = setInterval(() => void this.#look(), WATCH_MILLIS);
  }

  static async start(pid: number): Promise<Watched> {
    return new Watched(pid, await residentOf(pid));
  }

  async most(): Promise<number> {
    await this.#look();
    clearInterval(this.#timer);
    return this.#most;
  }

  async grown(): Promise<number> {
    return (await this.most()) - this.#before;
  }

  async #look(): Promise<void> {
    this.#most = Math.max(this.#most, await residentOf(this.#pid));
  }
}

/** Bytes; 0 once the process is gone. */
async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
}
