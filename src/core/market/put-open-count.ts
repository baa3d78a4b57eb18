// The contracts counted as open, in their place: on the market's record, and by state.
// Invariant: accounts that are short in a state are valued anew when its count changes.
import { type Lots, noLots } from "#base/quantity.ts";
import type { EventOf } from "../event.ts";
import type { Market } from "../records.ts";
import type { State } from "../state.ts";

export const counted = ({ markedOpenLots: _before, ...market }: Market, open: Lots): Market =>
  open === noLots ? market : { ...market, markedOpenLots: open };

export function putOpenByState(state: State, { states }: EventOf<"OpenCounted">): void {
  for (const { stateId, openLots } of states) {
    if (openLots === noLots) state.openByState.delete(stateId);
    else state.openByState.set(stateId, openLots);
  }
  state.exposures.statesCounted(states.map(({ stateId }) => stateId));
}
