// One account in one market: its position, its open orders at their worst, and what both need.
// Invariant: a column of a cell bounds every subset of its open orders, and is met by one of them.
import type { NodeId, OrderId } from "#base/ids.ts";
import type { Month } from "#base/month.ts";
import { costOf, MICROS_PER_LOT } from "#base/quantity.ts";
import { payoutText } from "#contract/terms.ts";
import { buysYes, isOpen, remaining, yesTick } from "../book/order.ts";
import type { Order } from "../records.ts";
import type { PromisedLots } from "../rfq/record.ts";
import type { ConcentrationRules } from "../rules.ts";
import {
  COLUMNS,
  type ColumnRates,
  columnRates,
  type MarginTerms,
  mayHedge,
  noSums,
  QUARTERS,
  type Sums,
} from "./columns.ts";
import { feeHeld } from "./fee.ts";
import { liabilityOf, PARTS_PER_QUARTER } from "./requirement.ts";
import type { Marked } from "./risk.ts";

/** A position, and the lots of the orders open beside it. */
export interface OpenLots {
  readonly heldLots: bigint;
  readonly buyLots: bigint;
  readonly sellLots: bigint;
}

export interface ExposureCell extends OpenLots {
  /** Micro-dollars that leave if every order fills that costs anything. */
  readonly outlay: bigint;
  /** Micro-dollars by which orders worsen a short that is covered in full, all together. */
  readonly openingFull: bigint;
  /** By column, quarters: the orders that worsen a short, all together. */
  readonly opening: Sums;
  /** The same of a short beyond the lots that one account may have. */
  readonly concentrating: Sums;
  /** By column, quarters: the orders that worsen a long's offset, all together. */
  readonly weakening: Sums;
  /** Micro-dollars received from the market less paid there: what a void takes back. */
  readonly flow: bigint;
  /** An open quote for a request sells there. */
  readonly isPromised: boolean;
}

const none = noSums();

export const noCell: ExposureCell = {
  heldLots: 0n,
  buyLots: 0n,
  sellLots: 0n,
  outlay: 0n,
  openingFull: 0n,
  opening: none,
  concentrating: none,
  weakening: none,
  flow: 0n,
  isPromised: false,
};

/** The place, index and payout of a market, together, and its measurement month. */
export interface HedgedIn {
  readonly series: string;
  readonly month: Month;
}

/** A market as one requirement sees it. */
export interface MarketRates {
  readonly marked: Marked;
  readonly concentration: ConcentrationRules;
  readonly contributes: MarginTerms["contributes"];
  /** That its place lies in, or is; undefined of a place in none. */
  readonly stateId: NodeId | undefined;
  /** Its longs and shorts may offset each other; undefined of what is no hedge and has none. */
  readonly hedged: HedgedIn | undefined;
  /** Undefined once the payout is known. */
  readonly columns: ColumnRates | undefined;
}

export const ratesOf = (marked: Marked, terms: MarginTerms): MarketRates => ({
  marked,
  concentration: terms.concentration,
  contributes: terms.contributes,
  stateId: stateIn(marked),
  hedged: hedgedIn(marked),
  columns: marked.resolution == null ? columnRates(marked, terms) : undefined,
});

const hedgedIn = (marked: Marked): HedgedIn | undefined =>
  marked.terms !== undefined && mayHedge(marked)
    ? {
        series: `${marked.terms.index}|${marked.terms.nodeId}|${payoutText(marked.terms)}`,
        month: marked.terms.measurementMonth,
      }
    : undefined;

export const stateIn = ({ terms, within }: Marked): NodeId | undefined =>
  [...(terms === undefined ? [] : [terms.nodeId]), ...(within ?? [])].find((place) =>
    place.startsWith("state:"),
  );

/**
 * A long lowers what shorts of its series need while more was paid for it than received and none
 * of it is offered, by an order or a quote: whatever of these fills, this stays so.
 */
export const isHedge = ({ sellLots, flow, isPromised }: ExposureCell): boolean =>
  sellLots === 0n && flow <= 0n && !isPromised;

/**
 * The worst that can become of a position h when any of its open orders fill, by column, added to
 * `sums`. Order i moves the position by dᵢ lots and takes aᵢ out of the cash (a premium received
 * counts against it). Of a short, each lot beyond T needs γ instead of β, and β ≤ γ: a position x
 * needs max(−α·x, −β·x, −γ·x − (γ − β)·T), so a subset needs the greatest of
 *
 *     −α·h + Σ (aᵢ − α·dᵢ) ,   −β·h + Σ (aᵢ − β·dᵢ) ,   −(γ − β)·T − γ·h + Σ (aᵢ − γ·dᵢ)
 *
 * and the greatest over all subsets is the greatest of each branch's own greatest: all orders that
 * add to it. A market by itself offsets nothing: α is 0, and `hedges.ts` takes off what longs of a
 * place cover of its shorts. The cash that a void takes back is one more branch: a subset that
 * takes a out of the cash leaves flow − a to be locked. Markets add up in a column, and the
 * greatest column bounds every subset in every scenario.
 *
 * `rises` is what the cell would need beyond that, were each of its lots short to need γ: by state
 * that is what a large part of the state may be asked for (`sums.ts`).
 */
