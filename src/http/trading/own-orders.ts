// The account's orders wherever they are: the open ones at hand, the done ones in the journal.
// Invariant: every order of the account there ever was is found here, once, as its newest durable
// entry left it; nobody else's is.
import { type AccountId, type OrderId, orderNumber } from "#base/ids.ts";
import { isOpen } from "#core/book/order.ts";
import { clientSubject, doneNumber, doneSubject } from "#core/order/filed.ts";
import type { Order } from "#core/records.ts";
import { doneIn, doneOrderIn } from "#views/done-orders.ts";
import type { TradingPorts } from "./ports.ts";

type Sources = Pick<TradingPorts, "engine" | "view">;

const FIRST_SLICE = 64;
const LATER_SLICE = 500;

/** The open ones that arrived before the order of the number `below`, newest first. */
export const openDown = (
  { view }: Pick<Sources, "view">,
  account: AccountId,
  below: number,
): readonly Order[] =>
  view
    .openOrdersOf(account)
    .filter(({ id }) => orderNumber(id) < below)
    .sort((a, b) => orderNumber(b.id) - orderNumber(a.id));

/** Newest first, those that arrived before the order of the number `below`. */
export async function* ordersDown(
  { engine, view }: Sources,
  account: AccountId,
  below: number,
): AsyncGenerator<Order> {
  // Before the journal is asked: what is done meanwhile is then in both, and shown once.
  const open = [...openDown({ view }, account, below)];
  const from = doneSubject(account, 0);
  let next = doneSubject(account, Math.min(below, Number.MAX_SAFE_INTEGER));
  for (let limit = FIRST_SLICE; ; limit = LATER_SLICE) {
    const found = await engine.history.filed({ from, below: next }, limit);
    for (const { subject, entry } of found) {
      const number = doneNumber(subject);
      while (open[0] !== undefined && orderNumber(open[0].id) > number) yield* open.splice(0, 1);
      if (open[0] !== undefined && orderNumber(open[0].id) === number) open.shift();
      yield* doneIn(entry, account).filter(({ id }) => orderNumber(id) === number);
      next = subject;
    }
    if (found.length < limit) break;
  }
  yield* open;
}

/** Those the account gave this reference, newest first: it may give one again after a day. */
export async function* ordersByClientId(
  { engine, view }: Sources,
  account: AccountId,
  clientOrderId: string,
  below: number,
): AsyncGenerator<Order> {
  const isNamed = (order: Order): boolean =>
    order.clientOrderId === clientOrderId && orderNumber(order.id) < below;
  const present = view.orderByClientId(account, clientOrderId);
  const isPresent = present !== undefined && isOpen(present) && isNamed(present);
  if (isPresent) yield present;
  const subjects = [clientSubject(account, clientOrderId)] as const;
  let before = Number.MAX_SAFE_INTEGER;
  for (let limit = FIRST_SLICE; ; limit = LATER_SLICE) {
    const range = { subjects, after: 0, before, order: "newest" } as const;
    const entries = await engine.history.touching(range, limit);
    for (const entry of entries) {
      const done = doneIn(entry, account).filter(isNamed);
      yield* done.filter(({ id }) => !isPresent || id !== present.id);
      before = entry.sequence;
    }
    if (entries.length < limit) return;
  }
}

export async function ownOrder(
  { engine, view }: Sources,
  account: AccountId,
  id: OrderId,
): Promise<Order | undefined> {
  const present = view.orders.get(id);
  if (present !== undefined) return present.accountId === account ? present : undefined;
  const number = orderNumber(id);
  if (!Number.isSafeInteger(number) || number < 1) return undefined;
  const subjects = [doneSubject(account, number)] as const;
  const range = { subjects, after: 0, before: Number.MAX_SAFE_INTEGER, order: "newest" } as const;
  const [entry] = await engine.history.touching(range, 1);
  return entry === undefined ? undefined : doneOrderIn(entry, account, id);
}
