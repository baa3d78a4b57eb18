// A load of orders that rest, and which of them were acknowledged.
// Invariant: an order counts once its answer has come.
import assert from "node:assert/strict";
import { textAt } from "#test/support/exchange.ts";
import type { TradedWorld } from "./traded-world.ts";
import { until } from "./until.ts";

const CLIENTS = 8;

/** Orders that rest, by clients that do not wait for each other, until `end`. */
export class OrderLoad {
  readonly acknowledged: string[] = [];
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor({ exchange, traders, market }: TradedWorld) {
    const [trader] = traders;
    assert.ok(trader !== undefined);
    const client = async (): Promise<void> => {
      while (!this.#isOver) {
        const order = { marketId: market, outcomeIndex: 0, side: "BUY", amount: "1", price: 0.01 };
        const reply = await exchange.post("/api/trading/orders", order, { key: trader.key });
        assert.ok(reply.status < 300, reply.text);
        this.acknowledged.push(textAt(reply.body, "data", "id"));
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
