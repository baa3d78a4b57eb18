// A fill counted in the state, kept while it may be busted, and counted back when it was.
// Invariant: a busted fill leaves every count as if it had never been.
import { lots } from "#base/quantity.ts";
import { forgetStrays, putStray, takeStray } from "./busts/stray.ts";
import type { EventOf } from "./event.ts";
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
    takeStray(state, event.fill);
    uncountVolume(state.dayVolumes, event.fill);
    const amountLots = lots(-event.fill.amountLots);
    countTraded(state.marketVolumes, { ...event.fill, amountLots });
  } else {
    forgetStrays(state, timeMillis);
    state.fillCount += 1;
    countVolume(state.dayVolumes, event.fill);
    countTraded(state.marketVolumes, event.fill);
  }
}
