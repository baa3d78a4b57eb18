// Two nodes of an older version become nodes of this one, one after the other, under load, as
// docs/operating/upgrade.md says.
// Invariant: each round begins with a database that only the older version has seen.
import { resolve } from "node:path";
import { modeOf, spread } from "#test/e2e/passing.ts";
import { copySecrets, TwoNodes } from "#test/e2e/two-nodes.ts";
import { until } from "#test/e2e/until.ts";
import { checkout, type Exchange } from "#test/support/exchange.ts";
import { Replicated } from "#test/support/replicated.ts";
import { CLIENTS, Ends, open, say, settle, type World } from "./world.ts";

const RESTING_ORDERS = 200;

export async function upgrade(older: string, rounds: number): Promise<void> {
  say(`from ${older} to this version, ${RESTING_ORDERS} open orders`);
  const longest = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    const ends = new Ends();
    try {
      const servers = await Replicated.start(ends);
      const pair = await TwoNodes.start(ends, servers.primaryUrl, {}, resolve(older));
      const world = await open(ends, pair, RESTING_ORDERS);
      for (const [step, take] of stepsOf(world)) {
        pair.takeLongestSilence();
        const answered = world.load.answers;
        await take();
        await until("deposits go on", () => world.load.answers > answered + 20 * CLIENTS);
        const silence = pair.takeLongestSilence();
        longest.set(step, [...(longest.get(step) ?? []), silence]);
        say(`    ${step}: nobody was answered for ${Math.round(silence)} ms`);
      }
      await settle(world);
    } finally {
      await ends.end();
    }
  }
  for (const [step, millis] of longest) say(`  ${step}: ${spread(millis)}`);
}

function stepsOf({ pair }: World): readonly (readonly [string, () => Promise<void>])[] {
  const [first, second] = pair.nodes;
  const handOver = async (from: Exchange, to: Exchange): Promise<void> => {
    from.signal("SIGUSR2");
    await until("the other leads", async () => (await modeOf(to)) === "open");
  };
  const renew = async (node: Exchange): Promise<void> => {
    await node.stop();
    await copySecrets(pair.other(node).dataDir, node.dataDir);
    node.program = checkout;
    await node.up();
    await until("it stands by", async () => (await modeOf(node)) === "standby");
  };
  return [
    ["nothing happens", () => Promise.resolve()],
    ["the node that stands by is renewed", () => renew(second)],
    ["the older one hands over", () => handOver(first, second)],
    ["the older one is renewed", () => renew(first)],
    ["the lead goes back", () => handOver(second, first)],
  ];
}
