// The cost of protecting a home now: the model's price, and what is for sale.
// Invariant: nothing is estimated that the exchange can say; a layer without a price says why.
import { answered, Refused, type Schemas } from "@firstprint/sdk";
import { coverageOf, type Layer } from "../../parts/protection.ts";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";

export type Structure = "in_full" | "installments" | "at_funding";

/** A fifth at once, the rest in twelve months. */
export const installments = { downPaymentBps: 2_000, months: 12 } as const;
/** In how many days the premium of a purchase that waits for its funding is owed. */
export const FUNDING_DAYS = 30;

interface HomeAsked {
  readonly nodeId: string;
  readonly expiry: string;
  /** Of the home, in dollars. */
  readonly worth: number;
}

export type LayerQuote =
  | { readonly layer: Layer; readonly quote: Schemas["Quote"] }
  | { readonly layer: Layer; readonly why: string };

async function quoteOf({ nodeId, expiry, worth }: HomeAsked, layer: Layer): Promise<LayerQuote> {
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
  (asked: HomeAsked, layers: readonly Layer[]) =>
    Promise.all(layers.map((layer) => quoteOf(asked, layer))),
  { freshSeconds: 15, everySeconds: 30 },
);

export const limits = new Question(
  async () => (await answered(exchange.value.GET("/api/limits"))).data,
  { freshSeconds: 600 },
);
