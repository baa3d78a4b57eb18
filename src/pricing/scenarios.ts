// The worth of an open contract after each scenario of the published list.
// Invariant: one value a column; below the worth of now only where the scenario is a rise.
import { unreachable } from "#base/invariant.ts";
import { addMonths } from "#base/month.ts";
import { censusRegionOf, type ScenarioId, scenarios } from "#contract/scenarios.ts";
import { NATION_BETA, STATE_BETA, STRESS_PROBABILITY } from "./constants.ts";
import { distributionOf, quantile } from "./distribution.ts";
import { type FeatureInput, featuresOf, type RegionGrowth } from "./features.ts";
import { outlookOf } from "./mark.ts";
import { type ReplayId, replayedChange, replayedUntil } from "./scenario-paths.ts";

/** The rest of a contract: the place, the months, and the change of the index until now. */
export interface Remaining {
  readonly node: FeatureInput;
  /** Whole months from the as-of month to the measurement month; 0 = the print is known. */
  readonly horizonMonths: number;
  /** Of the log of the index since the contract began to count. */
  readonly accruedLogChange: number;
}

interface Exposed extends Remaining {
  /** Two capital letters; empty for the nation. */
  readonly stateCode: string;
  /** Fair value of 1 of coverage. */
  readonly worth: (remaining: Remaining) => number;
}

/** How far the state's and the nation's momentum go with the place's. */
interface Betas {
  readonly state: number;
  readonly nation: number;
}
const everywhere: Betas = { state: STATE_BETA, nation: NATION_BETA };
const regionOnly: Betas = { state: STATE_BETA, nation: 0 };

const REGION_PRINTS = 6;
const REGION_PROBABILITY = 0.001;
const SLIDE_MONTHS = 24;
const SLIDE_LOG_CHANGE = Math.log(0.8);

/** By column. */
export function valuesAfter(exposed: Exposed): readonly number[] {
  const now = exposed.worth(exposed);
  return scenarios.map(({ id, direction }) => {
    const value = valueIn(exposed, id) ?? now;
    return direction === "down" ? Math.max(now, value) : value;
  });
}

/** Undefined where the scenario leaves the place alone. */
function valueIn(exposed: Exposed, id: ScenarioId): number | undefined {
  const { horizonMonths, stateCode, worth } = exposed;
  switch (id) {
    case "all-1":
      return worth(afterQuantile(exposed, 1, STRESS_PROBABILITY, everywhere));
    case "all-3":
      return worth(afterQuantile(exposed, 3, STRESS_PROBABILITY, everywhere));
    case "all-6":
      return worth(afterQuantile(exposed, 6, STRESS_PROBABILITY, everywhere));
    case "all-12":
      return worth(afterQuantile(exposed, 12, STRESS_PROBABILITY, everywhere));
    case "up-1":
      return worth(afterQuantile(exposed, 1, 1 - STRESS_PROBABILITY, everywhere));
    case "up-12":
      return worth(afterQuantile(exposed, 12, 1 - STRESS_PROBABILITY, everywhere));
    case "northeast":
    case "midwest":
    case "south":
    case "west":
      if (censusRegionOf(stateCode) !== id) return undefined;
      return worth(afterQuantile(exposed, REGION_PRINTS, REGION_PROBABILITY, regionOnly));
    case "replay-2006":
    case "replay-1989":
    case "replay-1985":
      if (!wasKnown(id, exposed.node)) return undefined;
      return worth(ended(exposed, replayedChange(id, stateCode, horizonMonths)));
    case "minus-20": {
      const months = Math.min(SLIDE_MONTHS, horizonMonths);
      const change = (SLIDE_LOG_CHANGE * months) / SLIDE_MONTHS;
      return worth(afterPrints(exposed, months, change, everywhere));
    }
    case "missing-print":
      return worth(ended(exposed, 0));
    default:
      return unreachable(id);
  }
}

/** A place priced with the constants of a time knows only falls that were over by then. */
const wasKnown = (id: ReplayId, { constants, asOfMonth }: FeatureInput): boolean =>
  constants === undefined || asOfMonth >= replayedUntil[id];

/** The last print is this far from the newest; what lies between does not matter any more. */
const ended = (exposed: Exposed, logChange: number): Remaining => ({
  node: exposed.node,
  horizonMonths: 0,
  accruedLogChange: exposed.accruedLogChange + logChange,
});

/** After the next prints, or those that are left, at a quantile of their distribution together. */
function afterQuantile(exposed: Exposed, prints: number, chance: number, betas: Betas): Remaining {
  const { node, horizonMonths } = exposed;
  const months = Math.min(prints, horizonMonths);
  const together = distributionOf(outlookOf(node, months));
  return afterPrints(exposed, months, quantile(together, chance), betas);
}

/**
 * The change comes in equal parts and joins the history. The growth of state and nation moves by
 * their betas times what the place's own moves by.
 */
function afterPrints(
  { node, horizonMonths, accruedLogChange }: Exposed,
  months: number,
  logChange: number,
  betas: Betas,
): Remaining {
  const logLevels = Array.from(node.logLevels);
  const last = logLevels.at(-1) ?? 0;
  for (let month = 1; month <= months; month += 1)
    logLevels.push(last + (logChange * month) / months);
  const after = { ...node, asOfMonth: addMonths(node.asOfMonth, months), logLevels };
  const [now, then] = [featuresOf(node), featuresOf(after)];
  const own = { momentum: then.m - now.m, g60: then.g60 - now.g60 };
  return {
    node: {
      ...after,
      state: movedBy(node.state, own, betas.state),
      nation: movedBy(node.nation, own, betas.nation),
    },
    horizonMonths: horizonMonths - months,
    accruedLogChange: accruedLogChange + logChange,
  };
}

const movedBy = (
  region: RegionGrowth | undefined,
  own: RegionGrowth,
  beta: number,
): RegionGrowth | undefined =>
  region && {
    momentum: region.momentum + beta * own.momentum,
    g60: region.g60 + beta * own.g60,
  };
