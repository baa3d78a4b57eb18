// Which orders a command placed, told from its events.
// Invariant: orders it met have lower ranks, and those a liquidation gave come after its alert.
import type { Event } from "../event.ts";
import type { Order } from "../records.ts";

/** Every order the command touched before anybody was liquidated, by rank, as it ended. */
export function ordersIn(events: readonly Event[]): readonly Order[] {
  const cut = events.findIndex(
    (event) => event.type === "AlertRaised" && event.alert.type === "liquidation",
  );
  const latest = new Map<number, Order>();
  for (const [at, event] of events.entries()) {
    if (event.type !== "OrderChanged") continue;
    const { rank } = event.order;
    if (cut < 0 || at < cut || latest.has(rank)) latest.set(rank, event.order);
  }
  return [...latest.values()].sort((a, b) => a.rank - b.rank);
}
