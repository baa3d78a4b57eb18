// The loads of a new contract beside the risk load: the cash its seller binds, and the region's
// worst years.
// Invariant: both are at least 0; the first model has its own carry and no load for a bust.
import type { DeclinePayoff } from "#contract/series.ts";
import {
  EXPECTED_MARGIN_FLOOR,
  INITIAL_OVER_MAINTENANCE,
  LEAST_AUCTION_SPREAD,
  LONG_RUN_GROWTH,
  SPREAD_PART_OF_STRESS,
} from "./constants.ts";
import { BUST_BOOM, BUST_PER_YEAR, bustMonths, worstChanges } from "./constants-bust.ts";
import { featuresOf } from "./features.ts";
import { markOf, type OpenContract, payoutAt, stressed } from "./mark.ts";
import { firstLoads, type Loads } from "./quote.ts";

/**
 * The loads of a contract that can be priced; `stateCode` says which region's years repeat,
 * `carryRate` a year's return on the margin that its seller binds.
 */
export const loadsOf = (
  contract: OpenContract,
  stateCode: string | undefined,
  carryRate: number,
): Loads =>
  contract.node.model === "hmr-t4"
    ? firstLoads
    : {
        expectedMargin: expectedMargin(contract),
        carryRate,
        bustLoad: bustLoad(contract, stateCode),
      };

/**
 * The share of coverage that a seller binds beyond the mark, expected over the term: the initial
 * margin of the least demanding tier as it would be today with the next adverse print for the only
 * scenario. A margin grows when the index falls and shrinks when it rises; today's stands for the
 * mean of both.
 */
function expectedMargin(contract: OpenContract): number {
  const [mark, stress] = [markOf(contract), stressed(contract)];
  if (mark.status === "refused" || stress.status === "refused") return 0;
  const [uncovered, rise] = [1 - mark.value, stress.value - mark.value];
  const spread = Math.max(LEAST_AUCTION_SPREAD, SPREAD_PART_OF_STRESS * rise);
  const maintenance = Math.max(EXPECTED_MARGIN_FLOOR * uncovered, rise) + spread;
  return Math.min(uncovered, INITIAL_OVER_MAINTENANCE * maintenance);
}

/**
 * The chance of a repeat over the term times what the contract would then pay; of a small boom the
 * part that it is of one for which all is asked.
 */
function bustLoad({ node, horizonMonths, payoff }: OpenContract, stateCode: string | undefined) {
  if (node.index !== "zhvi" || stateCode === undefined) return 0;
  const boom = featuresOf(node).g60S - LONG_RUN_GROWTH;
  const asked = Math.min(1, Math.max(0, boom / BUST_BOOM));
  const chance = (BUST_PER_YEAR * horizonMonths) / 12;
  return asked * chance * repeatedPayout(stateCode, horizonMonths, payoff);
}

/** Between the horizons of the record on a straight line, from nothing at 0. */
function repeatedPayout(stateCode: string, horizonMonths: number, payoff: DeclinePayoff): number {
  const changes = worstChanges[stateCode];
  if (changes === undefined) return 0;
  let [belowMonths, below] = [0, 0];
  for (const [at, months] of bustMonths.entries()) {
    const change = changes[at] ?? below;
    if (horizonMonths <= months) {
      const part = (horizonMonths - belowMonths) / (months - belowMonths);
      return payoutAt(below + part * (change - below), payoff);
    }
    [belowMonths, below] = [months, change];
  }
  return payoutAt(below, payoff);
}
