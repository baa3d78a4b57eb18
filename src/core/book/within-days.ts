// The orders of an auction, each with no more left than the limit of a day leaves its account.
// Invariant: of an account's orders on a side the first give first, and all together no more than
// its day leaves; at one price an account is on one side alone.
import type { AccountId, OrderId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import { leftToday } from "../account/caps.ts";
import type { Order } from "../records.ts";
import type { Step } from "../step.ts";
import { Book } from "./book.ts";
import { crosses, remaining } from "./order.ts";

interface WithinDays {
  readonly book: Pick<Book, "against" | "bids" | "asks">;
  /** Orders that cannot give all they have. */
  readonly cut: readonly OrderId[];
}

export function withinDays(step: Step, book: Book): WithinDays {
  const cut: OrderId[] = [];
  const given = crossing(book).flatMap((side) => givenBy(step, side, cut));
  if (cut.length === 0) return { book, cut };
  const within = new Book();
  for (const order of given) within.put(order);
  return { book: within, cut };
}

function givenBy(step: Step, side: readonly Order[], cut: OrderId[]): readonly Order[] {
  const left = new Map<AccountId, Lots>();
  return side.flatMap((order) => {
    const before = left.get(order.accountId) ?? leftToday(step, order.accountId);
    const room = least(before, remaining(order));
    left.set(order.accountId, lots(before - room));
    if (room === remaining(order)) return [order];
    cut.push(order.id);
    return room === noLots ? [] : [{ ...order, amountLots: lots(order.filledLots + room) }];
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
