// The publisher of a value that is about to be shown.
// Invariant: every value comes from an accepted release, so every value has an attribution.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { AttributionOf } from "../ports.ts";

export interface AttributionPorts {
  readonly exchange: ExchangeView;
  readonly attribution: AttributionOf;
}

/** Of a value drawn from this release. */
export function attributionOfRelease(
  { exchange, attribution }: AttributionPorts,
  id: ReleaseId,
): string {
  const release = exchange.releases.get(id);
  invariant(release !== undefined, `release ${id}, whose print is shown, is accepted`);
  return attribution(release.provider);
}

/** Of whatever is said about this index of this place. */
export function attributionOfPlace(
  ports: AttributionPorts,
  index: IndexKind,
  node: NodeId,
): string {
  const point = ports.exchange.chainPoint(index, node);
  invariant(point !== undefined, `${index} of ${node}, of which a market speaks, has a print`);
  return attributionOfRelease(ports, point.releaseId);
}
