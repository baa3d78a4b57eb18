// Releases as the durable view knows them: accepted, held back, awaited.
// Invariant: folded as the core's own state folds it.

import type { MarketId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Event, EventOf } from "#core/event.ts";
import { foldRelease } from "#core/fold.ts";
import type { HeldMatching, ReleaseWindow } from "#core/market/window-times.ts";
import type { AcceptedRelease, QuarantinedRelease } from "#core/records.ts";
import type { HeldPlace } from "#core/settlement/held-place.ts";
import type { State } from "#core/state.ts";

const types = [
  "ReleaseAccepted",
  "ReleaseChanged",
  "QuarantineChanged",
  "HeldPlaceChanged",
  "WindowChanged",
  "MatchingChanged",
] as const;
type ReleaseEvent = EventOf<(typeof types)[number]>;

export const isOfReleases = (event: Event): event is ReleaseEvent =>
  types.some((type) => type === event.type);

export class ReleaseRecords {
  readonly releases = new Map<ReleaseId, AcceptedRelease>();
  readonly quarantine = new Map<ReleaseId, QuarantinedRelease>();
  readonly heldPlaces = new Map<string, HeldPlace>();
  readonly windows = new Map<IndexKind, ReleaseWindow>();
  readonly heldMatching = new Map<MarketId, HeldMatching>();

  copy(state: State): void {
    for (const [id, release] of state.releases) this.releases.set(id, release);
    for (const [id, release] of state.quarantine) this.quarantine.set(id, release);
    for (const [name, place] of state.heldPlaces) this.heldPlaces.set(name, place);
    for (const [index, window] of state.windows) this.windows.set(index, window);
    for (const [id, held] of state.heldMatching) this.heldMatching.set(id, held);
  }

  /** A release was accepted, and matching waits for its marks. */
  get areMarksDue(): boolean {
    return [...this.windows.values()].some(({ marksAfter }) => marksAfter !== null);
  }

  fold(event: ReleaseEvent): void {
    if (event.type === "WindowChanged") {
      if (event.window === null) this.windows.delete(event.index);
      else this.windows.set(event.index, event.window);
    } else if (event.type === "MatchingChanged") {
      if (event.held === null) this.heldMatching.delete(event.marketId);
      else this.heldMatching.set(event.marketId, event.held);
    } else foldRelease(this, event);
  }
}
