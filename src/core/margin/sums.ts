// The sums over an account: what it needs by column, and the totals that limits are asked of.
// Invariant: each is the sum over the account's cells, whole and exact, in any order of changes.
import type { MarketId, NodeId, OrderId } from "#base/ids.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { type Lots, lots, MICROS_PER_LOT, noLots } from "#base/quantity.ts";
import { type ScenarioId, scenarios } from "#contract/scenarios.ts";
import { isOpen } from "../book/order.ts";
import type { Order } from "../records.ts";
import { type ConcentrationRules, noConcentration } from "../rules.ts";
import {
  allowedLots,
  COLUMNS,
  greatest,
  type MarginTerms,
  MOST_GROSS_LOTS,
  noSums,
  QUARTERS,
  type Sums,
} from "./columns.ts";
import {
  isBesideOthers,
  noSeries,
  relieve,
  replaceInSeries,
  type SeriesHeld,
  seriesAbove,
} from "./hedges.ts";
import {
  addNeed,
  addPosition,
  contributedBy,
  coverOfCell,
  type ExposureCell,
  fullNeed,
  grossLots,
  isHedge,
  type MarketRates,
  noCell,
  ratesOf,
  worstLots,
  worstShort,
} from "./one-market.ts";
import { liabilityOf, microsUp, PARTS_PER_MICRO, PARTS_PER_QUARTER } from "./requirement.ts";
import type { Marked } from "./risk.ts";

/** The rates an account trades under. */
export interface Rates extends MarginTerms {
  readonly feeBps: number;
}

export const sameRates = (a: Rates, b: Rates): boolean =>
  a.feeBps === b.feeBps &&
  a.requirementBps === b.requirementBps &&
  a.contributes === b.contributes &&
  sameConcentration(a.concentration, b.concentration);

const sameConcentration = (a: ConcentrationRules, b: ConcentrationRules): boolean =>
  a === b ||
  (a.shareBps === b.shareBps && a.floorMicros === b.floorMicros && a.rateBps === b.rateBps);

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
  readonly rates: Rates;
  /** Lots that it may be short of in a state where nobody else has anything open. */
  readonly leastAllowed: number;
  readonly cells: Map<MarketId, ExposureCell>;
  /** Of the states that it has cells in. */
  readonly states: Map<NodeId, StateRise>;
  /** Its cells by place, index and payout, and what longs take off the sums below. */
  readonly series: SeriesHeld;
  /** Lots open in a state at the last marks; of all accounts. */
  readonly openIn: OpenByState;
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
  /** Quarter micro-dollars that its open orders may come to contribute to the guarantee fund. */
  contributed: number;
  liabilityParts: bigint;
  shortLots: bigint;
  coverage: bigint;
  open: bigint;
  positions: number;
  orders: number;
  /** Micro-dollars that the account's quotes for requests hold back. */
  reserved: bigint;
  /** The markets in which these sell. */
  readonly promised: Set<MarketId>;
  /** Rises with every change of what the answers below rest on. */
  version: number;
  locked: Micros | undefined;
  shorts: ShortTotals | undefined;
}

/**
 * The account's markets of a state: what they would need beyond what they do, were each lot short
 * there to need the rate more. Quarters by column, as the sums that they are beyond.
 */
interface StateRise {
  cells: number;
  /** Lots that it may end short of, over all of them. */
  shortLots: number;
  readonly need: Sums;
  readonly initial: Sums;
  readonly maintenance: Sums;
}

const noRise = (): StateRise => ({
  cells: 0,
  shortLots: 0,
  need: noSums(),
  initial: noSums(),
  maintenance: noSums(),
});

/** Lots; absent = none. */
export type OpenByState = () => ReadonlyMap<NodeId, Lots>;

const noneOpen: ReadonlyMap<NodeId, Lots> = new Map();

const noRates: Rates = { feeBps: 0, requirementBps: 10_000, concentration: noConcentration };

