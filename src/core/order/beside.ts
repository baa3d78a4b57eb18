// The sizes that limits are asked of, with the orders of a batch open beside an account's own, one by one.
// Invariant: an order costs the look-up of its own market, however many came before it.
import type { AccountId, MarketId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import { MICROS_PER_LOT } from "#base/quantity.ts";
import { buysYes, isOpen, remaining } from "../book/order.ts";
import { type OpenLots, worstLots } from "../margin/one-market.ts";
import type { Order } from "../records.ts";
import type { ExposureSums } from "../state.ts";

/** Of one market, and over all of them. */
export interface Sizes {
  readonly here: OpenLots;
  readonly coverageMicros: Micros;
  readonly openPositions: number;
  readonly openOrders: number;
}

type Totals = Omit<Sizes, "here">;

export class Beside {
  readonly #exposures: Pick<ExposureSums, "lotsIn">;
  readonly #account: AccountId;
  /** Of markets that an order has been added in. */
  readonly #lots = new Map<MarketId, OpenLots>();
  #totals: Totals;

  constructor(exposures: Pick<ExposureSums, "lotsIn" | "totals">, account: AccountId) {
    this.#exposures = exposures;
    this.#account = account;
    this.#totals = exposures.totals(account);
  }

  /** As it is with the orders that were added. */
  before(market: MarketId): Sizes {
    return { ...this.#totals, here: this.#here(market) };
  }

  /** With this order too; `replaced` is an open one of its market, which it takes the place of. */
  with(order: Order, replaced?: Order): Sizes {
    const before = this.#here(order.marketId);
    const without = replaced === undefined ? before : changed(before, replaced, -1n);
    const here = changed(without, order, 1n);
    const [worst, worstBefore] = [worstLots(here), worstLots(before)];
    const { coverageMicros, openPositions, openOrders } = this.#totals;
    const open = Number(isOpen(order)) - Number(replaced !== undefined && isOpen(replaced));
    return {
      here,
      coverageMicros: micros(coverageMicros + (worst - worstBefore) * MICROS_PER_LOT),
      openPositions: openPositions + Number(worst !== 0n) - Number(worstBefore !== 0n),
      openOrders: openOrders + open,
    };
  }

  add(order: Order): void {
    const { here, ...totals } = this.with(order);
    this.#lots.set(order.marketId, here);
    this.#totals = totals;
  }

  #here(market: MarketId): OpenLots {
    return this.#lots.get(market) ?? this.#exposures.lotsIn(this.#account, market);
  }
}

function changed({ heldLots, buyLots, sellLots }: OpenLots, order: Order, sign: bigint): OpenLots {
  if (!isOpen(order)) return { heldLots, buyLots, sellLots };
  const more = sign * remaining(order);
  return buysYes(order)
    ? { heldLots, buyLots: buyLots + more, sellLots }
    : { heldLots, buyLots, sellLots: sellLots + more };
}
