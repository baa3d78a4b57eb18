// A place that its provider goes on with under another id: fallback 1, a map of one region.
// Invariant: two people accept a map, on 24 months of equal growth up to the place's newest print
// or on the provider's own note; until then it holds nothing back, and the old id prints as ever.
import { invariant } from "#base/invariant.ts";
import { isSameSeries } from "#contract/same-series.ts";
import type { CommandOf } from "../command.ts";
import { heldPlaceName, renamingName } from "../names.ts";
import type { AcceptedRelease } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, type Step } from "../step.ts";
import { say } from "../words/say.ts";
import type { HeldPlace, HeldPlaceFacts } from "./held-place.ts";

/** The first word; the second comes with what the files have under the new id, as ReleasePlace. */
export function renamePlace(step: Step, command: CommandOf<"RenamePlace">): Rejection | undefined {
  const { releaseId, nodeId, from, to, shared, isNoted = false, observations } = command;
  const release = step.state.releases.get(releaseId);
  if (release === undefined || release.index === "weather") return reject("RENAME_GROUNDS");
  const { index } = release;
  const { heldPlaces } = step.state;
  const isPending = heldPlaces.has(renamingName(release, nodeId));
  if (isPending || heldPlaces.has(heldPlaceName(release, nodeId))) {
    return reject("PLACE_HELD", { status: nodeId });
  }
  const through = newestMonth(step, release, nodeId);
  if (through === undefined || from === to) return reject("RENAME_GROUNDS");
  const isLater = observations.some(({ month }) => month > through);
  if (!isLater || !(isNoted || isSameSeries(index, through, shared))) {
    return reject("RENAME_GROUNDS");
  }

  const ground = isNoted ? "the provider's note says so" : "growth was equal for 24 months";
  const message = `Region ${to} goes on as region ${from} did: ${ground}.`;
  const facts = { nodeId, regionId: to, reasons: [{ code: "RENAMED", message }], observations };
  awaitRename(step, release, facts, from);
  const said = say(step, { type: "ApprovePlace", releaseId, nodeId });
  invariant(!said.isDecided && said.refused === undefined, `a map of ${nodeId} waits for a word`);
  return undefined;
}

/** A map that waits for two people; `from`: the id before. */
export function awaitRename(
  step: Step,
  release: Pick<AcceptedRelease, "id" | "index" | "level">,
  { nodeId, regionId, reasons, observations }: HeldPlaceFacts,
  from: string,
): void {
  const { id: releaseId, index, level } = release;
  const through = newestMonth(step, release, nodeId);
  const isPending = step.state.heldPlaces.has(renamingName(release, nodeId));
  invariant(through !== undefined && !isPending, `${nodeId} has prints, and one map at a time`);
  const place: HeldPlace = {
    index,
    level,
    nodeId,
    regionId,
    reasons,
    observations,
    releaseId,
    heldAtMillis: step.nowMillis,
    renamed: { from, through },
  };
  emit(step, { type: "HeldPlaceChanged", place, status: "held" });
}

/** A print of the old id, or a hold of the place, takes the ground from a map. */
export function refuseRenamed(step: Step, held: HeldPlace): Rejection | undefined {
  if (held.renamed === undefined) return undefined;
  if (step.state.heldPlaces.has(heldPlaceName(held, held.nodeId))) {
    return reject("PLACE_HELD", { status: held.nodeId });
  }
  if (newestMonth(step, held, held.nodeId) !== held.renamed.through) {
    return reject("RENAME_GROUNDS");
  }
  return undefined;
}

type OfIndex = Pick<HeldPlace, "index">;

/** The month is that of any print of the series: no index whose months are apart is renamed. */
const newestMonth = ({ state }: Step, { index }: OfIndex, node: HeldPlace["nodeId"]) =>
  state.chainPoints.get(`${index}|${node}`)?.month;
