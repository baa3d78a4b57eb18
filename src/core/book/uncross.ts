// The end of an auction: the orders of one market that would trade do, all at one price.
// Invariant: nobody trades beyond its limit or with an account of its owner, and no two orders are
// left that would trade with each other.
import type { AccountId, OrderId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import type { Tick } from "#base/price.ts";
import { lots, noLots } from "#base/quantity.ts";
import { leftToday } from "../account/caps.ts";
import { countAgainst } from "../account/maker-protection.ts";
import { countInGroup } from "../account/order-groups.ts";
import { ownerOf } from "../account/owner.ts";
import type { Market, Order } from "../records.ts";
import type { State } from "../state.ts";
import { emit, type Step } from "../step.ts";
import type { Book } from "./book.ts";
import { uncrossOf } from "./indicative.ts";
import { fillAtOnePrice, type Pair } from "./match.ts";
import { buysYes, cancelled, crosses, isOpen, remaining, yesTick } from "./order.ts";
import { preventOwn } from "./own.ts";
import { cutTo, fitReduceOnly, reducible } from "./reduce-only.ts";
import { crossing, taken, withinDays } from "./within-days.ts";

export function uncross(step: Step, market: Market): void {
  const { state } = step;
  const { id } = market;
  separateOwners(step, id);
  for (;;) {
    const { book, cut: beyond } = withinDays(step, state.book(id));
    const found = uncrossOf(book, market.markTick);
    const pairs = found === undefined ? [] : pairsAt(book, found.tick);
    const cut = firstCut(state, pairs);
    if (cut === undefined) {
      if (found !== undefined) fill(step, market, pairs, found.tick);
      endDays(step, beyond);
      return;
    }
    // It takes less than it asks for: the price is found anew, without the rest of it.
    emit(step, { type: "OrderChanged", order: cut });
  }
}

/** Best price first, then first come, on either side. */
export function pairsAt(book: Pick<Book, "against">, tick: Tick): readonly Pair[] {
  const buys = taken(book.against(false), (order) => yesTick(order) >= tick);
  const sells = taken(book.against(true), (order) => yesTick(order) <= tick);
  const pairs: Pair[] = [];
  let [buying, selling] = [0n, 0n];
  for (let [b, s] = [0, 0]; ; ) {
    const [buy, sell] = [buys[b], sells[s]];
    if (buy === undefined || sell === undefined) return pairs;
    const quantity = least(lots(remaining(buy) - buying), lots(remaining(sell) - selling));
    pairs.push({ buy, sell, quantity });
    buying += quantity;
    selling += quantity;
    if (buying === remaining(buy)) [b, buying] = [b + 1, 0n];
    if (selling === remaining(sell)) [s, selling] = [s + 1, 0n];
  }
}

/** Orders that would have traded more, had their account not had its day. */
function endDays(step: Step, ids: readonly OrderId[]): void {
  for (const id of ids) {
    const order = step.state.order(id);
    const isOver = isOpen(order) && leftToday(step, order.accountId) === noLots;
    if (isOver) emit(step, { type: "OrderChanged", order: cancelled(order, "DAILY_LIMIT") });
  }
}

/** The first reduce-only order that would take its position through flat, cut to what it may. */
function firstCut(state: State, pairs: readonly Pair[]): Order | undefined {
  const held = new Map<AccountId, bigint>();
  const done = new Map<OrderId, bigint>();
  const heldBy = ({ accountId, marketId }: Order): bigint =>
    held.get(accountId) ?? state.position(accountId, marketId)?.heldLots ?? 0n;
  for (const { buy, sell, quantity } of pairs) {
    for (const { id, reduceOnly } of [buy, sell]) {
      if (!reduceOnly) continue;
      const order = state.order(id);
      const before = done.get(order.id) ?? 0n;
      const fitting = cutTo(order, before + reducible(heldBy(order), buysYes(order)));
      if (fitting !== order) return fitting;
      done.set(order.id, before + quantity);
    }
    held.set(buy.accountId, heldBy(buy) + quantity);
    held.set(sell.accountId, heldBy(sell) - quantity);
  }
  return undefined;
}

function fill(step: Step, { id }: Market, pairs: readonly Pair[], tick: Tick): void {
  const makers = fillAtOnePrice(step, pairs, tick);
  const accounts = new Set(pairs.flatMap(({ buy, sell }) => [buy.accountId, sell.accountId]));
  for (const account of accounts) fitReduceOnly(step, account, id, null);
  // The auction of a market is one sweep: what trips in it takes back what is left.
  for (const { maker, quantity } of makers) {
    countInGroup(step, maker, quantity);
    countAgainst(step, maker.accountId, quantity);
  }
}

/** Accounts that came to one owner while their orders waited: the later order's rule decides. */
function separateOwners(step: Step, marketId: Market["id"]): void {
  const { state } = step;
  const book = state.book(marketId);
  const [bids, asks] = crossing(book);
  // Best first: an owner's first order on a side is the one that meets most.
  const bestBids = new Map<AccountId, Order>();
  for (const order of bids) {
    const owner = ownerOf(state, order.accountId);
    if (!bestBids.has(owner)) bestBids.set(owner, order);
  }
  const owners = new Set<AccountId>();
  for (const order of asks) {
    const owner = ownerOf(state, order.accountId);
    const own = bestBids.get(owner);
    if (own !== undefined && crosses(own, order)) owners.add(owner);
  }
  const theirs = [...bids, ...asks].filter((one) => owners.has(ownerOf(state, one.accountId)));
  // One that an order takes out came before it: what is to come is open still.
  for (const order of theirs.sort((a, b) => a.rank - b.rank)) preventOwn(step, order);
}
