// A client under load that keeps its own record: what it asked, with which key, and what was said.
// Invariant: a request without a whole answer is asked again under the same key, never a new one.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import {
  at,
  type Exchange,
  listAt,
  numberAt,
  type Reply,
  type Trader,
  textAt,
} from "#test/support/exchange.ts";
import type { Asked, Placed, PlainOrder } from "./plain-market.ts";

export interface Sent {
  readonly account: string;
  readonly key: string;
  readonly asked: Asked;
  /** How often it was sent. */
  tries: number;
  reply: Reply | undefined;
}

/** A whole number in [0, bound). */
type Draw = (bound: number) => number;

const CANCELS_AMONG_NEWEST = 20;

export class LoadClient {
  readonly sent: Sent[] = [];
  readonly #name: string;
  readonly #trader: Trader;
  readonly #market: string;
  readonly #draw: Draw;
  readonly #orderIds: string[] = [];

  constructor(name: string, trader: Trader, market: string, draw: Draw) {
    this.#name = name;
    this.#trader = trader;
    this.#market = market;
    this.#draw = draw;
  }

  /** One request after another until the exchange is gone, with a pause after each answer. */
  async run(exchange: Exchange, onAnswer: () => void, pauseMillis = 0): Promise<void> {
    for (;;) {
      const sent = this.#next();
      this.sent.push(sent);
      if (!(await this.#send(exchange, sent))) return;
      onAnswer();
      if (pauseMillis > 0) await sleep(pauseMillis);
    }
  }

  /** Asks again what was not answered; returns how many of these had been applied all the same. */
  async settle(exchange: Exchange): Promise<{ readonly asked: number; readonly applied: number }> {
    const open = this.sent.filter(({ reply }) => reply === undefined);
    let applied = 0;
    for (const sent of open) {
      assert.ok(await this.#send(exchange, sent), `${sent.key} is answered`);
      if (isReplay(sent.reply)) applied += 1;
    }
    return { asked: open.length, applied };
  }

  /** The newest answer it had is given again, to the byte, when asked for with its key. */
  async repeatNewest(exchange: Exchange): Promise<void> {
    const newest = this.sent.findLast(({ reply }) => reply !== undefined);
    if (newest?.reply === undefined) return;
    const again = await this.#ask(exchange, newest);
    assert.ok(isReplay(again), `${newest.key} is a replay`);
    assert.equal(again.status, newest.reply.status);
    if (again.status < 300) assert.equal(again.text, newest.reply.text);
  }

  async #send(exchange: Exchange, sent: Sent): Promise<boolean> {
    sent.tries += 1;
    // A connection cut before the whole answer came is no answer.
    const reply = await this.#ask(exchange, sent).catch(() => undefined);
    if (reply === undefined) return false;
    sent.reply = reply;
    for (const { id } of placedIn(sent)) this.#orderIds.push(id);
    return true;
  }

  #ask(exchange: Exchange, { asked, key: idempotencyKey }: Sent): Promise<Reply> {
    const { key } = this.#trader;
    const credential = { key, headers: { "idempotency-key": idempotencyKey } };
    switch (asked.type) {
      case "place":
        return exchange.post("/api/trading/orders", this.#body(asked.order), credential);
      case "batch": {
        const orders = asked.orders.map((order) => this.#body(order));
        return exchange.post("/api/trading/orders/batch", { orders }, credential);
      }
      case "cancel":
        return exchange.request(
          "DELETE",
          `/api/trading/orders/${asked.orderId}`,
          undefined,
          credential,
        );
      case "cancelAll":
        return exchange.post("/api/trading/orders/cancel-all", {}, credential);
    }
  }

  #body({ outcomeIndex, side, tick, lots }: PlainOrder) {
    const amount = (lots / 100).toFixed(2);
    return { marketId: this.#market, outcomeIndex, side, amount, price: tick / 10_000 };
  }

  #next(): Sent {
    const key = `${this.#name}-${this.sent.length + 1}`;
    return { account: this.#trader.id, key, asked: this.#asked(), tries: 0, reply: undefined };
  }

  #asked(): Asked {
    const at = this.#draw(100);
    const orderId = this.#orderIds.at(-1 - this.#draw(CANCELS_AMONG_NEWEST));
    if (at < 25 && orderId !== undefined) return { type: "cancel", orderId };
    if (at < 28) return { type: "cancelAll" };
    if (at < 40) {
      const orders = Array.from({ length: 2 + this.#draw(4) }, () => this.#order());
      return { type: "batch", orders };
    }
    return { type: "place", order: this.#order() };
  }

  /** Around a YES price of 0.05, so that about half of them cross. */
  #order(): PlainOrder {
    const outcomeIndex = this.#draw(2) === 0 ? 0 : 1;
    const yesTick = 450 + 10 * this.#draw(11);
    return {
      outcomeIndex,
      side: this.#draw(2) === 0 ? "BUY" : "SELL",
      tick: outcomeIndex === 0 ? yesTick : 10_000 - yesTick,
      lots: 1 + this.#draw(2_000),
    };
  }
}

const isReplay = (reply: Reply | undefined): boolean =>
  reply?.headers.get("idempotency-replayed") === "true";

/** The orders an answer shows, none where it shows a refusal or a cancel. */
export function placedIn({ asked, reply }: Sent): readonly Placed[] {
  if (reply === undefined || reply.status >= 300) return [];
  const data = at(reply.body, "data");
  if (asked.type === "place") return [placed(data)];
  return asked.type === "batch" ? listAt(data).map(placed) : [];
}

const placed = (order: unknown): Placed => ({
  id: textAt(order, "id"),
  status: textAt(order, "status"),
  filledLots: Math.round(Number(textAt(order, "filledAmount")) * 100),
});

/** How many orders an answer to a cancel says it ended. */
export function cancelledIn({ asked, reply }: Sent): number {
  const data = at(reply?.body, "data");
  return asked.type === "cancelAll"
    ? numberAt(data, "cancelledCount")
    : Number(at(data, "success") === true);
}
