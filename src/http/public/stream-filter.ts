// The filter of the public stream, from the lists that a reader asks for.
// Invariant: a market is told of where it has all that is asked for, whenever it was listed.
import { indexKinds } from "#base/index-kind.ts";
import { parseMonth } from "#base/month.ts";
import type { Market } from "#core/records.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { type PublicEventType, publicEventTypes } from "#views/public-events.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import type { FeedFilter } from "../stream/feed-message.ts";

/** As it was sent; a list that is left out chooses everything. */
interface StreamChoice {
  readonly markets?: readonly string[] | undefined;
  readonly places?: readonly string[] | undefined;
  readonly indexes?: readonly string[] | undefined;
  readonly expiries?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
}

export function filterOf(exchange: ExchangeView, choice: StreamChoice): FeedFilter | Refused {
  const { markets, types } = choice;
  const wantedTypes = new Set<PublicEventType>();
  for (const name of types ?? []) {
    const type = publicEventTypes.find((known) => known === name);
    if (type === undefined) {
      return invalidField("types", `must be some of ${publicEventTypes.join(", ")}`);
    }
    wantedTypes.add(type);
  }
  const wantedMarkets = new Set<string>();
  for (const id of markets ?? []) {
    const market = exchange.marketByAnyId(id);
    if (market === undefined) {
      return refuse("MARKET_NOT_FOUND", { field: "markets", details: { marketId: id } });
    }
    wantedMarkets.add(market.id);
  }
  const scoped = scopeOf(exchange, choice);
  if ("refused" in scoped) return scoped;
  return {
    markets: markets === undefined ? undefined : wantedMarkets,
    types: types === undefined ? undefined : wantedTypes,
    ...scoped,
  };
}

/** Markets that are listed while the stream is open are judged, too; one that has left is none. */
function scopeOf(
  exchange: ExchangeView,
  { places, indexes, expiries }: StreamChoice,
): Pick<FeedFilter, "isWanted"> | Refused {
  if (places === undefined && indexes === undefined && expiries === undefined) return {};
  const wantedPlaces = new Set(places?.map((id) => id.toLowerCase()));
  const wantedIndexes = new Set(indexes);
  const months = expiries?.map(parseMonth) ?? [];
  if ([...wantedIndexes].some((name) => !indexKinds.some((known) => known === name))) {
    return invalidField("indexes", `must be some of ${indexKinds.join(", ")}`);
  }
  if (months.includes(undefined)) return invalidField("expiries", "must be months, YYYY-MM");
  const isIn = ({ terms, within }: Market): boolean =>
    (places === undefined || [terms.nodeId, ...within].some((one) => wantedPlaces.has(one))) &&
    (indexes === undefined || wantedIndexes.has(terms.index)) &&
    (expiries === undefined || months.includes(terms.measurementMonth));
  return {
    isWanted: (marketId) => {
      const market = exchange.marketByAnyId(marketId);
      return market !== undefined && isIn(market);
    },
  };
}
