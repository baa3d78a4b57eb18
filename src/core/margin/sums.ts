// The sums over an account: what it needs by column, and the totals that limits are asked of.
// Invariant: each is the sum over the account's cells, whole and exact, in any order of changes.
import type { MarketId, OrderId } from "#base/ids.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { type Lots, lots, MICROS_PER_LOT } from "#base/quantity.ts";
import { type ScenarioId, scenarios } from "#contract/scenarios.ts";
import type { Order } from "../records.ts";
import { noConcentration } from "../rules.ts";
import {
  COLUMNS,
  greatest,
  type MarginTerms,
  MOST_GROSS_LOTS,
  noSums,
  QUARTERS,
  type Sums,
} from "./columns.ts";
import {
  addNeed,
  addPosition,
  coverOfCell,
  type ExposureCell,
  fullNeed,
  grossLots,
  type MarketRates,
  noCell,
  ratesOf,
  worstLots,
} from "./one-market.ts";
import { liabilityOf, microsUp, PARTS_PER_MICRO, PARTS_PER_QUARTER } from "./requirement.ts";
import type { Marked } from "./risk.ts";

/** The rates an account trades under. */
export interface Rates extends MarginTerms {
  readonly feeBps: number;
}

export interface Totals {
  readonly lockedMicros: Micros;
  /** Under full collateral. */
  readonly fullMicros: Micros;
  /** Cash that leaves if every open order fills that costs anything. */
  readonly outlayMicros: Micros;
  /** Coverage at its worst, over all markets. */
  readonly coverageMicros: Micros;
  readonly openMicros: Micros;
  readonly openPositions: number;
  readonly openOrders: number;
}

/** The sums over an account's shorts; exact. */
export interface ShortTotals {
  readonly liabilityParts: bigint;
  readonly maintenanceParts: bigint;
  readonly initialParts: bigint;
  readonly shortLots: Lots;
  /** Of the maintenance: the scenario it comes from, or the floor below all of them. */
  readonly binding: Binding;
}

/** `tier`: the tier's requirement, or half of what the shorts need alone; `full`: beyond sums. */
export type Binding = ScenarioId | "tier" | "full";

export interface AccountExposure {
  rates: Rates;
  readonly cells: Map<MarketId, ExposureCell>;
  readonly standing: Map<MarketId, Map<OrderId, Order>>;
  /** Quarter micro-dollars by column: of positions and orders, and of positions alone. */
  readonly need: Sums;
  readonly initial: Sums;
  readonly maintenance: Sums;
  /** Beyond `MOST_GROSS_LOTS` these stand in for the columns; micro-dollars. */
  gross: bigint;
  full: bigint;
  fullShort: bigint;
  outlay: bigint;
  liabilityParts: bigint;
  shortLots: bigint;
  coverage: bigint;
  open: bigint;
  positions: number;
  orders: number;
}

export const noExposure = (): AccountExposure => ({
  rates: { feeBps: 0, requirementBps: 10_000, concentration: noConcentration },
  cells: new Map(),
  standing: new Map(),
  need: noSums(),
  initial: noSums(),
  maintenance: noSums(),
  gross: 0n,
  full: 0n,
  fullShort: 0n,
  outlay: 0n,
  liabilityParts: 0n,
  shortLots: 0n,
  coverage: 0n,
  open: 0n,
  positions: 0,
  orders: 0,
});

/** With sums of its own. */
export const copied = (exposure: AccountExposure): AccountExposure => ({
  ...exposure,
  need: exposure.need.slice(),
  initial: exposure.initial.slice(),
  maintenance: exposure.maintenance.slice(),
});

/** Adds a cell to an account's totals, or takes it out. */
export function count(
  exposure: AccountExposure,
  rates: MarketRates,
  cell: ExposureCell,
  sign: 1 | -1,
): void {
  const worst = worstLots(cell);
  const times = BigInt(sign);
  addNeed(exposure.need, cell, rates, sign);
  addPosition(exposure.initial, cell, rates, "initial", sign);
  addPosition(exposure.maintenance, cell, rates, "maintenance", sign);
  exposure.gross += times * grossLots(cell);
  exposure.full += times * fullNeed(cell);
  exposure.outlay += times * cell.outlay;
  exposure.coverage += times * worst * MICROS_PER_LOT;
  exposure.open += times * (cell.buyLots + cell.sellLots) * MICROS_PER_LOT;
  exposure.positions += worst === 0n ? 0 : sign;
  if (cell.heldLots >= 0n) return;
  const liability = liabilityOf(-cell.heldLots, rates.marked);
  const isKnown = rates.columns === undefined;
  exposure.liabilityParts += times * liability;
  exposure.fullShort += isKnown
    ? times * liability
    : times * -cell.heldLots * MICROS_PER_LOT * PARTS_PER_MICRO;
  exposure.shortLots += times * -cell.heldLots;
}

