// GET /api/trading/settlements: what markets paid the account, or took, at their end; newest first.
// Invariant: all of it is read from the entries that did it, and only the caller's own part.
import { type Static, Type } from "typebox";
import type { AccountId, MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMicros, micros } from "#base/money.ts";
import { formatLots } from "#base/quantity.ts";
import type { Event } from "#core/event.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Market, Position, Resolution } from "#core/records.ts";
import type { History } from "#engine/engine.ts";
import { ownPosition, ownPositions, ownPostings } from "#views/own-entries.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import {
  downEntries,
  listQuery,
  listSiblings,
  marketFilter,
  marketOf,
  ownScope,
  pageOf,
  startOf,
} from "./own-list.ts";
import type { TradingPorts } from "./ports.ts";

const COST = 5;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;

const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);

const Settlement = Type.Object(
  {
    marketId: Type.String(),
    kind: Type.Enum(["payout", "void", "rest"], {
      description:
        "payout: the market ended; void: its trades were taken back; rest: a part that was " +
        "missing at its end",
    }),
    amount: Type.String({
      description: "contracts held until then: above zero YES, below zero NO; 0 of a rest",
    }),
    outcome: Type.Union([Type.Enum(["YES", "NO"]), Type.Null()], {
      description: "null of a void",
    }),
    payoutFraction: Type.Union([Type.Number(), Type.Null()], {
      description: "the share of full payout that YES is paid; null of a void",
    }),
    payout: Type.String({ description: "USD that came in; below zero it went out" }),
    missing: Type.String({ description: "USD that are due and not paid yet" }),
    amended: Type.Boolean({ description: "a dispute changed the value that settled" }),
    resolvedAt: IntegerOrNull,
    disputeWindowEndsAt: IntegerOrNull,
    settledAt: Type.Integer({ description: "when it was paid, Unix seconds" }),
    sequence: Type.Integer(),
  },
  { title: "Settlement" },
);

export const listSettlements = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/settlements",
    access: "read:portfolio",
    summary: "Lists what markets paid the account at their end, newest first",
    refusals: ["MARKET_NOT_FOUND", "OVERLOADED"],
    cost: COST,
    params: nothing,
    query: closed({
      marketId: marketFilter,
      ...listQuery,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
          description: `a whole number from 1 to ${MAX_LIMIT}`,
        }),
      ),
    }),
    data: Type.Array(Settlement),
    siblings: listSiblings,
    read: async ({ caller, query }) => {
      const named = marketOf(query, ports);
      if ("refused" in named) return named;
      const market = named.market?.id;
      const scope = ownScope("settlements", caller, market);
      const start = startOf(scope, query);
      if ("refused" in start) return start;
      const account = caller.account.id;
      const down = downEntries(ports, { account, market }, start.place, (entry) =>
        endsIn(entry, account).filter(({ position }) => !market || position.marketId === market),
      );
      const limit = query.limit ?? DEFAULT_LIMIT;
      const { items, siblings } = await pageOf(scope, { ...query, limit }, down);
      const data: Static<typeof Settlement>[] = [];
      for (const end of items) data.push(...(await settlementOf(ports, account, end)));
      return { data, siblings };
    },
  });

/** A position of the account that an entry settled, or paid the rest of. */
interface OwnEnd {
  readonly entry: Entry;
  /** As the entry left it. */
  readonly position: Position;
  /** The market as the entry left it; undefined where it did not change. */
  readonly market: Market | undefined;
  readonly payoutMicros: bigint;
}

function endsIn(entry: Entry, account: AccountId): readonly OwnEnd[] {
  const postings = ownPostings(entry, account).filter(
    ({ reason }) => reason === "settlement" || reason === "void",
  );
  return ownPositions(entry, account).flatMap((position) => {
    const mine = postings.filter(({ reference }) => reference === position.marketId);
    const market = marketAfter(entry, position.marketId);
    const hasEnded = market?.status === "FINALIZED" || market?.status === "CANCELLED";
    if (mine.length === 0 && !hasEnded) return [];
    const payoutMicros = mine.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
    return [{ entry, position, market, payoutMicros }];
  });
}

