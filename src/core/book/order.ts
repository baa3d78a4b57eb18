// An order seen from the one YES book: which side it is on, at which YES price, and what is left.
// Invariant: BUY NO at p is SELL YES at 1−p, and SELL NO at p is BUY YES at 1−p.
import type { MarketId } from "#base/ids.ts";
import { complement, type Tick } from "#base/price.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { CancelReason, Order } from "../records.ts";

/** A price of a market's one book after a change; nothing open there = gone. */
export interface BookLevel {
  readonly marketId: MarketId;
  readonly side: "bid" | "ask";
  /** In YES terms. */
  readonly tick: Tick;
  readonly openLots: Lots;
  readonly orders: number;
}

type PricedSide = Pick<Order, "side" | "outcomeIndex" | "priceTick">;

export const buysYes = (order: Pick<PricedSide, "side" | "outcomeIndex">): boolean =>
  (order.side === "BUY") === (order.outcomeIndex === 0);

export const yesTick = (order: PricedSide): Tick =>
  order.outcomeIndex === 0 ? order.priceTick : complement(order.priceTick);

export const remaining = (order: Order): Lots => lots(order.amountLots - order.filledLots);

export const isOpen = (order: Order): boolean =>
  order.status === "OPEN" || order.status === "PARTIALLY_FILLED";

/** Would an incoming order trade with this resting one? */
export const crosses = (order: Order, resting: Order): boolean =>
  buysYes(order) ? yesTick(resting) <= yesTick(order) : yesTick(resting) >= yesTick(order);

export const cancelled = (order: Order, reason: CancelReason): Order => ({
  ...order,
  status: "CANCELLED",
  cancelReason: reason,
});

export function filled(order: Order, quantity: Lots): Order {
  const filledLots = lots(order.filledLots + quantity);
  return {
    ...order,
    filledLots,
    status: filledLots === order.amountLots ? "FILLED" : "PARTIALLY_FILLED",
  };
}