/** Micro-dollars of cash that a position holds back by itself: its liability and initial margin. */
export function coverOf(held: Lots, marked: Marked, terms: MarginTerms): Micros {
  const alone = noExposure();
  count(alone, ratesOf(marked, terms), { ...noCell, heldLots: held }, 1);
  const { liabilityParts, initialParts } = shortTotalsOf(alone);
  return microsUp(liabilityParts + initialParts);
}

export const isBeyond = ({ gross }: AccountExposure): boolean => gross > MOST_GROSS_LOTS;

type CellChange = readonly [rates: MarketRates, before: ExposureCell, after: ExposureCell];

/** The greatest rise of cover in a column that needs more than the cash; at least 0. */
export function coverRaised(
  exposure: AccountExposure,
  cash: Micros,
  changed: readonly CellChange[],
): Micros {
  if (isBeyond(exposure)) {
    let more = 0n;
    for (const [, before, after] of changed) {
      more += fullNeed({ ...after, flow: 0n }) - fullNeed({ ...before, flow: 0n });
    }
    return micros(more > 0n ? more : 0n);
  }
  const rise = noSums();
  for (const [rates, before, after] of changed) {
    const [from, to] = [coverOfCell(before, rates), coverOfCell(after, rates)];
    for (let at = 0; at < COLUMNS; at += 1) {
      rise[at] = (rise[at] ?? 0) + (to[at] ?? 0) - (from[at] ?? 0);
    }
  }
  const most = rise.reduce(
    (greatest, one, at) =>
      microsOf(exposure.need[at] ?? 0) > cash ? Math.max(greatest, one) : greatest,
    0,
  );
  return microsOf(most);
}

/** Quarters as money, rounded up; exact, for a whole number of them is. */
export const microsOf = (quarters: number): Micros =>
  micros(BigInt(Math.ceil(quarters / QUARTERS)));

export function shortTotalsOf(exposure: AccountExposure): ShortTotals {
  const { liabilityParts, shortLots } = exposure;
  const shown = { liabilityParts, shortLots: lots(shortLots) };
  if (isBeyond(exposure)) {
    const beyond = exposure.fullShort - liabilityParts;
    return { ...shown, maintenanceParts: beyond, initialParts: beyond, binding: "full" };
  }
  const worst = exposure.maintenance.reduce(
    (at, sum, index) => (sum > (exposure.maintenance[at] ?? 0) ? index : at),
    0,
  );
  const beyond = (sums: Sums): bigint =>
    BigInt(greatest(sums)) * PARTS_PER_QUARTER - liabilityParts;
  return {
    ...shown,
    maintenanceParts: beyond(exposure.maintenance),
    initialParts: beyond(exposure.initial),
    binding: columnIds[worst] ?? "tier",
  };
}

/** An account's need in one column; in each, liabilities and add-on together. */
export interface ColumnNeed {
  readonly id: Binding;
  /** Of its positions. */
  readonly maintenanceMicros: Micros;
  readonly initialMicros: Micros;
  /** Held back for its positions and the worst of its open orders. */
  readonly lockedMicros: Micros;
}

/** The floor first, then the scenarios; beyond sums the one column of full collateral. */
export function needByColumn(exposure: AccountExposure): readonly ColumnNeed[] {
  if (isBeyond(exposure)) {
    const whole = microsUp(exposure.fullShort);
    const lockedMicros = micros(exposure.full);
    return [{ id: "full", maintenanceMicros: whole, initialMicros: whole, lockedMicros }];
  }
  const { maintenance, initial, need } = exposure;
  return columnIds.map((id, at) => ({
    id,
    maintenanceMicros: microsOf(Math.max(0, maintenance[at] ?? 0)),
    initialMicros: microsOf(Math.max(0, initial[at] ?? 0)),
    lockedMicros: microsOf(Math.max(0, need[at] ?? 0)),
  }));
}

const columnIds: readonly Binding[] = ["tier", ...scenarios.map(({ id }) => id)];

export const lockedOf = (exposure: AccountExposure | undefined): Micros => {
  if (exposure === undefined) return noMoney;
  return isBeyond(exposure) ? micros(exposure.full) : microsOf(greatest(exposure.need));
};

export const asTotals = (exposure: AccountExposure | undefined): Totals => ({
  lockedMicros: lockedOf(exposure),
  fullMicros: micros(exposure?.full ?? noMoney),
  outlayMicros: micros(exposure?.outlay ?? noMoney),
  coverageMicros: micros(exposure?.coverage ?? noMoney),
  openMicros: micros(exposure?.open ?? noMoney),
  openPositions: exposure?.positions ?? 0,
  openOrders: exposure?.orders ?? 0,
});
