// GET of an index value beside a bare node:http server that gives the same bytes.
// Invariant: both are asked by the same client, in turns, so that the machine's moods hit both.
import { bareOf, startBare } from "./bare-server.ts";
import { openMarket } from "./exchange.ts";
import { digits, type Figure, median, type Scope, times } from "./figure.ts";
import { LoadClient, type Loaded, requestText } from "./http-load.ts";

const ROUNDS = 5;
const ROUND_MILLIS = 1_000;
const CONNECTIONS = 32;

interface Coded {
  readonly what?: string;
  readonly coding?: "br" | "identity";
}

export async function index(scope: Scope): Promise<readonly Figure[]> {
  const { exchange } = await openMarket(scope);
  return [await besideBare(scope, exchange.url, "/api/index/state:tx")];
}

/** One path of an exchange that runs, in requests a second; `what` names it in the table. */
export async function besideBare(
  scope: Scope,
  url: string,
  path: string,
  { what = `GET ${path.split("?")[0]}`, coding = "identity" }: Coded = {},
): Promise<Figure> {
  const barePort = await startBare(scope, await bareOf(url + path, coding));
  const request = requestText("GET", path, { "accept-encoding": coding });
  const client = new LoadClient(scope);
  const ask = (port: number, millis = ROUND_MILLIS): Promise<Loaded> =>
    client.run({ port, connections: CONNECTIONS, millis, requests: [request] });

  const port = Number(new URL(url).port);
  await ask(port);
  await ask(barePort);
  const rounds: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = (await ask(barePort)).perSecond;
    rounds.push({ ours: (await ask(port)).perSecond, bare });
  }
  return {
    what,
    value: `${digits(median(rounds.map(({ ours }) => ours)))} a second`,
    against: `bare node:http, same bytes: ${digits(median(rounds.map(({ bare }) => bare)))}`,
    ratio: times(median(rounds.map(({ ours, bare }) => ours / bare))),
  };
}
