// Which orders a command placed, told from its events.
// Invariant: orders it met have lower ranks, and those a liquidation gave come after its alert.
import type { OrderId } from "#base/ids.ts";
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
