// Five times the orders that can be taken, in turns with the peak: what is still taken, who waits.
// Invariant: peak and flood come from the same client, with the same processors for each of both;
// every request is waited for, and a flood that was not answered whole, or refused a cancel, is no
// figure but an error.
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { childrenOf, processorSeconds, residentMegabytes } from "#test/e2e/process-facts.ts";
import type { Exchange } from "#test/support/exchange.ts";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, median, type Scope, times } from "./figure.ts";
import { FloodClient, type Flooded } from "./flood.ts";
import { requestText } from "./http-load.ts";

const PEAK_CONNECTIONS = [32, 64, 128, 256];
const PEAK_MILLIS = 5_000;
const TRIAL_MILLIS = 3_000;
const FLOOD_CONNECTIONS = 64;
const FLOOD_MILLIS = 15_000;
const FACTOR = 5;
const TURNS = 5;

/** One phase of a turn. */
interface Phase extends Flooded {
  /** Of the exchange and its database, until the last answer; in cores. */
  readonly serverCores: number;
  /** The same for each order that was taken. */
  readonly microsAnOrder: number;
}

interface Turn {
  readonly peak: Phase;
  readonly flood: Phase;
}

export async function overload(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange } = market;
  const orders = await meetingOrders(market);
  const cancels = orders.map((order) => cancelAllBy(keyIn(order)));
  const status = requestText("GET", "/api/status");
  const shared = { port: portOf(exchange), orders, cancels, status };
  const client = new FloodClient(scope);
  const isPinned = pin(exchange.pid, client.pid);
  const phase = async (
    connections: number,
    millis: number,
    perSecond: number | null,
  ): Promise<Phase> => {
    const before = { seconds: secondsOf(exchange.pid), millis: performance.now() };
    const flooded = await client.run({ ...shared, connections, millis, perSecond });
    refuseBroken(flooded);
    const seconds = secondsOf(exchange.pid) - before.seconds;
    const serverCores = (1_000 * seconds) / (performance.now() - before.millis);
    return { ...flooded, serverCores, microsAnOrder: (1e6 * seconds) / takenOf(flooded) };
  };

  await phase(64, TRIAL_MILLIS, null);
  let best = { connections: 0, perSecond: 0 };
  for (const connections of PEAK_CONNECTIONS) {
    const { goodPerSecond } = await phase(connections, TRIAL_MILLIS, null);
    if (goodPerSecond > best.perSecond) best = { connections, perSecond: goodPerSecond };
  }

  const turns: Turn[] = [];
  const before = residentMegabytes(exchange.pid);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const peak = await phase(best.connections, PEAK_MILLIS, null);
    const flood = await phase(FLOOD_CONNECTIONS, FLOOD_MILLIS, FACTOR * peak.goodPerSecond);
    turns.push({ peak, flood });
  }
  return figuresOf(turns, best.connections, isPinned, await memory(exchange, before));
}

const takenOf = ({ statuses }: Flooded): number => statuses["200"] ?? 0;

/** A process may end while it is looked at: connections of the database come and go. */
function secondsOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => {
    try {
      return sum + processorSeconds(one);
    } catch {
      return sum;
    }
  }, 0);
}

/** The exchange and its database on one processor, who sends on another; false where it cannot. */
function pin(exchange: number, sender: number): boolean {
  if (cpus().length < 2) return false;
  const [first, second] = ["0", "1"];
  try {
    for (const one of [exchange, ...childrenOf(exchange)]) bind(first, one);
    bind(second, sender);
    return true;
  } catch {
    return false;
  }
}

const bind = (processor: string, pid: number): void =>
  void execFileSync("taskset", ["-acp", processor, String(pid)], { stdio: "ignore" });

const keyIn = (request: string): string => /Bearer (\S+)/.exec(request)?.[1] ?? "";

const cancelAllBy = (key: string): string =>
  requestText(
    "POST",
    "/api/trading/orders/cancel-all",
    { authorization: `Bearer ${key}`, "content-type": "application/json" },
    "{}",
  );

function refuseBroken({ lost, withoutRetryAfter, cancelStatuses, lookStatuses }: Flooded): void {
  const odd = [cancelStatuses, lookStatuses].flatMap((statuses) =>
    Object.keys(statuses).filter((status) => status !== "200"),
  );
  if (lost > 0 || withoutRetryAfter > 0 || odd.length > 0) {
    throw new Error(`${lost} lost, ${withoutRetryAfter} without Retry-After, ${odd.join(" ")}`);
  }
}

const memory = async ({ pid }: Exchange, before: number) => ({
  before,
  after: residentMegabytes(pid),
});

