// The basket that protects a portfolio of loans: a leg for each zip code, with the model's price.
// Invariant: a zip code that has no price is told with the exchange's reason, never left out in
// silence; a basket has as many legs as a request for quotes takes.
import { answered, type Schemas } from "@firstprint/sdk";
import type { Layer } from "../../parts/protection.ts";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";
import { monthAfter } from "../../words.ts";
import { whyNoBatch } from "./batch.ts";
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
  /** Why its orders would not all be taken; undefined where they would. */
  readonly noBatch: string | undefined;
  readonly attribution: string | undefined;
}

/** Of a request for quotes. */
const MOST_LEGS = 200;
const VALUES_A_READ = 50;
const PLACES_A_READ = 200;

const placeOf = (zip: string): string => `zip:${zip}`;

/** The ids of the zip codes' places, as many together as one read takes. */
const idsInReads = (zips: readonly string[], most: number): readonly string[] =>
  Array.from({ length: Math.ceil(zips.length / most) }, (_, at) =>
    zips
      .slice(at * most, (at + 1) * most)
      .map(placeOf)
      .join(","),
  );

/** The newest months of zip codes that have prints. */
async function monthsOf(zips: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const read = idsInReads(zips, VALUES_A_READ).map(
    async (ids) =>
      (await answered(exchange.value.GET("/api/index", { params: { query: { ids } } }))).data,
  );
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
    // Neither an order nor a request would take it.
    else if (quote.seriesMarketId === null && !quote.rfq)
      left.push({ ...exposure, why: quote.note });
    else legs.push({ ...exposure, quote, place: placeOf(exposure.zip) });
  }
  const { data: limits } = await answered(exchange.value.GET("/api/limits"));
  const noBatch = whyNoBatch(
    legs.map(({ quote }) => quote),
    limits.orders,
  );
  const beyond = rest.map((one) => ({ ...one, why: `A request takes ${MOST_LEGS} legs` }));
  return {
    ...{ layer, expiry, legs, left: [...left, ...beyond], noBatch },
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
  const open = [...idsInReads(zips, PLACES_A_READ)];
  const work = async (): Promise<void> => {
    for (let ids = open.pop(); ids !== undefined; ids = open.pop()) {
      const asked = exchange.value.GET("/api/geo", { params: { query: { ids } } });
      for (const { id, stateCode } of (await answered(asked)).data)
        states.set(id.replace(/^zip:/, ""), `state:${stateCode.toLowerCase()}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return states;
}

export const stateOfZips = new Question(readStates, { freshSeconds: 3_600 });
