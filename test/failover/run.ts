// `npm run failover -- --open 0,100000 --kills 20 --stops 10 --handovers 10 --promotions 10`: two
// exchanges on a PostgreSQL with a standby, under load; the lead passes again and again, and then
// PostgreSQL's own. Tells what was lost or doubled, and how soon another acknowledged.
// `--patroni 5`: the machine of the primary is lost or hangs, and Patroni promotes another.
// `--older <checkout> --upgrades 5`: and from an older version to this one, node by node.
// Invariant: exits 1 where an acknowledged deposit is not in the journal exactly once.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { modeOf, spread, ways } from "#test/e2e/passing.ts";
import { TwoNodes } from "#test/e2e/two-nodes.ts";
import { until } from "#test/e2e/until.ts";
import { Replicated } from "#test/support/replicated.ts";
import { patroni } from "./patroni.ts";
import { upgrade } from "./upgrade.ts";
import { CLIENTS, Ends, open, say, settle } from "./world.ts";

const { values } = parseArgs({
  options: {
    open: { type: "string", default: "0" },
    kills: { type: "string", default: "20" },
    stops: { type: "string", default: "10" },
    handovers: { type: "string", default: "10" },
    promotions: { type: "string", default: "10" },
    patroni: { type: "string", default: "0" },
    older: { type: "string" },
    upgrades: { type: "string", default: "1" },
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
const losses = Number(values.patroni);
assert.ok(
  [...sizes, ...rounds, promotions, losses].every(Number.isSafeInteger),
  "npm run failover -- --open <n>,<n> --kills <n> --stops <n> --handovers <n> --promotions <n> " +
    "--patroni <n>",
);

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
if (losses > 0) await patroni(losses);
if (values.older !== undefined) await upgrade(values.older, Number(values.upgrades));
process.exit(0);
