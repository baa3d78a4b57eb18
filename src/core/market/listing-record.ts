// A market as it comes to be.
// Invariant: its terms never change; its first mark is that of the command that lists it.
import type { MarketId, NodeId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import type { RiskTicks } from "#contract/scenarios.ts";
import type { Terms } from "#contract/terms.ts";

/** A market's birth: its terms, and its first mark from the reference model. */
export interface Listing {
  readonly marketId: MarketId;
  readonly terms: Terms;
  readonly markTick: Tick;
  readonly stressedTick: Tick;
  readonly riskTicks: RiskTicks;
  /** The places that its place lies in, coarsest first. */
  readonly within: readonly NodeId[];
}
