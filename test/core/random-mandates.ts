// Mandates as a seed draws them: set, set anew, lowered and cancelled, by accounts that may and by
// some that may not.
// Invariant: nothing but the dice and the state decides.
import { mandateId, type NodeId } from "#base/ids.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { Command } from "#core/command.ts";
import type { MandateLimits, MandateTerms } from "#core/mandate/record.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { State } from "#core/state.ts";
import type { Dice } from "./dice.ts";
import type { Trader } from "./world.ts";

const sizes: readonly Lots[] = [1n, 500n, 1_000n, 5_000n, 100_000n].map(lots);

export function randomMandate(
  { state, nowMillis }: { readonly state: State; readonly nowMillis: number },
  dice: Dice,
  trader: Trader,
  listing: Listing,
): Command {
  const set = () => terms(dice, listing, nowMillis);
  const own = [...(state.mandatesOf.get(trader.id) ?? [])];
  const all = [...state.mandates.keys()];
  const known = own.length > 0 && dice.chance(90) ? own : all;
  const id = known.length === 0 ? mandateId("mnd-1") : dice.pick(known);
  const kind = dice.below(100);
  if (kind < 65) return { type: "SetMandate", mandateId: null, terms: set() };
  if (kind < 80) return { type: "SetMandate", mandateId: id, terms: set() };
  if (kind < 92) return { type: "LowerMandate", mandateId: id, ...limits(dice) };
  return { type: "CancelMandates", mandateId: dice.chance(80) ? id : null };
}

function terms(dice: Dice, listing: Listing, nowMillis: number): MandateTerms {
  const { index, nodeId, payoff } = listing.terms;
  const places: readonly NodeId[] = [nodeId];
  const some = payoff.kind === "level" ? null : [payoff];
  return {
    scope: {
      ...{ index, places, levels: null, minMonths: 1, maxMonths: dice.pick([6, 60, 60]) },
      payoffs: dice.chance(30) ? some : null,
    },
    side: dice.pick(["SELL", "SELL", "BUY"]),
    spreadTicks: dice.pick([1, 100, 500]),
    spreadTicksPerYear: dice.pick([0, 7, 100]),
    ...limits(dice),
    expirySeconds: dice.chance(20) ? Math.floor(nowMillis / 1000) + dice.below(200_000) : 0,
    collateral: dice.pick(["margin", "margin", "full"]),
  };
}

const limits = (dice: Dice): MandateLimits => ({
  mostInMarketLots: dice.pick(sizes),
  mostInStateLots: dice.pick(sizes),
  mostInAllLots: dice.pick(sizes),
});
