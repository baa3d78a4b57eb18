// Whether a market's own index has printed since the market began: then it is never void.
// Invariant: drawn from the newest first print of the series, so nobody can say otherwise.
import type { ReleaseId } from "#base/ids.ts";
import type { Month } from "#base/month.ts";
import type { Terms } from "#contract/terms.ts";
import { chainPointName } from "../names.ts";
import type { AcceptedRelease, ChainPoint, Market } from "../records.ts";

/** The state's, or a reader's. */
export interface FirstPrints {
  /** The newest of each series, by `chainPointName`. */
  readonly chainPoints: ReadonlyMap<string, ChainPoint>;
  readonly releases: ReadonlyMap<ReleaseId, AcceptedRelease>;
}

/** A decline begins at its baseline, a level when it was listed. */
export function isPrintedSince(
  { chainPoints, releases }: FirstPrints,
  { terms, createdAtMillis }: Market,
): boolean {
  const { index, nodeId, measurementMonth, baseline } = terms;
  const newest = chainPoints.get(chainPointName(index, nodeId, measurementMonth));
  if (newest === undefined) return false;
  if (baseline !== null) return newest.month > baseline.month;
  return printedAtMillis(newest, releases.get(newest.releaseId)) > createdAtMillis;
}

/** Of a place that was held, when it was released: nobody knew its print before. */
function printedAtMillis({ nodeId }: ChainPoint, release: AcceptedRelease | undefined): number {
  const { ingestedAtMillis = 0, rereads = [] } = release ?? {};
  const released = rereads.flatMap(({ place }) =>
    place?.nodeId === nodeId ? [place.atMillis] : [],
  );
  return released.at(-1) ?? ingestedAtMillis;
}

/** By its newest first print and its gaps. Months before its history count as printed. */
export const hasPrinted = ({ month: newest, gaps }: ChainPoint, month: Month): boolean =>
  month <= newest && !gaps.includes(month);

/** A neighborhood that moved: what it was is no part of anything coarser, and has no successor. */
export const hasLeftChain = (
  { nodeId }: Pick<Terms, "nodeId">,
  newest: Pick<ChainPoint, "levelE12"> | undefined,
): boolean => nodeId.startsWith("nbhd:") && newest?.levelE12 === null;
