// The obvious book: one array, filtered and sorted anew for every question. Slow, plainly right.
// Invariant: a side reads as an incoming order would meet it: best price first, then earliest rank.
import type { Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import type { Depth } from "#core/book/book.ts";
import { buysYes, isOpen, remaining, yesTick } from "#core/book/order.ts";
import type { Order } from "#core/records.ts";

export class PlainBook {
  #orders: readonly Order[] = [];

  put(order: Order): void {
    const others = this.#orders.filter(({ id }) => id !== order.id);
    this.#orders = isOpen(order) ? [...others, order] : others;
  }

  against(incomingBuysYes: boolean): readonly Order[] {
    const side = this.#orders.filter((order) => buysYes(order) !== incomingBuysYes);
    const cheapestFirst = incomingBuysYes ? 1 : -1;
    return side.toSorted((a, b) => cheapestFirst * (yesTick(a) - yesTick(b)) || a.rank - b.rank);
  }

  bestBid(): Tick | undefined {
    return this.#best(false);
  }

  bestAsk(): Tick | undefined {
    return this.#best(true);
  }

  depth(incomingBuysYes: boolean): readonly Depth[] {
    const side = this.against(incomingBuysYes);
    const ticks = [...new Set(side.map(yesTick))];
    return ticks.map((tick) => {
      const level = side.filter((order) => yesTick(order) === tick);
      const total = level.reduce((sum, order) => sum + remaining(order), 0n);
      return { tick, lots: lots(total), orders: level.length };
    });
  }

  #best(incomingBuysYes: boolean): Tick | undefined {
    const first = this.against(incomingBuysYes).at(0);
    return first === undefined ? undefined : yesTick(first);
  }
}
