// Reads at one node, and at one, two and three followers: the processor time of a request, so that
// two cores, on which all of them share, still say what more cores would give.
// Invariant: each run is of the same requests by as many clients, one after another in one run.
import { copyFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runningConnection } from "#storage/embedded.ts";
import { processorSeconds } from "#test/e2e/process-facts.ts";
import { urlOf } from "#test/support/database.ts";
import { Exchange } from "#test/support/exchange.ts";
import { type Market, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, type Scope, times } from "./figure.ts";
import { LoadClient, requestText } from "./http-load.ts";

const MOST_FOLLOWERS = 3;
const CLIENTS = 12;
/** A key has 100 streams of a node. */
const READERS = 96;
const ORDERS = 400;
const RUN_MILLIS = 3_000;
/** Until the last entry has come to its readers. */
const LAST_MILLIS = 500;
const ENTRY = "event: entry";
const secrets = ["pepper", "webhook-key", "checkpoint.key"];

interface Run {
  /** Of processor time. */
  readonly microsEach: number;
  readonly perSecond: number;
}

export async function followers(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange: leader, expiry } = market;
  const nodes: Exchange[] = [];
  for (let at = 0; at < MOST_FOLLOWERS; at += 1) nodes.push(await followerOf(scope, leader));
  const clients = nodes.map(() => new LoadClient(scope));
  const quote = new URLSearchParams({
    ...{ node: "state:tx", expiry, notional: "100000", kind: "layered" },
    ...{ attachBps: "200", exhaustBps: "1000" },
  });
  const reads = {
    "GET index": requestText("GET", "/api/index/state:tx"),
    "GET quotes": requestText("GET", `/api/quotes?${quote}`),
  };
  const figures: Figure[] = [];
  for (const [name, request] of Object.entries(reads)) {
    const run = (serving: readonly Exchange[]) => readFrom(serving, clients, request);
    await run([leader]);
    await run(nodes);
    const alone = await run([leader]);
    for (let count = 1; count <= MOST_FOLLOWERS; count += 1) {
      figures.push(compared(name, count, await run(nodes.slice(0, count)), alone));
    }
  }
  const { key } = await leader.trader("reader", "1000000");
  const alone = await tellFrom([leader], market, key);
  for (let count = 1; count <= MOST_FOLLOWERS; count += 1) {
    const told = await tellFrom(nodes.slice(0, count), market, key);
    figures.push(compared("a streamed entry", count, told, alone));
  }
  figures.push(await followingCost(market, nodes, key));
  return figures;
}

function compared(what: string, count: number, ours: Run, alone: Run): Figure {
  const cost = times(ours.microsEach / alone.microsEach);
  return {
    what: `${what}, ${count} ${count === 1 ? "follower" : "followers"}`,
    value: `${digits(ours.microsEach)} µs of a core; ${digits(ours.perSecond)} a second`,
    against: `one node: ${digits(alone.microsEach)} µs; ${digits(alone.perSecond)} a second`,
    ratio: `${cost} / ${times(ours.perSecond / alone.perSecond)}`,
  };
}

async function followerOf(scope: Scope, leader: Exchange): Promise<Exchange> {
  const connection = await runningConnection(leader.dataDir);
  if (connection === undefined) throw new Error("the store is running");
  const environment = {
    ...{ DATABASE_URL: urlOf(connection), FIRSTPRINT_ROLE: "follower" },
    ...{ FIRSTPRINT_PUBLIC_RATE: "10000000", FIRSTPRINT_MAX_KEY_RATE: "10000000" },
  };
  return Exchange.start(scope, environment, async (dataDir) => {
    for (const name of secrets) await copyFile(join(leader.dataDir, name), join(dataDir, name));
  });
}

const workOf = (nodes: readonly Exchange[]): number =>
  nodes.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);

