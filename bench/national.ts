// The public reads at the size of the country: every place loaded, every zip's index read in.
// Invariant: a real process and its own uploads; a bare server gives the same bytes in turns.
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hierarchyColumns } from "#geo/hierarchy.ts";
import type { GeoNode } from "#geo/node.ts";
import { GeoTree } from "#geo/tree.ts";
import { upload } from "#test/e2e/upload.ts";
import type { Exchange } from "#test/support/exchange.ts";
import { ADMIN_SECRET } from "#test/support/exchange.ts";
import { startBare } from "./bare-server.ts";
import { emptyExchange } from "./exchange.ts";
import { digits, type Figure, median, quantile, type Scope, times } from "./figure.ts";
import { fullSizePlaces, fullSizes, writeFullSize } from "./full-size.ts";
import { LoadClient, type Loaded, requestText } from "./http-load.ts";
import { namedPlaces, searches, searchMillis } from "./named-places.ts";

const MONTHS = 320;
const ROUNDS = 3;
const ROUND_MILLIS = 1_000;
const PATHS = 400;
/** The longest a search may take in process at its 99th percentile. */
const SEARCH_BAR_MILLIS = 2;

export async function national(scope: Scope): Promise<readonly Figure[]> {
  const places = countryPlaces();
  const inProcess = searchesInProcess(places);
  const empty = await emptyExchange(scope);
  await empty.kill();
  const emptyMillis = await empty.up();
  await empty.stop();
  const exchange = await emptyExchange(scope);
  const loadMillis = await loadPlaces(exchange, places);
  const ingestMillis = await ingestZips(exchange);
  await exchange.stop();
  const stopped = await exchange.up();
  await exchange.kill();
  const killed = await exchange.up();
  const millis = (what: string, took: number, against: string, other: number): Figure => ({
    what,
    value: `${digits(took)} ms`,
    against: `${against}: ${digits(other)} ms`,
    ratio: times(took / other),
  });
  return [
    inProcess,
    millis(`loading ${digits(places.length)} places`, loadMillis, "an empty start", emptyMillis),
    millis("ingest, ZHVI of 26,000 zips", ingestMillis, "an empty start", emptyMillis),
    millis("start after a stop, all of it loaded", stopped, "an empty start", emptyMillis),
    millis("start after a kill, all of it loaded", killed, "an empty start", emptyMillis),
    ...(await besideBare(scope, exchange, "GET /api/index/:id, 26,000 zips", zipPaths())),
    ...(await besideBare(scope, exchange, "GET /api/geo/search, 70,000 places", searchPaths())),
  ];
}

/** Names as places have them, and zips as the file's rows name them. */
const countryPlaces = (): readonly GeoNode[] => [
  ...namedPlaces().filter(({ level }) => level !== "zip"),
  ...fullSizePlaces("zip", fullSizes.zip),
];

function searchesInProcess(places: readonly GeoNode[]): Figure {
  const tree = GeoTree.builtIn();
  for (const place of places) tree.put(place);
  const all = Object.values(searches).flat();
  searchMillis(tree, all);
  const took = searchMillis(tree, all);
  const p99 = quantile(took, 0.99);
  return {
    what: `a search of ${digits(tree.size)} places, in process`,
    value: `p50 ${digits(quantile(took, 0.5))}, p99 ${digits(p99)} ms`,
    against: `the bar for its p99: ${SEARCH_BAR_MILLIS} ms`,
    ratio: times(p99 / SEARCH_BAR_MILLIS),
  };
}

