// Voiding a market takes two people who say it.
// Invariant: a market that has resolved is never void.
import type { CommandOf } from "../command.ts";
import { type Rejection, reject } from "../rejection.ts";
import { voidMarket } from "../settlement/void.ts";
import type { Step } from "../step.ts";
import { say, takeBack } from "../words/say.ts";
import { voidSubject } from "../words/word.ts";
import { isLive } from "./life.ts";
import { isPrintedSince } from "./printed-since.ts";

/** For the reason that the first of the two gave. */
export function cancelMarket(
  step: Step,
  command: CommandOf<"CancelMarket">,
): Rejection | undefined {
  const market = step.state.markets.get(command.marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  if (!isLive(market.status)) return reject("MARKET_STATE", { status: market.status });
  if (isPrintedSince(step.state, market)) return reject("VOID_AFTER_PRINT");
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  const { reason } = said.first?.command.type === "CancelMarket" ? said.first.command : command;
  return voidMarket(step, market.id, reason);
}

/** One's own word; another person's stands. */
export function withdrawVoid(
  step: Step,
  { marketId }: CommandOf<"WithdrawVoid">,
): Rejection | undefined {
  const market = step.state.markets.get(marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  if (!isLive(market.status)) return reject("MARKET_STATE", { status: market.status });
  return takeBack(step, voidSubject(marketId)) ? undefined : reject("VOID_NOT_PROPOSED");
}
