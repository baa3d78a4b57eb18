// An order as the reference model reads it: its side and price in the YES book, what is left, and
// what orders may cost at worst. Written from the rules; whole numbers only.
// Invariant: nothing of src/core is called; only its types are shared.
import type { OrderId } from "#base/ids.ts";
import { complement, type Tick } from "#base/price.ts";
import type { OrderName } from "#core/order/named.ts";
import type { Order } from "#core/records.ts";
import { ceilDiv } from "#test/simulation/arithmetic.ts";
import { sum } from "./model-ledger.ts";

export type ModelOrder = Omit<Order, "clientOrderId" | "createdAtMillis" | "rank">;

/** The most a lot pays. */
export const FACE_MICROS = 10_000n;

export const isOpen = ({ status }: ModelOrder): boolean =>
  status === "OPEN" || status === "PARTIALLY_FILLED";

export const left = ({ amountLots, filledLots }: ModelOrder): bigint => amountLots - filledLots;

/** A seller of NO buys YES. */
export const buysYes = ({ side, outcomeIndex }: ModelOrder): boolean =>
  outcomeIndex === 0 ? side === "BUY" : side === "SELL";

export const yesTick = ({ outcomeIndex, priceTick }: ModelOrder): Tick =>
  outcomeIndex === 0 ? priceTick : complement(priceTick);

/** The largest position, of either side, that they could end in, by what it pays at most. */
export function furthest(held: bigint, orders: readonly ModelOrder[]): bigint {
  const open = orders.filter(isOpen);
  const bought = sum(open, (one) => (buysYes(one) ? left(one) : 0n));
  const sold = sum(open, (one) => (buysYes(one) ? 0n : left(one)));
  const [long, short] = [held + bought, sold - held];
  return FACE_MICROS * (long > short ? long : short);
}

/** The pair is given no orders with references of their own. */
export function idIn(name: OrderName): OrderId {
  if ("orderId" in name) return name.orderId;
  throw new Error(`the model knows no reference such as ${name.clientOrderId}`);
}

/** The base of a fee: the lower of the two outcomes' prices, and a cent at least. */
export function feeBase(lots: bigint, tick: Tick): bigint {
  const lower = tick < 5_000 ? tick : 10_000 - tick;
  return lots * BigInt(lower < 100 ? 100 : lower);
}

/**
 * The most that any subset of the orders, each filled whole, takes out of the cash or leaves to be
 * covered: a short of a lot is covered with all it may have to pay.
 */
export function worst(held: bigint, orders: readonly ModelOrder[], feeBps: number): bigint {
  const [first, ...others] = orders;
  if (first === undefined) return held < 0n ? -held * FACE_MICROS : 0n;
  const unfilled = worst(held, others, feeBps);
  const sign = buysYes(first) ? 1n : -1n;
  const filled = paidFor(first, feeBps) + worst(held + sign * left(first), others, feeBps);
  return filled > unfilled ? filled : unfilled;
}

/** Cash that leaves when it fills; below zero, cash that comes. */
export const paidFor = (order: ModelOrder, feeBps: number): bigint =>
  (buysYes(order) ? 1n : -1n) * left(order) * BigInt(yesTick(order)) + feeHeld(order, feeBps);

/** Rounded up for a whole order; down for a rest, whose first fee was rounded up already. */
function feeHeld(order: ModelOrder, feeBps: number): bigint {
  const base = feeBase(left(order), yesTick(order)) * BigInt(feeBps);
  return order.filledLots === 0n ? ceilDiv(base, 10_000n) : base / 10_000n;
}