export function addNeed(
  sums: Sums,
  cell: ExposureCell,
  rates: MarketRates,
  sign: 1 | -1,
  rises?: Sums,
): void {
  addWorst(sums, cell, rates, { sign, flow: flowOf(cell), rises, offsets: false });
}

/** The same where the cell's long lowers what shorts of its series need: α is the long's. */
export function addOffsetting(sums: Sums, cell: ExposureCell, rates: MarketRates): void {
  const offsets = isHedge(cell);
  addWorst(sums, cell, rates, { sign: 1, flow: flowOf(cell), rises: undefined, offsets });
}

const flowOf = ({ flow }: ExposureCell): number => (flow > 0n ? QUARTERS * Number(flow) : 0);

/** The same were its shorts covered elsewhere: cash paid for orders, or to be given back. */
export const needWithoutShort = ({ outlay, flow }: ExposureCell): number =>
  QUARTERS * Number(flow > outlay ? flow : outlay);

/** The same, whatever a void would take back. */
export function coverOfCell(cell: ExposureCell, rates: MarketRates): Sums {
  const sums = noSums();
  addWorst(sums, cell, rates, { sign: 1, flow: 0, rises: undefined, offsets: false });
  return sums;
}

interface Adding {
  readonly sign: 1 | -1;
  readonly flow: number;
  readonly rises: Sums | undefined;
  readonly offsets: boolean;
}

function addWorst(
  sums: Sums,
  cell: ExposureCell,
  { marked, columns }: MarketRates,
  { sign, flow, rises, offsets }: Adding,
): void {
  const held = Number(cell.heldLots);
  if (columns === undefined) {
    // Without an order, as every market whose payout is known.
    const owed = held < 0 ? owedQuarters(cell, marked) : 0;
    addToAll(sums, sign * Math.max(owed, flow));
    return;
  }
  const { long, short, concentrated } = columns.initial;
  const { opening, concentrating, weakening } = cell;
  const isLarge = held - Number(cell.sellLots) < -columns.allowedLots;
  const ungated = Math.max(QUARTERS * Number(cell.outlay), flow);
  for (let at = 0; at < COLUMNS; at += 1) {
    let endsShort = (opening[at] ?? 0) - (short[at] ?? 0) * held;
    if (isLarge) {
      const endsLarge = (concentrating[at] ?? 0) + largeNeed(columns, "initial", at, held);
      if (endsLarge > endsShort) endsShort = endsLarge;
    }
    const endsLong = offsets ? (weakening[at] ?? 0) - (long[at] ?? 0) * held : ungated;
    const worst = endsShort > endsLong ? endsShort : endsLong;
    sums[at] = (sums[at] ?? 0) + sign * worst;
    if (rises === undefined) continue;
    const raised = (concentrating[at] ?? 0) - (concentrated[at] ?? 0) * held;
    if (raised > worst) rises[at] = (rises[at] ?? 0) + sign * (raised - worst);
  }
}

/** β for the lots that an account may have, and γ for each beyond. */
function largeNeed(
  { allowedLots, ...columns }: ColumnRates,
  kind: "initial" | "maintenance",
  at: number,
  held: number,
): number {
  const few = columns[kind].short[at] ?? 0;
  const large = columns[kind].concentrated[at] ?? 0;
  return few * allowedLots - large * (held + allowedLots);
}

const owedQuarters = ({ heldLots }: ExposureCell, marked: Marked): number =>
  Number(liabilityOf(-heldLots, marked) / PARTS_PER_QUARTER);

function addToAll(sums: Sums, amount: number): void {
  if (amount === 0) return;
  for (let at = 0; at < COLUMNS; at += 1) sums[at] = (sums[at] ?? 0) + amount;
}

/** The need of the position alone, without an order; a long has none, and offsets nothing here. */
export function addPosition(
  sums: Sums,
  cell: ExposureCell,
  { marked, columns }: MarketRates,
  kind: "initial" | "maintenance",
  sign: 1 | -1,
  rises?: Sums,
): void {
  if (cell.heldLots === 0n) return;
  if (columns === undefined) {
    if (cell.heldLots < 0n) addToAll(sums, sign * owedQuarters(cell, marked));
    return;
  }
  const held = Number(cell.heldLots);
  if (held > 0) return;
  const isLarge = held < -columns.allowedLots;
  const { short, concentrated } = columns[kind];
  for (let at = 0; at < COLUMNS; at += 1) {
    const need = isLarge ? largeNeed(columns, kind, at, held) : -held * (short[at] ?? 0);
    sums[at] = (sums[at] ?? 0) + sign * need;
    if (rises === undefined) continue;
    rises[at] = (rises[at] ?? 0) + sign * (-held * (concentrated[at] ?? 0) - need);
  }
}

/**
 * Quarters that the orders may come to contribute to the guarantee fund, once they have opened a
 * short; of the short there is, it has been taken out of the cash.
 */
