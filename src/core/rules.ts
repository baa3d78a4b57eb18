// The rules that operators set: what each KYC tier may do, pays and posts, and when a market is
// liquid. They are a record of the state, founded with the exchange, changed by a command.
// Invariant: a limit, a rate or a requirement is read from the rules in force, from no constant.

import { formatDecimal } from "#base/decimal.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { type Micros, micros, noMoney, usdNumber } from "#base/money.ts";
import type { KycTier } from "./records.ts";

/** The rules an account of one KYC tier trades under; its liquidity tier follows from it. */
export interface TierRules {
  readonly liquidityTier: "basic" | "standard" | "institutional";
  /** KYC limits, USD of coverage: in one market, in a UTC day, over all markets. */
  readonly maxPositionMicros: Micros;
  readonly maxDailyMicros: Micros;
  readonly maxTotalMicros: Micros;
  /** The liquidity tier's own, in one market and in a UTC day. */
  readonly maxPositionSizeMicros: Micros;
  readonly maxDailyVolumeMicros: Micros;
  readonly maxOpenPositions: number;
  /** Taker fee on max(min(p, 1−p), 0.01) × quantity, 0…10,000. */
  readonly feeBps: number;
  /** Share of 1−mark that a seller posts as maintenance margin, 1…10,000; 10,000 is all of it. */
  readonly requirementBps: number;
  /** The most principal an owner may owe for premiums, where its account says nothing of it. */
  readonly creditMicros: Micros;
}

/** When a market of an index kind counts as liquid; a warning to traders, never a refusal. */
export interface LiquidityRules {
  /** USD of coverage resting in the book, both sides together. */
  readonly minLiquidityMicros: Micros;
  /** Accounts with resting orders. */
  readonly minProviders: number;
  /** Best ask less best bid, ticks. */
  readonly spreadMaxTicks: number;
}

export interface Rules {
  readonly tiers: Readonly<Record<KycTier, TierRules>>;
  readonly liquidity: Readonly<Record<IndexKind, LiquidityRules>>;
  /**
   * The most one operator can move in and out of the exchange in a UTC day, all its fundings added
   * up; above it two people have to agree.
   */
  readonly fundingLimitMicros: Micros;
  readonly bust: BustRules;
  readonly fund: FundRules;
  readonly concentration: ConcentrationRules;
  readonly price: PriceRules;
}

/** The rules that reference prices follow; everything else of a price is the model's. */
export interface PriceRules {
  /** A year's return on the margin that a seller is expected to bind. */
  readonly carryBps: number;
}

/** When a seller's part of a market, or of a state, is so large that it needs more margin. */
export interface ConcentrationRules {
  /** Of the open coverage at the last marks. */
  readonly shareBps: number;
  /** USD of coverage that nobody needs more for, however small the market. */
  readonly floorMicros: Micros;
  /** USD of maintenance for each USD of coverage beyond both; 0 = none. */
  readonly rateBps: number;
}

/** The size that the guarantee fund is to have. */
export interface FundRules {
  /** A quarter of it is the exchange's own layer. */
  readonly targetMicros: Micros;
}

/** When a fill may be busted. */
export interface BustRules {
  /** Further from the mark than this, in ticks. */
  readonly bandTicks: number;
  /** So long after it, at most a day: shorter than the notice a longer one takes. */
  readonly windowMinutes: number;
}

const usd = (dollars: number): Micros => micros(BigInt(dollars) * 1_000_000n);

const liquidity = (minLiquidity: number, minProviders: number): LiquidityRules => ({
  minLiquidityMicros: usd(minLiquidity),
  minProviders,
  spreadMaxTicks: 1_000,
});

/** Nobody needs more. */
export const noConcentration: ConcentrationRules = {
  shareBps: 2_000,
  floorMicros: usd(100_000),
  rateBps: 0,
};

