// Where each index is nearest to what somebody looked for.
// Invariant: an index is named once, at the nearest place that has it; a place without any index
// is never an answer, so that nothing found is never the end.
import type { IndexKind } from "#base/index-kind.ts";
import { type GeoNode, placeOf } from "./node.ts";
import type { FoundPlaces } from "./search.ts";
import { folded, inState, zipAtEnd } from "./search-words.ts";
import type { GeoTree } from "./tree.ts";
import { stateOfZip } from "./zip-states.ts";

export interface NearestPlace {
  readonly place: GeoNode;
  /** Those that no place nearer than this has. */
  readonly indexes: readonly IndexKind[];
}

/** Of an unknown zip as many neighbors are looked at. */
const MOST_NEIGHBORS = 50;

/**
 * Nearest is, of the first place found, itself and then what it lies in, finest first. Of a zip that
 * is no place: the zips that share most of its first digits, four or three, nearest number first,
 * what the nearest lies in, and its state. Of a text that a state ends: the state.
 */
export function nearestWithData(
  geo: GeoTree,
  text: string,
  { places: [first] }: FoundPlaces,
  indexesOf: (place: GeoNode) => readonly IndexKind[],
): NearestPlace[] {
  const looked = first === undefined ? placesAround(geo, folded(text)) : upwards(geo, first);
  const named = new Set<IndexKind>();
  const nearest: NearestPlace[] = [];
  for (const place of looked) {
    const indexes = indexesOf(place).filter((index) => !named.has(index));
    if (indexes.length === 0) continue;
    for (const index of indexes) named.add(index);
    nearest.push({ place, indexes });
  }
  return nearest;
}

const upwards = (geo: GeoTree, place: GeoNode): GeoNode[] => {
  const state = geo.stateOf(place);
  const above = geo.ancestors(place.id).toReversed();
  return [...new Set([place, ...above, ...(state === undefined ? [] : [state])])];
};

function placesAround(geo: GeoTree, text: string): GeoNode[] {
  const zip = /^zip:([0-9]{5})$/.exec(text)?.[1] ?? zipAtEnd(text);
  if (zip !== undefined) {
    const state = geo.get(stateOfZip(zip) ?? "");
    const neighbors = zipsLike(geo, zip);
    const above = neighbors.slice(0, 1).flatMap((neighbor) => upwards(geo, neighbor).slice(1));
    return [...new Set([...neighbors, ...above, ...(state === undefined ? [] : [state])])];
  }
  const state = geo.get(`state:${inState(text)?.stateCode}`);
  return state === undefined ? [] : [state];
}

function zipsLike(geo: GeoTree, zip: string): GeoNode[] {
  const far = (place: GeoNode): number => Math.abs(Number(placeOf(place.id)) - Number(zip));
  for (const digits of [4, 3]) {
    const start = zip.slice(0, digits);
    const { places } = geo.search({ text: start, level: "zip", limit: MOST_NEIGHBORS });
    const alike = places.filter(({ id }) => placeOf(id).startsWith(start));
    if (alike.length > 0) return alike.sort((a, b) => far(a) - far(b) || (a.id < b.id ? -1 : 1));
  }
  return [];
}
