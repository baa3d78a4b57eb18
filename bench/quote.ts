// A reference quote: its parts in this process, and the endpoint beside a bare server.
// Invariant: every quote is of another layer or horizon, so none is a repetition.
import { releaseId } from "#base/ids.ts";
import { GeoTree } from "#geo/tree.ts";
import { readZillowWide } from "#ingest/sources/zillow.ts";
import { DEFAULT_PRICE_MODEL } from "#pricing/constants.ts";
import { type FeatureInput, featuresOf } from "#pricing/features.ts";
import { firstLoads, quoteBinary, quoteLayered } from "#pricing/quote.ts";
import { decideNode } from "#prints/first-prints.ts";
import { Reference } from "#quoting/reference.ts";
import { stateFile } from "#test/e2e/sample-files.ts";
import { SeriesView } from "#views/series.ts";
import { openMarket } from "./exchange.ts";
import { digits, type Figure, type Scope, times } from "./figure.ts";
import { besideBare } from "./index.ts";

const QUOTES = 20_000;
const size = { coverageUsd: 50_000, dataQualityBps: 0, loads: firstLoads };

export async function quote(scope: Scope): Promise<readonly Figure[]> {
  const series = await statesInMemory();
  const tree = GeoTree.builtIn();
  const texas = tree.get("state:tx");
  const reference = new Reference(series, () => tree, DEFAULT_PRICE_MODEL);
  const input = texas === undefined ? undefined : reference.inputOf("zhvi", texas);
  if (texas === undefined || input === undefined) throw new Error("the sample has Texas");
  const features = featuresOf(input);
  const outlook = (at: number) => ({ ...input, features, horizonMonths: 1 + (at % 60) });

  const layer = microsEach((at) => quoteLayered(outlook(at), layerAt(at), size));
  const strike = microsEach((at) => quoteBinary(outlook(at), 100 + (at % 2_000), size));
  const whole = microsEach((at) => quoteFrom(reference.inputOf("zhvi", texas), at));
  const { exchange, expiry } = await openMarket(scope);
  const path =
    `/api/quotes?node=state:tx&expiry=${expiry}&notional=50000` +
    "&kind=layered&attachBps=200&exhaustBps=1000";
  return [
    {
      what: "a layered quote, in process",
      value: `${digits(layer)} µs`,
      against: `a binary one: ${digits(strike)} µs`,
      ratio: times(layer / strike),
    },
    {
      what: "with reading the place's prints",
      value: `${digits(whole)} µs`,
      against: `the model alone: ${digits(layer)} µs`,
      ratio: times(whole / layer),
    },
    await besideBare(scope, exchange.url, path),
  ];
}

const layerAt = (at: number) => ({ attachBps: 100 + (at % 900), exhaustBps: 1_000 + (at % 999) });

function quoteFrom(input: FeatureInput | undefined, at: number): void {
  if (input === undefined) throw new Error("Texas has prints");
  const horizonMonths = 1 + (at % 60);
  quoteLayered({ ...input, features: featuresOf(input), horizonMonths }, layerAt(at), size);
}

/** Microseconds of one call, after as many to warm up. */
function microsEach(work: (at: number) => void): number {
  for (let at = 0; at < QUOTES; at += 1) work(at);
  const started = performance.now();
  for (let at = 0; at < QUOTES; at += 1) work(at);
  return (1_000 * (performance.now() - started)) / QUOTES;
}

export async function statesInMemory(): Promise<SeriesView> {
  const { text } = stateFile();
  const series = new SeriesView();
  const file = await readZillowWide(ReadableStream.from([Buffer.from(text)]), {
    index: "zhvi",
    level: "state",
  });
  const byName = new Map([...GeoTree.builtIn().nodes()].map((node) => [node.name, node.id]));
  for await (const row of file.rows) {
    const node = byName.get(row.regionName);
    if (node === undefined) throw new Error(`${row.regionName} is a state`);
    const { newPrints } = decideNode(undefined, row.history, true);
    const releases = newPrints.map((print) => ({ ...print, releaseId: releaseId("rel-1") }));
    series.extend("zhvi", node, releases);
  }
  return series;
}
