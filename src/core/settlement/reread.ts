// Releases read once more: prints of places that have become known since they were accepted.
// Invariant: nothing settles by it, and nothing that stood moves: only places without a single
// print get theirs, and on such a place there is no market.

import type { ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { CommandOf, NewestPrint, RereadRelease } from "../command.ts";
import { chainPointName } from "../names.ts";
import type { AcceptedRelease } from "../records.ts";
import { emit, type Step } from "../step.ts";
import { holdPlace } from "./hold-back.ts";
import { checkLink, digestsOf } from "./release.ts";

/** New places may be what nothing matched in these releases: their files are to be read again. */
export function markDue(step: Step, due: readonly ReleaseId[]): void {
  for (const id of due) {
    const release = step.state.release(id);
    if (release.rereadDue === true) continue;
    emit(step, { type: "ReleaseChanged", release: { ...release, rereadDue: true } });
  }
}

/** Given by the exchange alone: what does not fit its own state is our mistake. */
export function rereadReleases(
  step: Step,
  { index, level, variable, releases, newest, heldPlaces = [] }: CommandOf<"RereadReleases">,
): undefined {
  for (const part of releases) {
    const release = step.state.release(part.releaseId);
    const isOfSeries = release.index === index && release.level === level;
    const isDue = release.rereadDue === true && isOfSeries && release.variable === variable;
    invariant(isDue, `${release.id} of ${index} by ${level} is due`);
    emit(step, { type: "ReleaseChanged", release: reread(step, release, part) });
  }
  for (const print of newest) startChainPoint(step, index, print);
  for (const place of heldPlaces) {
    holdPlace(step, step.state.release(place.releaseId), place);
  }
}

/** As the release would have been counted had the places been there. */
function reread(step: Step, due: AcceptedRelease, part: RereadRelease): AcceptedRelease {
  const { rereadDue: _rereadDue, ...rest } = due;
  const { held = 0 } = part;
  const met = part.matched + held;
  invariant(met <= rest.unmatched, `${rest.id} has so many unmatched regions`);
  const waiting = held === 0 ? {} : { held: held + (rest.held ?? 0) };
  const release = { ...rest, unmatched: rest.unmatched - met, ...waiting };
  if (part.matched === 0) return release;
  const { rereads = [] } = release;
  const afterReleases = step.state.releases.size;
  return {
    ...release,
    firstPrints: release.firstPrints + part.firstPrints,
    revisions: release.revisions + part.revisions,
    unchanged: release.unchanged + part.unchanged,
    rescaled: release.rescaled + part.rescaled,
    rereads: [...rereads, { sequence: step.sequence, afterReleases, ...digestsOf(part) }],
  };
}

function startChainPoint(step: Step, index: AcceptedRelease["index"], print: NewestPrint): void {
  const { nodeId, month, valueE15, levelE12, releaseId, gaps } = print;
  const name = chainPointName(index, nodeId, month);
  invariant(!step.state.chainPoints.has(name), `${nodeId} has no print of ${index} yet`);
  checkLink(step, { index }, print);
  const point = { index, nodeId, month, valueE15, levelE12, releaseId, gaps };
  emit(step, { type: "FrontierMoved", frontier: point });
}
