// How long until a node is ready: with nothing, after a kill, after a stop, the first time.
// Invariant: ready means what /api/status says; the processes are those of production.
import { spawnSync } from "node:child_process";
import { numberAt } from "#test/support/exchange.ts";
import { emptyExchange, meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, median, type Scope, times } from "./figure.ts";
import { LoadClient } from "./http-load.ts";

const ROUNDS = 3;
/** Below a snapshot's distance, so that a killed node replays them all. */
const FILL_MILLIS = 3_000;

export async function start(scope: Scope): Promise<readonly Figure[]> {
  const empty = await emptyExchange(scope);
  const market = await openMarket(scope);
  const { exchange } = market;
  const requests = await meetingOrders(market);
  const client = new LoadClient(scope);
  await client.run({ port: portOf(exchange), connections: 64, millis: FILL_MILLIS, requests });
  const { body } = await exchange.get("/api/status");
  const entries = digits(numberAt(body, "sequence"));

  const bare: number[] = [];
  const nothing: number[] = [];
  const killed: number[] = [];
  const stopped: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(bareNode());
    await empty.kill();
    nothing.push(await empty.up());
    // A stop leaves a snapshot: the first rounds are those that have to replay.
    await exchange.kill();
    killed.push(await exchange.up());
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await exchange.stop();
    stopped.push(await exchange.up());
  }
  const usual = median(nothing);
  const figure = (what: string, millis: number, against: string, other: number): Figure => ({
    what,
    value: `${digits(millis)} ms`,
    against: `${against}: ${digits(other)} ms`,
    ratio: times(millis / other),
  });
  return [
    figure("start after a kill, empty journal", usual, "a Node that does nothing", median(bare)),
    figure(`after a kill, ${entries} entries`, median(killed), "empty journal", usual),
    figure(`after a stop, ${entries} entries`, median(stopped), "empty journal", usual),
  ];
}

function bareNode(): number {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - started;
}
