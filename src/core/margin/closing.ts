// The orders an account below its initial margin may place: none that lowers its margin health.
// Invariant: (cash − liabilities) / maintenance is no lower after the fill of an order that passes,
// nor after any part of it, so no accomplice is paid what the rest of the shorts needs.
import { invariant } from "#base/invariant.ts";
import type { Micros } from "#base/money.ts";
import { complement, isTick, MAX_TICK, MIN_TICK, type Tick } from "#base/price.ts";
import { costOf } from "#base/quantity.ts";
import { buysYes, remaining, yesTick } from "../book/order.ts";
import type { Order } from "../records.ts";
import type { Standing } from "./exposure.ts";
import { feeHeld } from "./fee.ts";
import { PARTS_PER_MICRO } from "./requirement.ts";
import type { ShortTotals } from "./sums.ts";

/** Closing a position whole at mark and initial margin a lot leaves an account that is not so. */
export const isBelowInitial = (
  cash: Micros,
  { liabilityParts, initialParts }: ShortTotals,
): boolean => cash * PARTS_PER_MICRO < liabilityParts + initialParts;

/**
 * Whether the order, filled at its own price after every other order of `standing`, leaves a lower
 * health than `cash` and `totals` have. A better price leaves a better one.
 */
export function lowersHealth(
  cash: Micros,
  { liabilityParts, maintenanceParts }: ShortTotals,
  order: Order,
  standing: Standing,
): boolean {
  const { liability, maintenanceAt, feeBps } = standing;
  const cost = costOf(remaining(order), yesTick(order));
  const paid = (buysYes(order) ? cost : -cost) + feeHeld(order, feeBps);
  const [from, to] = moveOf(order, standing);
  const equity = cash * PARTS_PER_MICRO - liabilityParts;
  const gained = -paid * PARTS_PER_MICRO - (shortOf(to) - shortOf(from)) * liability;
  if (maintenanceParts === 0n) return gained < 0n;
  const needed = maintenanceParts + maintenanceAt(to) - maintenanceAt(from);
  return (equity + gained) * maintenanceParts < equity * needed;
}

/** The position before and after the order, filled after every other one of its side. */
function moveOf(
  order: Order,
  { heldLots, buyLots, sellLots }: Standing,
): readonly [from: bigint, to: bigint] {
  const quantity = remaining(order);
  const from = buysYes(order) ? heldLots + buyLots : heldLots - sellLots;
  return [from, buysYes(order) ? from + quantity : from - quantity];
}

const shortOf = (held: bigint): bigint => (held < 0n ? -held : 0n);

/** The YES price nearest to the order's own at which it would pass; undefined where none does. */
export function priceThatPasses(
  order: Order,
  lowersAt: (order: Order) => boolean,
): Tick | undefined {
  const at = (tick: number): Order => ({ ...order, priceTick: asSent(order, tick) });
  const best = buysYes(order) ? MIN_TICK : MAX_TICK;
  if (lowersAt(at(best))) return undefined;
  let [passes, fails]: [number, number] = [best, yesTick(order)];
  while (Math.abs(passes - fails) > 1) {
    const middle = Math.floor((passes + fails) / 2);
    if (lowersAt(at(middle))) fails = middle;
    else passes = middle;
  }
  return asSent(order, passes);
}

function asSent({ outcomeIndex }: Order, yes: number): Tick {
  invariant(isTick(yes), `${yes} lies between two prices`);
  return outcomeIndex === 0 ? yes : complement(yes);
}
