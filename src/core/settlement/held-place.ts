// Places that validation holds back while the rest of their release counts.
// Invariant: a held place has no first print from its release on until somebody decides on it.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { Observation, OperatorName, ReleaseReason } from "../records.ts";

/** One place of a release that validation holds back while the rest of the release counts. */
export interface HeldPlaceFacts {
  readonly nodeId: NodeId;
  /** The provider's name of it. */
  readonly regionId: string;
  readonly reasons: readonly ReleaseReason[];
  /** The observations that this release has for the place. */
  readonly observations: readonly Observation[];
}

/**
 * A place that has no first print from its release on, and from none after it, until two operators
 * release it or one rejects that release for it.
 */
export interface HeldPlace extends HeldPlaceFacts {
  readonly index: IndexKind;
  readonly level: string;
  readonly variable?: WeatherVariable;
  /** The earliest release whose value of the place is undecided. */
  readonly releaseId: ReleaseId;
  readonly heldAtMillis: number;
  /** The first operator's word for it; a second, different operator's releases it. */
  readonly approvedBy: OperatorName | null;
}
