// The levels of the books that a command touches: their depth after it, told once each.
// Invariant: putting every level told so far in its place gives the depth of every book.
import type { MarketId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import { noLots } from "#base/quantity.ts";
import type { Event } from "../event.ts";
import type { Order } from "../records.ts";
import type { State } from "../state.ts";
import { type BookLevel, buysYes, isOpen, yesTick } from "./order.ts";

export interface BookLevelPlace {
  readonly marketId: MarketId;
  readonly side: BookLevel["side"];
  readonly tick: Tick;
}

/** The state a command works on, and the levels of its books that it touched, by name. */
interface TouchedBooks {
  readonly state: State;
  readonly touched: Map<string, BookLevelPlace>;
}

/** Before an order's new record is put in its place: where it rests, and where it will. */
export function touchLevels({ state, touched }: TouchedBooks, order: Order): void {
  const before = state.orders.get(order.id);
  for (const one of [before, order]) {
    if (one === undefined || !isOpen(one)) continue;
    const side = buysYes(one) ? "bid" : "ask";
    const tick = yesTick(one);
    touched.set(`${side} ${tick} ${one.marketId}`, { marketId: one.marketId, side, tick });
  }
}

/** When all else is done: nothing of it can change any more. */
export function tellLevels({
  state,
  events,
  touched,
}: TouchedBooks & { readonly events: Event[] }): void {
  for (const { marketId, side, tick } of touched.values()) {
    const depth = state.book(marketId).at(side, tick);
    const openLots = depth?.lots ?? noLots;
    const level = { marketId, side, tick, openLots, orders: depth?.orders ?? 0 };
    events.push({ type: "LevelChanged", level });
  }
}