export function contributedBy(cell: ExposureCell, { columns, contributes }: MarketRates): number {
  if (columns === undefined || contributes !== true || cell.sellLots === 0n) return 0;
  const { few, large } = columns.contributed;
  const by = (short: number): number =>
    few * short + (large - few) * Math.max(0, short - columns.allowedLots);
  return by(worstShort(cell)) - by(cell.heldLots < 0n ? Number(-cell.heldLots) : 0);
}

/** Lots that the cell may end short of. */
export const worstShort = ({ heldLots, sellLots }: ExposureCell): number =>
  heldLots < sellLots ? Number(sellLots - heldLots) : 0;

/** Micro-dollars that full collateral would hold back, whatever fills. */
export function fullNeed(cell: ExposureCell): bigint {
  const endsShort = cell.openingFull - cell.heldLots * MICROS_PER_LOT;
  const most = cell.outlay > endsShort ? cell.outlay : endsShort;
  const least = cell.flow > 0n ? cell.flow : 0n;
  return most > least ? most : least;
}

/**
 * Lots that bound every sum of the cell: orders count twice, for a fill moves them to the position
 * and what it brings to the flow. No subset of orders that fills raises it.
 */
export const grossLots = ({ heldLots, buyLots, sellLots, flow }: ExposureCell): bigint =>
  magnitude(heldLots) + 2n * (buyLots + sellLots) + (flow > 0n ? flow / MICROS_PER_LOT + 1n : 0n);

/** The orders to add and to take away. */
export type OrderChanges = readonly (readonly [order: Order, sign: 1n | -1n])[];

type Changing = { -readonly [Name in keyof ExposureCell]: ExposureCell[Name] };

export function withOrders(
  cell: ExposureCell,
  changes: OrderChanges,
  feeBps: number,
  rates: MarketRates,
): ExposureCell {
  const next: Changing = { ...cell };
  for (const [order, sign] of changes) {
    if (isOpen(order)) addOrder(next, cell, [order, sign], feeBps, rates);
  }
  return next;
}

/** Sums that `cell` has are copied before they change. */
function addOrder(
  next: Changing,
  cell: ExposureCell,
  [order, sign]: OrderChanges[number],
  feeBps: number,
  { columns, concentration }: MarketRates,
): void {
  const buys = buysYes(order);
  const quantity = remaining(order);
  const cost = costOf(quantity, yesTick(order));
  const paid = (buys ? cost : -cost) + feeHeld(order, feeBps);
  const cover = quantity * MICROS_PER_LOT;
  const worsensFull = paid + (buys ? -cover : cover);
  if (buys) next.buyLots += sign * quantity;
  else next.sellLots += sign * quantity;
  if (paid > 0n) next.outlay += sign * paid;
  if (worsensFull > 0n) next.openingFull += sign * worsensFull;
  if (columns === undefined) return;
  const moves = {
    paid: QUARTERS * Number(paid),
    lots: Number(buys ? quantity : -quantity),
    sign: Number(sign),
  };
  const { short, long, concentrated } = columns.initial;
  next.opening = worsened(next.opening, cell.opening, short, moves);
  next.weakening = worsened(next.weakening, cell.weakening, long, moves);
  if (concentration.rateBps === 0) return;
  next.concentrating = worsened(next.concentrating, cell.concentrating, concentrated, moves);
}

/** The orders of a branch that add to it; `shared` is copied before it changes. */
function worsened(
  sums: Sums,
  shared: Sums,
  side: Sums,
  { paid, lots, sign }: { readonly paid: number; readonly lots: number; readonly sign: number },
): Sums {
  let next = sums;
  for (let at = 0; at < COLUMNS; at += 1) {
    const worse = paid - (side[at] ?? 0) * lots;
    if (worse <= 0) continue;
    if (next === shared) next = shared.slice();
    next[at] = (next[at] ?? 0) + sign * worse;
  }
  return next;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** With what quotes for requests promise, as open orders of the account. */
export const withPromised = (
  { heldLots, buyLots, sellLots }: OpenLots,
  promised: PromisedLots,
): OpenLots => ({
  heldLots,
  buyLots: buyLots + promised.buyLots,
  sellLots: sellLots + promised.sellLots,
});

export function worstLots({ heldLots, buyLots, sellLots }: OpenLots): bigint {
  const afterBuys = magnitude(heldLots + buyLots);
  const afterSells = magnitude(heldLots - sellLots);
  return afterBuys > afterSells ? afterBuys : afterSells;
}

export const isEmpty = (cell: ExposureCell): boolean =>
  cell.heldLots === 0n && cell.buyLots === 0n && cell.sellLots === 0n && cell.flow === 0n;

/** The cell drawn anew from its orders, at the rates and marks of now. */
export function drawn(
  { heldLots, flow, isPromised }: ExposureCell,
  orders: ReadonlyMap<OrderId, Order> | undefined,
  feeBps: number,
  rates: MarketRates,
): ExposureCell {
  const all = [...(orders?.values() ?? [])].map((order) => [order, 1n] as const);
  return withOrders({ ...noCell, heldLots, flow, isPromised }, all, feeBps, rates);
}
