// GET and POST /api/admin/rules: what each tier may do, pays and posts; when a market is liquid.
// Invariant: a change names what changes; everything else stays as it stands in the record.
import { type Static, Type } from "typebox";
import { parseDecimal } from "#base/decimal.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros } from "#base/money.ts";
import {
  type LiquidityRules,
  type Rules,
  rulesShown,
  type TierRules,
  tierCredit,
} from "#core/rules.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";

interface RulesPorts {
  readonly exchange: Pick<ExchangeView, "rules">;
}

const Usd = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1e12, description: "whole USD from 0 to 1000000000000" }),
);
const Fraction = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 1,
    description: "a fraction from 0 to 1 in steps of 0.0001",
  }),
);
const Margin = Type.Optional(
  Type.Number({
    minimum: 0.0001,
    maximum: 1,
    description: "a fraction from 0.0001 to 1 in steps of 0.0001",
  }),
);
const Count = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1e6, description: "a whole number from 0 to 1000000" }),
);

const TierChange = closed({
  maxPosition: Usd,
  maxDaily: Usd,
  maxTotal: Usd,
  maxPositionSize: Usd,
  maxDailyVolume: Usd,
  maxOpenPositions: Count,
  tradingFee: Fraction,
  marginRequirement: Margin,
  creditLine: Usd,
});
const LiquidityChange = closed({ minLiquidity: Usd, minProviders: Count, spreadMax: Fraction });

const RulesChange = closed({
  tiers: Type.Optional(
    closed({
      basic: Type.Optional(TierChange),
      enhanced: Type.Optional(TierChange),
      institutional: Type.Optional(TierChange),
    }),
  ),
  liquidity: Type.Optional(
    closed({
      zhvi: Type.Optional(LiquidityChange),
      zori: Type.Optional(LiquidityChange),
      vacancy: Type.Optional(LiquidityChange),
      weather: Type.Optional(LiquidityChange),
    }),
  ),
});

const TierShape = Type.Object({
  liquidityTier: Type.String(),
  maxPosition: Type.Number(),
  maxDaily: Type.Number(),
  maxTotal: Type.Number(),
  maxPositionSize: Type.Number(),
  maxDailyVolume: Type.Number(),
  maxOpenPositions: Type.Integer(),
  tradingFee: Type.Number(),
  marginRequirement: Type.Number(),
  creditLine: Type.Number({ description: "USD an owner may owe for premiums" }),
});
const FundingLimit = Type.Number({
  description: "USD one operator funds alone in a UTC day, in and out added up",
});
const LiquidityShape = Type.Object({
  minLiquidity: Type.Number(),
  minProviders: Type.Integer(),
  spreadMax: Type.Number(),
});

/** USD and fractions; by KYC tier and by index kind. */
const RulesShape = Type.Object(
  {
    tiers: Type.Object({ basic: TierShape, enhanced: TierShape, institutional: TierShape }),
    liquidity: Type.Object({
      zhvi: LiquidityShape,
      zori: LiquidityShape,
      vacancy: LiquidityShape,
      weather: LiquidityShape,
    }),
    fundingLimit: FundingLimit,
  },
  { title: "Rules" },
);

export const showRules = (ports: RulesPorts): Route =>
  admin.read({
    url: "/api/admin/rules",
    access: "admin:read",
    summary: "Shows what each tier may do, pays and posts, and when a market is liquid",
    params: nothing,
    query: nothing,
    data: RulesShape,
    read: () => ({ data: rulesShown(ports.exchange.rules) }),
  });

export const setRules = (ports: RulesPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/rules",
    access: "admin:exchange",
    summary: "Changes some of the rules; margins and limits follow at once",
    params: nothing,
    body: RulesChange,
    data: RulesShape,
    toCommand: ({ body }) => {
      const odd = oddFraction(body);
      if (odd !== undefined) return invalidField(odd, "must be in steps of 0.0001");
      return { command: { type: "SetRules", rules: changed(ports.exchange.rules, body) } };
    },
    render: ({ events }) => {
      const set = events.findLast((event) => event.type === "RulesChanged");
      invariant(set !== undefined, "rules that were set are an event");
      return { data: rulesShown(set.rules) };
    },
  });

type Change = Static<typeof RulesChange>;

/** The first fraction that is finer than the record holds; its path in the body. */
function oddFraction({ tiers = {}, liquidity = {} }: Change): string | undefined {
  for (const [group, members] of Object.entries({ tiers, liquidity })) {
    for (const [kind, fields] of Object.entries(members)) {
      const odd = ["tradingFee", "marginRequirement", "spreadMax"].find(
        (name) => Object.hasOwn(fields, name) && stepsOf(fields, name) === undefined,
      );
      if (odd !== undefined) return `${group}.${kind}.${odd}`;
    }
  }
  return undefined;
}

/** A fraction's ten-thousandths, from its own digits; undefined where it is absent or finer. */
function stepsOf(fields: object, name: string): number | undefined {
  const text = decimalText(fields, name, Reflect.get(fields, name));
  const steps = text === undefined ? undefined : parseDecimal(text, 4);
  return steps === undefined ? undefined : Number(steps);
}

function changed(rules: Rules, { tiers = {}, liquidity = {} }: Change): Rules {
  return {
    ...rules,
    tiers: {
      basic: changedTier(rules.tiers.basic, tiers.basic),
      enhanced: changedTier(rules.tiers.enhanced, tiers.enhanced),
      institutional: changedTier(rules.tiers.institutional, tiers.institutional),
    },
    liquidity: {
      zhvi: changedLiquidity(rules.liquidity.zhvi, liquidity.zhvi),
      zori: changedLiquidity(rules.liquidity.zori, liquidity.zori),
      vacancy: changedLiquidity(rules.liquidity.vacancy, liquidity.vacancy),
      weather: changedLiquidity(rules.liquidity.weather, liquidity.weather),
    },
  };
}

const changedTier = (tier: TierRules, change: Static<typeof TierChange> = {}): TierRules => ({
  liquidityTier: tier.liquidityTier,
  maxPositionMicros: usdOr(change.maxPosition, tier.maxPositionMicros),
  maxDailyMicros: usdOr(change.maxDaily, tier.maxDailyMicros),
  maxTotalMicros: usdOr(change.maxTotal, tier.maxTotalMicros),
  maxPositionSizeMicros: usdOr(change.maxPositionSize, tier.maxPositionSizeMicros),
  maxDailyVolumeMicros: usdOr(change.maxDailyVolume, tier.maxDailyVolumeMicros),
  maxOpenPositions: change.maxOpenPositions ?? tier.maxOpenPositions,
  feeBps: stepsOf(change, "tradingFee") ?? tier.feeBps,
  requirementBps: stepsOf(change, "marginRequirement") ?? tier.requirementBps,
  creditMicros: usdOr(change.creditLine, tierCredit(tier)),
});

const changedLiquidity = (
  kind: LiquidityRules,
  change: Static<typeof LiquidityChange> = {},
): LiquidityRules => ({
  minLiquidityMicros: usdOr(change.minLiquidity, kind.minLiquidityMicros),
  minProviders: change.minProviders ?? kind.minProviders,
  spreadMaxTicks: stepsOf(change, "spreadMax") ?? kind.spreadMaxTicks,
});

const usdOr = (dollars: number | undefined, before: Micros): Micros =>
  dollars === undefined ? before : micros(BigInt(dollars) * 1_000_000n);