export const noExposure = (
  openIn: OpenByState = () => noneOpen,
  rates: Rates = noRates,
): AccountExposure => ({
  rates,
  leastAllowed: allowedLots({}, rates.concentration),
  cells: new Map(),
  states: new Map(),
  series: noSeries(),
  openIn,
  standing: new Map(),
  need: noSums(),
  initial: noSums(),
  maintenance: noSums(),
  gross: 0n,
  full: 0n,
  fullShort: 0n,
  outlay: 0n,
  contributed: 0,
  liabilityParts: 0n,
  shortLots: 0n,
  coverage: 0n,
  open: 0n,
  positions: 0,
  orders: 0,
  reserved: 0n,
  promised: new Set(),
  version: 0,
  locked: undefined,
  shorts: undefined,
});

/** Its rates, its quotes, or what is open in its states: what was answered holds no more. */
export function forgetAnswers(exposure: AccountExposure): void {
  exposure.version += 1;
  exposure.locked = undefined;
  exposure.shorts = undefined;
}

/** With sums of its own. */
export const copied = (exposure: AccountExposure): AccountExposure => ({
  ...forOrders(exposure),
  states: new Map([...exposure.states].map(([id, rise]) => [id, copiedRise(rise)])),
  initial: exposure.initial.slice(),
  maintenance: exposure.maintenance.slice(),
});

const copiedRise = (rise: StateRise): StateRise => ({
  ...rise,
  need: rise.need.slice(),
  initial: rise.initial.slice(),
  maintenance: rise.maintenance.slice(),
});

/** With sums of its own where orders change them; its positions stay what they are. */
export const forOrders = (exposure: AccountExposure): AccountExposure => ({
  ...exposure,
  states: new Map(exposure.states),
  series: seriesAbove(exposure.series),
  need: exposure.need.slice(),
  locked: undefined,
});

/** A change of orders alone, in a copy `forOrders`. */
export function countOrders(
  trial: AccountExposure,
  rates: MarketRates,
  before: ExposureCell,
  after: ExposureCell,
): void {
  const { states } = trial;
  const rise = rates.stateId === undefined ? undefined : states.get(rates.stateId);
  if (rates.stateId !== undefined && rise !== undefined) {
    states.set(rates.stateId, { ...rise, need: rise.need.slice() });
  }
  countNeed(trial, rates, before, after);
}

/** Puts a cell in the place of another in an account's totals. */
export function recount(
  exposure: AccountExposure,
  rates: MarketRates,
  before: ExposureCell,
  after: ExposureCell,
  ratesBefore = rates,
): void {
  countNeed(exposure, rates, before, after, ratesBefore);
  const isSame = before.heldLots === after.heldLots && isHedge(before) === isHedge(after);
  if (isSame && rates === ratesBefore) return;
  countPosition(exposure, ratesBefore, before, -1);
  countPosition(exposure, rates, after, 1);
  relieve(exposure.series, rates, "initial", exposure.initial);
  relieve(exposure.series, rates, "maintenance", exposure.maintenance);
}

/**
 * The earlier cell is taken out before the later one comes in, so that no sum is ever beyond its
 * bound; but it is the later one that a state counts first, and so is not forgotten between them.
 */
function countNeed(
  exposure: AccountExposure,
  rates: MarketRates,
  before: ExposureCell,
  after: ExposureCell,
  ratesBefore = rates,
): void {
  const rise = riseOf(exposure, rates, after, 1);
  const riseBefore = riseOf(exposure, ratesBefore, before, -1);
  addNeed(exposure.need, before, ratesBefore, -1, riseBefore?.need);
  addNeed(exposure.need, after, rates, 1, rise?.need);
  replaceInSeries(exposure.series, rates, before, after);
  relieve(exposure.series, rates, "need", exposure.need);
  const [worst, worstBefore] = [worstLots(after), worstLots(before)];
  const more = after.buyLots + after.sellLots - before.buyLots - before.sellLots;
  exposure.gross += grossLots(after) - grossLots(before);
  exposure.full += fullNeed(after) - fullNeed(before);
  exposure.outlay += after.outlay - before.outlay;
  exposure.contributed += contributedBy(after, rates) - contributedBy(before, ratesBefore);
  exposure.coverage += (worst - worstBefore) * MICROS_PER_LOT;
  exposure.open += more * MICROS_PER_LOT;
  exposure.positions += (worst === 0n ? 0 : 1) - (worstBefore === 0n ? 0 : 1);
  forgetAnswers(exposure);
}

