// A load of orders that rest for a while, and which of them were acknowledged.
// Invariant: an order counts once its answer has come.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type ExchangeClient, textAt } from "#test/support/exchange.ts";
import type { TradedWorld } from "./traded-world.ts";
import { until } from "./until.ts";

const CLIENTS = 8;
/** Of a client; an account may have a thousand open orders. */
const OPEN_ORDERS = 50;

/** Orders that rest, by clients that do not wait for each other, until `end`. */
export class OrderLoad {
  readonly acknowledged: string[] = [];
  #isOver = false;
  readonly #running: Promise<unknown>;

  /** Each client waits for `pauseMillis` after an answer. */
  constructor({ exchange, traders, market }: TradedWorld<ExchangeClient>, pauseMillis = 0) {
    const [trader] = traders;
    assert.ok(trader !== undefined);
    const client = async (): Promise<void> => {
      const open: string[] = [];
      while (!this.#isOver) {
        const order = { marketId: market, outcomeIndex: 0, side: "BUY", amount: "1", price: 0.01 };
        const reply = await exchange.post("/api/trading/orders", order, { key: trader.key });
        assert.ok(reply.status < 300, reply.text);
        const id = textAt(reply.body, "data", "id");
        this.acknowledged.push(id);
        open.push(id);
        if (pauseMillis > 0) await sleep(pauseMillis);
        const oldest = open.length > OPEN_ORDERS ? open.shift() : undefined;
        if (oldest === undefined) continue;
        const path = `/api/trading/orders/${oldest}`;
        const gone = await exchange.request("DELETE", path, undefined, { key: trader.key });
        assert.ok(gone.status < 300, gone.text);
      }
    };
    this.#running = Promise.all(Array.from({ length: CLIENTS }, client));
    this.#running.catch(() => undefined);
  }

  /** Or until it is refused one. */
  async until(count: number): Promise<void> {
    await Promise.race([
      until("orders are acknowledged", () => this.acknowledged.length >= count),
      this.#running,
    ]);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }
}
