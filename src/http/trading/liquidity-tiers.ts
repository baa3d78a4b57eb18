// GET /api/liquidity/tiers and tiers/:tier: size, volume, margin and fee of each tier.
// Invariant: every figure is of the rules in force.
import { type Static, Type } from "typebox";
import { usdNumber } from "#base/money.ts";
import { kycTiers } from "#core/records.ts";
import { fractionOf, type TierRules } from "#core/rules.ts";
import { refuse } from "../route/errors.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

type TierPorts = Pick<TradingPorts, "view">;

const LiquidityTier = Type.Object(
  {
    tier: Type.String(),
    maxPositionSize: Type.Number({ description: "USD of coverage in one market" }),
    maxDailyVolume: Type.Number({ description: "USD of coverage in a UTC day" }),
    maxOpenPositions: Type.Integer(),
    marginRequirement: Type.Number({ description: "fraction of 1 − mark" }),
    tradingFee: Type.Number({ description: "fraction" }),
  },
  { title: "LiquidityTier" },
);

const tierRecord = (tier: TierRules): Static<typeof LiquidityTier> => ({
  tier: tier.liquidityTier,
  maxPositionSize: usdNumber(tier.maxPositionSizeMicros),
  maxDailyVolume: usdNumber(tier.maxDailyVolumeMicros),
  maxOpenPositions: tier.maxOpenPositions,
  marginRequirement: fractionOf(tier.requirementBps),
  tradingFee: fractionOf(tier.feeBps),
});

const tiersOf = ({ view }: TierPorts): readonly TierRules[] =>
  kycTiers.map((tier) => view.rules.tiers[tier]);

export const tierNamed = (ports: TierPorts, name: string): TierRules | undefined =>
  tiersOf(ports).find(({ liquidityTier }) => liquidityTier === name);

export const listTiers = (ports: TierPorts): Route =>
  trading.read({
    url: "/api/liquidity/tiers",
    access: "read:markets",
    summary: "Liquidity tiers: size, volume, margin and fee",
    params: nothing,
    query: nothing,
    data: Type.Array(LiquidityTier),
    read: () => ({ data: tiersOf(ports).map(tierRecord) }),
  });

export const showTier = (ports: TierPorts): Route =>
  trading.read({
    url: "/api/liquidity/tiers/:tier",
    access: "read:markets",
    summary: "One liquidity tier",
    params: Type.Object({ tier: Type.String() }),
    query: nothing,
    data: LiquidityTier,
    read: ({ params }) => {
      const tier = tierNamed(ports, params.tier);
      return tier === undefined ? refuse("NOT_FOUND") : { data: tierRecord(tier) };
    },
  });
