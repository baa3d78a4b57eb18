// The basket that protects a portfolio of loans: a leg for each zip code, with the model's price.
// Invariant: a zip code that has no price is told with the exchange's reason, never left out in
// silence; a basket has as many legs as a request for quotes takes.
import { answered, type Schemas } from "@firstprint/sdk";
import type { Layer } from "../../parts/protection.ts";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";
import { monthAfter } from "../../words.ts";
import type { Exposure } from "./exposure.ts";

interface Leg extends Exposure {
  readonly place: string;
  readonly quote: Schemas["Quote"];
}

export interface Left extends Exposure {
  readonly why: string;
}

export interface Basket {
  readonly layer: Layer;
  /** The month whose first print settles it. */
  readonly expiry: string;
  readonly legs: readonly Leg[];
  readonly left: readonly Left[];
  readonly attribution: string | undefined;
}

/** Of a request for quotes. */
const MOST_LEGS = 200;
/** Of a batch of orders. */
export const MOST_ORDERS = 100;
const IDS_A_READ = 50;

const placeOf = (zip: string): string => `zip:${zip}`;

/** The newest months of zip codes that have prints. */
async function monthsOf(zips: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const parts = Array.from({ length: Math.ceil(zips.length / IDS_A_READ) }, (_, at) =>
    zips.slice(at * IDS_A_READ, (at + 1) * IDS_A_READ),
  );
  const read = parts.map(async (part) => {
    const query = { ids: part.map(placeOf).join(",") };
    return (await answered(exchange.value.GET("/api/index", { params: { query } }))).data;
  });
  const found = (await Promise.all(read)).flat();
  return new Map(found.map(({ nodeId, asOfMonth }) => [nodeId.replace(/^zip:/, ""), asOfMonth]));
}

export async function basketOf(
  exposures: readonly Exposure[],
  layer: Layer,
  months: number,
): Promise<Basket> {
  const exposed = exposures.filter(({ coverage }) => coverage >= 1);
  const [first, rest] = [exposed.slice(0, MOST_LEGS), exposed.slice(MOST_LEGS)];
  const known = await monthsOf(first.map(({ zip }) => zip));
  const newest = [...known.values()].toSorted().at(-1);
  if (newest === undefined) throw new Error("No zip code of the file has a print here yet.");
  const expiry = monthAfter(newest, months);
  const layerBps = { attachBps: layer.attach * 100, exhaustBps: layer.exhaust * 100 };
  const quotes = first.map(({ zip, coverage }) => ({
    ...({
      node: placeOf(zip),
      expiry,
      notional: coverage,
      index: "zhvi",
      kind: "layered",
    } as const),
    ...layerBps,
  }));
  const { data } = await answered(exchange.value.POST("/api/quotes/bulk", { body: { quotes } }));
  const legs: Leg[] = [];
  const left: Left[] = [];
  for (const [at, exposure] of first.entries()) {
    const { quote, error } = data[at] ?? { quote: null, error: null };
    if (quote === null) left.push({ ...exposure, why: error?.message ?? "No answer" });
    else legs.push({ ...exposure, quote, place: placeOf(exposure.zip) });
  }
  const beyond = rest.map((one) => ({ ...one, why: `A request takes ${MOST_LEGS} legs` }));
  return {
    ...{ layer, expiry, legs, left: [...left, ...beyond] },
    attribution: legs[0]?.quote.attribution,
  };
}

/** Of all legs at the model's prices: dollars. */
export const premiumOf = ({ legs }: Basket): number =>
  legs.reduce((sum, { quote }) => sum + quote.premiumUsd, 0);

/** Asks for one price of the whole basket. */
export async function askForQuotes(basket: Basket, closesAt: number): Promise<string> {
  const { layer, expiry } = basket;
  const legs = basket.legs.map(({ place, coverage }) => ({
    ...({ index: "zhvi", place, measurementMonth: expiry, amount: String(coverage) } as const),
    ...{ attachBps: layer.attach * 100, exhaustBps: layer.exhaust * 100 },
  }));
  const body = { side: "BUY", closesAt, legs } as const;
  return (await answered(exchange.value.POST("/api/trading/rfqs", { body }))).data.id;
}

/** Orders for the whole basket at the model's limit prices: all are placed, or none. */
export async function orderAll({ legs }: Basket): Promise<readonly Schemas["Order"][]> {
  const orders = legs.flatMap(({ quote, coverage }) =>
    quote.seriesMarketId === null
      ? []
      : [
          {
            ...({ marketId: quote.seriesMarketId, outcomeIndex: 0, side: "BUY" } as const),
            ...{ amount: String(coverage), price: quote.limitPrice },
          },
        ],
  );
  const asked = exchange.value.POST("/api/trading/orders/batch", { body: { orders } });
  return (await answered(asked)).data;
}

const AT_ONCE = 6;

/** The state of each zip code, such as "state:tx"; those that are no place have none. */
async function readStates(zips: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  const open = [...zips];
  const work = async (): Promise<void> => {
    for (let zip = open.pop(); zip !== undefined; zip = open.pop()) {
      const params = { path: { id: placeOf(zip) } };
      const { data } = await exchange.value.GET("/api/geo/{id}", { params });
      if (data !== undefined) states.set(zip, `state:${data.data.stateCode.toLowerCase()}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return states;
}

export const stateOfZips = new Question(readStates, { freshSeconds: 3_600 });
