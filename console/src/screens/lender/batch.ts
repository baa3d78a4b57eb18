// Whether the orders of a basket would be taken in one batch, or why they would not.
// Invariant: a batch that the exchange would refuse by its legs alone is never offered.

/** Of a quote. */
interface BatchQuote {
  readonly seriesMarketId: string | null;
  readonly rfq: boolean;
  readonly asOfMonth: string;
}

/** Of `GET /api/limits`. */
interface BatchLimits {
  readonly maxBatchOrders: number;
  /** Series that are not standard, which an account's orders list at a time. */
  readonly maxOtherListings: number;
}

/** From the print of such a month standard series start; from others none does, so none is few. */
const endsQuarter = (month: string): boolean => Number(month.slice("2027-".length)) % 3 === 0;

/** In words for the lender; undefined where all would be taken. */
export function whyNoBatch(
  quotes: readonly BatchQuote[],
  { maxBatchOrders, maxOtherListings }: BatchLimits,
): string | undefined {
  if (quotes.length > maxBatchOrders)
    return `A batch takes ${maxBatchOrders} orders, and this basket has ${quotes.length} legs.`;
  const unnamed = quotes.filter(({ seriesMarketId }) => seriesMarketId === null);
  if (unnamed.length > 0)
    return (
      "Orders take falls from 2 to 10, 5 to 15 and 8 to 20%, and " +
      `${unnamed.length} of ${quotes.length} legs are none of them.`
    );
  const others = quotes.filter(({ rfq, asOfMonth }) => rfq && endsQuarter(asOfMonth));
  if (others.length <= maxOtherListings) return undefined;
  return (
    `${others.length} of ${quotes.length} legs are no standard series, and an account’s orders ` +
    `list ${maxOtherListings} such at a time. Standard ones run 12, 24 or 36 months.`
  );
}
