// Orders that have left the state, read from the entries of the journal in which they were done.
// Invariant: a done order never changes again, so the entry that ended it has its last record.
import type { AcceptanceId, AccountId, OrderId } from "#base/ids.ts";
import type { Acceptance } from "#core/acceptance/records.ts";
import { isOpen } from "#core/book/order.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Order } from "#core/records.ts";

const eventsOf = ({ outcome }: Entry) => (isRejected(outcome) ? [] : outcome.events);

/** The account's orders that the entry ended, in the order it ended them. */
export const doneIn = (entry: Entry, account: AccountId): readonly Order[] =>
  eventsOf(entry).flatMap((event) =>
    event.type === "OrderChanged" && event.order.accountId === account && !isOpen(event.order)
      ? event.order
      : [],
  );

export const doneOrderIn = (entry: Entry, account: AccountId, id: OrderId): Order | undefined =>
  doneIn(entry, account).findLast((order) => order.id === id);

export function acceptanceIn(
  entry: Entry,
  account: AccountId,
  id: AcceptanceId,
): Acceptance | undefined {
  for (const event of eventsOf(entry)) {
    if (event.type !== "AcceptanceChanged") continue;
    const { acceptance } = event;
    if (acceptance.id === id && acceptance.accountId === account) return acceptance;
  }
  return undefined;
}
