// GET /api/liquidity/fee-estimate: what a tier's fee on an amount is.
// Invariant: a fee without a price is exact; one with a price is what trading takes.
import { Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import { MOST_MICROS, micros, parseMicros, usdNumber } from "#base/money.ts";
import { parseTick } from "#base/price.ts";
import { faceOf, parseLots } from "#base/quantity.ts";
import { divHalfUp } from "#base/rounding.ts";
import { feeBase, feeOn } from "#core/margin/fee.ts";
import type { TierRules } from "#core/rules.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { tierNamed } from "./liquidity-tiers.ts";
import type { TradingPorts } from "./ports.ts";

const AMOUNT = "a plain decimal from 0 to 1000000000000 with at most 6 decimals";

const PRICE = "a price an order may have: 0.0001 to 0.9999, with at most 4 decimals";
const QUANTITY = "with a price, an amount that an order may have: from 0.01, with 2 decimals";

/** Of an amount as it is; with a price, what an order that takes is charged. */
export const estimateFee = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: "/api/liquidity/fee-estimate",
    access: "read:markets",
    summary: "Shows what a tier's fee on an amount is",
    params: nothing,
    query: closed({
      amount: Type.String({ minLength: 1, maxLength: 32, description: AMOUNT }),
      tier: Type.Enum(["basic", "standard", "institutional"], {
        description: "basic, standard or institutional",
      }),
      price: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: PRICE })),
    }),
    data: Type.Object(
      {
        fee: Type.Number(),
        netAmount: Type.Number(),
        amount: Type.Number(),
        tier: Type.String(),
        feePercent: Type.String(),
      },
      { title: "FeeEstimate" },
    ),
    read: ({ query }) => {
      const amount = parseMicros(query.amount);
      if (amount === undefined || amount < 0n || amount > MOST_MICROS) {
        return invalidField("amount", `must be ${AMOUNT}`);
      }
      const tier = tierNamed(ports, query.tier);
      if (tier === undefined) return refuse("NOT_FOUND");
      if (query.price !== undefined) return tradingFee(query.amount, query.price, tier);
      const fee = amount * BigInt(tier.feeBps);
      return {
        data: {
          fee: exact(fee),
          netAmount: exact(amount * 10_000n - fee),
          amount: usdNumber(amount),
          tier: tier.liquidityTier,
          feePercent: `${(tier.feeBps / 100).toFixed(2)}%`,
        },
      };
    },
  });

/** By the fee that the core charges, on contracts at a price. */
function tradingFee(amount: string, price: string, tier: TierRules) {
  const tick = parseTick(price);
  if (tick === undefined) return invalidField("price", `must be ${PRICE}`);
  const lots = parseLots(amount);
  if (lots === undefined) return invalidField("amount", `must be, ${QUANTITY}`);
  const face = faceOf(lots);
  const fee = feeOn(feeBase(lots, tick), tier.feeBps);
  return {
    data: {
      fee: usdNumber(fee),
      netAmount: usdNumber(micros(face - fee)),
      amount: usdNumber(face),
      tier: tier.liquidityTier,
      feePercent: `${(Number(divHalfUp(fee * 10_000n, face)) / 100).toFixed(2)}%`,
    },
  };
}

/** Micro-dollars times basis points. */
const exact = (value: bigint): number => Number(formatDecimal(value, 10));
