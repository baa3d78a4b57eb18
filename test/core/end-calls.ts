// The time of margin calls and default auctions going by, with nobody meeting or bidding.
// Invariant: only what falls due is done.
import type { Event } from "#core/event.ts";
import type { World } from "./world.ts";

/** Lets the time of every margin call that runs go by; returns what came of that. */
export const endCalls = (world: World): readonly Event[] =>
  letPass(world, () => [...world.state.callsDue.keys()]);

/** Of every auction that runs. */
export const endAuctions = (world: World): readonly Event[] =>
  letPass(world, () => [...world.state.auctions.values()].map((one) => one.closesAtMillis));

/** Of every call, and of the auctions that follow: the fund has what nobody bid for. */
export const endDefaults = (world: World): readonly Event[] => [
  ...endCalls(world),
  ...endAuctions(world),
];

function letPass(world: World, moments: () => readonly number[]): readonly Event[] {
  const told: Event[] = [];
  const last = Math.max(world.nowMillis, ...moments());
  world.runTo(last, (_, events) => told.push(...events));
  return told;
}
