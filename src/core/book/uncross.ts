// The end of an auction: the orders of one market that would trade do, all at one price.
// Invariant: nobody trades beyond its limit or with an account of its owner, and no two orders are
// left that would trade with each other.
import type { AccountId, OrderId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import { leftToday } from "../account/caps.ts";
import { countAgainst } from "../account/maker-protection.ts";
import { countInGroup } from "../account/order-groups.ts";
import { ownerOf } from "../account/owner.ts";
import type { Market, Order } from "../records.ts";
import { emit, type Step } from "../step.ts";
import type { Book } from "./book.ts";
import { crossing, givable, taken } from "./givable.ts";
import { uncrossOf } from "./indicative.ts";
import { fillAtOnePrice, type Pair } from "./match.ts";
import { cancelled, crosses, isOpen, remaining, yesTick } from "./order.ts";
import { preventOwn } from "./own.ts";
import { cutTo, fitReduceOnly } from "./reduce-only.ts";

export function uncross(step: Step, market: Market): void {
  const { state } = step;
  const { id } = market;
  separateOwners(step, id);
  const { book, cut, reducing } = givable(step, state.book(id));
  const found = uncrossOf(book, market.markTick);
  if (found !== undefined) {
    const pairs = pairsAt(book, found.tick);
    cutReducing(step, pairs, reducing);
    fill(step, market, pairs, found.tick);
  }
  endDays(step, cut);
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

/** Reduce-only orders that trade ask for no more than they can take off their position. */
function cutReducing(
  step: Step,
  pairs: readonly Pair[],
  reducing: ReadonlyMap<OrderId, Lots>,
): void {
  if (reducing.size === 0) return;
  for (const id of new Set(pairs.flatMap(({ buy, sell }) => [buy.id, sell.id]))) {
    const room = reducing.get(id);
    if (room === undefined) continue;
    emit(step, { type: "OrderChanged", order: cutTo(step.state.order(id), room) });
  }
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
