// Taking in a release: first prints move the chain, and settle the markets that waited for them.
// Invariant: a month is printed once; a backfilled month never settles anything.
import { periodMonths } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { addMonths, type Month, monthEndMillis } from "#base/month.ts";
import { chainLevel } from "#base/print-value.ts";
import type { CommandOf } from "../command.ts";
import { hasPrinted } from "../market/printed-since.ts";
import { releaseCame } from "../market/window.ts";
import { awaitingName, chainPointName } from "../names.ts";
import type { AcceptedRelease, ChainPoint, Observation } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, type Step } from "../step.ts";
import { holdPlace, isHeld } from "./hold-back.ts";
import { clearanceOf, holdOfStake, refuseHeld, settlesStake } from "./quarantine.ts";
import { awaitRename } from "./rename.ts";
import { resolveMarket } from "./resolve.ts";

export function acceptRelease(
  step: Step,
  command: CommandOf<"AcceptRelease">,
): Rejection | undefined {
  const { release, observations, heldPlaces = [], fromQuarantine } = command;
  const { state } = step;
  if (state.releases.has(release.id)) return reject("RELEASE_EXISTS");
  const held = refuseHeld(step, release.id, fromQuarantine === true);
  if (held !== undefined) return held;
  if (release.publishedAtMillis > step.nowMillis || isEarly(step, observations))
    return reject("RELEASE_FROM_FUTURE", undefined, "publishedAt");
  const waiting = observations.find(({ nodeId }) => isHeld(step, release, nodeId));
  if (waiting !== undefined) return reject("PLACE_HELD", { status: waiting.nodeId });
  const repeated = firstRepeated(step, release.index, observations);
  if (repeated !== undefined) return reject("PRINT_EXISTS", { status: repeated.nodeId });

  if (settlesStake(step, release.index, observations)) return holdOfStake(step, command);

  const cleared = clearanceOf(step, release.id);
  const accepted = { ...release, ingestedAtMillis: step.nowMillis, ...cleared };
  const resolved = observations.flatMap((seen) => observe(step, accepted, seen));
  emit(step, {
    type: "ReleaseAccepted",
    release: { ...accepted, resolvedMarkets: resolved },
  });
  for (const place of heldPlaces) {
    if (place.renamedFrom === undefined) holdPlace(step, accepted, place);
    else awaitRename(step, accepted, place, place.renamedFrom);
  }
  releaseCame(step, release.index, release.id);
  return undefined;
}

/** Printed before its month was over. */
export const isEarly = (step: Step, observations: readonly Observation[]): boolean =>
  observations.some(({ month }) => monthEndMillis(month) > step.nowMillis);

/** A month that is printed already, or twice in this release. */
export function firstRepeated(
  step: Step,
  index: AcceptedRelease["index"],
  observations: readonly Observation[],
): Observation | undefined {
  const met = new Set<string>();
  return observations.find((seen) => {
    const name = awaitingName(index, seen.nodeId, seen.month);
    if (met.has(name) || isPrinted(step, index, seen)) return true;
    met.add(name);
    return false;
  });
}

function isPrinted(step: Step, index: AcceptedRelease["index"], seen: Observation): boolean {
  const point = step.state.chainPoints.get(chainPointName(index, seen.nodeId, seen.month));
  return point !== undefined && hasPrinted(point, seen.month);
}

export function observe(
  step: Step,
  release: Omit<AcceptedRelease, "resolvedMarkets">,
  seen: Observation,
): AcceptedRelease["resolvedMarkets"] {
  checkLink(step, release, seen);
  moveChainPoint(step, release, seen);
  if (seen.backfill) return [];
  const name = awaitingName(release.index, seen.nodeId, seen.month);
  const waiting = [...(step.state.awaiting.get(name) ?? [])];
  return waiting.filter((market) => resolveMarket(step, market, release, seen));
}

/** The digests of the stored rows that the journal keeps. */
export const digestsOf = ({
  printsDigest,
  latestDigest,
}: Pick<AcceptedRelease, "printsDigest" | "latestDigest">) => ({ printsDigest, latestDigest });

/** The chain is recomputed here: a level that does not follow from its link is our own mistake. */
export function checkLink(
  step: Step,
  release: Pick<AcceptedRelease, "index">,
  { nodeId, month, valueE15, levelE12, link, backfill }: Observation,
): void {
  if (link === null) {
    invariant(levelE12 === null || backfill, `level of ${nodeId} ${month} has a link`);
    return;
  }
  const expected = chainLevel(link.levelE12, valueE15, link.valueE15);
  invariant(levelE12 === expected, `level of ${nodeId} ${month} follows from its link`);
  const point = step.state.chainPoints.get(chainPointName(release.index, nodeId, month));
  if (point === undefined || point.month !== link.month) return;
  invariant(point.levelE12 === link.levelE12, `link of ${nodeId} ${month} is in the chain`);
}

function moveChainPoint(
  step: Step,
  release: Omit<AcceptedRelease, "resolvedMarkets">,
  { nodeId, month, valueE15, levelE12, gaps }: Observation,
): void {
  const before = step.state.chainPoints.get(chainPointName(release.index, nodeId, month));
  const isNewest = before === undefined || month > before.month;
  const point: ChainPoint = isNewest
    ? {
        index: release.index,
        nodeId,
        month,
        valueE15,
        levelE12,
        releaseId: release.id,
        gaps: before === undefined ? gaps : [...before.gaps, ...skipped(before, month)],
      }
    : { ...before, gaps: before.gaps.filter((gap) => gap !== month) };
  emit(step, { type: "FrontierMoved", frontier: point });
}

/** Months of the series that have been passed over. */
function skipped({ index, month: after }: ChainPoint, before: Month): readonly Month[] {
  const months: Month[] = [];
  const period = periodMonths[index];
  for (let at = addMonths(after, period); at < before; at = addMonths(at, period)) months.push(at);
  return months;
}
