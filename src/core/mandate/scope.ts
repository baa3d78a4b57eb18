// The contracts a mandate covers, and its price for one of them.
// Invariant: a function of the records alone: months left are counted in prints, not by a clock.
import type { NodeId } from "#base/ids.ts";
import { isTick, type Tick } from "#base/price.ts";
import type { Payoff, Terms } from "#contract/terms.ts";
import { chainPointName } from "../names.ts";
import type { ChainPoint, Market } from "../records.ts";
import type { Mandate, MandateScope } from "./record.ts";

const MONTHS_A_YEAR = 12;

/** A contract as mandates see it: a market, or one that its first order would list. */
export type Quoted = Pick<Market, "terms" | "markTick" | "within">;

/** Its place and all it lies in. */
export const placesOf = ({ terms, within }: Pick<Quoted, "terms" | "within">) => [
  terms.nodeId,
  ...within,
];

/** The state a place lies in, or is; the place itself where it lies in none. */
export const stateOfPlace = (quoted: Pick<Quoted, "terms" | "within">): NodeId =>
  placesOf(quoted).find((place) => place.startsWith("state:")) ?? quoted.terms.nodeId;

/** Prints that are still to come; undefined where the place has none at all. */
export function monthsLeft(
  { chainPoints }: { readonly chainPoints: ReadonlyMap<string, ChainPoint> },
  { index, nodeId, measurementMonth }: Terms,
): number | undefined {
  const newest = chainPoints.get(chainPointName(index, nodeId, measurementMonth));
  return newest === undefined ? undefined : measurementMonth - newest.month;
}

/** Its index and place are known to be in the scope: the look-up went by them. */
export function covers(scope: MandateScope, { nodeId, payoff }: Terms, months: number): boolean {
  const { levels, payoffs, minMonths, maxMonths } = scope;
  if (payoff.kind === "level" || months < minMonths || months > maxMonths) return false;
  if (levels !== null && !levels.includes(nodeId.slice(0, nodeId.indexOf(":")))) return false;
  return payoffs === null || payoffs.some((one) => isSame(one, payoff));
}

function isSame(one: Payoff, other: Payoff): boolean {
  if (one.kind === "layered" && other.kind === "layered") {
    return one.attachBps === other.attachBps && one.exhaustBps === other.exhaustBps;
  }
  return one.kind === "binary" && other.kind === "binary" && one.strikeBps === other.strikeBps;
}

/** Ticks beyond the mark: of a part of a year the tick in full. */
export const spreadOf = (
  { spreadTicks, spreadTicksPerYear }: Pick<Mandate, "spreadTicks" | "spreadTicksPerYear">,
  months: number,
): number => spreadTicks + Math.ceil((spreadTicksPerYear * months) / MONTHS_A_YEAR);

/** Undefined beyond the grid: a mandate never trades nearer to the mark than its spread. */
export function priceOf({ side }: Mandate, markTick: Tick, spread: number): Tick | undefined {
  const tick = side === "SELL" ? markTick + spread : markTick - spread;
  return isTick(tick) ? tick : undefined;
}
