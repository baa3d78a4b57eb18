// Five times the orders that can be taken, for a minute: what is still taken, and who waits.
// Invariant: peak and flood come from the same client in turns; every request of both is waited
// for, and a flood that was not answered whole, or refused a cancel, is no figure but an error.

import { processorSeconds, residentMegabytes } from "#test/e2e/process-facts.ts";
import type { Exchange } from "#test/support/exchange.ts";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, median, type Scope, times } from "./figure.ts";
import { FloodClient, type Flooded } from "./flood.ts";
import { requestText } from "./http-load.ts";

const PEAK_CONNECTIONS = [32, 64, 128, 256];
const PEAK_MILLIS = 10_000;
const TRIAL_MILLIS = 3_000;
const FLOOD_CONNECTIONS = 64;
const FLOOD_MILLIS = 60_000;
const FACTOR = 5;
const TURNS = 2;

interface Turn {
  readonly peak: Flooded;
  readonly flood: Flooded;
  /** Of the server's process, in cores. */
  readonly serverCores: number;
}

export async function overload(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange } = market;
  const orders = await meetingOrders(market);
  const cancels = orders.map((order) => cancelAllBy(keyIn(order)));
  const status = requestText("GET", "/api/status");
  const shared = { port: portOf(exchange), orders, cancels, status };
  const client = new FloodClient(scope);
  const peakAt = (connections: number, millis: number): Promise<Flooded> =>
    client.run({ ...shared, connections, millis, perSecond: null });

  await peakAt(64, TRIAL_MILLIS);
  let best = { connections: 0, perSecond: 0 };
  for (const connections of PEAK_CONNECTIONS) {
    const { goodPerSecond } = await peakAt(connections, TRIAL_MILLIS);
    if (goodPerSecond > best.perSecond) best = { connections, perSecond: goodPerSecond };
  }

  const turns: Turn[] = [];
  const before = residentMegabytes(exchange.pid);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const peak = await peakAt(best.connections, PEAK_MILLIS);
    const perSecond = FACTOR * peak.goodPerSecond;
    const from = { seconds: processorSeconds(exchange.pid), millis: performance.now() };
    const asked = { connections: FLOOD_CONNECTIONS, millis: FLOOD_MILLIS, perSecond };
    const flood = await client.run({ ...shared, ...asked });
    refuseBroken(flood);
    const seconds = (performance.now() - from.millis) / 1_000;
    const serverCores = (processorSeconds(exchange.pid) - from.seconds) / seconds;
    turns.push({ peak, flood, serverCores });
  }
  return figuresOf(turns, best.connections, await memory(exchange, before));
}

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
  { before, after }: { readonly before: number; readonly after: number },
): readonly Figure[] {
  const of = (value: (turn: Turn) => number): number => median(turns.map(value));
  const part = (flood: Flooded, status: string): number =>
    (flood.statuses[status] ?? 0) / (flood.offered + flood.held);
  const written = ({ flood }: Turn): number => flood.offered / (FLOOD_MILLIS / 1_000);
  // The worse of the turns: a promise is kept in each of them.
  const kept = Math.min(
    ...turns.map(({ peak, flood }) => flood.goodPerSecond / peak.goodPerSecond),
  );
  const share = (value: number): string => `${(100 * value).toFixed(0)} %`;
  return [
    {
      what: `orders taken at ${FACTOR} × what can be taken, ${FLOOD_MILLIS / 1_000} s`,
      value: `${digits(of(({ flood }) => flood.goodPerSecond))} a second`,
      against: `${connections} clients in turn: ${digits(of(({ peak }) => peak.goodPerSecond))}`,
      ratio: times(kept),
    },
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
      what: "processor under it: the exchange's process",
      value: `${digits(of(({ serverCores }) => serverCores))} cores`,
      against: `who sends: ${digits(of(({ flood }) => flood.cores))} cores`,
      ratio: times(of(({ serverCores, flood }) => serverCores / flood.cores)),
    },
    {
      what: "memory of the process after it",
      value: `${digits(after)} MB`,
      against: `before: ${digits(before)} MB`,
      ratio: times(after / before),
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
