// Quotes by rule: so much below and above the mark, so many contracts, in every market shown.
// Invariant: a quote lies on the grid between 0.0001 and 0.9999, and its bid below its ask.
import { answered, type Schemas } from "@firstprint/sdk";
import { exchange } from "../../session.ts";
import type { Row } from "./desk.ts";

export interface Rule {
  /** In steps of 0.0001 away from the mark. */
  readonly below: number;
  readonly above: number;
  readonly contracts: number;
  readonly sides: "both" | "bid" | "ask";
}

/** As many as one command takes. */
export const MOST_QUOTES = 200;

const TICKS = 10_000;

export function quoteOf({ market }: Row, rule: Rule): Schemas["QuoteInput"] {
  const mark = Math.round(market.mark * TICKS);
  const side = (ticks: number) => {
    const price = (Math.min(Math.max(ticks, 1), TICKS - 1) / TICKS).toFixed(4);
    return { price, amount: String(rule.contracts) };
  };
  // At the ends of the grid only the side that still has room is quoted.
  const hasBid = rule.sides !== "ask" && mark - rule.below >= 1;
  const hasAsk = rule.sides !== "bid" && mark + rule.above <= TICKS - 1;
  return {
    marketId: market.id,
    bid: hasBid ? side(mark - rule.below) : null,
    ask: hasAsk ? side(mark + rule.above) : null,
  };
}

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
