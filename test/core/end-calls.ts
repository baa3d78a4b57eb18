// The time of margin calls, default auctions and accreditations going by, with nobody acting.
// Invariant: only what falls due is done.
import assert from "node:assert/strict";
import type { Event } from "#core/event.ts";
import { decision, root, type Trader, type World } from "./world.ts";

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

/** Approves the account anew with an accreditation of a second, and lets it run out. */
export function endAccreditation(world: World, { id }: Trader): void {
  const { tier } = world.state.account(id).kyc;
  assert.ok(tier !== "none");
  const given = decision(id, "approve", tier, true);
  assert.ok(given.type === "DecideKyc");
  const expiresAtSeconds = Math.floor(world.nowMillis / 1000) + 1;
  const accreditation = { basis: "test", evidenceId: "ev-1", expiresAtSeconds };
  world.do(root, { ...given, accreditation });
  world.runTo(expiresAtSeconds * 1000);
}
