// A held place in its place, and the map of regions that its release accepted.
// Invariant: a map is kept once two people accepted it, and for good: later files go by it.
import type { EventOf } from "./event.ts";
import { heldPlaceName } from "./names.ts";
import { heldName, type Rename } from "./settlement/held-place.ts";
import type { State } from "./state.ts";

export function putHeldPlace(
  { heldPlaces, renames }: State,
  { place, status }: Pick<EventOf<"HeldPlaceChanged">, "place" | "status">,
): void {
  const name = heldName(place);
  if (status === "held") heldPlaces.set(name, place);
  else heldPlaces.delete(name);
  if (status !== "released" || place.renamed === undefined) return;
  const { index, level, nodeId, regionId: to, releaseId, renamed } = place;
  putRename(renames, { index, level, nodeId, from: renamed.from, to, releaseId });
}

/** One that came back to an earlier id is the newest again. */
export function putRename(renames: State["renames"], rename: Rename): void {
  const name = `${heldPlaceName(rename, rename.nodeId)}|${rename.to}`;
  renames.delete(name);
  renames.set(name, rename);
}
