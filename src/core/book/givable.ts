// The orders of an auction, each with no more left than it can give: what the limit of a day leaves
// its account and, of one that only reduces a position, what those before it leave of that.
// Invariant: of an account's orders on a side the first give first, and one that is reached has all
// of them filled; so what it can give depends on no price, and each order is looked at once.
import type { AccountId, OrderId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import { leftToday } from "../account/caps.ts";
import type { Order } from "../records.ts";
import { positionOf, type Step } from "../step.ts";
import { Book } from "./book.ts";
import { buysYes, crosses, remaining } from "./order.ts";
import { reducible } from "./reduce-only.ts";

interface Givable {
  readonly book: Pick<Book, "against" | "bids" | "asks">;
  /** Orders that would give more on another day. */
  readonly cut: readonly OrderId[];
  /** Lots that orders may take off a position, where that is less than they ask for. */
  readonly reducing: ReadonlyMap<OrderId, Lots>;
}

export function givable(step: Step, book: Book): Givable {
  const cut: OrderId[] = [];
  const reducing = new Map<OrderId, Lots>();
  const given = crossing(book).flatMap((side) => givenBy(step, side, cut, reducing));
  if (cut.length + reducing.size === 0) return { book, cut, reducing };
  const within = new Book();
  for (const order of given) within.put(order);
  return { book: within, cut, reducing };
}

function givenBy(
  step: Step,
  side: readonly Order[],
  cut: OrderId[],
  reducing: Map<OrderId, Lots>,
): readonly Order[] {
  const left = new Map<AccountId, Lots>();
  const given = new Map<AccountId, bigint>();
  return side.flatMap((order) => {
    const { id, accountId, marketId, filledLots, reduceOnly } = order;
    const before = given.get(accountId) ?? 0n;
    const today = left.get(accountId) ?? leftToday(step, accountId);
    const { heldLots } = positionOf(step.state, accountId, marketId);
    const reduces = reducible(heldLots, buysYes(order)) - before;
    const isBeyond = reduceOnly && reduces < remaining(order);
    const wanted = isBeyond ? lots(reduces > 0n ? reduces : 0n) : remaining(order);
    if (isBeyond) reducing.set(id, wanted);
    const room = least(today, wanted);
    left.set(accountId, lots(today - room));
    given.set(accountId, before + room);
    if (room < wanted) cut.push(id);
    if (room === remaining(order)) return [order];
    return room === noLots ? [] : [{ ...order, amountLots: lots(filledLots + room) }];
  });
}

/** The bids, and the asks, that meet the best of the other side; best first. */
export function crossing(book: Book): readonly [readonly Order[], readonly Order[]] {
  const meets = (best: Order | undefined) => (order: Order) =>
    best !== undefined && crosses(order, best);
  return [
    taken(book.against(false), meets(book.firstAgainst(true))),
    taken(book.against(true), meets(book.firstAgainst(false))),
  ];
}

export function taken(
  orders: Iterable<Order>,
  isMeant: (order: Order) => boolean,
): readonly Order[] {
  const found: Order[] = [];
  for (const order of orders) {
    if (!isMeant(order)) break;
    found.push(order);
  }
  return found;
}
