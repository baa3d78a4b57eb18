// The time of margin calls going by, with nobody meeting them.
// Invariant: only what falls due is done.
import type { Event } from "#core/event.ts";
import type { World } from "./world.ts";

/** Lets the time of every margin call that runs go by; returns what came of that. */
export function endCalls(world: World): readonly Event[] {
  const told: Event[] = [];
  const last = Math.max(world.nowMillis, ...world.state.callsDue.keys());
  world.runTo(last, (_, events) => told.push(...events));
  return told;
}
