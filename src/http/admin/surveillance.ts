// GET /api/admin/surveillance: trades that an operator looks at twice, a stretch at a time, newest
// first. GET /api/admin/surveillance/holders: owners of a large part of a market, as of now.
// Invariant: a page of trades costs no more however long the journal is, and says how far it got.
import { type Static, Type } from "typebox";
import { DAY_MILLIS } from "#base/day.ts";
import { formatMicros } from "#base/money.ts";
import { type Tick, tickPrice } from "#base/price.ts";
import { faceOf } from "#base/quantity.ts";
import { ownerOf } from "#core/account/owner.ts";
import type { AcceptedRelease, Fill, Market } from "#core/records.ts";
import type { History } from "#engine/engine.ts";
import type { MarketHistory } from "#engine/market-history.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { tapeLine } from "#views/public-events.ts";
import {
  fillsIn,
  gainOf,
  isOfOneOwner,
  largeHolders,
  pairName,
  releaseAfter,
  turnedBack,
  type WatchedFill,
} from "#views/surveillance.ts";
import { pageOf, pageQuery, pageSiblings } from "../public/paging.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { rangeOf, TimeRange } from "../trading/audit-entry.ts";

export interface SurveillancePorts {
  readonly exchange: ExchangeView;
  readonly history: Pick<History, "search" | "touching">;
  readonly marketHistory: Pick<MarketHistory, "daysOf">;
}

/** Entries that a page looks at. */
const STRETCH = 1_000;
/** Entries in which the two accounts of a pair met: more of one market are not looked at. */
const MOST_MEETINGS = 200;
const COST = 20;

const kinds = ["one_owner", "off_reference", "round_trip", "before_release"] as const;

const SuspectTrade = Type.Object(
  {
    kind: Type.Enum([...kinds], {
      description:
        "one_owner: both accounts are of one owner by now; off_reference: outside the band of " +
        "busts; round_trip: the same two accounts traded the other way in this market less than " +
        "a day before; before_release: at most 48 hours before a release of the market's index, " +
        "whose marks were further from the price than that band",
    }),
    fillId: Type.String({ description: "of the trade" }),
    marketId: Type.String(),
    price: Type.Number({ description: "of YES, USD a contract" }),
    amount: Type.String({ description: "contracts, a decimal" }),
    coverage: Type.String({ description: "of the trade, USD" }),
    buyer: Type.String({ description: "the account that ended with more YES" }),
    seller: Type.String({ description: "the account that ended with less" }),
    buyerOwner: Type.String({ description: "the account its owner is named after" }),
    sellerOwner: Type.String({ description: "the same of the seller" }),
    timestamp: Type.String(),
    sequence: Type.Integer({ description: "the journal entry it was made in" }),
    reference: Type.Optional(Type.Number({ description: "of off_reference: the mark, USD" })),
    earlierFillId: Type.Optional(
      Type.String({ description: "of round_trip: the newest trade the other way" }),
    ),
    releaseId: Type.Optional(Type.String({ description: "of before_release" })),
    markAfter: Type.Optional(
      Type.Number({ description: "of before_release: the mark at the end of the next day, USD" }),
    ),
    gainer: Type.Optional(Type.String({ description: "of before_release: an account" })),
    gain: Type.Optional(Type.String({ description: "of before_release: what it was ahead, USD" })),
  },
  { title: "SuspectTrade" },
);

type Suspect = Static<typeof SuspectTrade>;

export const watchTrades = (ports: SurveillancePorts): Route =>
  admin.read({
    url: "/api/admin/surveillance",
    access: "admin:read",
    summary: "Trades to look at twice, of a stretch of the journal",
    refusals: ["OVERLOADED"],
    cost: COST,
    costsBytes: true,
    params: nothing,
    query: closed({
      ...TimeRange,
      cursor: Type.Optional(
        Type.String({ maxLength: 15, description: "the nextCursor of the page before" }),
      ),
    }),
    data: Type.Array(SuspectTrade, {
      description: "by kind, in that order; of before_release the largest gain first",
    }),
    siblings: {
      nextCursor: Type.Union([Type.String(), Type.Null()], {
        description: "null where nothing of the range is left to look at",
      }),
      searchedTo: Type.Integer({ description: "the oldest entry looked at, by its sequence" }),
    },
    read: async ({ query }) => {
      const { cursor } = query;
      const range = rangeOf(query);
      if ("refused" in range) return range;
      if (cursor !== undefined && !/^[1-9]\d*$/.test(cursor)) {
        return invalidField("cursor", "must be the nextCursor of a page");
      }
      const before = cursor === undefined ? {} : { before: Number(cursor) };
      const found = await ports.history.search(range, { limit: STRETCH, ...before });
      const fills = found.entries.flatMap(({ entry }) => fillsIn(entry).toReversed());
      const data = [
        ...fills.flatMap((watched) => relatedIn(ports, watched)),
        ...(await roundTrips(ports, fills)),
        ...(await timedWell(ports, fills)),
      ];
      const nextCursor = found.next === undefined ? null : String(found.next);
      data.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
      return { data, siblings: { nextCursor, searchedTo: found.from } };
    },
  });

