// Every place of a level at once: its newest value, and what a standard layer costs there.
// Invariant: a place is shown as its own index value and its own quote would show it.
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { addMonths, type Month } from "#base/month.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import type { GeoLevel, GeoNode } from "#geo/node.ts";
import type { IndexValue } from "#views/series.ts";
import { priceOf } from "./quote-price.ts";
import type { ReferenceData } from "./reference.ts";

export interface OverviewAsked {
  readonly index: IndexKind;
  readonly level: GeoLevel;
  /** Undefined: of the whole country. */
  readonly stateCode: string | undefined;
  /** From each place's newest print on. */
  readonly months: number;
  readonly payoff: DeclinePayoff;
}

export const unpriceable = ["NO_INDEX_DATA", "INVALID_REQUEST", "LAYER_NOT_SUPPORTED"] as const;
type Unpriceable = (typeof unpriceable)[number];

export interface PlaceOverview {
  readonly node: GeoNode;
  readonly shown: IndexValue;
  readonly asOf: Month;
  readonly expiry: Month;
  /** Per 1 of coverage; where there is none, the code a quote of it is refused with. */
  readonly price: number | { readonly unpriced: Unpriceable };
}

/** The loads of a quote are fractions of the price: they are the same for every size. */
const ANY_USD = 1;

/** A place a step; undefined for one of another level or state, and for one without a print. */
export function* overviewSteps(
  referenceData: ReferenceData,
  asked: OverviewAsked,
  now: Month,
): Generator<PlaceOverview | undefined> {
  const { exchange, series, reference } = referenceData;
  const { index, level, stateCode } = asked;
  if (index === "zhvi" || index === "zori") {
    yield* reference.sharedSteps(index, level);
  }
  for (const id of series.nodes(index)) {
    const node = exchange.geo.get(id);
    const isWanted =
      node?.level === level && (stateCode === undefined || node.stateCode === stateCode);
    yield isWanted ? overviewOf(referenceData, asked, node, now) : undefined;
  }
}

function overviewOf(
  referenceData: ReferenceData,
  { index, months, payoff }: OverviewAsked,
  node: GeoNode,
  now: Month,
): PlaceOverview | undefined {
  const newest = referenceData.series.newest(index, node.id);
  const shown = referenceData.series.indexValue(index, node.id);
  if (newest === undefined || shown === undefined) return undefined;
  const asOf = newest.month;
  const expiry = addMonths(asOf, months);
  const place = { node, shown, asOf, expiry };
  if (index !== "zhvi" && index !== "zori") {
    return { ...place, price: { unpriced: "LAYER_NOT_SUPPORTED" } };
  }
  const question = { index, node, expiry, payoff, coverageUsd: ANY_USD };
  const priced = priceOf(referenceData, question, now);
  if (!("unpriced" in priced)) return { ...place, price: priced.quote.price };
  const { code } = priced.unpriced;
  invariant(code !== "INVALID_LAYER", "a standard layer is one");
  return { ...place, price: { unpriced: code } };
}
