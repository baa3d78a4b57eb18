// The contracts that are open in each market, and in each state, as of a publication of marks.
// Invariant: an account's share is of these counts, so between two of them no fill moves it.
import type { NodeId } from "#base/ids.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import type { EventOf } from "../event.ts";
import { stateIn } from "../margin/one-market.ts";
import type { Rules } from "../rules.ts";
import type { State } from "../state.ts";
import { emit, type Step } from "../step.ts";
import { isLive } from "./life.ts";

type OpenCounts = Pick<EventOf<"OpenCounted">, "markets" | "states">;
type CountedState = Pick<State, "markets" | "openInterest" | "openByState">;

export function countOpen(step: Step, rules: Rules): void {
  const counts = changedCounts(step.state, rules);
  if (counts.markets.length + counts.states.length === 0) return;
  emit(step, { type: "OpenCounted", ...counts });
}

/** Of markets that wait for their print, where these rules ask something of large sellers. */
export function changedCounts(state: CountedState, rules: Rules): OpenCounts {
  if (rules.concentration.rateBps === 0) return { markets: [], states: [] };
  const { markets: all, openInterest, openByState } = state;
  const markets: EventOf<"OpenCounted">["markets"][number][] = [];
  const byState = new Map<NodeId, Lots>([...openByState.keys()].map((id) => [id, noLots]));
  for (const market of all.values()) {
    if (!isLive(market.status)) continue;
    const openLots = openInterest.get(market.id) ?? noLots;
    const before = market.markedOpenLots ?? noLots;
    if (openLots !== before) markets.push({ marketId: market.id, openLots });
    const stateId = stateIn(market);
    if (stateId === undefined || openLots === noLots) continue;
    byState.set(stateId, lots((byState.get(stateId) ?? noLots) + openLots));
  }
  const states = [...byState].flatMap(([stateId, openLots]) =>
    openLots === (openByState.get(stateId) ?? noLots) ? [] : [{ stateId, openLots }],
  );
  return { markets, states };
}
