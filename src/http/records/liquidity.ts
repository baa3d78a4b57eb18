// A market's liquidity as JSON, on the market itself and where a position is asked about.
// Invariant: USD and prices are written from integers.
import { type Static, Type } from "typebox";
import { usdNumber } from "#base/money.ts";
import { fractionOf } from "#core/rules.ts";
import type { Liquidity } from "#views/liquidity.ts";

export const LiquidityRecord = Type.Object(
  {
    resting: Type.Number({ description: "USD of coverage resting on both sides of the book" }),
    providers: Type.Integer({ description: "accounts with resting orders" }),
    spread: Type.Union([Type.Number(), Type.Null()], {
      description: "best ask less best bid; null where a side is empty",
    }),
    sufficient: Type.Boolean({ description: "all three as its index kind requires" }),
  },
  { title: "Liquidity" },
);

export const liquidityRecord = (liquidity: Liquidity): Static<typeof LiquidityRecord> => ({
  resting: usdNumber(liquidity.restingMicros),
  providers: liquidity.providers,
  spread: liquidity.spreadTicks === null ? null : fractionOf(liquidity.spreadTicks),
  sufficient: liquidity.sufficient,
});
