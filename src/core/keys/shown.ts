// A key that an operator was shown: its first use, and what it leaves when it is revoked.
// Invariant: each is an event of the command that brought it about; nothing is found out later.
import {
  type AccountId,
  auctionId,
  type KeyId,
  mandateId,
  marketId,
  rfqQuoteId,
} from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { setOf } from "#base/set-of.ts";
import { bidName } from "../margin/auction-record.ts";
import { isFounding } from "../person.ts";
import type { Key, OperatorName } from "../records.ts";
import type { State } from "../state.ts";
import { emit, type Step } from "../step.ts";

/** Root founds, and sets up a sandbox: nothing it opens then ties it. */
export function shownTo(step: Step, by: OperatorName): Pick<Key, "shownTo"> {
  const { state, carriedOut } = step;
  const isSetUp = isFounding(state) || state.exchange?.clock === "sandbox";
  return by === "root" && (isSetUp || carriedOut !== undefined) ? {} : { shownTo: by };
}

/** After a command that was carried out: it was the first one of its key. */
export function noteUse(step: Step): void {
  const { actor, state, nowSeconds: atSeconds } = step;
  if (actor.type !== "key") return;
  const { keyId, accountId } = actor;
  const key = state.keys.get(keyId);
  if (key?.shownTo === undefined || key.usedAtSeconds !== undefined) return;
  emit(step, { type: "KeyUsed", keyId, accountId, atSeconds });
}

/**
 * Of a key that is revoked. No record says which orders and positions of its account it made, so
 * all that stand count, and so does all that may still trade without another key: mandates, quotes,
 * bids. A key that was never used left nothing.
 */
export function leaveBehind(step: Step, key: Key): void {
  const isItself = step.actor.type === "key" && step.actor.keyId === key.id;
  if (key.shownTo === undefined || (key.usedAtSeconds === undefined && !isItself)) return;
  const { id: keyId, accountId } = key;
  for (const name of standingOf(step.state, accountId)) {
    emit(step, { type: "KeyLeft", keyId, accountId, name, stands: true });
  }
}

function standingOf(state: State, account: AccountId): ReadonlySet<string> {
  const names = new Set<string>();
  for (const market of state.marketsHeldBy.get(account) ?? []) {
    if (state.position(account, market)?.heldLots !== 0n) names.add(market);
  }
  for (const order of state.openOrders.get(account) ?? []) names.add(state.order(order).marketId);
  for (const mandate of state.mandatesOf.get(account) ?? []) names.add(mandate);
  for (const quote of state.rfqQuotesOf.get(account) ?? []) names.add(quote);
  for (const auction of state.auctions.keys()) {
    if (state.bids.has(bidName({ auctionId: auction, accountId: account }))) names.add(auction);
  }
  return names;
}

/**
 * After a command: what revoked keys left and has ended is gone, and a market in which something
 * they left has traded by itself is one more.
 */
export function sweepLeft(step: Step): void {
  const { state, actor } = step;
  if (state.leftByKeys.size === 0) return;
  const touched = touchedBy(step);
  for (const [keyId, left] of [...state.leftByKeys]) {
    const accountId = accountOf(state, keyId);
    const names = touched.get(accountId);
    if (names === undefined) continue;
    const isOwnHand = actor.type === "key" && actor.accountId === accountId;
    const trades = !isOwnHand && [...left].some((name) => !state.markets.has(marketId(name)));
    const fresh = trades ? [...names].filter((name) => state.markets.has(marketId(name))) : [];
    for (const name of names) {
      const stands = doesStand(state, accountId, name);
      const isNew = stands && fresh.includes(name) && !left.has(name);
      const isOver = !stands && left.has(name);
      if (isNew || isOver) emit(step, { type: "KeyLeft", keyId, accountId, name, stands });
    }
  }
}

function accountOf({ keys }: State, id: KeyId): AccountId {
  const key = keys.get(id);
  invariant(key !== undefined, "a key that left something is known");
  return key.accountId;
}

/** By account, the names of what the command's events are about. */
function touchedBy({ state, events }: Step): ReadonlyMap<AccountId, ReadonlySet<string>> {
  const touched = new Map<AccountId, Set<string>>();
  // Of these in the order of the records, which a restart keeps; of ties it keeps none.
  const leaving = new Set([...state.leftByKeys.keys()].map((id) => accountOf(state, id)));
  const add = (account: AccountId, name: string): void => {
    if (leaving.has(account)) setOf(touched, account).add(name);
  };
  for (const event of events) {
    if (event.type === "PositionChanged") add(event.position.accountId, event.position.marketId);
    else if (event.type === "OrderChanged") add(event.order.accountId, event.order.marketId);
    else if (event.type === "MandateChanged") add(event.mandate.accountId, event.mandate.id);
    else if (event.type === "RfqQuoteChanged") add(event.quote.accountId, event.quote.id);
    else if (event.type === "RfqQuoteEnded") add(event.accountId, event.quoteId);
    else if (event.type === "BidChanged") add(event.bid.accountId, event.bid.auctionId);
    else if (event.type === "AuctionEnded") {
      for (const account of leaving) add(account, event.auctionId);
    } else if (event.type === "RfqEnded") {
      for (const id of state.quotesForRfq.get(event.rfqId) ?? []) {
        const quote = state.rfqQuotes.get(id);
        if (quote !== undefined) add(quote.accountId, id);
      }
    }
  }
  return touched;
}

function doesStand(state: State, account: AccountId, name: string): boolean {
  const market = marketId(name);
  if (!state.markets.has(market)) return doesTrade(state, account, name);
  if ((state.position(account, market)?.heldLots ?? 0n) !== 0n) return true;
  const open = [...(state.openOrders.get(account) ?? [])];
  return open.some((id) => state.order(id).marketId === market);
}

/** A mandate, an open quote, a bid: each trades when somebody else does something. */
const doesTrade = (state: State, account: AccountId, name: string): boolean =>
  state.mandates.has(mandateId(name)) ||
  state.rfqQuotes.get(rfqQuoteId(name))?.status === "open" ||
  state.bids.has(bidName({ auctionId: auctionId(name), accountId: account }));
