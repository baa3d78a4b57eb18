// The price up to which a premium is lent: what the reference model asks for the protection now.
// Invariant: of a series that can still be quoted it is the quote's own limit price; of any other
// market it is the mark, which is what the protection is worth without a seller's loads.
import { type Month, monthAt } from "#base/month.ts";
import type { Tick } from "#base/price.ts";
import type { Terms } from "#contract/terms.ts";
import { marksFor } from "./marks.ts";
import { priceOf } from "./quote-price.ts";
import type { ReferenceData } from "./reference.ts";

/** The loads of a quote are fractions of the price: they are the same for every size. */
const ANY_USD = 1;

export const limitTicks =
  (referenceData: ReferenceData, nowMillis: () => number) =>
  (terms: Terms): Tick | undefined =>
    limitTickOf(referenceData, terms, monthAt(nowMillis()));

function limitTickOf(referenceData: ReferenceData, terms: Terms, now: Month): Tick | undefined {
  const quoted = quotedTick(referenceData, terms, now);
  return quoted ?? marksFor(referenceData, terms)?.markTick;
}

/** A quote starts from the newest print: a series with an older baseline has none any more. */
function quotedTick(referenceData: ReferenceData, terms: Terms, now: Month): Tick | undefined {
  const { index, nodeId, measurementMonth: expiry, payoff, baseline } = terms;
  const node = referenceData.exchange.geo.get(nodeId);
  const isDecline = payoff.kind !== "level" && (index === "zhvi" || index === "zori");
  if (node === undefined || !isDecline || baseline === null) return undefined;
  if (referenceData.series.newest(index, nodeId)?.month !== baseline.month) return undefined;
  const priced = priceOf(referenceData, { index, node, expiry, payoff, coverageUsd: ANY_USD }, now);
  return "unpriced" in priced ? undefined : priced.quote.limitTick;
}