function countPosition(
  exposure: AccountExposure,
  rates: MarketRates,
  cell: ExposureCell,
  sign: 1 | -1,
): void {
  const rise = rates.stateId === undefined ? undefined : exposure.states.get(rates.stateId);
  addPosition(exposure.initial, cell, rates, "initial", sign, rise?.initial);
  addPosition(exposure.maintenance, cell, rates, "maintenance", sign, rise?.maintenance);
  if (cell.heldLots >= 0n) return;
  const times = BigInt(sign);
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
  // More is open in a state than in one market of it: by the market it is asked for more.
  const rates = { ...ratesOf(marked, terms), stateId: undefined };
  recount(alone, rates, noCell, { ...noCell, heldLots: held });
  const { liabilityParts, initialParts } = shortTotalsOf(alone);
  return microsUp(liabilityParts + initialParts);
}

/** The sums of its state; undefined where the cell can end short of nothing, or nobody is asked. */
function riseOf(
  { states }: AccountExposure,
  { stateId, concentration, columns }: MarketRates,
  cell: ExposureCell,
  sign: 1 | -1,
): StateRise | undefined {
  const short = worstShort(cell);
  if (stateId === undefined || columns === undefined || short === 0) return undefined;
  if (concentration.rateBps === 0) return undefined;
  const rise = states.get(stateId) ?? noRise();
  rise.cells += sign;
  rise.shortLots += sign * short;
  if (rise.cells === 0) states.delete(stateId);
  else states.set(stateId, rise);
  return rise;
}

/**
 * The sums of all markets, and of each state that which its markets would need more were each lot
 * short there to need the rate more, less the rate on the lots that an account may be short of in
 * the state. Markets that are large by themselves have had theirs: a lot is never asked for twice.
 * States are free of each other, and a state's need is the greater of two sums over its markets; so
 * the worst subset of open orders is the greater of the two sums' own worst.
 */
function sumsOf(exposure: AccountExposure, kind: "need" | "initial" | "maintenance"): Sums {
  let sums: Sums | undefined;
  for (const [id, rise] of exposure.states) {
    if (rise.shortLots <= exposure.leastAllowed) continue;
    const allowed = allowedIn(exposure, id);
    if (rise.shortLots <= allowed) continue;
    sums ??= exposure[kind].slice();
    // Quarters a lot.
    const less = QUARTERS * exposure.rates.concentration.rateBps * allowed;
    for (let at = 0; at < COLUMNS; at += 1)
      sums[at] = (sums[at] ?? 0) + Math.max(0, (rise[kind][at] ?? 0) - less);
  }
  return sums ?? exposure[kind];
}

/** Lots that an account may be short of in a state. */
const allowedIn = ({ openIn, rates }: AccountExposure, id: NodeId): number =>
  allowedLots({ markedOpenLots: openIn().get(id) ?? noLots }, rates.concentration);

export const isBeyond = ({ gross }: AccountExposure): boolean => gross > MOST_GROSS_LOTS;

type CellChange = readonly [rates: MarketRates, before: ExposureCell, after: ExposureCell];

/** Whether, with these changes or without, the account could be a large part of a state. */
export function isLargeInState(exposure: AccountExposure, changed: readonly CellChange[]): boolean {
  if (exposure.rates.concentration.rateBps === 0) return false;
  const short = new Map([...exposure.states].map(([id, { shortLots }]) => [id, shortLots]));
  for (const [{ stateId }, , after] of changed) {
    if (stateId !== undefined) short.set(stateId, (short.get(stateId) ?? 0) + worstShort(after));
  }
  return [...short].some(([id, lots]) => lots > allowedIn(exposure, id));
}

/** Whether a cover that changes could change what a long of the account takes off. */
export function mayBeHedged({ series }: AccountExposure, changed: readonly CellChange[]): boolean {
  const own = new Set<string>();
  return changed.some(([rates, before, after]) => {
    if (isBesideOthers(series, rates, [before, after])) return true;
    if (rates.hedged === undefined) return false;
    const isSecond = own.has(rates.hedged.series);
    own.add(rates.hedged.series);
    return isSecond;
  });
}

