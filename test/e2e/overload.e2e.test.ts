// More orders at once than can be under way: every request is answered, no cancel is refused, what
// was refused has left no trace, what was taken is there once, and the exchange is well afterwards.

import assert from "node:assert/strict";
import { test } from "node:test";
import { entryShown } from "#test/support/disclosed.ts";
import { at, type Exchange, listAt, type Trader } from "#test/support/exchange.ts";
import { openTradedWorld } from "./traded-world.ts";
import { until } from "./until.ts";
import { type Heard, Wire } from "./wire.ts";

const CONNECTIONS = 40;
const ORDERS_EACH = 200;
const ROUNDS = 1;
const CANCELS_EACH = 10;
const PATIENCE_MILLIS = 60_000;

interface Answered {
  readonly key: string;
  readonly request: string;
  readonly heard: Heard;
}

const bodyOf = ({ text }: Heard): unknown => JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));

function requestTo(path: string, { key }: Trader, body: object, idempotencyKey?: string): string {
  const text = JSON.stringify(body);
  const lines = [
    `POST /api/trading/orders${path} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    ...(idempotencyKey === undefined ? [] : [`idempotency-key: ${idempotencyKey}`]),
    `content-length: ${text.length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

/** Everything at once, on every connection; cancels among the orders, and on one of their own. */
class Storm {
  readonly orders: Answered[] = [];
  readonly cancels: Heard[] = [];
  readonly looks: Heard[] = [];
  readonly #wires: readonly Wire[];
  readonly #aside: Wire;
  #sent = 0;

  constructor({ url }: Exchange) {
    const port = Number(new URL(url).port);
    this.#wires = Array.from({ length: CONNECTIONS }, () => new Wire(port));
    this.#aside = new Wire(port);
  }

  async round(round: number, traders: readonly Trader[], market: string): Promise<void> {
    const order = { marketId: market, outcomeIndex: 0, amount: "1", timeInForce: "IOC" };
    for (const [at, wire] of this.#wires.entries()) {
      const trader = traders[at % traders.length];
      assert.ok(trader !== undefined);
      const side = at % 2 === 0 ? "BUY" : "SELL";
      for (let one = 0; one < ORDERS_EACH; one += 1) {
        const key = `storm-${round}-${at}-${one}`;
        const request = requestTo("", trader, { ...order, side, price: 0.05 }, key);
        this.#ask(wire, request, (heard) => this.orders.push({ key, request, heard }));
        if (one % (ORDERS_EACH / CANCELS_EACH) === 0) this.#cancel(wire, trader);
      }
      wire.flush();
      this.#cancel(this.#aside, trader);
      this.#ask(this.#aside, "GET /api/status HTTP/1.1\r\nhost: localhost\r\n\r\n", (heard) =>
        this.looks.push(heard),
      );
      this.#aside.flush();
    }
    await this.answered();
  }

  /** All that was sent, by then or in vain. */
  async answered(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MILLIS;
    await until("every request is answered", () => {
      assert.ok(performance.now() < deadline);
      return this.#sent === this.orders.length + this.cancels.length + this.looks.length;
    });
  }

  close(): void {
    for (const wire of [...this.#wires, this.#aside]) wire.close();
  }

  #cancel(wire: Wire, trader: Trader): void {
    this.#ask(wire, requestTo("/cancel-all", trader, {}), (heard) => this.cancels.push(heard));
  }

  #ask(wire: Wire, request: string, take: (heard: Heard) => void): void {
    this.#sent += 1;
    wire.ask(request, performance.now(), take);
  }
}

/** How often each idempotency key was entered. */
async function enteredKeys(exchange: Exchange, auditor: Trader): Promise<Map<string, number>> {
  const exported = await exchange.get("/api/audit/export", { key: auditor.key });
  const entered = new Map<string, number>();
  for (const item of listAt(exported.body, "data")) {
    const { envelope } = entryShown(item);
    const key = envelope.idempotency?.key;
    if (key !== undefined) entered.set(key, (entered.get(key) ?? 0) + 1);
  }
  return entered;
}

test("orders beyond what can be under way are refused, and nothing else is", async (t) => {
  const names = ["one", "two", "three", "four"];
  const { exchange, traders, auditor, market } = await openTradedWorld(t, names, "1000000");
  const storm = new Storm(exchange);
  t.after(async () => storm.close());
  for (let round = 1; round <= ROUNDS; round += 1) await storm.round(round, traders, market);

  const taken = storm.orders.filter(({ heard }) => heard.status === 200);
  const shed = storm.orders.filter(({ heard }) => heard.status === 503);
  assert.equal(taken.length + shed.length, storm.orders.length, "each is taken or refused");
  assert.ok(taken.length > 100 && shed.length > 100, `${taken.length} taken, ${shed.length} not`);
  for (const { heard } of shed) {
    assert.equal(at(bodyOf(heard), "code"), "OVERLOADED");
    assert.equal(at(bodyOf(heard), "error", "outcome"), "not_applied");
    assert.match(heard.text, /\r\nretry-after: \d+\r\n/);
    assert.match(heard.text, /\r\nx-request-id: /);
    assert.match(heard.text, /\r\nratelimit: "key";r=\d+/);
  }
  for (const { text } of storm.cancels) assert.match(text, /^HTTP\/1.1 200 /);
  for (const { text } of storm.looks) assert.match(text, /^HTTP\/1.1 200 /);

  const entered = await enteredKeys(exchange, auditor);
  for (const { key } of taken) assert.equal(entered.get(key), 1, `${key} is there once`);
  for (const { key } of shed) assert.equal(entered.get(key), undefined, `${key} left no trace`);

  // The exchange is well: what was refused is taken now, under the key it was refused with.
  const port = Number(new URL(exchange.url).port);
  const wire = new Wire(port);
  const again: Heard[] = [];
  for (const { request } of shed.slice(0, 50)) {
    wire.ask(request, performance.now(), (heard) => again.push(heard));
    wire.flush();
    await until("it is answered", () => wire.waiting === 0);
  }
  wire.close();
  for (const { text } of again) {
    assert.match(text, /^HTTP\/1.1 200 /);
    assert.doesNotMatch(text, /idempotency-replayed/i);
  }
  assert.equal(at((await exchange.get("/api/audit/verify", auditor)).body, "data", "valid"), true);
  const longest = Math.max(...storm.cancels.map(({ millis }) => millis));
  t.diagnostic(
    `${storm.orders.length} orders over ${CONNECTIONS} connections: ${taken.length} taken, ` +
      `${shed.length} refused; ${storm.cancels.length} cancels, ` +
      `each within ${longest.toFixed(0)} ms`,
  );
});