function suspect(
  { exchange }: SurveillancePorts,
  kind: (typeof kinds)[number],
  { fill, sequence }: WatchedFill,
  more: Partial<Suspect> = {},
): Suspect {
  const { id, marketId, amountLots, buyer, seller, timeMillis } = fill;
  const { price, amount } = tapeLine(fill);
  return {
    ...{ kind, fillId: id, marketId, price, amount, buyer, seller, sequence },
    coverage: formatMicros(faceOf(amountLots)),
    buyerOwner: ownerOf(exchange, buyer),
    sellerOwner: ownerOf(exchange, seller),
    timestamp: new Date(timeMillis).toISOString(),
    ...more,
  };
}

function relatedIn(ports: SurveillancePorts, watched: WatchedFill): readonly Suspect[] {
  const { fill, referenceTick } = watched;
  const isOne = isOfOneOwner(ports.exchange, fill);
  const one = isOne ? [suspect(ports, "one_owner", watched)] : [];
  if (referenceTick === null) return one;
  const reference = tickPrice(referenceTick);
  return [...one, suspect(ports, "off_reference", watched, { reference })];
}

/** One look back a pair and market, whose entries are found by the three names. */
async function roundTrips(
  ports: SurveillancePorts,
  fills: readonly WatchedFill[],
): Promise<readonly Suspect[]> {
  const pairs = new Map<string, Fill[]>();
  const found: Suspect[] = [];
  for (const watched of fills) {
    const { fill, sequence } = watched;
    const name = pairName(fill);
    // The newest fill of a pair comes first, and its look back is that of the others, too.
    const met = pairs.get(name) ?? (await meetings(ports, fill, sequence));
    pairs.set(name, met);
    const earlier = turnedBack(fill, met);
    if (earlier === undefined) continue;
    found.push(suspect(ports, "round_trip", watched, { earlierFillId: earlier.id }));
  }
  return found;
}

async function meetings(
  { history }: SurveillancePorts,
  fill: Fill,
  sequence: number,
): Promise<Fill[]> {
  const { marketId, buyer, seller } = fill;
  const subjects = [marketId, buyer, seller] as const;
  const range = { subjects, after: 0, before: sequence + 1, order: "newest" } as const;
  const entries = await history.touching(range, MOST_MEETINGS);
  const name = pairName(fill);
  return entries
    .flatMap((entry) => fillsIn(entry).toReversed())
    .map((watched) => watched.fill)
    .filter((one) => pairName(one) === name)
    .reverse();
}

/** The largest gain first. */
async function timedWell(
  ports: SurveillancePorts,
  fills: readonly WatchedFill[],
): Promise<readonly Suspect[]> {
  const { exchange } = ports;
  const releases = [...exchange.releases.values()];
  const marks = new Map<string, Tick | undefined>();
  const found: { readonly gainMicros: bigint; readonly suspect: Suspect }[] = [];
  for (const watched of fills) {
    const market = exchange.markets.get(watched.fill.marketId);
    const release = market && releaseAfter(releases, market, watched.fill);
    if (market === undefined || release === undefined) continue;
    const name = `${market.id}|${release.id}`;
    if (!marks.has(name)) marks.set(name, await markAfter(ports, market, release));
    const mark = marks.get(name);
    const gain = mark === undefined ? undefined : gainOf(exchange, watched.fill, mark);
    if (mark === undefined || gain === undefined) continue;
    const { gainer, gainMicros } = gain;
    const told = { releaseId: release.id, markAfter: tickPrice(mark), gainer };
    const more = { ...told, gain: formatMicros(gainMicros) };
    found.push({ gainMicros, suspect: suspect(ports, "before_release", watched, more) });
  }
  found.sort((one, other) => Number(other.gainMicros - one.gainMicros));
  return found.map((one) => one.suspect);
}

/** Undefined while the release has brought none. */
async function markAfter(
  { marketHistory }: SurveillancePorts,
  market: Market,
  { ingestedAtMillis }: AcceptedRelease,
): Promise<Tick | undefined> {
  const day = Math.floor(ingestedAtMillis / DAY_MILLIS);
  const { days } = await marketHistory.daysOf(market.id, day + 2, 2);
  return days.find((one) => one.day >= day && one.mark !== null)?.mark ?? undefined;
}

const Holder = Type.Object(
  {
    owner: Type.String({ description: "the account the owner is named after" }),
    accounts: Type.Array(Type.String(), { description: "of the owner, with this side" }),
    marketId: Type.String(),
    side: Type.Enum(["YES", "NO"]),
    coverage: Type.String({ description: "held, USD" }),
    sharePercent: Type.Number({ description: "of what is open in the market" }),
  },
  { title: "LargeHolder" },
);

export const watchHolders = (ports: Pick<SurveillancePorts, "exchange">): Route =>
  admin.read({
    url: "/api/admin/surveillance/holders",
    access: "admin:read",
    summary: "Owners of more than a quarter of what is open in a market, the most coverage first",
    cost: COST,
    params: nothing,
    query: closed(pageQuery),
    data: Type.Array(Holder),
    siblings: pageSiblings,
    read: ({ query }) => {
      const { items, siblings } = pageOf(largeHolders(ports.exchange), query);
      return {
        data: items.map(({ accounts, coverageMicros, ...holder }) => ({
          ...holder,
          accounts: [...accounts],
          coverage: formatMicros(coverageMicros),
        })),
        siblings,
      };
    },
  });
