// Surveillance: trades between related accounts, far from the reference, turned back within a day,
// or well timed before a release; and holders of a large part of a market.
// Invariant: drawn from durable records alone. A finding is a question, not a judgement: nothing
// is refused or undone because of one.
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId, FillId, MarketId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { faceOf, lots } from "#base/quantity.ts";
import { ownerOf, sameOwner } from "#core/account/owner.ts";
import { isLive } from "#core/market/life.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { AcceptedRelease, Fill, Market } from "#core/records.ts";
import { GUARANTEE } from "#core/step.ts";
import type { ExchangeView } from "./exchange.ts";

const BEFORE_RELEASE_MILLIS = 2 * DAY_MILLIS;
/** A quarter of what is open in a market, in hundredths. */
const LARGE_SHARE = 25n;

export interface WatchedFill {
  readonly fill: Fill;
  readonly sequence: number;
  /** The mark at that moment, of a fill off the band of busts; else null. */
  readonly referenceTick: Tick | null;
}

/** The fills of an entry, in the order they happened. */
export function fillsIn({ sequence, outcome }: Entry): readonly WatchedFill[] {
  const events = isRejected(outcome) ? [] : outcome.events;
  const references = new Map<FillId, Tick>();
  for (const event of events) {
    if (event.type === "FillStrayed") {
      references.set(event.stray.fill.id, event.stray.referenceTick);
    }
  }
  return events.flatMap((event) =>
    event.type === "Filled"
      ? { fill: event.fill, sequence, referenceTick: references.get(event.fill.id) ?? null }
      : [],
  );
}

/** By the owners of now: two accounts of one owner never trade once the exchange knows it. */
export const isOfOneOwner = (exchange: ExchangeView, { buyer, seller }: Fill): boolean =>
  sameOwner(exchange, buyer, seller);

/** The same market and the same two accounts, whichever of them bought. */
export const pairName = ({ marketId, buyer, seller }: Fill): string =>
  [marketId, ...[buyer, seller].sort()].join("|");

/** Of fills of one pair, oldest first: the newest before this one that went the other way. */
export const turnedBack = (fill: Fill, ofPair: readonly Fill[]): Fill | undefined =>
  ofPair.findLast(
    (one) =>
      number(one) < number(fill) &&
      one.buyer === fill.seller &&
      one.timeMillis > fill.timeMillis - DAY_MILLIS,
  );

const number = ({ id }: Fill): number => Number(id.slice(id.lastIndexOf("-") + 1));

/** The first release of the market's index within two days after the fill. */
export function releaseAfter(
  releases: Iterable<AcceptedRelease>,
  { terms }: Market,
  { timeMillis }: Fill,
): AcceptedRelease | undefined {
  let first: AcceptedRelease | undefined;
  for (const one of releases) {
    const waits = one.ingestedAtMillis - timeMillis;
    if (one.index !== terms.index || waits <= 0 || waits > BEFORE_RELEASE_MILLIS) continue;
    if (first === undefined || one.ingestedAtMillis < first.ingestedAtMillis) first = one;
  }
  return first;
}

interface Gain {
  readonly gainer: AccountId;
  readonly gainMicros: Micros;
}

/** The side of a fill that was ahead at a later mark; undefined within the band of busts. */
export function gainOf(
  { rules }: ExchangeView,
  { yesTick, amountLots, buyer, seller }: Fill,
  markTick: Tick,
): Gain | undefined {
  const moved = markTick - yesTick;
  if (Math.abs(moved) <= rules.bust.bandTicks) return undefined;
  // A lot at a tick is exactly a micro-dollar.
  const gainMicros = micros(amountLots * BigInt(Math.abs(moved)));
  return { gainer: moved > 0 ? buyer : seller, gainMicros };
}

interface LargeHolder {
  readonly owner: AccountId;
  readonly accounts: readonly AccountId[];
  readonly marketId: MarketId;
  readonly side: "YES" | "NO";
  readonly coverageMicros: Micros;
  /** Of what is open in the market, in hundredths. */
  readonly sharePercent: number;
}

/** Owners of more than a quarter of one side of a market that is open; most coverage first. */
export function largeHolders(exchange: ExchangeView): readonly LargeHolder[] {
  return [...exchange.markets.values()]
    .filter(({ status }) => isLive(status))
    .flatMap(({ id }) => largeIn(exchange, id))
    .sort((one, other) => Number(other.coverageMicros - one.coverageMicros));
}

function largeIn(exchange: ExchangeView, marketId: MarketId): readonly LargeHolder[] {
  const open = exchange.traded(marketId).openInterest;
  const held = new Map<string, { owner: AccountId; accounts: AccountId[]; lots: bigint }>();
  for (const account of exchange.holdersOf(marketId)) {
    const holds = exchange.position(account, marketId)?.heldLots ?? 0n;
    // The fund holds what a default left it.
    if (holds === 0n || account === GUARANTEE) continue;
    const owner = ownerOf(exchange, account);
    const name = `${owner}|${holds > 0n}`;
    const sum = held.get(name) ?? { owner, accounts: [], lots: 0n };
    held.set(name, sum);
    sum.accounts.push(account);
    sum.lots += holds;
  }
  return [...held.values()].flatMap(({ owner, accounts, lots: sum }) => {
    const amount = sum < 0n ? -sum : sum;
    if (100n * amount <= LARGE_SHARE * open) return [];
    const sharePercent = Number((10_000n * amount) / open) / 100;
    const side = sum > 0n ? ("YES" as const) : ("NO" as const);
    return { owner, accounts, marketId, side, coverageMicros: faceOf(lots(amount)), sharePercent };
  });
}
