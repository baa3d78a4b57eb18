// The risk array of a market: the value of YES in ticks after each scenario of the published list.
// Invariant: as many columns as the list has, whatever version of it an array was computed by.
import type { NodeId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";
import { type RiskTicks, scenarios } from "#contract/scenarios.ts";
import type { Terms } from "#contract/terms.ts";
import type { Resolution } from "../records.ts";

interface MarkTicks {
  readonly markTick: Tick;
  readonly stressedTick: Tick;
  readonly riskTicks: RiskTicks;
}

/** A market, or one that is about to be listed, to margin. */
export interface Marked extends MarkTicks {
  readonly terms?: Pick<Terms, "index" | "nodeId" | "measurementMonth" | "payoff" | "baseline">;
  readonly within?: readonly NodeId[];
  readonly resolution?: Resolution | null;
  /** Open at the last marks; absent = none. */
  readonly markedOpenLots?: Lots;
}

/**
 * A column that was appended to the list since the array was computed repeats the first, so that
 * it binds nobody whom the first does not bind.
 */
export const riskOf = ({ stressedTick, riskTicks }: MarkTicks): RiskTicks =>
  riskTicks.length === scenarios.length
    ? riskTicks
    : scenarios.map((_, at) => riskTicks[at] ?? riskTicks[0] ?? stressedTick);

/** Whether a market that has the one mark would be as it is with the other. */
export const sameMarks = (a: MarkTicks, b: MarkTicks): boolean =>
  a.markTick === b.markTick && a.stressedTick === b.stressedTick && sameRisk(a, b);

const sameRisk = ({ riskTicks: a }: MarkTicks, { riskTicks: b }: MarkTicks): boolean =>
  a === b || (a.length === b.length && a.every((tick, at) => tick === b[at]));
