// The orders readers find without asking the journal, and the client order ids that are taken.
// Invariant: it holds what the state holds, and an order leaves when an entry says so.
import { type AccountId, type OrderId, orderNumber } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { isOpen } from "#core/book/order.ts";
import { DONE_KEPT_MILLIS, forgetSpentIds } from "#core/leaving.ts";
import { clientOrderName } from "#core/names.ts";
import type { Order } from "#core/records.ts";
import type { State } from "#core/state.ts";
import { gather } from "./gather.ts";

export class OrdersView {
  readonly #orders = new Map<OrderId, Order>();
  /** In the order they arrived, as the open ones. */
  readonly #byAccount = new Map<AccountId, Set<OrderId>>();
  readonly #openByAccount = new Map<AccountId, Set<OrderId>>();
  /** By `clientOrderName`. */
  readonly #byClientId = new Map<string, OrderId>();
  /** As the state has them: ids of orders that have left, and since when they are taken. */
  readonly spentIds = new Map<string, number>();
  #count = 0;
  #lastRank = 0;

  static from(state: State): OrdersView {
    const view = new OrdersView();
    for (const order of state.orders.values()) view.put(order);
    for (const [name, atMillis] of state.spentIds) view.spentIds.set(name, atMillis);
    view.#count = state.orderCount;
    view.#lastRank = state.lastRank;
    return view;
  }

  /** Gives the record it had until now. */
  put(order: Order): Order | undefined {
    const { id, accountId, clientOrderId } = order;
    const before = this.#orders.get(id);
    if (before === undefined) {
      this.#count += 1;
      addTo(this.#byAccount, accountId, id);
      if (clientOrderId !== null)
        this.#byClientId.set(clientOrderName(accountId, clientOrderId), id);
    }
    this.#orders.set(id, order);
    this.#lastRank = Math.max(this.#lastRank, order.rank);
    if (isOpen(order)) addTo(this.#openByAccount, accountId, id);
    else takeFrom(this.#openByAccount, accountId, id);
    return before;
  }

  forget(ids: readonly OrderId[], timeMillis: number): void {
    for (const id of ids) this.#forgetOne(id, timeMillis);
  }

  #forgetOne(id: OrderId, timeMillis: number): void {
    const order = this.#orders.get(id);
    invariant(order !== undefined, `order ${id} is known until it is forgotten`);
    const { accountId, clientOrderId, createdAtMillis } = order;
    this.#orders.delete(id);
    takeFrom(this.#byAccount, accountId, id);
    if (clientOrderId === null) return;
    const name = clientOrderName(accountId, clientOrderId);
    this.#byClientId.delete(name);
    // It left in the command it came in: its id stays taken as long as that of any other order.
    if (createdAtMillis + DONE_KEPT_MILLIS > timeMillis) this.spentIds.set(name, createdAtMillis);
  }

  forgetSpentIds(timeMillis: number): void {
    forgetSpentIds(this, timeMillis);
  }

  get orders(): ReadonlyMap<OrderId, Order> {
    return this.#orders;
  }

  /** Open, and done so shortly ago that they are still here; in the order they arrived. */
  of(account: AccountId): Order[] {
    return gather(this.#byAccount.get(account), this.#orders);
  }

  /** In no order that matters. */
  openOf(account: AccountId): readonly Order[] {
    return gather(this.#openByAccount.get(account), this.#orders);
  }

  /** Those that arrived before the order of this number, newest first; never more than the cap. */
  openBelow(account: AccountId, number: number): readonly Order[] {
    return gather(this.#openByAccount.get(account), this.#orders)
      .filter(({ id }) => orderNumber(id) < number)
      .sort((a, b) => orderNumber(b.id) - orderNumber(a.id));
  }

  /** Of an order that is still here. */
  byClientId(account: AccountId, clientOrderId: string): Order | undefined {
    const id = this.#byClientId.get(clientOrderName(account, clientOrderId));
    return id === undefined ? undefined : this.#orders.get(id);
  }

  /** How many there have been, with those that have left, and the highest rank any has had. */
  get marks(): { readonly orderCount: number; readonly lastRank: number } {
    return { orderCount: this.#count, lastRank: this.#lastRank };
  }
}

function addTo(sets: Map<AccountId, Set<OrderId>>, account: AccountId, id: OrderId): void {
  sets.set(account, (sets.get(account) ?? new Set()).add(id));
}

function takeFrom(sets: Map<AccountId, Set<OrderId>>, account: AccountId, id: OrderId): void {
  const set = sets.get(account);
  set?.delete(id);
  if (set?.size === 0) sets.delete(account);
}
