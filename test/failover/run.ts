// `npm run failover -- --open 0,100000 --kills 20 --stops 10 --handovers 10 --promotions 10`: two
// exchanges on a PostgreSQL with a standby, under load; the lead passes again and again, and then
// PostgreSQL's own. Tells what was lost or doubled, and how soon another acknowledged.
// Invariant: exits 1 where an acknowledged deposit is not in the journal exactly once.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { MAX_OPEN_ORDERS } from "#core/account/caps.ts";
import { modeOf, spread, ways } from "#test/e2e/passing.ts";
import { furnish } from "#test/e2e/traded-world.ts";
import { TwoNodes } from "#test/e2e/two-nodes.ts";
import { until } from "#test/e2e/until.ts";
import { DepositLoad } from "#test/faults/deposit-load.ts";
import type { Exchange } from "#test/support/exchange.ts";
import { Replicated } from "#test/support/replicated.ts";

const CLIENTS = 8;
const PAUSE_MILLIS = 50;
const ORDERS_A_REQUEST = 100;
const PLACING_CLIENTS = 8;

const { values } = parseArgs({
  options: {
    open: { type: "string", default: "0" },
    kills: { type: "string", default: "20" },
    stops: { type: "string", default: "10" },
    handovers: { type: "string", default: "10" },
    promotions: { type: "string", default: "10" },
  },
});
const sizes = values.open.split(",").map(Number);
const plan = [
  ["killed", ways.killed, Number(values.kills)],
  ["hangs", ways.hangs, Number(values.stops)],
  ["hands over", ways["hands over"], Number(values.handovers)],
] as const;
const rounds = plan.map(([, , count]) => count);
const promotions = Number(values.promotions);
assert.ok(
  [...sizes, ...rounds, promotions].every(Number.isSafeInteger),
  "npm run failover -- --open <n>,<n> --kills <n> --stops <n> --handovers <n> --promotions <n>",
);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Everything that was started ends in the reverse order. */
class Ends {
  readonly #ends: (() => Promise<void>)[] = [];

  after(end: () => Promise<void>): void {
    this.#ends.push(end);
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end().catch((error) => say(`${error}`));
  }
}

interface World {
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
      const reply = await exchange.post(path, { orders }, { key: maker.key });
      assert.ok(reply.status < 300, reply.text);
    }
  };
  await Promise.all(Array.from({ length: PLACING_CLIENTS }, client));
}

async function open(ends: Ends, pair: TwoNodes, orders: number): Promise<World> {
  const [first] = pair.nodes;
  const began = performance.now();
  await placeOrders(first, orders);
  if (orders > 0) say(`${orders} open orders after ${Math.round(performance.now() - began)} ms`);
  const { id } = await first.trader("payee", "0");
  const { key: auditor } = await first.trader("auditor", "0", "auditor");
  const load = new DepositLoad(pair, id, auditor, "failover");
  load.start(CLIENTS, PAUSE_MILLIS);
  ends.after(() => load.end());
  return { pair, load };
}

async function settle({ load }: World): Promise<void> {
  await load.end();
  const { stored, absent } = await load.settle();
  say(`  ${load.answers} acknowledged, ${stored + absent} unknown, ${stored} of these stored`);
  say("  lost 0, doubled 0");
}

async function passTheLead(orders: number): Promise<void> {
  const ends = new Ends();
  try {
    const servers = await Replicated.start(ends);
    const world = await open(ends, await TwoNodes.start(ends, servers.databaseUrl), orders);
    const { pair } = world;
    for (const [how, pass, count] of plan) {
      const took: number[] = [];
      for (let round = 0; round < count; round += 1) {
        const leader = await pair.leader();
        const successor = pair.other(leader);
        await until("the other stands by", async () => (await modeOf(successor)) === "standby");
        await sleep(100 + 50 * (round % 7));
        const since = performance.now();
        const passed = pair.answeredSince(successor, since);
        await pass(leader, passed);
        took.push((await passed) - since);
        say(`    ${how}, round ${round + 1}: ${Math.round(took.at(-1) ?? 0)} ms`);
        await until("the one before stands by", async () => (await modeOf(leader)) === "standby");
      }
      if (took.length > 0) say(`  ${orders} open orders, ${how}: ${spread(took)}`);
    }
    await settle(world);
  } finally {
    await ends.end();
  }
}

/** A node that has ended says why at the end of its output. */
async function tellEnded({ nodes }: TwoNodes): Promise<void> {
  for (const node of nodes) {
    const isUp = await node.get("/api/health/live").catch(() => undefined);
    if (isUp === undefined) say(`    a node has ended: ${node.output.slice(-1_500)}`);
  }
}

async function promote(): Promise<void> {
  const ends = new Ends();
  try {
    const servers = await Replicated.start(ends);
    await servers.synchronous();
    const pair = await TwoNodes.start(ends, servers.databaseUrl, { FIRSTPRINT_REPLICAS: "1" });
    const world = await open(ends, pair, 0);
    const took: number[] = [];
    for (let round = 0; round < promotions; round += 1) {
      await sleep(100 + 50 * (round % 7));
      const answered = world.load.answers;
      await servers.promote();
      const since = performance.now();
      await tellEnded(pair);
      await servers.rejoin();
      await servers.synchronous();
      await until("deposits are acknowledged", () => world.load.answers > answered + CLIENTS);
      took.push(performance.now() - since);
      say(`    promoted, round ${round + 1}: ${Math.round(took.at(-1) ?? 0)} ms`);
    }
    say(
      `PostgreSQL promoted, from its promotion with a new standby made meanwhile: ${spread(took)}`,
    );
    await settle(world);
  } finally {
    await ends.end();
  }
}

const isAny = rounds.some((count) => count > 0);
for (const orders of isAny ? sizes : []) {
  say(`the lead passes, ${orders} open orders`);
  await passTheLead(orders);
}
if (promotions > 0) await promote();
process.exit(0);