/** The clients are spread over the nodes evenly. */
async function readFrom(
  nodes: readonly Exchange[],
  clients: readonly LoadClient[],
  request: string,
): Promise<Run> {
  const before = workOf(nodes);
  const connections = CLIENTS / nodes.length;
  const loads = await Promise.all(
    nodes.map((node, at) => {
      const client = clients[at];
      if (client === undefined) throw new Error("each node has a client");
      const load = { port: portOf(node), connections, millis: RUN_MILLIS, requests: [request] };
      return client.run(load);
    }),
  );
  const perSecond = loads.reduce((sum, load) => sum + load.perSecond, 0);
  return { perSecond, microsEach: costOf(before, nodes, (perSecond * RUN_MILLIS) / 1_000) };
}

const costOf = (before: number, nodes: readonly Exchange[], count: number): number =>
  ((workOf(nodes) - before) * 1_000_000) / count;

/** For each told entry: the cost of orders with readers, less their cost without. */
async function tellFrom(
  nodes: readonly Exchange[],
  { exchange: leader, seriesId }: Market,
  key: string,
): Promise<Run> {
  await cancelAll(leader, key);
  const unread = workOf(nodes);
  await sendOrders(leader, seriesId, key);
  const quiet = workOf(nodes) - unread;
  let told = 0;
  const readers = await Promise.all(
    Array.from({ length: READERS }, (_, at) =>
      openStream(nodes[at % nodes.length], key, () => told++),
    ),
  );
  const before = workOf(nodes);
  const began = performance.now();
  await sendOrders(leader, seriesId, key);
  const perSecond = (told * 1_000) / (performance.now() - began);
  await sleep(LAST_MILLIS);
  const microsEach = ((workOf(nodes) - before - quiet) * 1_000_000) / told;
  for (const reader of readers) reader.destroy();
  return { perSecond, microsEach };
}

/** An account may have a thousand open. */
async function cancelAll(leader: Exchange, key: string): Promise<void> {
  const { status, text } = await leader.post("/api/trading/orders/cancel-all", {}, { key });
  if (status !== 200) throw new Error(text);
  await sleep(LAST_MILLIS);
}

/** Orders that rest, one after another. */
async function sendOrders(leader: Exchange, marketId: string, key: string): Promise<void> {
  for (let at = 0; at < ORDERS; at += 1) {
    const price = (100 + (at % 30)) / 10_000;
    const order = { marketId, outcomeIndex: 0, side: "BUY", amount: "0.01", price };
    const { status, text } = await leader.post("/api/trading/orders", order, { key });
    if (status !== 200) throw new Error(text);
  }
}

/** With a key: an address without one has fewer streams than there are readers. */
async function openStream(
  node: Exchange | undefined,
  key: string,
  onEntry: () => void,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}` };
  const message = await new Promise<IncomingMessage>((done, failed) => {
    get(`${node?.url}/api/stream`, { agent: false, headers }, done).on("error", failed);
  });
  if (message.statusCode !== 200) throw new Error(`no stream: ${message.statusCode}`);
  // Told apart by their first words alone: this process must not be what is measured.
  message.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(ENTRY); at >= 0; at = chunk.indexOf(ENTRY, at + 1)) onEntry();
  });
  message.on("error", () => undefined);
  return message;
}

/** Of all followers, for an entry that the leader appends, its readers left out. */
async function followingCost(
  { exchange: leader, seriesId }: Market,
  nodes: readonly Exchange[],
  key: string,
): Promise<Figure> {
  await cancelAll(leader, key);
  const before = { leader: workOf([leader]), nodes: workOf(nodes) };
  await sendOrders(leader, seriesId, key);
  await sleep(LAST_MILLIS);
  const ofLeader = ((workOf([leader]) - before.leader) * 1_000_000) / ORDERS;
  const idleFrom = workOf(nodes);
  const ours = ((idleFrom - before.nodes) * 1_000_000) / ORDERS / nodes.length;
  await sleep(RUN_MILLIS);
  const idle = (workOf(nodes) - idleFrom) / nodes.length / (RUN_MILLIS / 1_000);
  return {
    what: "following: of each follower, an order",
    value: `${digits(ours)} µs; idle ${digits(100 * idle)} % of a core`,
    against: `at the leader, HTTP included: ${digits(ofLeader)} µs`,
    ratio: times(ours / ofLeader),
  };
}
