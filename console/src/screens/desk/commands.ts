// Commands of the desk: quotes anew in many markets, and pulls of all of them or of a part.
// Invariant: each says how many orders it has moved, and which of them were refused.
import { answered, type Schemas } from "@firstprint/sdk";
import { exchange } from "../../session.ts";
import type { Row } from "./desk.ts";
import { isBid, quoteOf, type Rule } from "./rule.ts";

interface Told {
  readonly words: string;
  /** Quotes that were refused, or a side that was taken back: market and reason. */
  readonly faults: readonly { readonly market: string; readonly words: string }[];
}

export async function requote(rows: readonly Row[], rule: Rule): Promise<Told> {
  const quotes = rows.map((row) => quoteOf(row, rule));
  const asked = exchange.value.POST("/api/trading/quotes/mass", { body: { quotes } });
  const { data } = await answered(asked);
  const faults = data.quotes.flatMap((one, at) => {
    const market = rows[at]?.market.frontendId ?? one.marketId;
    if (one.error !== null) return [{ market, words: one.error.message }];
    const gone = [one.bid, one.ask].some((side) => side?.status === "CANCELLED");
    return gone ? [{ market, words: "a side would have traded at once, and was taken back" }] : [];
  });
  const resting = data.quotes
    .flatMap(({ bid, ask }) => [bid, ask])
    .filter((side) => side?.status === "OPEN").length;
  return {
    words:
      `${rows.length} ${rows.length === 1 ? "market is" : "markets are"} quoted anew: ` +
      `${resting} orders rest, in place of ${data.cancelledCount}.`,
    faults,
  };
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? "" : "s"}`;

/** Both at once: neither waits for the other. */
export async function pullAll(): Promise<Told> {
  const ask = exchange.value;
  const [orders, mandates] = await Promise.all([
    answered(ask.POST("/api/trading/orders/cancel-all", { body: {} })),
    answered(ask.DELETE("/api/trading/mandates")),
  ]);
  return {
    words:
      `Everything is pulled: ${counted(orders.data.cancelledCount, "order")} and ` +
      `${counted(mandates.data.cancelledCount, "mandate")}.`,
    faults: [],
  };
}

/** Quotes that are pulled together: of a side, of a state, or of both. */
export interface Part {
  readonly side: "both" | "bid" | "ask";
  /** A postal code; empty: every state. */
  readonly state: string;
}

/** As many ids as one cancel takes. */
const MOST_IDS = 200;

/** A side is named by its orders, since an order for the other outcome is of the other side. */
export async function pullPart(
  orders: readonly Schemas["Order"][],
  { side, state }: Part,
): Promise<Told> {
  const place = state === "" ? {} : { place: `state:${state.toLowerCase()}` };
  const ids = orders.filter((one) => isBid(one) === (side === "bid")).map(({ id }) => id);
  const lists = Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, (_, at) => ({
    ...place,
    orderIds: ids.slice(at * MOST_IDS, (at + 1) * MOST_IDS),
  }));
  const cancels = (side === "both" ? [place] : lists).map((body) =>
    answered(exchange.value.POST("/api/trading/orders/cancel-all", { body })),
  );
  const counts = (await Promise.all(cancels)).map(({ data }) => data.cancelledCount);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const words = { both: "", bid: " to buy", ask: " to sell" }[side];
  const where = state === "" ? "every state" : state;
  return {
    words: `${counted(count, "order")}${words} in ${where} pulled. Mandates stand.`,
    faults: [],
  };
}
