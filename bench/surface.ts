// The cost of an order at the surface of a grown exchange: a real process, HTTP, PostgreSQL; how
// long that process takes to stop with a snapshot, and to start from one. First, the console's
// page.
// Invariant: one client, one request at a time, the same requests at every size.
import type { Exchange, Json } from "#test/support/exchange.ts";
import { textAt } from "#test/support/exchange.ts";
import { openMarket } from "./exchange.ts";
import { digits, type Figure, median, quantile, type Scope, times } from "./figure.ts";
import { AMOUNT, type Size } from "./grown-exchange.ts";
import { growStore } from "./grown-store.ts";
import { pages } from "./pages.ts";

const SMALLEST: Size = { orders: 1_000, markets: 100 };
const MORE: readonly Size[] = [
  { orders: 100_000, markets: 100 },
  { orders: 1_000_000, markets: 100 },
];
const MORE_MARKETS: readonly Size[] = [
  { orders: 1_000, markets: 10_000 },
  { orders: 1_000, markets: 100_000 },
];
const ROUNDS = 300;
const WARMING = 100;
/** Starts from the same snapshot; the median is told, with the quickest and the slowest. */
const STARTS = 5;

interface Waits {
  readonly rest: number[];
  readonly fill: number[];
  readonly cancel: number[];
}

interface Keys {
  readonly key: string;
  /** Of whoever brings the sellers that are taken. */
  readonly sellerKey: string;
}

interface Measured {
  readonly waits: Waits;
  readonly startMillis: readonly number[];
  readonly stopMillis: readonly number[];
}

export async function surface(scope: Scope): Promise<readonly Figure[]> {
  const figures: Figure[] = [...(await pages(scope))];
  for (const sizes of [MORE, MORE_MARKETS]) {
    const { exchange } = await openMarket(scope);
    const { key } = await exchange.trader("measured", "10000000");
    const { key: sellerKey } = await exchange.trader("seller", "10000000");
    const measure = (size: Size) => measured(scope, exchange, { key, sellerKey }, size);
    const least = await measure(SMALLEST);
    for (const size of sizes) figures.push(...compared(size, await measure(size), least));
  }
  return figures;
}

async function measured(
  scope: Scope,
  exchange: Exchange,
  keys: Keys,
  size: Size,
): Promise<Measured> {
  await exchange.stop();
  const { markets } = await growStore(scope, { ...size, dataDir: exchange.dataDir });
  const startMillis = [await exchange.up()];
  const waits = await ordersIn(exchange, keys, markets);
  const stopMillis = [await stopped(exchange)];
  while (startMillis.length < STARTS) {
    startMillis.push(await exchange.up());
    stopMillis.push(await stopped(exchange));
  }
  return { waits, startMillis, stopMillis };
}

async function stopped(exchange: Exchange): Promise<number> {
  const stopping = performance.now();
  await exchange.stop();
  return performance.now() - stopping;
}

/** In each round one rests, is taken back, and one takes the first seller of a busy book. */
async function ordersIn(
  exchange: Exchange,
  { key, sellerKey }: Keys,
  markets: readonly string[],
): Promise<Waits> {
  const waits: Waits = { rest: [], fill: [], cancel: [] };
  const ask = async (kind: keyof Waits, method: string, path: string, body?: Json) => {
    const started = performance.now();
    const { status, text, body: said } = await exchange.request(method, path, body, { key });
    waits[kind].push(performance.now() - started);
    if (status !== 200) throw new Error(text);
    return said;
  };
  const path = "/api/trading/orders";
  for (let round = 0; round < WARMING + ROUNDS; round += 1) {
    if (round === WARMING) for (const millis of Object.values(waits)) millis.length = 0;
    const marketId = markets[round % markets.length];
    const order = { marketId, outcomeIndex: 0, side: "BUY", amount: AMOUNT };
    const placed = await ask("rest", "POST", path, { ...order, price: 0.45 });
    await ask("cancel", "DELETE", `${path}/${textAt(placed, "data", "id")}`);
    const seller = { ...order, side: "SELL", price: 0.6 };
    const { status: offered, text } = await exchange.post(path, seller, { key: sellerKey });
    if (offered !== 200) throw new Error(text);
    const taken = await ask("fill", "POST", path, { ...order, price: 0.99, timeInForce: "IOC" });
    const status = textAt(taken, "data", "status");
    if (status !== "FILLED") throw new Error(`${marketId} has a seller, but it was ${status}`);
  }
  return waits;
}

function compared(size: Size, ours: Measured, least: Measured): readonly Figure[] {
  const isOrders = size.orders > SMALLEST.orders;
  const name = isOrders ? `${digits(size.orders)} resting` : `${digits(size.markets)} markets`;
  const smallest = isOrders
    ? `${digits(SMALLEST.orders)} resting`
    : `${digits(SMALLEST.markets)} markets`;
  const order = (what: string, kind: keyof Waits): Figure => {
    const [wait, other] = [shown(ours.waits[kind]), shown(least.waits[kind])];
    return {
      what: `${what} over HTTP, ${name}`,
      value: `p50 ${digits(wait.p50)}, p99 ${digits(wait.p99)} ms`,
      against: `${smallest}: p50 ${digits(other.p50)}, p99 ${digits(other.p99)} ms`,
      ratio: `${times(wait.p50 / other.p50)} / ${times(wait.p99 / other.p99)}`,
    };
  };
  const whole = (what: string, millis: readonly number[], other: readonly number[]): Figure => ({
    what: `${what}, ${name}`,
    value: `${ranged(millis)} ms`,
    against: `${smallest}: ${ranged(other)} ms`,
    ratio: times(median(millis) / median(other)),
  });
  return [
    order("an order that rests", "rest"),
    order("an order that fills", "fill"),
    order("a cancel", "cancel"),
    whole("a start from a snapshot", ours.startMillis, least.startMillis),
    whole("a stop with a snapshot", ours.stopMillis, least.stopMillis),
  ];
}

const ranged = (values: readonly number[]): string =>
  `${digits(median(values))} (${digits(Math.min(...values))} to ${digits(Math.max(...values))})`;

const shown = (millis: readonly number[]) => ({
  p50: quantile(millis, 0.5),
  p99: quantile(millis, 0.99),
});
