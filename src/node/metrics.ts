// The numbers of a node, for Prometheus: requests, entries, appends, and the state of the exchange.
// Invariant: no number names an account; those of the exchange are drawn when they are asked for.
import { basename } from "node:path";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { monthEndMillis } from "#base/month.ts";
import { commands } from "#core/command-table.ts";
import { coverOf } from "#core/margin/cover.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { type NotLeaderReason, notLeaderReasons } from "#engine/engine.ts";
import type { OpenEngine } from "#engine/open.ts";
import type { OnAppended } from "#engine/term.ts";
import { queueCounts } from "#http/admin/queue.ts";
import { queueKinds } from "#http/admin/queue-record.ts";
import type { DownloadSourceState, DownloadsPort } from "#http/ports.ts";
import type { AnsweredRequest } from "#http/server/answered.ts";
import type { RefusalCounts } from "#http/server/refusal-counts.ts";
import { lastBackupSeconds } from "#storage/last-backup.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { NodeClock } from "./clock-keeping.ts";
import { type GaugeOf, one } from "./gauge.ts";
import { gaugesOfSideWork, type SideWork } from "./upkeep-gauges.ts";

interface Watched extends SideWork {
  readonly engine: Pick<OpenEngine, "status" | "epoch" | "history">;
  readonly exchange: ExchangeView;
  readonly refusalCounts: Pick<RefusalCounts, "byCode">;
  readonly streams: Readonly<Record<string, { readonly size: number }>>;
  readonly clock: Pick<NodeClock, "now" | "isDoubted" | "offMillis"> | undefined;
  readonly downloads: Pick<DownloadsPort, "states">;
}

