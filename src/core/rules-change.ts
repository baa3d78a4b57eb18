// A change of the rules: the values that it names, whether one of them makes a position that is
// held dearer, and how people read it.
// Invariant: a value that a change does not name stays as it is whenever the change takes effect.

import type { AnnouncementId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { KycTier } from "./records.ts";
import {
  type BustRules,
  type ConcentrationRules,
  type FundRules,
  type LiquidityRules,
  type PriceRules,
  type Rules,
  rulesShown,
  type TierRules,
} from "./rules.ts";

export interface RulesChange {
  readonly tiers?: { readonly [T in KycTier]?: Partial<TierRules> };
  readonly liquidity?: { readonly [K in IndexKind]?: Partial<LiquidityRules> };
  readonly bust?: Partial<BustRules>;
  readonly fund?: Partial<FundRules>;
  readonly concentration?: Partial<ConcentrationRules>;
  readonly price?: Partial<PriceRules>;
}

/** A change that two people agreed on, and that waits for its day. */
export interface Announcement {
  readonly id: AnnouncementId;
  readonly change: RulesChange;
  readonly announcedAtMillis: number;
  readonly effectiveAtMillis: number;
}

export const rulesAfter = (
  rules: Rules,
  { tiers, liquidity, bust, fund, concentration, price }: RulesChange,
): Rules => ({
  ...rules,
  tiers: changed(rules.tiers, tiers),
  liquidity: changed(rules.liquidity, liquidity),
  bust: { ...rules.bust, ...bust },
  fund: { ...rules.fund, ...fund },
  concentration: { ...rules.concentration, ...concentration },
  price: { ...rules.price, ...price },
});

const changed = <Group extends object>(
  group: Group,
  changes: { readonly [K in keyof Group]?: Partial<Group[K]> } = {},
): Group => {
  const after = { ...group };
  for (const name in changes) after[name] = { ...group[name], ...changes[name] };
  return after;
};

/** The values of a change that are not as they stand in the rules. */
export const newIn = (rules: Rules, { tiers, liquidity, ...groups }: RulesChange): RulesChange => ({
  ...newInGroup<Pick<Rules, keyof typeof groups>>(rules, groups),
  tiers: newInGroup(rules.tiers, tiers),
  liquidity: newInGroup(rules.liquidity, liquidity),
});

function newInGroup<Group extends object>(
  group: Group,
  changes: { readonly [K in keyof Group]?: Partial<Group[K]> } = {},
): { readonly [K in keyof Group]?: Partial<Group[K]> } {
  const left: { [K in keyof Group]?: Partial<Group[K]> } = {};
  for (const name in changes) {
    const fields = changes[name];
    const before = group[name];
    const differing: Partial<typeof before> = {};
    for (const field in fields)
      if (fields[field] !== before[field]) differing[field] = fields[field];
    if (Object.keys(differing).length > 0) left[name] = differing;
  }
  return left;
}

/**
 * The tiers whose accounts pay more for a position they hold: a greater margin, a dearer way out
 * (the fee), or no way out, for what closes a position counts against the limits of a day. The
 * other limits let whatever lowers a position pass, and a credit line asks for no debt back.
 */
export const tiersTightened = (rules: Rules, { tiers = {} }: RulesChange): ReadonlySet<KycTier> =>
  new Set(
    (["basic", "enhanced", "institutional"] as const).filter((tier) => {
      const before = rules.tiers[tier];
      const after = { ...before, ...tiers[tier] };
      return (
        after.requirementBps > before.requirementBps ||
        after.feeBps > before.feeBps ||
        after.maxDailyMicros < before.maxDailyMicros ||
        after.maxDailyVolumeMicros < before.maxDailyVolumeMicros
      );
    }),
  );

/** A fill that stood may be busted from then on: dearer to everybody who holds something. */
export const isBustTightened = (rules: Rules, { bust = {} }: RulesChange): boolean => {
  const before = rules.bust;
  const { bandTicks, windowMinutes } = { ...before, ...bust };
  return bandTicks < before.bandTicks || windowMinutes > before.windowMinutes;
};

/** More is asked of everybody who is short from then on. */
export const isFundTightened = (rules: Rules, { fund = {} }: RulesChange): boolean => {
  const { targetMicros } = rules.fund;
  return (fund.targetMicros ?? targetMicros) > targetMicros;
};

/** Protection costs everybody more from then on. */
export const isPriceTightened = (rules: Rules, { price = {} }: RulesChange): boolean => {
  const { carryBps } = rules.price;
  return (price.carryBps ?? carryBps) > carryBps;
};

/** More is asked of whoever is, or becomes, a large part of a market. */
export const isConcentrationTightened = (
  rules: Rules,
  { concentration = {} }: RulesChange,
): boolean => {
  const before = rules.concentration;
  const { shareBps, floorMicros, rateBps } = { ...before, ...concentration };
  if (rateBps === 0) return false;
  return rateBps > before.rateBps || shareBps < before.shareBps || floorMicros < before.floorMicros;
};

/** As `rulesShown` names them. */
const shownNames: Readonly<Record<string, string>> = {
  liquidityTier: "liquidityTier",
  maxPositionMicros: "maxPosition",
  maxDailyMicros: "maxDaily",
  maxTotalMicros: "maxTotal",
  maxPositionSizeMicros: "maxPositionSize",
  maxDailyVolumeMicros: "maxDailyVolume",
  maxOpenPositions: "maxOpenPositions",
  feeBps: "tradingFee",
  requirementBps: "marginRequirement",
  creditMicros: "creditLine",
  minLiquidityMicros: "minLiquidity",
  minProviders: "minProviders",
  spreadMaxTicks: "spreadMax",
  bandTicks: "band",
  windowMinutes: "windowMinutes",
  targetMicros: "target",
  shareBps: "share",
  floorMicros: "floor",
  rateBps: "rate",
  carryBps: "carry",
} satisfies Record<
  | keyof TierRules
  | keyof LiquidityRules
  | keyof BustRules
  | keyof FundRules
  | keyof ConcentrationRules
  | keyof PriceRules,
  string
>;

/** A value of the rules by its path, `tiers.basic.tradingFee`. */
type ShownChanges = Readonly<Record<string, string | number>>;

export function changesShown(rules: Rules, change: RulesChange): ShownChanges {
  const shown = rulesShown(rulesAfter(rules, change));
  const all: Record<string, string | number> = {};
  for (const group of ["tiers", "liquidity"] as const) {
    for (const [kind, fields] of Object.entries(change[group] ?? {})) {
      const values = Object.entries(shown[group]).find(([name]) => name === kind)?.[1] ?? {};
      for (const field of Object.keys(fields)) {
        const name = shownNames[field] ?? field;
        all[`${group}.${kind}.${name}`] = Reflect.get(values, name);
      }
    }
  }
  for (const group of ["bust", "fund", "concentration", "price"] as const) {
    for (const field of Object.keys(change[group] ?? {})) {
      const name = shownNames[field] ?? field;
      all[`${group}.${name}`] = Reflect.get(shown[group], name);
    }
  }
  return all;
}

export const announcementShown = (rules: Rules, announcement: Announcement) => ({
  id: announcement.id,
  announcedAt: new Date(announcement.announcedAtMillis).toISOString(),
  effectiveAt: new Date(announcement.effectiveAtMillis).toISOString(),
  changes: changesShown(rules, announcement.change),
});
