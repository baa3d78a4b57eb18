// The cost of commands, for their rows in the table: units of work, and whether records stay.
// Invariant: a unit is the counted steps of a plain order that rests; no command takes more than
// four times its units, and as much for each record that it ends, for that was paid for when it was
// made; whatever the exchange holds of others.
import type { AccountId, AuctionId, FillId, MarketId, RfqId, RfqQuoteId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Actor, Command, PlaceReading } from "./command.ts";
import { waitingFor } from "./own-matter.ts";
import type { Observation } from "./records.ts";
import { isInAudience } from "./rfq/checks.ts";
import type { State } from "./state.ts";

/** Required in every row: a command is charged, and refused for want of memory, by what it says. */
export interface Work<T extends Command> {
  /** By what the command carries, or names: legs, places, orders. */
  readonly units: (command: T, state: State, by: Actor) => number;
  /** It leaves records that stay for a day at least: it needs room in the memory. */
  readonly grows: boolean;
}

const one = (): number => 1;

/** It leaves a record, or a few. */
export const leaves = { units: one, grows: true } as const;

/**
 * It changes what is there, or takes it away. Of what the clock gives, the units are the bound of
 * its work alone: nobody is charged.
 */
export const changes = { units: one, grows: false } as const;

type Units<T extends Command> = Work<T>["units"];

/** Whole units, and never none. */
const atLeastOne =
  <T extends Command>(units: Units<T>): Units<T> =>
  (...asked) =>
    Math.max(1, Math.ceil(units(...asked)));

export const leavesMany = <T extends Command>(units: Units<T>): Work<T> => ({
  units: atLeastOne(units),
  grows: true,
});

export const changesMany = <T extends Command>(units: Units<T>): Work<T> => ({
  units: atLeastOne(units),
  grows: false,
});

/** In one step so many markets that an account's quotes promise are looked up. */
const PROMISES_A_UNIT = 32;

const accountOf = (by: Actor): AccountId | undefined =>
  by.type === "key" ? by.accountId : undefined;

const sizeFor = <V>(sizes: ReadonlyMap<AccountId, Sized<V>>, by: Actor): number => {
  const account = accountOf(by);
  return account === undefined ? 0 : (sizes.get(account)?.size ?? 0);
};

type Sized<V> = ReadonlySet<V> | ReadonlyMap<MarketId, V>;

/** Accounts, what they hold and what they have open: new rules may concern all of it. */
export const everythingIn = ({ accounts, positions, orders }: State): number =>
  accounts.size + positions.size + orders.size;

/** Accounts that hold something in the market. */
export const holdersIn = ({ positionsByMarket }: State, id: MarketId): number =>
  positionsByMarket.get(id)?.size ?? 0;

/** Accounts that hold something in the markets that a print settles. */
export const settledBy = (state: State, index: IndexKind, seen: Observation): number =>
  waitingFor(state, index, seen).reduce((sum, market) => sum + holdersIn(state, market), 0);

/** The part of all markets that wait for an auction: the end of a window or a halt asks each. */
export const waitingIn = ({ heldMatching }: State): number => heldMatching.size / 4;

/** The standing of both sides of a fill that may be busted: it is tried without their orders. */
export function partiesOf(state: State, id: FillId): number {
  const fill = state.strays.get(id)?.fill;
  return fill === undefined ? 1 : standingOf(state, fill.buyer) + standingOf(state, fill.seller);
}

/** The markets that an account holds something in, and its open orders. */
export const standingOf = ({ marketsHeldBy, openOrders }: State, id: AccountId): number =>
  (marketsHeldBy.get(id)?.size ?? 0) + (openOrders.get(id)?.size ?? 0);

/** The same of every account whose margin call is over first. */
export function calledIn(state: State): number {
  const first = Math.min(...state.callsDue.keys());
  let standing = 0;
  for (const id of state.callsDue.get(first) ?? []) standing += standingOf(state, id);
  return standing;
}

/** Open orders of whoever gives the command. */
export const openOrdersOf = ({ openOrders }: State, by: Actor): number => sizeFor(openOrders, by);

/** The part of the limits that goes through all markets of its open quotes. */
export const promisesOf = ({ promisedLots }: State, by: Actor): number =>
  Math.ceil(sizeFor(promisedLots, by) / PROMISES_A_UNIT);

/** The places of its mandates, and the markets that they have traded in. */
export function mandateWorkOf({ mandates, mandatesOf, marketsUsedBy }: State, by: Actor): number {
  const account = accountOf(by);
  let work = 0;
  for (const id of account === undefined ? [] : (mandatesOf.get(account) ?? [])) {
    work += mandates.get(id)?.scope.places.length ?? 0;
    work += marketsUsedBy.get(id)?.size ?? 0;
  }
  return work;
}

/** One where it may not be seen: a charge tells nothing of somebody else's request. */
export function legsOf(state: State, id: RfqId, by: Actor): number {
  const [rfq, account] = [state.rfqs.get(id), accountOf(by)];
  const isSeen = rfq !== undefined && account !== undefined && isInAudience(state, rfq, account);
  return isSeen ? rfq.legs.length : 1;
}

/** Whoever's it is. */
export const legsQuoted = ({ rfqs, rfqQuotes }: State, id: RfqQuoteId): number => {
  const quote = rfqQuotes.get(id);
  return (quote === undefined ? undefined : rfqs.get(quote.rfqId))?.legs.length ?? 1;
};

export const legsOfQuote = (state: State, id: RfqQuoteId, by: Actor): number => {
  const quote = state.rfqQuotes.get(id);
  return quote?.accountId === accountOf(by) && quote !== undefined
    ? legsOf(state, quote.rfqId, by)
    : 1;
};

export const quotesFor = ({ quotesForRfq }: State, id: RfqId): number =>
  Math.max(1, quotesForRfq.get(id)?.size ?? 0);

/** Markets that the account of a default auction is short in. */
export function shortsIn({ auctions, marketsHeldBy }: State, id: AuctionId): number {
  const auction = auctions.get(id);
  return auction === undefined ? 1 : (marketsHeldBy.get(auction.accountId)?.size ?? 1);
}

export const printsIn = (readings: readonly PlaceReading[]): number =>
  readings.reduce((sum, { observations }) => sum + observations.length, 0);
