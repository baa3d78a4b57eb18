// Places that operators load: what of a place stays as it is while its markets are open.
// Invariant: nobody changes whose prints a place gets, or what it is priced by, under a market.
import type { CommandOf } from "./command.ts";
import { isLive } from "./market/life.ts";
import type { GeoRecord } from "./records.ts";
import { type Rejection, reject } from "./rejection.ts";
import { markDue } from "./settlement/reread.ts";
import { emit, type Step } from "./step.ts";

export function loadGeo(
  step: Step,
  { nodes, rereadDue }: CommandOf<"LoadGeo">,
): Rejection | undefined {
  const { geo, markets } = step.state;
  const used = new Set<string>();
  for (const { status, terms } of markets.values()) if (isLive(status)) used.add(terms.nodeId);
  const moved = nodes.find((node) => {
    const before = used.has(node.id) ? geo.get(node.id) : undefined;
    return before !== undefined && !isSamePlace(before, node);
  });
  if (moved !== undefined) return reject("GEO_IN_USE", { status: moved.id });

  emit(step, { type: "GeoLoaded", nodes });
  markDue(step, rereadDue ?? []);
  return undefined;
}

/** Its state says what its marks follow; its ids say whose prints it gets. */
const isSamePlace = (before: GeoRecord, after: GeoRecord): boolean =>
  before.level === after.level &&
  before.stateCode === after.stateCode &&
  before.fips === after.fips &&
  before.providerIds.every((id) => after.providerIds.includes(id)) &&
  after.providerIds.every((id) => before.providerIds.includes(id) || isOfNewProvider(before, id));

function isOfNewProvider({ providerIds }: GeoRecord, id: string): boolean {
  const provider = id.slice(0, id.indexOf(":") + 1);
  return !providerIds.some((known) => known.startsWith(provider));
}