function figuresOf(
  turns: readonly Turn[],
  connections: number,
  isPinned: boolean,
  { before, after }: { readonly before: number; readonly after: number },
): readonly Figure[] {
  const of = (value: (turn: Turn) => number): number => median(turns.map(value));
  const part = (flood: Flooded, status: string): number =>
    (flood.statuses[status] ?? 0) / (flood.offered + flood.held);
  const written = ({ flood }: Turn): number => flood.offered / (FLOOD_MILLIS / 1_000);
  const kept = turns.map(({ peak, flood }) => flood.goodPerSecond / peak.goodPerSecond);
  const share = (value: number): string => `${(100 * value).toFixed(0)} %`;
  return [
    {
      what: `orders taken at ${FACTOR} × what can be taken, ${FLOOD_MILLIS / 1_000} s`,
      value: `${digits(of(({ flood }) => flood.goodPerSecond))} a second`,
      against: `${connections} clients in turn: ${digits(of(({ peak }) => peak.goodPerSecond))}`,
      ratio: range(kept),
    },
    ...costs(turns, isPinned, kept),
    {
      what: "of what fell due: taken, refused with 503, not sent for want of answers",
      value: [
        share(of(({ flood }) => part(flood, "200"))),
        share(of(({ flood }) => part(flood, "503"))),
        share(of(({ flood }) => flood.held / (flood.offered + flood.held))),
      ].join(", "),
      against: `written: ${digits(of(written))} a second`,
      ratio: `${digits(of((turn) => written(turn) / turn.peak.goodPerSecond))} × the peak`,
    },
    waits("an order that is taken, from when it was due", turns, ({ good }) => good),
    waits(
      "a cancel under it, on the same and on a free connection",
      turns,
      ({ cancels }) => cancels,
    ),
    waits("GET /api/status under it", turns, ({ looks }) => looks),
    {
      what: "processor under it: the exchange and its database",
      value: `${digits(of(({ flood }) => flood.serverCores))} cores`,
      against: `who sends: ${digits(of(({ flood }) => flood.cores))}; at the peak ${digits(
        of(({ peak }) => peak.serverCores),
      )} and ${digits(of(({ peak }) => peak.cores))}`,
      ratio: times(of(({ flood }) => flood.serverCores / flood.cores)),
    },
    {
      what: "memory of the process after it",
      value: `${digits(after)} MB`,
      against: `before: ${digits(before)} MB`,
      ratio: times(after / before),
    },
  ];
}

const range = (values: readonly number[]): string =>
  `${times(Math.min(...values))} to ${times(Math.max(...values))}`;

/** The share of the peak that remains, and where the processor's time goes. */
function costs(
  turns: readonly Turn[],
  isPinned: boolean,
  kept: readonly number[],
): readonly Figure[] {
  const of = (value: (turn: Turn) => number): number => median(turns.map(value));
  return [
    {
      what: "of the peak of its own turn, each turn",
      value: kept.map(times).join(", "),
      against: isPinned ? "exchange and sender: a processor each" : "processors shared by both",
      ratio: times(median(kept)),
    },
    {
      what: "processor time for each order taken, the exchange and its database",
      value: `${digits(of(({ flood }) => flood.microsAnOrder))} µs`,
      against: `at the peak: ${digits(of(({ peak }) => peak.microsAnOrder))} µs`,
      ratio: range(turns.map(({ peak, flood }) => flood.microsAnOrder / peak.microsAnOrder)),
    },
    {
      what: "orders refused for each that is taken",
      value: digits(of(({ flood }) => (flood.statuses["503"] ?? 0) / takenOf(flood))),
      against: "not sent for want of answers, for each",
      ratio: digits(of(({ flood }) => flood.held / takenOf(flood))),
    },
  ];
}

function waits(
  what: string,
  turns: readonly Turn[],
  pick: (flooded: Flooded) => Flooded["good"],
): Figure {
  const [flood50, flood99, peak50, peak99] = [
    median(turns.map(({ flood }) => pick(flood).p50Millis)),
    median(turns.map(({ flood }) => pick(flood).p99Millis)),
    median(turns.map(({ peak }) => pick(peak).p50Millis)),
    median(turns.map(({ peak }) => pick(peak).p99Millis)),
  ];
  return {
    what,
    value: `p50 ${digits(flood50)}, p99 ${digits(flood99)} ms`,
    against: `at the peak: p50 ${digits(peak50)}, p99 ${digits(peak99)} ms`,
    ratio: `${times(flood50 / peak50)} / ${times(flood99 / peak99)}`,
  };
}
