// Forgetting: the command that falls due, and the order that leaves in the command it came in.
// Invariant: what leaves is told by an event of a journalled command, so every node forgets alike;
// the journal keeps all of it.
import { isOpen } from "./book/order.ts";
import { DONE_KEPT_MILLIS, IDLE_KEPT_MILLIS, MOST_FORGOTTEN } from "./leaving.ts";
import type { Order } from "./records.ts";
import { emit, type Step } from "./step.ts";

/** Drops the records that are due to leave now. Orders leave before the markets they were in. */
export function forget(step: Step): undefined {
  const { state, nowMillis } = step;
  const rfqIds = olderThan(state.doneRfqs, nowMillis - DONE_KEPT_MILLIS);
  if (rfqIds.length > 0) emit(step, { type: "RfqsForgotten", rfqIds });
  const orderIds = olderThan(state.done, nowMillis - DONE_KEPT_MILLIS);
  if (orderIds.length > 0) emit(step, { type: "OrdersForgotten", orderIds });
  if (orderIds.length === MOST_FORGOTTEN) return;
  const marketIds = olderThan(state.idle, nowMillis - IDLE_KEPT_MILLIS);
  if (marketIds.length > 0) emit(step, { type: "MarketsForgotten", marketIds });
}

function olderThan<Id>(times: ReadonlyMap<Id, number>, millis: number): readonly Id[] {
  const old: Id[] = [];
  for (const [id, atMillis] of times) {
    if (atMillis > millis || old.length === MOST_FORGOTTEN) break;
    old.push(id);
  }
  return old;
}

/** An order that ended as it came, and traded nothing, takes no room that anybody else needs. */
export function forgetUnfilled(step: Step, order: Order): void {
  if (isOpen(order) || order.filledLots > 0n) return;
  emit(step, { type: "OrdersForgotten", orderIds: [order.id] });
}
