// GET and POST /api/admin/rules: what each tier may do, pays and posts; when a market is liquid.
// POST /api/admin/rules/announced/:id/withdraw: takes back a change that waits for its day.
// Invariant: a change names what changes; everything else stays as it stands in the record.
import { type Static, Type } from "typebox";
import { parseDecimal } from "#base/decimal.ts";
import { announcementId } from "#base/ids.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { type Micros, micros } from "#base/money.ts";
import { type KycTier, kycTiers } from "#core/records.ts";
import {
  type BustRules,
  type ConcentrationRules,
  type FundRules,
  type LiquidityRules,
  type PriceRules,
  rulesShown,
  type TierRules,
} from "#core/rules.ts";
import type { RulesChange as CoreChange } from "#core/rules-change.ts";
import type { ExchangeView } from "#views/exchange.ts";
import {
  AnnouncedRules,
  announcedRules,
  BustShape,
  ConcentrationShape,
  FundShape,
  PriceRulesShape,
} from "../records/announced-rules.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

interface RulesPorts {
  readonly exchange: Pick<ExchangeView, "rules" | "announcedRules">;
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

const BustChange = closed({
  band: Fraction,
  windowMinutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_440, description: "a whole number from 1 to 1440" }),
  ),
});

const FundChange = closed({ target: Usd });

const ConcentrationChange = closed({ share: Fraction, floor: Usd, rate: Fraction });

const PriceChange = closed({ carry: Fraction });

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
  bust: Type.Optional(BustChange),
  fund: Type.Optional(FundChange),
  concentration: Type.Optional(ConcentrationChange),
  price: Type.Optional(PriceChange),
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
const rulesMembers = {
  tiers: Type.Object({ basic: TierShape, enhanced: TierShape, institutional: TierShape }),
  liquidity: Type.Object({
    zhvi: LiquidityShape,
    zori: LiquidityShape,
    vacancy: LiquidityShape,
    weather: LiquidityShape,
  }),
  fundingLimit: FundingLimit,
  bust: BustShape,
  fund: FundShape,
  concentration: ConcentrationShape,
  price: PriceRulesShape,
  announced: AnnouncedRules,
};

export const showRules = (ports: RulesPorts): Route =>
  admin.read({
    url: "/api/admin/rules",
    access: "admin:read",
    summary: "Shows what each tier may do, pays and posts, and when a market is liquid",
    params: nothing,
    query: nothing,
    data: Type.Object(rulesMembers, { title: "Rules" }),
    read: () => ({ data: shown(ports) }),
  });

const shown = ({ exchange }: RulesPorts, rules = exchange.rules) => ({
  ...rulesShown(rules),
  announced: announcedRules(exchange),
});

export const setRules = (ports: RulesPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/rules",
    access: "admin:exchange",
    summary:
      "Changes some of the rules: at once, unless a position gets dearer; that takes " +
      "two people and five days",
    refusals: ["RULES_ANNOUNCED_LIMIT", "PROPOSAL_SAME_OPERATOR", "PROPOSAL_LIMIT"],
    otherStatuses: [202],
    params: nothing,
    body: RulesChange,
    data: Type.Object({ ...rulesMembers, ...Waiting }),
    toCommand: ({ body }) => {
      const odd = oddFraction(body);
      if (odd !== undefined) return invalidField(odd, "must be in steps of 0.0001");
      return { command: { type: "SetRules", rules: changeIn(body) } };
    },
    render: ({ events }) => {
      const { proposal, status } = waitingIn(events);
      const set = events.findLast((event) => event.type === "RulesChanged")?.rules;
      return { data: { ...shown(ports, set), ...proposal }, ...status };
    },
  });

export const withdrawRules = (ports: RulesPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/rules/announced/:id/withdraw",
    access: "admin:exchange",
    summary: "Proposes to take back a change of the rules that waits for its day",
    refusals: ["RULES_NOT_ANNOUNCED", "PROPOSAL_SAME_OPERATOR", "PROPOSAL_LIMIT"],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: nothing,
    data: Type.Object({ announced: AnnouncedRules, ...Waiting }),
    toCommand: ({ params }) => ({
      command: { type: "WithdrawRules", announcementId: announcementId(params.id) },
    }),
    render: ({ events }) => {
      const { proposal, status } = waitingIn(events);
      return { data: { announced: announcedRules(ports.exchange), ...proposal }, ...status };
    },
  });