/** Between two exposures that have the cover alone of what the account has, and would have. */
export function coverRaisedBetween(
  exposure: AccountExposure,
  cash: Micros,
  [before, after]: readonly [AccountExposure, AccountExposure],
): Micros {
  const from = sumsOf(before, "need");
  const rise = sumsOf(after, "need").map((sum, at) => sum - (from[at] ?? 0));
  return greatestRise(exposure, cash, rise, after.contributed - before.contributed);
}

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
  let contributed = 0;
  for (const [rates, before, after] of changed) {
    contributed += contributedBy(after, rates) - contributedBy(before, rates);
    const [from, to] = [coverOfCell(before, rates), coverOfCell(after, rates)];
    for (let at = 0; at < COLUMNS; at += 1) {
      rise[at] = (rise[at] ?? 0) + (to[at] ?? 0) - (from[at] ?? 0);
    }
  }
  return greatestRise(exposure, cash, rise, contributed);
}

/** `contributed`: the rise of what orders may come to contribute, which every column is beside. */
function greatestRise(
  exposure: AccountExposure,
  cash: Micros,
  rise: Sums,
  contributed: number,
): Micros {
  const need = sumsOf(exposure, "need");
  const left = cash - microsOf(exposure.contributed);
  const most = rise.reduce(
    (greatest, one, at) =>
      microsOf(need[at] ?? 0) > left ? Math.max(greatest, one + contributed) : greatest,
    0,
  );
  return microsOf(most);
}

/** Quarters as money, rounded up; exact, for a whole number of them is. */
const microsOf = (quarters: number): Micros => micros(BigInt(Math.ceil(quarters / QUARTERS)));

export function shortTotalsOf(exposure: AccountExposure): ShortTotals {
  exposure.shorts ??= drawnShorts(exposure);
  return exposure.shorts;
}

function drawnShorts(exposure: AccountExposure): ShortTotals {
  const { liabilityParts, shortLots } = exposure;
  const shown = { liabilityParts, shortLots: lots(shortLots) };
  if (isBeyond(exposure)) {
    const beyond = exposure.fullShort - liabilityParts;
    return { ...shown, maintenanceParts: beyond, initialParts: beyond, binding: "full" };
  }
  const maintenance = sumsOf(exposure, "maintenance");
  let worst = 0;
  for (let at = 1; at < COLUMNS; at += 1) {
    if ((maintenance[at] ?? 0) > (maintenance[worst] ?? 0)) worst = at;
  }
  const beyond = (sum = 0): bigint => BigInt(sum) * PARTS_PER_QUARTER - liabilityParts;
  return {
    ...shown,
    maintenanceParts: beyond(maintenance[worst]),
    initialParts: beyond(greatest(sumsOf(exposure, "initial"))),
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
  const maintenance = sumsOf(exposure, "maintenance");
  const initial = sumsOf(exposure, "initial");
  const need = sumsOf(exposure, "need");
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
  exposure.locked ??= drawnLocked(exposure);
  return exposure.locked;
};

function drawnLocked(exposure: AccountExposure): Micros {
  const { full, reserved, contributed } = exposure;
  const need = isBeyond(exposure) ? full : microsOf(greatest(sumsOf(exposure, "need")));
  return micros(need + reserved + microsOf(contributed));
}

export const asTotals = (exposure: AccountExposure | undefined): Totals => ({
  lockedMicros: lockedOf(exposure),
  fullMicros: micros((exposure?.full ?? 0n) + (exposure?.reserved ?? 0n)),
  outlayMicros: micros(exposure?.outlay ?? noMoney),
  coverageMicros: micros(exposure?.coverage ?? noMoney),
  openMicros: micros(exposure?.open ?? noMoney),
  openPositions: exposure?.positions ?? 0,
  openOrders: exposure?.orders ?? 0,
});

/** Among the orders of its market, as long as it is open. */
export function stand({ standing }: AccountExposure, order: Order): void {
  const here = standing.get(order.marketId) ?? new Map<OrderId, Order>();
  if (isOpen(order)) here.set(order.id, order);
  else here.delete(order.id);
  if (here.size === 0) standing.delete(order.marketId);
  else standing.set(order.marketId, here);
}

/** An empty one where the account has nothing and offers nothing. */
export const cellIn = ({ cells, promised }: AccountExposure, market: MarketId): ExposureCell =>
  cells.get(market) ?? (promised.has(market) ? { ...noCell, isPromised: true } : noCell);
