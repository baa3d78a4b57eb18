// One market's resting orders by YES price, best level last, first come first served in a level.
// Invariant: an order is in the book exactly while it is open; a level exists while it holds one.
import { Layerable } from "#base/layer.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { Order } from "../records.ts";
import { buysYes, isOpen, remaining, yesTick } from "./order.ts";

export interface Depth {
  readonly tick: Tick;
  readonly lots: Lots;
  readonly orders: number;
}

/** The queue keeps some holes where orders left, so that few move; `head` skips leading ones. */
interface PriceLevel {
  readonly tick: Tick;
  readonly ranks: number[];
  readonly queue: (Order | undefined)[];
  head: number;
  live: number;
  openLots: bigint;
}

export class Book extends Layerable {
  readonly #bids = new BookSide(1);
  readonly #asks = new BookSide(-1);

  override layer(): Book {
    const book = new Book();
    book.#bids.layOver(this.#bids);
    book.#asks.layOver(this.#asks);
    return book;
  }

  /** The same orders in the same places, in levels of its own. */
  copy(): Book {
    const book = new Book();
    book.#bids.copyFrom(this.#bids);
    book.#asks.copyFrom(this.#asks);
    return book;
  }

  /**
   * Puts the order's record in its place: added, replaced where it is, or removed when done.
   * `before` is its record until now: an amended order leaves the place it had.
   */
  put(order: Order, before?: Order): void {
    const side = buysYes(order) ? this.#bids : this.#asks;
    if (before !== undefined && !samePlace(before, order)) side.remove(before);
    if (isOpen(order)) side.set(order);
    else side.remove(order);
  }

  bestBid(): Tick | undefined {
    return this.#bids.best()?.tick;
  }

  bestAsk(): Tick | undefined {
    return this.#asks.best()?.tick;
  }

  /** The order an incoming buyer (or seller) of YES would meet first. */
  firstAgainst(incomingBuysYes: boolean): Order | undefined {
    return (incomingBuysYes ? this.#asks : this.#bids).first();
  }

  /** Everything an incoming buyer (or seller) of YES would meet, in the order it would. */
  against(incomingBuysYes: boolean): Iterable<Order> {
    return (incomingBuysYes ? this.#asks : this.#bids).orders();
  }

  /** The orders that rest at a YES price on the buyers' or the sellers' side. */
  at(side: "bid" | "ask", tick: Tick): Depth | undefined {
    return (side === "bid" ? this.#bids : this.#asks).at(tick);
  }

  /** Best first. */
  bids(): Iterable<Depth> {
    return this.#bids.depth();
  }

  /** Best first. */
  asks(): Iterable<Depth> {
    return this.#asks.depth();
  }
}

const samePlace = (a: Order, b: Order): boolean => a.rank === b.rank && a.priceTick === b.priceTick;

class BookSide {
  /** Sorted so that the best is last: ascending for bids (direction 1), descending for asks. */
  readonly #levels: PriceLevel[] = [];
  readonly #direction: 1 | -1;
  /** Of a layer: the levels it has written to, which are copies. */
  #own: Set<PriceLevel> | undefined;

  constructor(direction: 1 | -1) {
    this.#direction = direction;
  }

  layOver(below: BookSide): void {
    this.#levels.push(...below.#levels);
    this.#own = new Set();
  }

  copyFrom(other: BookSide): void {
    for (const level of other.#levels) this.#levels.push(copied(level));
  }

  best(): PriceLevel | undefined {
    return this.#levels.at(-1);
  }

  first(): Order | undefined {
    const level = this.best();
    return level?.queue[level.head];
  }

  set(order: Order): void {
    const tick = yesTick(order);
    const at = this.#levelAt(tick);
    let level = this.#toWrite(at);
    if (level?.tick !== tick) {
      level = { tick, ranks: [], queue: [], head: 0, live: 0, openLots: 0n };
      this.#levels.splice(at, 0, level);
      this.#own?.add(level);
    }
    const slot = slotOf(level, order.rank);
    const before = level.queue[slot];
    if (level.ranks[slot] === order.rank) {
      level.queue[slot] = order;
    } else if (slot === level.ranks.length) {
      level.ranks.push(order.rank);
      level.queue.push(order);
    } else {
      level.ranks.splice(slot, 0, order.rank);
      level.queue.splice(slot, 0, order);
    }
    if (before?.id === order.id) level.openLots -= remaining(before);
    else level.live += 1;
    level.openLots += remaining(order);
    level.head = Math.min(level.head, slot);
  }

  remove(order: Order): void {
    const at = this.#levelAt(yesTick(order));
    const level = this.#toWrite(at);
    if (level?.tick !== yesTick(order)) return;
    const slot = slotOf(level, order.rank);
    const before = level.queue[slot];
    if (before?.id !== order.id) return;
    level.queue[slot] = undefined;
    level.live -= 1;
    level.openLots -= remaining(before);
    if (level.live === 0) {
      this.#levels.splice(at, 1);
      return;
    }
    while (level.queue[level.head] === undefined) level.head += 1;
    if (level.queue.length > 64 && level.live * 2 < level.queue.length) closeHoles(level);
  }

  #toWrite(at: number): PriceLevel | undefined {
    const level = this.#levels[at];
    if (this.#own === undefined || level === undefined || this.#own.has(level)) return level;
    const copy = copied(level);
    this.#levels[at] = copy;
    this.#own.add(copy);
    return copy;
  }

  *orders(): Iterable<Order> {
    for (const { queue } of this.#levels.toReversed()) {
      for (const order of queue) if (order !== undefined) yield order;
    }
  }

  at(tick: Tick): Depth | undefined {
    const level = this.#levels[this.#levelAt(tick)];
    return level?.tick === tick ? depthOf(level) : undefined;
  }

  *depth(): Iterable<Depth> {
    for (const level of this.#levels.toReversed()) yield depthOf(level);
  }

  /** Where the level of `tick` is, or where it would be put. */
  #levelAt(tick: Tick): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = this.#levels[middle];
      if (level !== undefined && (level.tick - tick) * this.#direction < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const copied = (level: PriceLevel): PriceLevel => ({
  ...level,
  ranks: level.ranks.slice(),
  queue: level.queue.slice(),
});

const depthOf = ({ tick, openLots, live }: PriceLevel): Depth => ({
  tick,
  lots: lots(openLots),
  orders: live,
});

/** Where `rank` is in the level, or where it would be put; holes have kept their ranks. */
function slotOf(level: PriceLevel, rank: number): number {
  let low = 0;
  let high = level.ranks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((level.ranks[middle] ?? 0) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Once they outnumber the orders, wherever they are: what left has paid for the moving. */
function closeHoles(level: PriceLevel): void {
  let kept = 0;
  for (const order of level.queue) {
    if (order === undefined) continue;
    level.queue[kept] = order;
    level.ranks[kept] = order.rank;
    kept += 1;
  }
  level.queue.length = kept;
  level.ranks.length = kept;
  level.head = 0;
}