/** The rules an exchange is founded with. */
export const foundingRules: Rules = {
  tiers: {
    basic: {
      liquidityTier: "basic",
      maxPositionMicros: usd(10_000),
      maxDailyMicros: usd(5_000),
      maxTotalMicros: usd(25_000),
      maxPositionSizeMicros: usd(10_000),
      maxDailyVolumeMicros: usd(5_000),
      maxOpenPositions: 10,
      feeBps: 150,
      requirementBps: 10_000,
      creditMicros: usd(0),
    },
    enhanced: {
      liquidityTier: "standard",
      maxPositionMicros: usd(250_000),
      maxDailyMicros: usd(100_000),
      maxTotalMicros: usd(1_000_000),
      maxPositionSizeMicros: usd(250_000),
      maxDailyVolumeMicros: usd(100_000),
      maxOpenPositions: 100,
      feeBps: 100,
      requirementBps: 1_000,
      creditMicros: usd(25_000),
    },
    institutional: {
      liquidityTier: "institutional",
      maxPositionMicros: usd(25_000_000),
      maxDailyMicros: usd(10_000_000),
      maxTotalMicros: usd(250_000_000),
      maxPositionSizeMicros: usd(25_000_000),
      maxDailyVolumeMicros: usd(10_000_000),
      maxOpenPositions: 2_000,
      feeBps: 50,
      requirementBps: 500,
      creditMicros: usd(250_000),
    },
  },
  liquidity: {
    zhvi: liquidity(10_000, 2),
    zori: liquidity(10_000, 2),
    vacancy: liquidity(5_000, 2),
    weather: liquidity(5_000, 2),
  },
  fundingLimitMicros: usd(1_000_000),
  bust: { bandTicks: 1_000, windowMinutes: 30 },
  fund: { targetMicros: noMoney },
  concentration: { ...noConcentration, rateBps: 1_000 },
  price: { carryBps: 400 },
};

/** The rules in USD and fractions, as an auditor and an operator read them. JSON-safe. */
export const rulesShown = (rules: Rules) => ({
  tiers: {
    basic: tierShown(rules.tiers.basic),
    enhanced: tierShown(rules.tiers.enhanced),
    institutional: tierShown(rules.tiers.institutional),
  },
  liquidity: {
    zhvi: liquidityShown(rules.liquidity.zhvi),
    zori: liquidityShown(rules.liquidity.zori),
    vacancy: liquidityShown(rules.liquidity.vacancy),
    weather: liquidityShown(rules.liquidity.weather),
  },
  fundingLimit: usdNumber(rules.fundingLimitMicros),
  bust: bustShown(rules),
  fund: fundShown(rules),
  concentration: concentrationShown(rules),
  price: priceRulesShown(rules),
});

export const priceRulesShown = (rules: Rules) => ({
  carry: fractionOf(rules.price.carryBps),
});

export const concentrationShown = (rules: Rules) => {
  const { shareBps, floorMicros, rateBps } = rules.concentration;
  return { share: fractionOf(shareBps), floor: usdNumber(floorMicros), rate: fractionOf(rateBps) };
};

export const fundShown = (rules: Rules) => ({ target: usdNumber(rules.fund.targetMicros) });

export const bustShown = (rules: Rules) => {
  const { bandTicks, windowMinutes } = rules.bust;
  return { band: fractionOf(bandTicks), windowMinutes };
};

const tierShown = (tier: TierRules) => ({
  liquidityTier: tier.liquidityTier,
  maxPosition: usdNumber(tier.maxPositionMicros),
  maxDaily: usdNumber(tier.maxDailyMicros),
  maxTotal: usdNumber(tier.maxTotalMicros),
  maxPositionSize: usdNumber(tier.maxPositionSizeMicros),
  maxDailyVolume: usdNumber(tier.maxDailyVolumeMicros),
  maxOpenPositions: tier.maxOpenPositions,
  tradingFee: fractionOf(tier.feeBps),
  marginRequirement: fractionOf(tier.requirementBps),
  creditLine: usdNumber(tier.creditMicros),
});

export const liquidityShown = (kind: LiquidityRules) => ({
  minLiquidity: usdNumber(kind.minLiquidityMicros),
  minProviders: kind.minProviders,
  spreadMax: fractionOf(kind.spreadMaxTicks),
});

/** Ten-thousandths as the number they stand for: 150 → 0.015. */
export const fractionOf = (steps: number): number => Number(formatDecimal(BigInt(steps), 4));
