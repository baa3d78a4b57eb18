// Places that validation holds back while the rest of their release counts.
// Invariant: a held place has no first print from its release on until somebody decides on it.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import { heldPlaceName, renamingName } from "../names.ts";
import type { Observation, ReleaseReason } from "../records.ts";

/** One place of a release that validation holds back while the rest of the release counts. */
export interface HeldPlaceFacts {
  readonly nodeId: NodeId;
  /** The provider's name of it. */
  readonly regionId: string;
  readonly reasons: readonly ReleaseReason[];
  /** The id before, where the provider's own note says that the region was renamed: no hold. */
  readonly renamedFrom?: string;
  /** The observations that this release has for the place. */
  readonly observations: readonly Observation[];
}

/**
 * A place that has no first print from its release on, and from none after it, until two operators
 * release it or one rejects that release for it.
 */
export interface HeldPlace extends Omit<HeldPlaceFacts, "renamedFrom"> {
  readonly index: IndexKind;
  readonly level: string;
  readonly variable?: WeatherVariable;
  /** The earliest release whose value of the place is undecided. */
  readonly releaseId: ReleaseId;
  readonly heldAtMillis: number;
  /**
   * Present where it is no hold but a map of regions that waits for its second word: the id before
   * `regionId`, and the newest month that was printed by it.
   */
  readonly renamed?: { readonly from: string; readonly through: Month };
}

/** A map that two operators accepted: from this release on the place is the region `to`. */
export interface Rename {
  readonly index: IndexKind;
  readonly level: string;
  readonly nodeId: NodeId;
  readonly from: string;
  readonly to: string;
  readonly releaseId: ReleaseId;
}

/** Where it is kept: a hold, or a map beside it. */
export const heldName = (place: HeldPlace): string =>
  place.renamed === undefined
    ? heldPlaceName(place, place.nodeId)
    : renamingName(place, place.nodeId);
