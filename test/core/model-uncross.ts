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

/** Lots that an account may still trade in a market. */
interface ModelRoom {
  today(account: AccountId): bigint;
  /** Lots that an order on this side could take off its position. */
  reducible(order: ModelOrder): bigint;
}

/**
 * Each with no more left than its account may trade today, after those of its account that stand
 * before it; and one that only reduces, no more than these leave of the position. Sellers first,
 * and on each side the best first. One that meets nobody is as it was.
 */
export function givableOf(
  sides: readonly [readonly ModelOrder[], readonly ModelOrder[]],
  { today, reducible }: ModelRoom,
): { readonly given: readonly ModelOrder[]; readonly beyond: readonly ModelOrder[] } {
  const beyond: ModelOrder[] = [];
  const given = sides.flatMap((side, which) => {
    const [best] = sides[1 - which] ?? [];
    const taken = new Map<AccountId, bigint>();
    return side.flatMap((order) => {
      if (best === undefined || !meet(order, best)) return [order];
      const before = taken.get(order.accountId) ?? 0n;
      const reduces = reducible(order) - before;
      const wanted = order.reduceOnly && reduces < left(order) ? reduces : left(order);
      const room = today(order.accountId) - before;
      if (room < wanted) beyond.push(order);
      const gives = room < wanted ? room : wanted;
      taken.set(order.accountId, before + (gives > 0n ? gives : 0n));
      if (gives >= left(order)) return [order];
      return gives <= 0n ? [] : [{ ...order, amountLots: lots(order.filledLots + gives) }];
    });
  });
  return { given, beyond };
}

/** A price of both is between theirs. */
export const meet = (order: ModelOrder, other: ModelOrder): boolean =>
  buysYes(order) ? yesTick(other) <= yesTick(order) : yesTick(other) >= yesTick(order);
