// Quotes by rule: so much below and above the mark, so many contracts, in every market shown.
// Invariant: a quote lies on the grid between 0.0001 and 0.9999, and its bid below its ask.

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

interface Quotable {
  readonly market: { readonly id: string; readonly mark: number };
}

export function quoteOf({ market }: Quotable, rule: Rule) {
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

/** An order for the other outcome is the protection's other side at the price that is left of 1. */
export const isBid = ({ side, outcomeIndex }: Sided): boolean =>
  (side === "BUY") === (outcomeIndex === 0);

interface Sided {
  readonly side: "BUY" | "SELL";
  readonly outcomeIndex: number;
}
