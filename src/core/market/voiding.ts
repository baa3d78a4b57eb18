// Voiding a market takes two people: one proposes it, a second one carries it out.
// Invariant: a market that has resolved is never void, and no proposal outlives its ten days.
import type { CommandOf } from "../command.ts";
import { hasStake, isSecondPerson } from "../person.ts";
import type { Market } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { voidMarket } from "../settlement/void.ts";
import { emit, operatorOf, type Step } from "../step.ts";
import { isLive, withoutVoidProposal } from "./life.ts";
import { isPrintedSince } from "./printed-since.ts";

type VoidCommand = CommandOf<"CancelMarket" | "WithdrawVoid" | "LapseVoid">;

export function decideVoid(step: Step, command: VoidCommand): Rejection | undefined {
  const market = step.state.markets.get(command.marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  if (!isLive(market.status)) return reject("MARKET_STATE", { status: market.status });
  switch (command.type) {
    case "CancelMarket":
      return cancelMarket(step, market, command.reason);
    case "WithdrawVoid":
      if (market.voidProposal === undefined) return reject("VOID_NOT_PROPOSED");
      return dropProposal(step, market);
    case "LapseVoid":
      return dropProposal(step, market);
  }
}

/** The first word is kept and the second one acts on it, for the reason the first one gave. */
function cancelMarket(step: Step, market: Market, reason: string): Rejection | undefined {
  const operator = operatorOf(step);
  const { voidProposal } = market;
  if (hasStake(step.state, operator, market.id)) return reject("CONFLICT_OF_INTEREST");
  if (isPrintedSince(step.state, market)) return reject("VOID_AFTER_PRINT");
  if (voidProposal === undefined) {
    const proposal = { operator, reason, proposedAtMillis: step.nowMillis };
    emit(step, { type: "MarketChanged", market: { ...market, voidProposal: proposal } });
    return undefined;
  }
  if (!isSecondPerson(step.state, voidProposal.operator, operator)) {
    return reject("VOID_SAME_OPERATOR");
  }

  return voidMarket(step, market.id, voidProposal.reason);
}

function dropProposal(step: Step, market: Market): undefined {
  emit(step, { type: "MarketChanged", market: withoutVoidProposal(market) });
}
