// A fill counted in the state, kept while it may be busted, and counted back when it was.
// Invariant: a busted fill leaves every count as if it had never been.
import { lots } from "#base/quantity.ts";
import { forgetStrays, putStray, takeStray } from "./busts/stray.ts";
import type { EventOf } from "./event.ts";
import { forgets } from "./leaving.ts";
import type { State } from "./state.ts";
import { countTraded, countVolume, uncountVolume } from "./volume.ts";

export function foldFill(
  state: State,
  event: EventOf<"Filled"> | EventOf<"FillStrayed"> | EventOf<"FillBusted">,
  timeMillis: number,
): void {
  if (event.type === "FillStrayed") {
    putStray(state, event.stray);
  } else if (event.type === "FillBusted") {
    if (forgets(state)) takeStray(state, event.fill);
    else state.strays.delete(event.fill.id);
    uncountVolume(state.dayVolumes, event.fill);
    const amountLots = lots(-event.fill.amountLots);
    if (forgets(state)) countTraded(state.marketVolumes, { ...event.fill, amountLots });
  } else {
    forgetStrays(state, timeMillis);
    state.fillCount += 1;
    countVolume(state.dayVolumes, event.fill);
    // States of earlier rules keep their hash.
    if (forgets(state)) countTraded(state.marketVolumes, event.fill);
  }
}
