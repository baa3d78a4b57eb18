// A fill as one of its two parties saw it: its own side, outcome and price, and its own fee.
// Invariant: nothing here names the other party or its order.
import { type Static, Type } from "typebox";
import { formatMicros } from "#base/money.ts";
import { complement, tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import type { OwnFill } from "#views/own-entries.ts";

export const FillRecord = Type.Object(
  {
    id: Type.String(),
    orderId: Type.String(),
    marketId: Type.String(),
    outcomeIndex: Type.Integer(),
    side: Type.Enum(["BUY", "SELL"]),
    amount: Type.String(),
    price: Type.Number({ description: "of the order's own outcome" }),
    fee: Type.String(),
    liquidity: Type.Enum(["maker", "taker"]),
    sequence: Type.Integer({ description: "of the journal's entry" }),
    timestamp: Type.Integer(),
  },
  { title: "Fill" },
);

export function fillRecord(
  { fill, order, liquidity, feeMicros }: OwnFill,
  sequence: number,
): Static<typeof FillRecord> {
  const tick = order.outcomeIndex === 0 ? fill.yesTick : complement(fill.yesTick);
  return {
    id: fill.id,
    orderId: order.id,
    marketId: fill.marketId,
    outcomeIndex: order.outcomeIndex,
    side: order.side,
    amount: formatLots(fill.amountLots),
    price: tickPrice(tick),
    fee: formatMicros(feeMicros),
    liquidity,
    sequence,
    timestamp: Math.floor(fill.timeMillis / 1000),
  };
}
