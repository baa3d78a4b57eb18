// The orders that are here, by number, in pages: no map's end bounds how many orders there may be.
// Invariant: orders are told in the order in which they came; a page without orders is not kept.
import { type OrderId, orderNumber } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { Layerable } from "#base/layer.ts";
import type { Order } from "../records.ts";

/** Numbers a page spans. */
export const PAGE_ORDERS = 65_536;

/**
 * With so many, a page becomes an array of all its places; with a quarter of them, a map again: one
 * order that stays for years must not keep half a megabyte.
 */
const MANY = 4_096;
const FEW = MANY / 4;

/** As readers see them. */
export interface Orders {
  readonly size: number;
  get(id: OrderId): Order | undefined;
  has(id: OrderId): boolean;
  values(): Iterable<Order>;
}

/** A number, and the higher one that it stands behind. */
export type Late = readonly [number: number, after: number];

export class OrderPages extends Layerable implements Orders {
  readonly #pages = new Map<number, OrderPage>();
  /**
   * By number, in the order they came: orders that came after one with a higher number, and the
   * highest that had come by then. The order that meets a mandate comes after what it met.
   */
  readonly #late = new Map<number, number>();
  #newest = -1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: OrderId): Order | undefined {
    const order = this.#at(orderNumber(id));
    return order?.id === id ? order : undefined;
  }

  has(id: OrderId): boolean {
    return this.get(id) !== undefined;
  }

  set(order: Order): void {
    const number = orderNumber(order.id);
    invariant(number >= 0, `${order.id} is an order's id`);
    if (number > this.#newest) this.#newest = number;
    else if (this.#at(number) === undefined) this.#late.set(number, this.#newest);
    this.#put(number, order);
  }

  delete(id: OrderId): void {
    if (!this.has(id)) return;
    this.#late.delete(orderNumber(id));
    this.#put(orderNumber(id), undefined);
  }

  /** In the order they came. */
  *values(): Generator<Order, undefined> {
    const late = [...this.#late];
    let next = 0;
    for (const at of this.pageNumbers()) {
      for (const order of this.between(at * PAGE_ORDERS, (at + 1) * PAGE_ORDERS)) {
        const number = orderNumber(order.id);
        if (this.#late.has(number)) continue;
        for (; (late[next]?.[1] ?? number) < number; next += 1) yield* this.#one(late[next]?.[0]);
        yield order;
      }
    }
    for (; next < late.length; next += 1) yield* this.#one(late[next]?.[0]);
  }

  /** Orders that stand behind one with a higher number that is here, in the order they came. */
  *late(): Generator<Late, undefined> {
    for (const [number, newest] of this.#late) {
      let after = newest;
      while (after > number && this.#at(after) === undefined) after -= 1;
      if (after > number) yield [number, after];
    }
  }

  /** Into pages whose orders were put in the order of their numbers. */
  putLate(late: Iterable<Late>): void {
    for (const [number, after] of late) this.#late.set(number, after);
  }

  /** Those with a number from `first` to before `end`, both of one page; in that order. */
  between(first: number, end: number): Iterable<Order> {
    const at = Math.floor(first / PAGE_ORDERS);
    const page = this.#pages.get(at);
    return page?.between(first - at * PAGE_ORDERS, end - at * PAGE_ORDERS) ?? [];
  }

  /** Of the pages that hold orders, ascending. */
  pageNumbers(): readonly number[] {
    return [...this.#pages.keys()].sort((a, b) => a - b);
  }

  override layer(): OrderPages {
    return new OrderLayer(this);
  }

  /** The same orders, told in the same order, in pages of its own. */
  copy(): OrderPages {
    const copy = new OrderPages();
    for (const [at, page] of this.#pages) copy.#pages.set(at, page.copy());
    for (const [number, after] of this.#late) copy.#late.set(number, after);
    copy.#newest = this.#newest;
    copy.#size = this.#size;
    return copy;
  }

  #at(number: number): Order | undefined {
    const at = Math.floor(number / PAGE_ORDERS);
    return this.#pages.get(at)?.get(number - at * PAGE_ORDERS);
  }

  *#one(number = -1): Generator<Order, undefined> {
    const order = this.#at(number);
    if (order !== undefined) yield order;
  }

  #put(number: number, order: Order | undefined): void {
    const at = Math.floor(number / PAGE_ORDERS);
    const page = this.#pages.get(at) ?? new OrderPage();
    if (page.size === 0) this.#pages.set(at, page);
    this.#size += page.put(number - at * PAGE_ORDERS, order);
    if (page.size === 0) this.#pages.delete(at);
  }
}

class OrderPage {
  size = 0;
  /** By place, while there are many. */
  #all: (Order | undefined)[] | undefined;
  #few = new Map<number, Order>();

  get(place: number): Order | undefined {
    return this.#all === undefined ? this.#few.get(place) : this.#all[place];
  }

  copy(): OrderPage {
    const copy = new OrderPage();
    copy.size = this.size;
    copy.#all = this.#all?.slice();
    copy.#few = new Map(this.#few);
    return copy;
  }

  /** How many more there are now. */
  put(place: number, order: Order | undefined): number {
    const more = (order === undefined ? 0 : 1) - (this.get(place) === undefined ? 0 : 1);
    this.size += more;
    if (this.#all !== undefined) this.#all[place] = order;
    else if (order !== undefined) this.#few.set(place, order);
    else this.#few.delete(place);
    if (this.#all === undefined && this.size >= MANY) this.#spread();
    else if (this.#all !== undefined && this.size <= FEW) this.#gather(this.#all);
    return more;
  }

  *between(from: number, end: number): Generator<Order, undefined> {
    if (this.#all === undefined) {
      const places = [...this.#few.keys()].filter((place) => place >= from && place < end);
      for (const place of places.sort((a, b) => a - b)) {
        const order = this.#few.get(place);
        if (order !== undefined) yield order;
      }
      return;
    }
    for (let place = from; place < end; place += 1) {
      const order = this.#all[place];
      if (order !== undefined) yield order;
    }
  }

  #spread(): void {
    const all = new Array<Order | undefined>(PAGE_ORDERS).fill(undefined);
    for (const [place, order] of this.#few) all[place] = order;
    this.#all = all;
    this.#few = new Map();
  }

  #gather(all: readonly (Order | undefined)[]): void {
    for (const [place, order] of all.entries())
      if (order !== undefined) this.#few.set(place, order);
    this.#all = undefined;
  }
}

/** Over others, which must not change meanwhile: reads through, and keeps what is written. */
class OrderLayer extends OrderPages {
  readonly #below: OrderPages;
  /** Undefined = deleted here. */
  readonly #written = new Map<OrderId, Order | undefined>();
  #more = 0;

  constructor(below: OrderPages) {
    super();
    this.#below = below;
  }

  override get size(): number {
    return this.#below.size + this.#more;
  }

  override get(id: OrderId): Order | undefined {
    return this.#written.has(id) ? this.#written.get(id) : this.#below.get(id);
  }

  override set(order: Order): void {
    if (!this.has(order.id)) this.#more += 1;
    this.#written.set(order.id, order);
  }

  override delete(id: OrderId): void {
    if (!this.has(id)) return;
    this.#more -= 1;
    this.#written.set(id, undefined);
  }

  override *values(): Generator<Order, undefined> {
    for (const { id } of this.#below.values()) {
      const order = this.get(id);
      if (order !== undefined) yield order;
    }
    for (const [id, order] of this.#written) {
      if (order !== undefined && !this.#below.has(id)) yield order;
    }
  }

  override copy(): OrderPages {
    const copy = new OrderPages();
    for (const order of this.values()) copy.set(order);
    return copy;
  }

  override between(first: number, end: number): Iterable<Order> {
    return [...this.values()]
      .filter(({ id }) => orderNumber(id) >= first && orderNumber(id) < end)
      .sort((a, b) => orderNumber(a.id) - orderNumber(b.id));
  }

  override pageNumbers(): readonly number[] {
    const pages = [...this.values()].map(({ id }) => Math.floor(orderNumber(id) / PAGE_ORDERS));
    return [...new Set(pages)].sort((a, b) => a - b);
  }
}
