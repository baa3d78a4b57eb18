// States that decide nothing of the journal: of readers, and of previews.
// Invariant: folded by the one fold, over the same records; only what deciding asks is left out.
import { layersOf } from "#base/layer.ts";
import { NothingDue } from "./due-queue.ts";
import { ExposuresOnDemand } from "./exposures-on-demand.ts";
import { putRecords, recordsOf } from "./snapshot.ts";
import { State } from "./state.ts";

/** It shares the records of another state, and nothing that changes. */
export function readersState(of: State): State {
  const state = fresh();
  putRecords(state, recordsOf(of, []), of);
  state.lastTimeMillis = of.lastTimeMillis;
  return state;
}

/**
 * A state over another, which must not change meanwhile: it reads through, and keeps what is
 * written for itself. To decide a command that leaves no trace.
 */
export function stateOver(below: State): State {
  const { exposures, due, expected, marginQueue, ...rest } = below;
  return Object.assign(fresh(), layersOf(rest));
}

/** Nobody asks it what falls due, and few accounts are read about at any time. */
const fresh = (): State =>
  new State((state) => ({ exposures: new ExposuresOnDemand(state), due: new NothingDue() }));
