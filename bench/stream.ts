// The public stream: how long after an order's answer its readers have it, and what they cost.
// Invariant: every order is waited for at every reader before the next one is sent.
import { get, type IncomingMessage } from "node:http";
import { eventsOf } from "#test/http/event-reader.ts";
import type { Exchange } from "#test/support/exchange.ts";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, quantile, type Scope, times } from "./figure.ts";
import { LoadClient } from "./http-load.ts";

const READERS = [1, 100];
const ORDERS = 300;
const RUN_MILLIS = 3_000;
const CLIENTS = 16;

export async function stream(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange, seriesId } = market;
  const { key } = await exchange.trader("reader", "1000000");
  const requests = await meetingOrders(market);
  const client = new LoadClient(scope);
  const load = { port: portOf(exchange), connections: CLIENTS, millis: RUN_MILLIS, requests };
  await client.run({ ...load, millis: 1_000 });

  const alone = await client.run(load);
  const figures: Figure[] = [];
  for (const count of READERS) {
    const readers = new Readers(exchange, key);
    await readers.open(count);
    const { answered, told } = await tellOrders(exchange, key, seriesId, readers);
    const beside = await client.run(load);
    readers.close();
    const whom = count === 1 ? "1 reader has it" : `the last of ${count} readers has it`;
    const [p50, p99] = [quantile(told, 0.5), quantile(told, 0.99)];
    const [answer50, answer99] = [quantile(answered, 0.5), quantile(answered, 0.99)];
    figures.push(
      {
        what: `from sending an order until ${whom}`,
        value: `p50 ${digits(p50)}, p99 ${digits(p99)} ms`,
        against: `until it is answered: p50 ${digits(answer50)}, p99 ${digits(answer99)} ms`,
        ratio: `${times(p50 / answer50)} / ${times(p99 / answer99)}`,
      },
      {
        what: `durable orders, ${CLIENTS} clients, ${count} reading`,
        value: `${digits(beside.perSecond)} a second`,
        against: `nobody reading: ${digits(alone.perSecond)}`,
        ratio: times(beside.perSecond / alone.perSecond),
      },
    );
  }
  return figures;
}

/** Streams that are read as fast as they come, in this process. */
class Readers {
  readonly #exchange: Exchange;
  readonly #key: string;
  readonly #streams: IncomingMessage[] = [];
  #left = 0;
  #all: () => void = () => undefined;

  constructor(exchange: Exchange, key: string) {
    this.#exchange = exchange;
    this.#key = key;
  }

  async open(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const message = await new Promise<IncomingMessage>((done, failed) => {
        const headers = { authorization: `Bearer ${this.#key}` };
        get(`${this.#exchange.url}/api/stream`, { headers, agent: false }, done).on(
          "error",
          failed,
        );
      });
      if (message.statusCode !== 200) throw new Error(`no stream: ${message.statusCode}`);
      this.#streams.push(message);
      void this.#read(message);
    }
  }

  /** Resolves when the next entry has come to each of them. */
  next(): Promise<void> {
    this.#left = this.#streams.length;
    return new Promise((done) => {
      this.#all = done;
    });
  }

  close(): void {
    for (const message of this.#streams) message.destroy();
  }

  async #read(message: IncomingMessage): Promise<void> {
    try {
      for await (const { event } of eventsOf(message)) {
        if (event !== "entry") continue;
        this.#left -= 1;
        if (this.#left === 0) this.#all();
      }
    } catch (fault) {
      if (!message.destroyed) throw fault;
    }
  }
}

/** One order after another: milliseconds until its answer, and until every reader has it. */
async function tellOrders(exchange: Exchange, key: string, marketId: string, readers: Readers) {
  const answered: number[] = [];
  const told: number[] = [];
  for (let at = 0; at < ORDERS; at += 1) {
    const next = readers.next();
    const sentAt = performance.now();
    const price = (100 + (at % 30)) / 10_000;
    const order = { marketId, outcomeIndex: 0, side: "BUY", amount: "0.01", price };
    const { status, text } = await exchange.post("/api/trading/orders", order, { key });
    answered.push(performance.now() - sentAt);
    if (status !== 200) throw new Error(text);
    await next;
    told.push(performance.now() - sentAt);
  }
  return { answered, told };
}
