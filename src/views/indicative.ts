// The indicative of an auction, as its price, volume and surplus are shown.
// Invariant: nobody's order can be told from it but by its size.
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import type { Indicative } from "#core/market/window-times.ts";

export interface IndicativeShown {
  readonly price: number;
  readonly volume: string;
  /** Below zero of sellers. */
  readonly surplus: string;
}

export const indicativeShown = ({
  tick,
  volumeLots,
  surplusLots,
}: Indicative): IndicativeShown => ({
  price: tickPrice(tick),
  volume: formatLots(volumeLots),
  surplus: formatLots(surplusLots),
});
