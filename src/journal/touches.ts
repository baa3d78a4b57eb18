// The subjects of an entry, drawn from its events: accounts whose own data it holds, and the market
// whose tape it is on.
// Invariant: a function of the entry alone, each subject once, in the order of code units.
import { orderNumber } from "#base/ids.ts";
import { actionsIn } from "#core/audit.ts";
import { isOpen } from "#core/book/order.ts";
import { concernedAccount } from "#core/concerned.ts";
import { actionSubject } from "#core/names.ts";
import { acceptanceSubject, clientSubject, doneSubject } from "#core/order/filed.ts";
import { cancelledIn } from "#core/order/orders-in-events.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Order } from "#core/records.ts";

/** An account's id, a market's, a further action, or an order that is done. */
export type EntrySubject = string;

/** One row beside the journal: an entry is found by each of its subjects. */
export interface Touch {
  readonly sequence: number;
  readonly subject: EntrySubject;
}

const CASH = "cash:";

/**
 * Accounts whose cash or position the entry moved, or whose order it cancelled where the entry
 * is about nobody; further actions in it; markets that were traded, settled or changed in it;
 * what leaves the state: orders that are done, and acceptances that filled nothing. New marks
 * change thousands of markets a day and trade none, so they touch none.
 */
export function touchesOf({ envelope, outcome }: Entry): readonly EntrySubject[] {
  if (isRejected(outcome)) return [];
  const subjects = new Set<EntrySubject>();
  const isMarks = envelope.command.type === "PublishMarks";
  for (const event of outcome.events) {
    if (event.type === "Posted") {
      for (const name of [event.posting.from, event.posting.to]) {
        if (name.startsWith(CASH)) subjects.add(name.slice(CASH.length));
      }
    }
    if (event.type === "PositionChanged") {
      subjects.add(event.position.accountId);
      subjects.add(event.position.marketId);
    }
    if (event.type === "AuctionOpened") subjects.add(event.auction.accountId);
    if (event.type === "Filled") subjects.add(event.fill.marketId);
    if (event.type === "OrderChanged") fileDone(subjects, event.order);
    if (event.type === "AcceptanceChanged" && event.acceptance.status === "not_filled") {
      subjects.add(acceptanceSubject(event.acceptance.accountId, event.acceptance.id));
    }
    if (event.type === "MarketChanged" && !isMarks) subjects.add(event.market.id);
  }
  const { command, actor } = envelope;
  const [, ...further] = actionsIn(command, outcome.events);
  for (const action of further) subjects.add(actionSubject(action));
  const isNobodys = concernedAccount(actor, command, outcome.events) === null;
  const cancelled = isNobodys ? cancelledIn(outcome.events) : [];
  for (const { accountId } of cancelled) subjects.add(accountId);
  return [...subjects].sort();
}

function fileDone(subjects: Set<EntrySubject>, order: Order): void {
  if (isOpen(order)) return;
  const { id, accountId, clientOrderId } = order;
  subjects.add(doneSubject(accountId, orderNumber(id)));
  if (clientOrderId !== null) subjects.add(clientSubject(accountId, clientOrderId));
}
