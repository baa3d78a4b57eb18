// An operator's hand on a market or the whole exchange: pause, resume, halt; marks and the clock.
// Invariant: a pause or halt refuses orders and never refuses a cancel.
import type { CommandOf } from "../command.ts";
import { setContributions } from "../margin/contribution.ts";
import { sameMarks } from "../margin/risk.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, type Step } from "../step.ts";
import { cancelMarketOrders } from "./cancel.ts";
import { isLive } from "./life.ts";
import { countOpen } from "./open-count.ts";
import { marksCame, wakeShut } from "./window.ts";

export function setPaused(
  step: Step,
  { type, marketId, reason }: CommandOf<"PauseMarket" | "ResumeMarket">,
): Rejection | undefined {
  const [from, to] =
    type === "PauseMarket" ? (["ACTIVE", "PAUSED"] as const) : (["PAUSED", "ACTIVE"] as const);
  const market = step.state.markets.get(marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  if (market.status !== from) return reject("MARKET_STATE", { status: market.status });

  emit(step, {
    type: "MarketChanged",
    market: { ...market, status: to, reason, updatedAtMillis: step.nowMillis },
  });
  wakeShut(step, marketId);
  return undefined;
}

export function closeTrading(step: Step, { marketId }: CommandOf<"CloseTrading">): undefined {
  cancelMarketOrders(step, marketId, "MARKET_CLOSED");
  const market = step.state.market(marketId);
  emit(step, {
    type: "MarketChanged",
    market: { ...market, tradingClosed: true, updatedAtMillis: step.nowMillis },
  });
}

export function publishMarks(
  step: Step,
  { marks, seenReleases = step.state.releases.size }: CommandOf<"PublishMarks">,
): undefined {
  countOpen(step, step.state.rules);
  for (const mark of marks) {
    const market = step.state.markets.get(mark.marketId);
    if (market === undefined || !isLive(market.status) || sameMarks(market, mark)) continue;
    const { marketId, markTick, stressedTick, riskTicks } = mark;
    emit(step, { type: "MarketMarked", marketId, markTick, stressedTick, riskTicks });
  }
  marksCame(step, seenReleases);
  setContributions(step);
}

export function setExchangeHalt(
  step: Step,
  { type, reason }: CommandOf<"HaltExchange" | "ResumeExchange">,
): undefined {
  const halted = type === "HaltExchange";
  emit(step, { type: "HaltChanged", halted, reason });
  wakeShut(step, null);
}

/** The clock may be set in a sandbox only, and only forward; the first setting may be any time. */
export function setClock(step: Step, { toMillis }: CommandOf<"SetClock">): Rejection | undefined {
  const { exchange } = step.state;
  if (exchange?.clock !== "sandbox") return reject("CLOCK_NOT_SANDBOX");
  if (toMillis < exchange.clockMillis) return reject("CLOCK_NOT_FORWARD", undefined, "setTo");

  emit(step, { type: "ClockSet", toMillis });
  return undefined;
}