type Change = Static<typeof RulesChange>;

/** The first fraction that is finer than the record holds; its path in the body. */
function oddFraction(change: Change): string | undefined {
  const { tiers = {}, liquidity = {}, bust = {}, concentration = {}, price = {} } = change;
  const isOdd = (fields: object, name: string): boolean =>
    Object.hasOwn(fields, name) && stepsOf(fields, name) === undefined;
  if (isOdd(bust, "band")) return "bust.band";
  if (isOdd(price, "carry")) return "price.carry";
  const oddPart = ["share", "rate"].find((name) => isOdd(concentration, name));
  if (oddPart !== undefined) return `concentration.${oddPart}`;
  for (const [group, members] of Object.entries({ tiers, liquidity })) {
    for (const [kind, fields] of Object.entries(members)) {
      const odd = ["tradingFee", "marginRequirement", "spreadMax"].find((name) =>
        isOdd(fields, name),
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

function changeIn(change: Change): CoreChange {
  const { tiers = {}, liquidity = {}, bust, fund, concentration, price } = change;
  const ofTiers: { [T in KycTier]?: Partial<TierRules> } = {};
  for (const tier of kycTiers) {
    if (tiers[tier] !== undefined) ofTiers[tier] = tierChange(tiers[tier]);
  }
  const ofKinds: { [K in IndexKind]?: Partial<LiquidityRules> } = {};
  for (const kind of indexKinds) {
    if (liquidity[kind] !== undefined) ofKinds[kind] = liquidityChange(liquidity[kind]);
  }
  const ofBusts = bust === undefined ? {} : { bust: bustChange(bust) };
  const ofFund = fund === undefined ? {} : { fund: fundChange(fund) };
  const ofShares =
    concentration === undefined ? {} : { concentration: concentrationChange(concentration) };
  const ofPrice = price === undefined ? {} : { price: priceChange(price) };
  return { tiers: ofTiers, liquidity: ofKinds, ...ofBusts, ...ofFund, ...ofShares, ...ofPrice };
}

type Named<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that were not sent. */
function sent<T extends object>(fields: T): Named<T> {
  const left: Named<T> = {};
  for (const name in fields) {
    const value = fields[name];
    if (isSent(value)) left[name] = value;
  }
  return left;
}

const isSent = <V>(value: V): value is Exclude<V, undefined> => value !== undefined;

const tierChange = (change: Static<typeof TierChange>): Partial<TierRules> =>
  sent({
    maxPositionMicros: usd(change.maxPosition),
    maxDailyMicros: usd(change.maxDaily),
    maxTotalMicros: usd(change.maxTotal),
    maxPositionSizeMicros: usd(change.maxPositionSize),
    maxDailyVolumeMicros: usd(change.maxDailyVolume),
    maxOpenPositions: change.maxOpenPositions,
    feeBps: stepsOf(change, "tradingFee"),
    requirementBps: stepsOf(change, "marginRequirement"),
    creditMicros: usd(change.creditLine),
  });

const liquidityChange = (change: Static<typeof LiquidityChange>): Partial<LiquidityRules> =>
  sent({
    minLiquidityMicros: usd(change.minLiquidity),
    minProviders: change.minProviders,
    spreadMaxTicks: stepsOf(change, "spreadMax"),
  });

const bustChange = (change: Static<typeof BustChange>): Partial<BustRules> =>
  sent({ bandTicks: stepsOf(change, "band"), windowMinutes: change.windowMinutes });

const fundChange = (change: Static<typeof FundChange>): Partial<FundRules> =>
  sent({ targetMicros: usd(change.target) });

const priceChange = (change: Static<typeof PriceChange>): Partial<PriceRules> =>
  sent({ carryBps: stepsOf(change, "carry") });

const concentrationChange = (
  change: Static<typeof ConcentrationChange>,
): Partial<ConcentrationRules> =>
  sent({
    shareBps: stepsOf(change, "share"),
    floorMicros: usd(change.floor),
    rateBps: stepsOf(change, "rate"),
  });

const usd = (dollars: number | undefined): Micros | undefined =>
  dollars === undefined ? undefined : micros(BigInt(dollars) * 1_000_000n);
