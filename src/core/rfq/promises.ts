// The promises of an account's open quotes for requests, market by market, kept up quote by quote.
// Invariant: they are the sums over its open quotes; no market is listed in which it promises
// nothing, and a quote that changes is counted by its own legs alone.
import type { AccountId, MarketId } from "#base/ids.ts";
import { micros, noMoney } from "#base/money.ts";
import { lots, noLots } from "#base/quantity.ts";
import type { State } from "../state.ts";
import {
  makerSide,
  nothingPromised,
  type Promised,
  type PromisedLots,
  type Rfq,
  type RfqQuote,
} from "./record.ts";

type Promises = Pick<State, "promisedLots" | "reservedMicros">;

export const promisedIn = (
  { promisedLots }: Pick<Promises, "promisedLots">,
  account: AccountId,
  market: MarketId,
): PromisedLots => promisedLots.get(account)?.get(market) ?? nothingPromised;

/** All that an account promises. */
export function promisedBy({ promisedLots, reservedMicros }: Promises, id: AccountId): Promised {
  const sells = [...(promisedLots.get(id) ?? [])].map(
    ([market, { sellLots }]) => [market, sellLots > 0n] as const,
  );
  return { reservedMicros: reservedMicros.get(id) ?? noMoney, sells: new Map(sells) };
}

/** All that it would, with this quote open too, or in place of the one before. */
export function promisedWith(
  { reservedMicros }: Promises,
  rfq: Rfq,
  { accountId, reservedMicros: more }: RfqQuote,
  before: RfqQuote | undefined,
): Promised {
  const others = (reservedMicros.get(accountId) ?? 0n) - (before?.reservedMicros ?? 0n);
  const sold = makerSide(rfq) === "SELL" ? rfq.legs : [];
  return {
    reservedMicros: micros(others + more),
    sells: new Map(sold.map(({ listing }) => [listing.marketId, true])),
  };
}

/** Counts a quote in place of the one before. */
export function countPromises(
  state: State,
  rfq: Rfq,
  before: RfqQuote | undefined,
  after: RfqQuote,
): void {
  const { accountId } = after;
  const [was, is] = [isOpen(before), isOpen(after)];
  if (!was && !is) return;
  const kept = state.reservedMicros.get(accountId) ?? 0n;
  const reserved = micros(
    kept + (is ? after.reservedMicros : 0n) - (was ? (before?.reservedMicros ?? 0n) : 0n),
  );
  put(state.reservedMicros, accountId, reserved, reserved === 0n);
  const sells = was === is ? new Map() : countLegs(state, rfq, accountId, is ? 1n : -1n);
  state.exposures.reserve(accountId, { reservedMicros: reserved, sells });
}

const isOpen = (quote: RfqQuote | undefined): boolean => quote?.status === "open";

function countLegs(
  state: State,
  rfq: Rfq,
  accountId: AccountId,
  sign: 1n | -1n,
): ReadonlyMap<MarketId, boolean> {
  const isSale = makerSide(rfq) === "SELL";
  const own = state.promisedLots.get(accountId) ?? new Map<MarketId, PromisedLots>();
  const sells = new Map<MarketId, boolean>();
  let quoted: bigint = state.quotedLots.get(accountId) ?? noLots;
  for (const { listing, amountLots } of rfq.legs) {
    const { marketId } = listing;
    const { buyLots, sellLots } = own.get(marketId) ?? nothingPromised;
    const more = sign * amountLots;
    const next: PromisedLots = {
      buyLots: lots(buyLots + (isSale ? 0n : more)),
      sellLots: lots(sellLots + (isSale ? more : 0n)),
    };
    put(own, marketId, next, next.buyLots === 0n && next.sellLots === 0n);
    if (isSale) sells.set(marketId, next.sellLots > 0n);
    quoted += more;
  }
  put(state.promisedLots, accountId, own, own.size === 0);
  put(state.quotedLots, accountId, lots(quoted), quoted === 0n);
  return sells;
}

function put<K, V>(map: Map<K, V>, key: K, value: V, isNothing: boolean): void {
  if (isNothing) map.delete(key);
  else map.set(key, value);
}
