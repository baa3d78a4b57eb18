// The price of an auction in the reference model: every one of the grid is tried.
// Invariant: nothing of src/core is called; only its types are shared.
import type { AccountId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { sum } from "./model-ledger.ts";
import { buysYes, left, type ModelOrder, yesTick } from "./model-order.ts";

interface ModelUncross {
  readonly price: number;
  readonly volume: bigint;
  readonly surplus: bigint;
  /** From the mark. */
  readonly away: number;
}

/** `one` is at the higher price. */
function isBetter(one: ModelUncross, other: ModelUncross): boolean {
  const [more, less] = [size(one.surplus), size(other.surplus)];
  if (one.volume !== other.volume) return one.volume > other.volume;
  return more === less ? one.away < other.away : more < less;
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);

/** Of every price: most trades, then least is left over, then nearest the mark, then lower. */
export function bestPriceOf(open: readonly ModelOrder[], markTick: Tick): ModelUncross | undefined {
  let best: ModelUncross | undefined;
  // Below every seller, or above every buyer, nothing trades.
  const from = Math.min(...open.map((one) => (buysYes(one) ? 10_000 : yesTick(one))));
  const to = Math.max(...open.map((one) => (buysYes(one) ? yesTick(one) : 0)));
  for (let price = from; price <= to; price += 1) {
    const bought = sum(open, (one) => (buysYes(one) && yesTick(one) >= price ? left(one) : 0n));
    const sold = sum(open, (one) => (!buysYes(one) && yesTick(one) <= price ? left(one) : 0n));
    const volume = bought < sold ? bought : sold;
    const one = { price, volume, surplus: bought - sold, away: Math.abs(price - markTick) };
    if (volume > 0n && (best === undefined || isBetter(one, best))) best = one;
  }
  return best;
}

/**
 * Each with no more left than its account may trade today, after those of its account that stand
 * before it; sellers first, and on each side the best first. One that meets nobody is as it was.
 */
export function withinDays(
  sides: readonly [readonly ModelOrder[], readonly ModelOrder[]],
  roomOf: (account: AccountId) => bigint,
): readonly ModelOrder[] {
  return sides.flatMap((side, which) => {
    const [best] = sides[1 - which] ?? [];
    return side.flatMap((order, at) => {
      const ahead = side.slice(0, at).filter((one) => one.accountId === order.accountId);
      const room = roomOf(order.accountId) - sum(ahead, left);
      if (best === undefined || !meet(order, best) || room >= left(order)) return [order];
      return room <= 0n ? [] : [{ ...order, amountLots: lots(order.filledLots + room) }];
    });
  });
}

/** A price of both is between theirs. */
export const meet = (order: ModelOrder, other: ModelOrder): boolean =>
  buysYes(order) ? yesTick(other) <= yesTick(order) : yesTick(other) >= yesTick(order);
