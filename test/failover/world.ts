// Two exchanges under a load of deposits, which each run of failovers stands on, and their end.
// Invariant: the load is settled before the exchanges end, and throws where a deposit is not stored
// exactly once.
import assert from "node:assert/strict";
import { MAX_OPEN_ORDERS } from "#core/account/caps.ts";
import { furnish } from "#test/e2e/traded-world.ts";
import type { TwoNodes } from "#test/e2e/two-nodes.ts";
import { until } from "#test/e2e/until.ts";
import { DepositLoad } from "#test/faults/deposit-load.ts";
import type { Exchange } from "#test/support/exchange.ts";

export const CLIENTS = 8;
const PAUSE_MILLIS = 50;
/** Short, since the time until another node acknowledges holds the pause of whoever asks. */
const REFUSED_MILLIS = 20;
const ORDERS_A_REQUEST = 100;
const PLACING_CLIENTS = 8;

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Everything that was started ends in the reverse order. */
export class Ends {
  readonly #ends: (() => Promise<void>)[] = [];

  after(end: () => Promise<void>): void {
    this.#ends.push(end);
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end().catch((error) => say(`${error}`));
  }
}

export interface World {
  readonly pair: TwoNodes;
  readonly load: DepositLoad;
}

/** As many orders that rest, of makers who have as many as one may. */
async function placeOrders(exchange: Exchange, count: number): Promise<void> {
  if (count === 0) return;
  const names = Array.from(
    { length: Math.ceil(count / MAX_OPEN_ORDERS) },
    (_, at) => `maker ${at}`,
  );
  const { traders, market } = await furnish(exchange, names, "1000000", "watcher");
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      const size = Math.min(ORDERS_A_REQUEST, left);
      left -= size;
      const maker = traders[Math.floor(left / MAX_OPEN_ORDERS)];
      assert.ok(maker !== undefined);
      const orders = Array.from({ length: size }, (_, at) => ({
        ...{ marketId: market, outcomeIndex: 0, side: "BUY", amount: "1" },
        price: (1 + at) / 1_000,
      }));
      const path = "/api/trading/orders/batch";
      const headers = { "idempotency-key": `resting-${left}` };
      await until("orders are taken", async () => {
        const reply = await exchange.post(path, { orders }, { key: maker.key, headers });
        // On a busy machine a leader may fall silent, and lose its term for a moment.
        assert.ok(reply.status < 300 || reply.status === 503, reply.text);
        return reply.status < 300;
      });
    }
  };
  await Promise.all(Array.from({ length: PLACING_CLIENTS }, client));
}

export async function open(ends: Ends, pair: TwoNodes, orders: number): Promise<World> {
  const [first] = pair.nodes;
  const began = performance.now();
  await placeOrders(first, orders);
  if (orders > 0) say(`${orders} open orders after ${Math.round(performance.now() - began)} ms`);
  const { id } = await first.trader("payee", "0");
  const { key: auditor } = await first.trader("auditor", "0", "auditor");
  const load = new DepositLoad(pair, id, auditor, "failover");
  load.start(CLIENTS, PAUSE_MILLIS, REFUSED_MILLIS);
  ends.after(() => load.end());
  return { pair, load };
}

export async function settle({ load }: World): Promise<void> {
  await load.end();
  const { stored, absent } = await load.settle();
  say(`  ${load.answers} acknowledged, ${stored + absent} unknown, ${stored} of these stored`);
  say("  lost 0, doubled 0");
}
