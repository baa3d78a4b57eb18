// The hot paths beside a bare node:http server that gives the same bytes, and, where a folder is
// named, beside an earlier checkout of the exchange.
//
//   FIRSTPRINT_BEFORE=../earlier npm run bench -- hot
//
// Invariant: all are asked by the same client, in turns; pace is what a client sees, processor time
// what the server's process alone took, which other work on the machine does not stretch much.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { processorSeconds } from "#test/e2e/process-facts.ts";
import { checkout } from "#test/support/exchange.ts";
import { bareOf, openBare } from "./bare-server.ts";
import { digits, type Figure, median, quantile, type Scope, times } from "./figure.ts";
import { LoadClient, requestText } from "./http-load.ts";

const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_MILLIS = 700;
/** A server that serves for days has its paths compiled. */
const WARM_MILLIS = 4_000;

interface Side {
  readonly pid: number;
  readonly port: number;
  /** Where it is not asked what the others are. */
  readonly requests?: readonly string[];
}

interface Turn {
  readonly perSecond: number;
  readonly micros: number;
}

interface Opened extends Side {
  readonly expiry: string;
  /** Orders that meet each other. */
  readonly orders: readonly string[];
}

export async function hot(scope: Scope): Promise<readonly Figure[]> {
  const now = await opened(scope, checkout);
  const folder = process.env.FIRSTPRINT_BEFORE;
  const before = folder === undefined ? undefined : await opened(scope, folder);
  const client = new LoadClient(scope);
  const figures: Figure[] = [];
  for (const [what, path, coding] of pathsOf(now)) {
    const bare = await openBare(scope, await bareOf(`http://127.0.0.1:${now.port}${path}`, coding));
    const requests = [requestText("GET", path, { "accept-encoding": coding })];
    const turn = turns(client, requests);
    figures.push(...(await compared(turn, what, { now, before, bare })));
    bare.end();
  }
  return before === undefined ? figures : [...figures, await orders(client, before, now)];
}

/** By the modules of the folder itself, which start the exchange of their own checkout. */
async function opened(scope: Scope, folder: string): Promise<Opened> {
  const file = pathToFileURL(resolve(folder, "bench/exchange.ts")).href;
  const { meetingOrders, openMarket, portOf }: typeof import("./exchange.ts") = await import(file);
  const market = await openMarket(scope);
  const { exchange, expiry } = market;
  const orders = await meetingOrders(market);
  return { pid: exchange.pid, port: portOf(exchange), expiry, orders };
}

/** Durable ones: processor time of the exchange without its database. */
async function orders(client: LoadClient, before: Opened, now: Opened): Promise<Figure> {
  const turn = turns(client, []);
  const sides = [before, now].map(({ pid, port, orders: requests }) => ({ pid, port, requests }));
  for (const side of sides) await turn(side, WARM_MILLIS);
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const micros: number[] = [];
    for (const side of sides) micros.push((await turn(side)).micros);
    rounds.push(micros);
  }
  const [former, ours] = [0, 1].map((at) => median(rounds.map((micros) => micros[at] ?? 0)));
  return {
    what: "an order, processor time",
    value: `${digits(ours ?? 0)} µs`,
    against: `before: ${digits(former ?? 0)} µs`,
    ratio: spread(rounds.map(([was = 0, is = 0]) => is / was)),
  };
}

const pathsOf = ({ expiry }: Opened): readonly (readonly [string, string, "br" | "identity"])[] => [
  ["index", "/api/index/state:tx", "identity"],
  ["index, compressed", "/api/index/state:tx", "br"],
  [
    "quote",
    `/api/quotes?node=state:tx&expiry=${expiry}&notional=50000&kind=layered` +
      "&attachBps=200&exhaustBps=1000",
    "identity",
  ],
  ["search", "/api/geo/search?q=new&limit=10", "identity"],
  ["overview", "/api/overview?level=state", "br"],
];

const turns =
  (client: LoadClient, requests: readonly string[]) =>
  async (side: Side, millis = ROUND_MILLIS): Promise<Turn> => {
    const { pid, port } = side;
    const began = processorSeconds(pid);
    const load = { port, connections: CONNECTIONS, millis, requests: side.requests ?? requests };
    const { perSecond } = await client.run(load);
    const seconds = processorSeconds(pid) - began;
    return { perSecond, micros: (1e6 * seconds) / (perSecond * (millis / 1_000)) };
  };

interface Sides {
  readonly now: Side;
  readonly before: Side | undefined;
  readonly bare: Side;
}

async function compared(
  turn: ReturnType<typeof turns>,
  what: string,
  { now, before, bare }: Sides,
): Promise<readonly Figure[]> {
  const sides = [now, bare, ...(before === undefined ? [] : [before])];
  for (const side of sides) await turn(side, WARM_MILLIS);
  const rounds: { now: Turn; bare: Turn; before: Turn | undefined }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const former = before === undefined ? undefined : await turn(before);
    rounds.push({ bare: await turn(bare), now: await turn(now), before: former });
  }
  const figure = (name: string, ours: readonly Turn[]): Figure => {
    const pace = rounds.map((round, at) => (ours[at]?.perSecond ?? 0) / round.bare.perSecond);
    const cost = rounds.map((round, at) => round.bare.micros / (ours[at]?.micros ?? 0));
    return {
      what: `GET ${what}${name}`,
      value: `${digits(median(ours.map(({ micros }) => micros)))} µs`,
      against: `bare node:http: ${digits(median(rounds.map(({ bare: { micros } }) => micros)))} µs`,
      ratio: `${spread(cost)} by processor time, ${spread(pace)} by pace`,
    };
  };
  const former = rounds.flatMap((round) => round.before ?? []);
  return [
    ...(former.length === 0 ? [] : [figure(", before", former)]),
    figure(
      "",
      rounds.map((round) => round.now),
    ),
  ];
}

/** The median, and the middle half. */
function spread(ratios: readonly number[]): string {
  const [low, high] = [0.25, 0.75].map((share) => digits(quantile(ratios, share)));
  return `${times(median(ratios))} (${low} to ${high})`;
}
