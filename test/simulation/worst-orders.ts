// The ends that a position may come to when any of its open orders fill: the auditor's own
// geometry.
// Invariant: nothing of the core is called; the ends that are left out are worse under no margin
// that is convex in the position.
import type { Order } from "#core/records.ts";

/** Lots by which the position moves, and cash that leaves by then. */
interface End {
  readonly lots: bigint;
  readonly paid: bigint;
}

/** Without an order. */
export const unmoved: readonly End[] = [{ lots: 0n, paid: 0n }];

export const buysYes = ({ side, outcomeIndex }: Order): boolean =>
  (side === "BUY") === (outcomeIndex === 0);

/**
 * Each order is a step in the plane of lots and cash, and a subset of them ends at the sum of its
 * steps. Of all these ends only the upper edge can be the worst: it leads from all sales to all
 * purchases, the step that costs most a lot first, where a sale that does not fill is a step back.
 */
export function endsOf(orders: readonly Order[], feeBps: number): readonly End[] {
  const steps = orders.map((order) => stepOf(order, feeBps));
  const sales = steps.filter(({ lots }) => lots < 0n);
  const forward = steps.map(({ lots, paid }) =>
    lots < 0n ? { lots: -lots, paid: -paid } : { lots, paid },
  );
  const dearestFirst = forward.toSorted((a, b) => {
    const [one, other] = [a.paid * b.lots, b.paid * a.lots];
    return one === other ? 0 : one > other ? -1 : 1;
  });
  const ends = [sales.reduce(together, { lots: 0n, paid: 0n })];
  for (const step of dearestFirst) ends.push(together(ends.at(-1) ?? step, step));
  return ends;
}

const together = (a: End, b: End): End => ({ lots: a.lots + b.lots, paid: a.paid + b.paid });

/** Its price and its fee: on the rest of an order that was filled in part it is rounded down. */
function stepOf(order: Order, feeBps: number): End {
  const { amountLots, filledLots, outcomeIndex, priceTick, mandateId } = order;
  const left = amountLots - filledLots;
  const yes = BigInt(outcomeIndex === 0 ? priceTick : 10_000 - priceTick);
  const charged = [yes, 10_000n - yes].reduce((a, b) => (a < b ? a : b));
  const parts = left * (charged < 100n ? 100n : charged) * BigInt(feeBps);
  const rounding = filledLots === 0n ? 9_999n : 0n;
  const fee = mandateId === undefined ? (parts + rounding) / 10_000n : 0n;
  return buysYes(order)
    ? { lots: left, paid: left * yes + fee }
    : { lots: -left, paid: fee - left * yes };
}