const eventsOf = ({ outcome }: Entry) => (isRejected(outcome) ? [] : outcome.events);

function marketAfter(entry: Entry, id: MarketId): Market | undefined {
  const changed = eventsOf(entry).findLast(
    (event) => event.type === "MarketChanged" && event.market.id === id,
  );
  return changed?.type === "MarketChanged" ? changed.market : undefined;
}

/** None where a rest of nothing was paid. */
async function settlementOf(
  { view, engine: { history } }: TradingPorts,
  account: AccountId,
  { entry, position, market: changed, payoutMicros }: OwnEnd,
): Promise<readonly Static<typeof Settlement>[]> {
  const { marketId, claim } = position;
  const market = changed ?? view.markets.get(marketId);
  invariant(market !== undefined, `market ${marketId}, which was settled, is there`);
  const before = await positionBefore(history, account, marketId, entry.sequence);
  const isVoid = market.status === "CANCELLED";
  const isRest = !isVoid && (before?.heldLots ?? 0n) === 0n;
  if (isRest && payoutMicros === 0n) return [];

  const { resolution } = market;
  const common = {
    marketId,
    kind: isVoid ? ("void" as const) : isRest ? ("rest" as const) : ("payout" as const),
    amount: before === undefined ? "0" : formatLots(before.heldLots),
    payout: formatMicros(micros(payoutMicros)),
    missing: formatMicros(micros((claim?.dueMicros ?? 0n) - (claim?.paidMicros ?? 0n))),
    settledAt: seconds(entry.envelope.timeMillis),
    sequence: entry.sequence,
  };
  return [{ ...common, ...(await resolutionShown(history, entry, marketId, resolution)) }];
}

async function resolutionShown(
  history: Pick<History, "touching">,
  entry: Entry,
  market: MarketId,
  resolution: Resolution | null,
) {
  const none = { outcome: null, payoutFraction: null, resolvedAt: null, disputeWindowEndsAt: null };
  if (resolution === null) return { ...none, amended: false };
  return {
    outcome: resolution.outcome,
    payoutFraction: resolution.payoutMillionths / 1_000_000,
    resolvedAt: seconds(resolution.resolvedAtMillis),
    disputeWindowEndsAt: seconds(resolution.disputeWindowEndsAtMillis),
    amended: await wasAmended(history, entry.sequence, market, resolution),
  };
}

const seconds = (millis: number): number => Math.floor(millis / 1000);

const SLICE = 20;

/** The position before an entry; undefined where the account never had one. */
async function positionBefore(
  history: Pick<History, "touching">,
  account: AccountId,
  market: MarketId,
  sequence: number,
): Promise<Position | undefined> {
  for await (const entry of before(history, [account, market], sequence)) {
    const position = ownPosition(entry, account, market);
    if (position !== undefined) return position;
  }
  return undefined;
}

/** Nobody trades between a resolution and its end: the entries since the last trade are few. */
async function wasAmended(
  history: Pick<History, "touching">,
  sequence: number,
  market: MarketId,
  { settledValueE15 }: Resolution,
): Promise<boolean> {
  for await (const entry of before(history, [market], sequence)) {
    const resolved = marketAfter(entry, market)?.resolution ?? undefined;
    if (resolved !== undefined && resolved.settledValueE15 !== settledValueE15) return true;
    const isTrade = (event: Event) => event.type === "Filled" && event.fill.marketId === market;
    if (eventsOf(entry).some(isTrade)) return false;
  }
  return false;
}

/** The entries that touch all of these, before one, the newest first. */
async function* before(
  history: Pick<History, "touching">,
  subjects: readonly [AccountId | MarketId, ...MarketId[]],
  sequence: number,
): AsyncGenerator<Entry> {
  for (let upTo = sequence; ; ) {
    const range = { subjects, after: 0, before: upTo, order: "newest" } as const;
    const entries = await history.touching(range, SLICE);
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < SLICE) return;
    upTo = last.sequence;
  }
}