const modes = ["starting", "standby", "follower", "open", "cancel_only", "halted"] as const;
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const APPEND_ENTRIES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096];
const USD = 1_000_000;

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<"route" | "method" | "status">;
  readonly #streamed: Counter<"route" | "status">;
  readonly #appendSeconds: Histogram;
  readonly #appendEntries: Histogram;
  readonly #entries: Counter<"action" | "outcome">;
  readonly #fills: Counter;
  readonly #faults: Counter;
  readonly #viewsRedrawn: Counter;
  readonly #webhookRows: Counter;
  readonly #notLeader: Counter<"reason">;
  readonly #clockJumps: Counter;

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Histogram({
      name: "firstprint_request_seconds",
      help: "From the head of a request to the end of its answer",
      labelNames: ["route", "method", "status"],
      buckets: REQUEST_SECONDS,
      registers,
    });
    this.#streamed = new Counter({
      name: "firstprint_streams_ended_total",
      help: "Streams that have ended",
      labelNames: ["route", "status"],
      registers,
    });
    this.#appendSeconds = new Histogram({
      name: "firstprint_append_seconds",
      help: "From sending a batch of entries to the database's word that it is durable",
      buckets: APPEND_SECONDS,
      registers,
    });
    this.#appendEntries = new Histogram({
      name: "firstprint_append_entries",
      help: "Entries in a batch",
      buckets: APPEND_ENTRIES,
      registers,
    });
    this.#entries = new Counter({
      name: "firstprint_entries_total",
      help: "Durable entries by the audit's name of their action",
      labelNames: ["action", "outcome"],
      registers,
    });
    this.#fills = new Counter({
      name: "firstprint_fills_total",
      help: "Trades",
      registers,
    });
    this.#faults = new Counter({
      name: "firstprint_faults_total",
      help: "Faults of ours that a request met",
      registers,
    });
    this.#viewsRedrawn = new Counter({
      name: "firstprint_view_redrawn_total",
      help: "Times that what this node shows failed to take an entry in and was drawn again",
      registers,
    });
    this.#webhookRows = new Counter({
      name: "firstprint_webhook_rows_refused_total",
      help: "Rows of webhooks that could not be written",
      registers,
    });
    this.#notLeader = new Counter({
      name: "firstprint_not_leader_total",
      help: "Requests answered NOT_LEADER, by why",
      labelNames: ["reason"],
      registers,
    });
    this.#clockJumps = new Counter({
      name: "firstprint_clock_jumps_total",
      help: "Times that the machine's clock was set by more than a minute, and was followed",
      registers,
    });
    for (const reason of notLeaderReasons) this.#notLeader.inc({ reason }, 0);
  }

  /** From here on the numbers of the exchange are told, too. */
  watch(sources: Watched): void {
    collectDefaultMetrics({ register: this.#registry });
    for (const gauge of [...gaugesOf(sources), ...gaugesOfSideWork(sources)]) {
      const { name, help, labels = [], read } = gauge;
      const made = new Gauge({
        name: `firstprint_${name}`,
        help,
        labelNames: labels,
        registers: [this.#registry],
        collect: () => {
          made.reset();
          for (const [value, words] of read()) made.set(words ?? {}, value);
        },
      });
    }
    const refusals = new Counter({
      name: "firstprint_refusals_total",
      help: "Requests refused, by the code they were answered",
      labelNames: ["code"],
      registers: [this.#registry],
      collect: () => {
        refusals.reset();
        for (const [code, count] of Object.entries(sources.refusalCounts.byCode))
          refusals.inc({ code }, count);
      },
    });
  }

  answered({ method, route = "none", status, millis, isStream }: AnsweredRequest): void {
    if (isStream) this.#streamed.inc({ route, status });
    else this.#requests.observe({ route, method, status }, millis / 1000);
  }

  faulted(): void {
    this.#faults.inc();
  }

  redrawn(): void {
    this.#viewsRedrawn.inc();
  }

  readonly onRowRefused = (): void => {
    this.#webhookRows.inc();
  };

  notLeading(reason: NotLeaderReason, requests: number): void {
    this.#notLeader.inc({ reason }, requests);
  }

  clockJumped(): void {
    this.#clockJumps.inc();
  }

  readonly onAppended: OnAppended = (entries, millis) => {
    this.#appendSeconds.observe(millis / 1000);
    this.#appendEntries.observe(entries);
  };

  /** Each durable entry. */
  take(entry: Entry): void {
    const { outcome, envelope } = entry;
    const refused = isRejected(outcome);
    const { action } = commands[envelope.command.type];
    this.#entries.inc({ action, outcome: refused ? "refused" : "accepted" });
    for (const { type } of refused ? [] : outcome.events) if (type === "Filled") this.#fills.inc();
  }

  /** In the text format of Prometheus. */
  async text(): Promise<{ readonly contentType: string; readonly text: string }> {
    const { contentType } = this.#registry;
    return { contentType, text: await this.#registry.metrics() };
  }
}

/** Each is drawn from what readers are shown: at most a pass over accounts and markets. */
function gaugesOf({
  engine,
  exchange,
  streams,
  dataDir,
  clock,
  downloads,
}: Watched): readonly GaugeOf[] {
  const cover = (name: string, help: string, read: (of: ReturnType<typeof coverOf>) => bigint) =>
    one(name, help, () => Number(read(coverOf(exchange))) / USD);
  const { status } = engine;
  return [
    one("sequence", "The newest entry that was decided", () => status().sequence),
    one("durable_sequence", "The newest entry that is durable", () => status().durableSequence),
    one("room_used_ratio", "Of the room for records, or of the memory", () => status().usedShare),
    one("leads", "1 while this node leads", () => (engine.epoch() === undefined ? 0 : 1)),
    one(
      "term",
      "The epoch of this node's term; 0 while it does not lead",
      () => engine.epoch() ?? 0,
    ),
    {
      ...{ name: "mode", help: "1 for the mode the node is in", labels: ["mode"] },
      read: () => modes.map((mode) => [status().mode === mode ? 1 : 0, { mode }] as const),
    },
    one("checkpoint_sequence", "The entry that the newest signed checkpoint reaches", () =>
      checkpointed(engine.history.checkpoint()?.note),
    ),
    one(
      "lag_seconds",
      "How old what this node shows may be; 0 while it leads",
      () => (status().lagMillis ?? 0) / 1000,
    ),
    one(
      "last_backup_timestamp_seconds",
      "When the newest backup of this node's folder began; 0 where there is none",
      () => lastBackupSeconds(dataDir),
    ),
    one(
      "clock_off_seconds",
      "The machine's clock less the time that the exchange counts",
      () => (clock?.offMillis ?? 0) / 1000,
    ),
    one("clock_doubted", "1 while the machine's clock is not followed", () =>
      clock?.isDoubted === true ? 1 : 0,
    ),
    one("time_stands_seconds", "So far ahead of the clock is the newest entry", () =>
      clock === undefined ? 0 : Math.max(0, status().engineTimeMillis - clock.now()) / 1000,
    ),
    one("open_orders", "Orders that rest or wait", () => exchange.openOrderCount),
    one("accounts", "Accounts", () => exchange.accounts.size),
    {
      ...{ name: "markets", help: "Markets by their status", labels: ["status"] },
      read: () => {
        const counts = Map.groupBy(exchange.markets.values(), (market) => market.status);
        return [...counts].map(([name, { length }]) => [length, { status: name }] as const);
      },
    },
    {
      ...{ name: "waiting", help: "What waits for an operator, by kind", labels: ["kind"] },
      read: () => {
        const counts = queueCounts({ exchange, downloads });
        return queueKinds.map((kind) => [counts[kind] ?? 0, { kind }] as const);
      },
    },
    {
      ...{ name: "print_age_seconds", labels: ["index", "level", "variable"] },
      help: "Since the end of the newest month of an index and level that is printed",
      read: () => printAges(exchange, status().engineTimeMillis),
    },
    {
      ...{ name: "print_overdue_seconds", labels: downloadLabels },
      help: "Since the print of a source is two weeks late; 0 while it is not",
      read: () =>
        downloads.states().map((state) => {
          const since = state.nextPrint?.overdueSinceMillis ?? null;
          const overdue = since === null ? 0 : Math.max(0, (Date.now() - since) / 1000);
          return [overdue, labelsOf(state)] as const;
        }),
    },
    {
      ...{ name: "download_failures", labels: downloadLabels },
      help: "Attempts at a source that failed since the last that did not",
      read: () => downloads.states().map((state) => [state.failures, labelsOf(state)] as const),
    },
    {
      ...{ name: "download_refused", labels: downloadLabels },
      help: "1 while the last file of a source is one that the intake refused",
      read: () =>
        downloads
          .states()
          .map((state) => [state.refusal === null ? 0 : 1, labelsOf(state)] as const),
    },
    {
      ...{ name: "streams", help: "Streams open now", labels: ["stream"] },
      read: () => Object.entries(streams).map(([stream, { size }]) => [size, { stream }] as const),
    },
    cover("fund_spare_usd", "The fund beyond its own shorts", (of) => of.spareMicros),
    cover("cover1_usd", "The loss of the weakest owner beyond its margin", (of) => of.cover1Micros),
    cover("cover2_usd", "The losses of the two weakest owners", (of) => of.cover2Micros),
    cover("cover_lacking_usd", "Lacking for the two weakest owners", (of) => of.lackingMicros),
  ];
}

const downloadLabels = ["provider", "index", "level", "file"];

/** The file's name tells sources of one series from each other. */
const labelsOf = ({ provider, index, level, file }: DownloadSourceState) => ({
  ...{ provider, index, level },
  file: basename(file),
});

function printAges(exchange: ExchangeView, nowMillis: number) {
  const newest = new Map<string, AcceptedRelease>();
  for (const release of exchange.releases.values()) {
    const name = [release.index, release.level, release.variable ?? ""].join("|");
    if (release.lastMonth >= (newest.get(name)?.lastMonth ?? 0)) newest.set(name, release);
  }
  return [...newest.values()].map(({ index, level, variable = "", lastMonth }) => {
    const ageSeconds = (nowMillis - monthEndMillis(lastMonth)) / 1000;
    return [ageSeconds, { index, level, variable }] as const;
  });
}

/** The second line of a checkpoint is how many entries it speaks for. */
const checkpointed = (note: string | undefined): number => Number(note?.split("\n")[1] ?? 0);
