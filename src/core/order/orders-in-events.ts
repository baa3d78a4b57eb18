// The orders a command placed, told from its events.
// Invariant: orders it met have lower ranks, and those a liquidation gave come after its alert.
import type { OrderId } from "#base/ids.ts";
import type { Command, CommandType } from "../command.ts";
import type { Event } from "../event.ts";
import type { Order } from "../records.ts";

/** Every order the command touched before anybody was liquidated, by rank, as it ended. */
export function ordersIn(events: readonly Event[]): readonly Order[] {
  const cut = events.findIndex(
    (event) => event.type === "AlertRaised" && event.alert.type === "liquidation",
  );
  const latest = new Map<OrderId, Order>();
  for (const [at, event] of events.entries()) {
    if (event.type !== "OrderChanged") continue;
    const { id } = event.order;
    if (cut < 0 || at < cut || latest.has(id)) latest.set(id, event.order);
  }
  return [...latest.values()].sort((a, b) => a.rank - b.rank);
}

const placingCommands: ReadonlySet<CommandType> = new Set([
  "PlaceOrder",
  "PlaceBatch",
  "AcceptQuote",
]);

/** The orders that came to be in a command: those it gave, and those that a liquidation gave. */
export function placedIn(command: Command, events: readonly Event[]): readonly Order[] {
  const own = placingCommands.has(command.type) ? ordersIn(events).slice(-countOf(command)) : [];
  const amended = command.type === "AmendOrder" ? command.orderId : undefined;
  const known = new Set<OrderId | undefined>([amended, ...own.map(({ id }) => id)]);
  const takers = new Set(
    events.flatMap((event) =>
      event.type === "Filled" && !known.has(event.fill.takerOrderId) ? event.fill.takerOrderId : [],
    ),
  );
  // Orders that waited for their matching were placed before; a liquidation's never rest.
  const isNew = ({ timeInForce }: Order): boolean =>
    command.type !== "ResumeMatching" || timeInForce === "IOC";
  const bought = events.flatMap((event) =>
    event.type === "OrderChanged" && takers.delete(event.order.id) && isNew(event.order)
      ? event.order
      : [],
  );
  return [...own, ...bought];
}

const countOf = (command: Command): number =>
  command.type === "PlaceBatch" ? command.orders.length : 1;

/** The orders that a command left cancelled, whosever they are. */
export const cancelledIn = (events: readonly Event[]): readonly Order[] =>
  events.flatMap((event) =>
    event.type === "OrderChanged" && event.order.status === "CANCELLED" ? event.order : [],
  );