/** Until it is answered; milliseconds. */
export async function loadPlaces(exchange: Exchange, places: readonly GeoNode[]): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${exchange.url}/api/admin/geo`, {
    method: "POST",
    headers: { "content-type": "text/csv", "x-admin-secret": ADMIN_SECRET },
    body: `${[hierarchyColumns.join(","), ...places.map(rowOf)].join("\n")}\n`,
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
  return performance.now() - started;
}

function rowOf(place: GeoNode): string {
  const { id, level, name, stateCode, fips, aliases, parentIds, housingUnits, providerIds } = place;
  const lists = [aliases, parentIds].map((items) => items.join("|"));
  const cells = [id, level, name, stateCode, fips ?? "", ...lists, housingUnits];
  return [...cells, providerIds.join("|")].join(",");
}

async function ingestZips(exchange: Exchange): Promise<number> {
  const path = join(tmpdir(), `firstprint-bench-${randomUUID()}.csv.gz`);
  try {
    const file = { level: "zip", rows: fullSizes.zip, months: MONTHS, vintage: 0 } as const;
    await writeFullSize(path, file);
    const bytes = new Uint8Array(await readFile(path));
    const publishedAt = new Date(Date.now() - 86_400_000).toISOString();
    const query = { provider: "zillow", index: "zhvi", level: "zip", publishedAt };
    const started = performance.now();
    const { status, text } = await upload(exchange, bytes, query, "application/gzip");
    if (status !== 200) throw new Error(text);
    return performance.now() - started;
  } finally {
    await rm(path, { force: true });
  }
}

/** Places from all over the file, so that no answer is the one just given. */
const zipPaths = (): readonly string[] =>
  Array.from(
    { length: PATHS },
    (_, at) => `/api/index/zip:${10_000 + Math.floor((at * fullSizes.zip) / PATHS)}`,
  );

const searchPaths = (): readonly string[] =>
  Object.values(searches)
    .flat()
    .filter(({ text }) => text.trim() !== "")
    .map(({ text, level, stateCode }) => {
      const more = { ...(level && { level }), ...(stateCode && { state: stateCode }) };
      return `/api/geo/search?${new URLSearchParams({ q: text, ...more })}`;
    });

/** The bare server gives the answer of middling length to whatever is asked. */
async function besideBare(
  scope: Scope,
  exchange: Exchange,
  what: string,
  paths: readonly string[],
): Promise<readonly Figure[]> {
  const answers = await answered(exchange, paths);
  const middling = answers.toSorted((a, b) => a.body.length - b.body.length)[answers.length >> 1];
  if (middling === undefined) throw new Error("nothing was asked");
  const ports = {
    ours: Number(new URL(exchange.url).port),
    bare: await startBare(scope, middling),
  };
  const client = new LoadClient(scope);
  const requests = answers.map(({ path }) => requestText("GET", path));
  const ask = (port: number, connections: number): Promise<Loaded> =>
    client.run({ port, connections, millis: ROUND_MILLIS, requests });
  const figures: Figure[] = [];
  for (const connections of [1, 32]) {
    await ask(ports.ours, connections);
    await ask(ports.bare, connections);
    const rounds: { readonly bare: Loaded; readonly ours: Loaded }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const bare = await ask(ports.bare, connections);
      rounds.push({ bare, ours: await ask(ports.ours, connections) });
    }
    const clients = connections === 1 ? "1 client" : `${connections} clients`;
    figures.push(...comparison(`${what}, ${clients}`, rounds));
  }
  return figures;
}

async function answered(exchange: Exchange, paths: readonly string[]) {
  const answers: { path: string; body: string; headers: Record<string, string> }[] = [];
  for (const path of paths) {
    const answer = await fetch(exchange.url + path);
    const body = await answer.text();
    // A place whose series begins after the last month of the file has no value.
    if (answer.status === 404) continue;
    if (answer.status !== 200) throw new Error(body);
    const headers = Object.fromEntries(answer.headers);
    for (const own of ["date", "connection", "keep-alive", "content-length"]) delete headers[own];
    answers.push({ path, body, headers });
  }
  return answers;
}

function comparison(
  what: string,
  rounds: readonly { readonly bare: Loaded; readonly ours: Loaded }[],
): readonly Figure[] {
  const of = (name: keyof Loaded) => ({
    ours: median(rounds.map(({ ours }) => ours[name])),
    bare: median(rounds.map(({ bare }) => bare[name])),
    ratio: median(rounds.map(({ ours, bare }) => ours[name] / bare[name])),
  });
  const [pace, p50, p99] = [of("perSecond"), of("p50Millis"), of("p99Millis")];
  return [
    {
      what,
      value: `${digits(pace.ours)} a second`,
      against: `bare node:http: ${digits(pace.bare)}`,
      ratio: times(pace.ratio),
    },
    {
      what: "until its answer",
      value: `p50 ${digits(p50.ours)}, p99 ${digits(p99.ours)} ms`,
      against: `bare node:http: p50 ${digits(p50.bare)}, p99 ${digits(p99.bare)} ms`,
      ratio: `${times(p50.ratio)} / ${times(p99.ratio)}`,
    },
  ];
}
