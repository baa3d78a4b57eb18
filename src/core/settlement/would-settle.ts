// The markets that wait for some prints, and what each would pay by them.
// Invariant: what is foretold is what a resolution by the same print gives.

import type { MarketId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { type Settlement, settle } from "#contract/payoff.ts";
import { isLive } from "../market/life.ts";
import { awaitingName } from "../names.ts";
import type { Market, Observation } from "../records.ts";

interface Foretold {
  readonly market: Market;
  readonly print: Observation;
  /** Undefined where the print has no chain to settle on: the market waits for its fallback. */
  readonly settlement: Settlement | undefined;
}

export function wouldSettle(
  markets: ReadonlyMap<MarketId, Market>,
  index: IndexKind,
  observations: readonly Observation[],
): readonly Foretold[] {
  const prints = new Map(
    observations
      .filter(({ backfill }) => !backfill)
      .map((print) => [awaitingName(index, print.nodeId, print.month), print]),
  );
  const foretold: Foretold[] = [];
  for (const market of markets.values()) {
    const { terms, status } = market;
    if (!isLive(status)) continue;
    const print = prints.get(awaitingName(terms.index, terms.nodeId, terms.measurementMonth));
    if (print !== undefined) foretold.push({ market, print, settlement: settle(terms, print) });
  }
  return foretold;
}
