// The orders a command placed, told from its events.
// Invariant: orders it met have lower ranks, and those a liquidation gave come after its alert.
import type { OrderId } from "#base/ids.ts";
import type { Command, CommandType } from "../command.ts";
import type { Event, EventOf } from "../event.ts";
import type { Order } from "../records.ts";
import type { OrderName } from "./named.ts";
import { type SentQuotes, sidesOf } from "./quoted.ts";

type QuoteRefused = EventOf<"QuoteRefused">;

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
  "MassQuote",
  "AcceptQuote",
]);

/** The orders that came to be in a command: those it gave, and those that a liquidation gave. */
export function placedIn(command: Command, events: readonly Event[]): readonly Order[] {
  const own = placingCommands.has(command.type) ? newestIn(events, countOf(command, events)) : [];
  const amended = command.type === "AmendOrder" ? namedIn(command, events) : undefined;
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

/**
 * The order that its account amended or cancelled: one with a new rank has the highest, and beside
 * one that keeps its rank no other account's orders were touched.
 */
export const namedIn = (name: OrderName, events: readonly Event[]): OrderId | undefined =>
  "orderId" in name
    ? name.orderId
    : ordersIn(events).findLast((order) => order.clientOrderId === name.clientOrderId)?.id;

/** So many of the highest ranks: the orders that the command gave. */
export const newestIn = (events: readonly Event[], count: number): readonly Order[] =>
  count === 0 ? [] : ordersIn(events).slice(-count);

function countOf(command: Command, events: readonly Event[]): number {
  if (command.type === "MassQuote") return quotedOf(command, events);
  if (command.type !== "PlaceBatch") return 1;
  return command.orders.length - ordersRefusedIn(events).length;
}

/** The sides of the quotes that were not refused. */
function quotedOf({ quotes }: SentQuotes, events: readonly Event[]): number {
  const refused = refusalsIn(events);
  return quotes.reduce(
    (count, quote, index) => count + (refused.has(index) ? 0 : sidesOf(quote).length),
    0,
  );
}

/** The quotes of a mass quote that were refused, by their place in it. */
export const refusalsIn = (events: readonly Event[]): ReadonlyMap<number, QuoteRefused> =>
  new Map(events.flatMap((event) => (event.type === "QuoteRefused" ? [[event.index, event]] : [])));

/** The orders of a batch that were refused while others were placed, in the batch's order. */
export const ordersRefusedIn = (events: readonly Event[]): readonly EventOf<"OrderRefused">[] =>
  events.flatMap((event) => (event.type === "OrderRefused" ? event : []));

/** The orders that a command left cancelled, whosever they are. */
export const cancelledIn = (events: readonly Event[]): readonly Order[] =>
  events.flatMap((event) =>
    event.type === "OrderChanged" && event.order.status === "CANCELLED" ? event.order : [],
  );
