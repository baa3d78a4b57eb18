// Holding one place of a release back, while the rest of the release counts.
// Invariant: a place is held once in a series of files, from the earliest release undecided on.
import { invariant } from "#base/invariant.ts";
import { heldPlaceName } from "../names.ts";
import type { ReleaseFacts } from "../records.ts";
import { emit, type Step } from "../step.ts";
import type { HeldPlace, HeldPlaceFacts } from "./held-place.ts";

type SeriesFacts = Pick<ReleaseFacts, "index" | "level" | "variable">;

export const heldIn = (
  { state }: Step,
  series: SeriesFacts,
  node: HeldPlace["nodeId"],
): HeldPlace | undefined => state.heldPlaces.get(heldPlaceName(series, node));

export const isHeld = (step: Step, series: SeriesFacts, node: HeldPlace["nodeId"]): boolean =>
  heldIn(step, series, node) !== undefined;

/** From this release on. */
export function holdPlace(
  step: Step,
  { id, index, level, variable }: Pick<ReleaseFacts, "id" | "index" | "level" | "variable">,
  { nodeId, regionId, reasons, observations }: HeldPlaceFacts,
): void {
  const series = { index, level, ...(variable === undefined ? {} : { variable }) };
  invariant(reasons.length > 0, `${nodeId} is held for a reason`);
  invariant(!isHeld(step, series, nodeId), `${nodeId} is held once`);
  const place: HeldPlace = {
    ...series,
    nodeId,
    regionId,
    reasons,
    observations,
    releaseId: id,
    heldAtMillis: step.nowMillis,
  };
  emit(step, { type: "HeldPlaceChanged", place, status: "held" });
}
