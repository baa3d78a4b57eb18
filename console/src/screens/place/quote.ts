// What protection of a home costs now: the model's price, and what is for sale.
// Invariant: nothing is estimated that the exchange can say; a layer without a price says why.
import { answered, Refused, type Schemas } from "@firstprint/sdk";
import { coverageOf, type Layer } from "../../parts/protection.ts";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";

export type Structure = "in_full" | "installments" | "at_funding";

/** A fifth at once, the rest in twelve months. */
export const installments = { downPaymentBps: 2_000, months: 12 } as const;
/** When the premium of a purchase that waits for its funding is owed. */
export const FUNDING_DAYS = 30;

export interface Asked {
  readonly nodeId: string;
  readonly expiry: string;
  /** Of the home, in dollars. */
  readonly worth: number;
}

export type LayerQuote =
  | { readonly layer: Layer; readonly quote: Schemas["Quote"] }
  | { readonly layer: Layer; readonly why: string };

async function quoteOf({ nodeId, expiry, worth }: Asked, layer: Layer): Promise<LayerQuote> {
  const query = {
    node: nodeId,
    expiry,
    notional: coverageOf(worth, layer),
    index: "zhvi",
    kind: "layered",
    attachBps: layer.attach * 100,
    exhaustBps: layer.exhaust * 100,
  } as const;
  try {
    const { data } = await answered(exchange.value.GET("/api/quotes", { params: { query } }));
    return { layer, quote: data };
  } catch (fault) {
    if (fault instanceof Refused && fault.status < 500 && fault.status !== 429)
      return { layer, why: fault.error.message };
    throw fault;
  }
}

export const layerQuotes = new Question(
  (asked: Asked, layers: readonly Layer[]) =>
    Promise.all(layers.map((layer) => quoteOf(asked, layer))),
  { freshSeconds: 60 },
);

export interface ForSale {
  /** Contracts at the limit or better: dollars of coverage. */
  readonly amount: number;
  /** What they cost, up to the coverage that is wanted. */
  readonly cost: number;
  readonly taken: number;
}

const MOST_LEVELS = 100;

/** What the book sells at the limit price or better; nothing where the market has no orders yet. */
async function readForSale(marketId: string, limit: number, wanted: number): Promise<ForSale> {
  const params = { path: { id: marketId }, query: { depth: MOST_LEVELS } };
  const asking = exchange.value.GET("/api/markets/{id}/book", { params });
  if ((await asking).response.status === 404) return { amount: 0, cost: 0, taken: 0 };
  const { data: book } = await answered(asking);
  let [amount, cost, taken] = [0, 0, 0];
  for (const level of book.asks.filter(({ price }) => price <= limit)) {
    const part = Math.min(Number(level.amount), wanted - taken);
    amount += Number(level.amount);
    taken += part;
    cost += part * level.price;
  }
  return { amount, cost, taken };
}

export const forSale = new Question(readForSale, { freshSeconds: 5, everySeconds: 15 });

export const limits = new Question(
  async () => (await answered(exchange.value.GET("/api/limits"))).data,
  { freshSeconds: 600 },
);
