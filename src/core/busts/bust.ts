// Undoing a fill that was made off the reference, by two people, as if it had never been.
// Invariant: cash, fees and lots go back exactly where they came from, or nothing is done; nobody
// busts a fill after anything has come that tells who won by it.
import { micros } from "#base/money.ts";
import { tickPrice } from "#base/price.ts";
import { costOf, formatLots, lots } from "#base/quantity.ts";
import { byAge } from "../acceptance/debts.ts";
import { traded } from "../account/position.ts";
import { fitReduceOnly } from "../book/reduce-only.ts";
import type { CommandOf } from "../command.ts";
import { raiseAlert } from "../margin/alert.ts";
import { spareOfFund } from "../margin/guarantee.ts";
import { cancelOrdersOf } from "../market/cancel.ts";
import { isLive } from "../market/life.ts";
import { isAwaiting } from "../market/window-times.ts";
import { stateOver } from "../readers-state.ts";
import type { Fill, Market, Position } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { available, cashOf, emit, positionOf, post, type Step } from "../step.ts";
import { say } from "../words/say.ts";
import { beforeOf, isNewestStray, strayOf } from "./stray.ts";
import type { Stray } from "./stray-record.ts";

export function bustFill(step: Step, command: CommandOf<"BustFill">): Rejection | undefined {
  const { state, nowMillis } = step;
  const stray = strayOf(state, command.fillId, nowMillis);
  if (stray === undefined) return reject("BUST_NOT_OPEN");
  const { fill } = stray;
  const market = state.market(fill.marketId);
  if (!isLive(market.status)) return reject("MARKET_STATE", { status: market.status });
  if (isPrintNear(state, market, fill)) return reject("BUST_AFTER_PRINT");
  const refused =
    refuseFinanced(state, fill) ?? refuseSoldOn(state, stray) ?? refusePoor(step, stray);
  if (refused !== undefined) return refused;
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  undo(step, stray);
  const { id, amountLots, yesTick } = fill;
  const what = `${formatLots(amountLots)} at ${tickPrice(yesTick)} in market ${market.frontendId}`;
  for (const party of [fill.buyer, fill.seller]) {
    raiseAlert(step, party, "bust", `Fill ${id}, ${what}, was busted: ${command.reason}`);
  }
  return undefined;
}

/** A file of the index was seen, or its day has come; or a print came since the fill. */
function isPrintNear(state: State, { terms: { index } }: Market, { timeMillis }: Fill): boolean {
  const window = state.windows.get(index);
  if (window !== undefined) {
    if (isAwaiting(window) || window.isDaily === true) return true;
  }
  for (const release of state.releases.values()) {
    if (release.index !== index) continue;
    const places = (release.rereads ?? []).map(({ place }) => place?.atMillis ?? 0);
    if (Math.max(release.ingestedAtMillis, ...places) >= timeMillis) return true;
  }
  return false;
}

/** A premium that is still owed has a claim on the position: it is paid first. */
function refuseFinanced(state: State, { buyer, seller, marketId }: Fill): Rejection | undefined {
  const { debts } = state;
  const [oldest] = [buyer, seller].flatMap((party) => debts.openOf(party, marketId)).sort(byAge);
  return oldest === undefined
    ? undefined
    : reject("BUST_FINANCED", { account: state.acceptance(oldest).accountId });
}

/**
 * The lots are no longer there: going back, a party would end beyond where it stood before the
 * fill, short or long as it never was.
 */
function refuseSoldOn(state: State, { fill, buyer, seller }: Stray): Rejection | undefined {
  const { amountLots, marketId } = fill;
  const bought = positionOf(state, fill.buyer, marketId).heldLots - amountLots;
  if (bought < 0n && bought < buyer.heldLots) {
    return reject("BUST_SOLD_ON", { account: fill.buyer });
  }
  const sold = positionOf(state, fill.seller, marketId).heldLots + amountLots;
  return sold > 0n && sold > seller.heldLots
    ? reject("BUST_SOLD_ON", { account: fill.seller })
    : undefined;
}

/** Tried on a state over this one: with no order open, each party covers what it then holds. */
function refusePoor(step: Step, stray: Stray): Rejection | undefined {
  const { fill, houseFeesMicros, fundFeesMicros } = stray;
  if (step.state.balance("fees") < houseFeesMicros || spareOfFund(step.state) < fundFeesMicros) {
    return reject("BUST_NOT_COVERED");
  }
  const trial: Step = { ...step, state: stateOver(step.state), events: [], touched: new Map() };
  const parties = [fill.buyer, fill.seller];
  for (const party of parties) cancelOrdersOf(trial, party, null, "MARGIN");
  const before = parties.map((party) => available(trial.state, party));
  undo(trial, stray);
  for (const [at, account] of parties.entries()) {
    const after = available(trial.state, account);
    if (after >= 0n || after >= (before[at] ?? after)) continue;
    const lacks = micros(-after);
    return reject("BUST_NOT_COVERED", { account, requiredMicros: lacks });
  }
  return undefined;
}

/** Orders stay filled: a bust undoes the trade, and nobody has asked for these orders again. */
function undo(step: Step, stray: Stray): void {
  const { fill, houseFeesMicros, fundFeesMicros } = stray;
  const { id, buyer, seller, marketId, takerOrderId, takerBuysYes } = fill;
  const taker = takerBuysYes ? buyer : seller;
  post(step, cashOf(seller), cashOf(buyer), costOf(fill.amountLots, fill.yesTick), "bust", id);
  post(step, "fees", cashOf(taker), houseFeesMicros, "bust", id);
  post(step, "guarantee", cashOf(taker), fundFeesMicros, "bust", id);
  const fee = micros(houseFeesMicros + fundFeesMicros);
  for (const account of [buyer, seller]) {
    const position = without(positionOf(step.state, account, marketId), stray);
    const flowMicros = micros(position.flowMicros + (account === taker ? fee : 0n));
    emit(step, { type: "PositionChanged", position: { ...position, flowMicros } });
  }
  const { tradedSinceMark, ...market } = step.state.market(marketId);
  const isLast = market.lastTick === fill.yesTick && isNewestStray(step.state, stray);
  emit(step, {
    type: "MarketChanged",
    market: {
      ...market,
      ...(isLast || tradedSinceMark === undefined ? {} : { tradedSinceMark }),
      lastTick: isLast ? stray.lastTick : market.lastTick,
      houseFeesMicros: micros(market.houseFeesMicros - houseFeesMicros),
      fundFeesMicros: micros(market.fundFeesMicros - fundFeesMicros),
      updatedAtMillis: step.nowMillis,
    },
  });
  emit(step, { type: "FillBusted", fill });
  for (const account of [buyer, seller]) fitReduceOnly(step, account, marketId, takerOrderId);
}

/**
 * As it was before the fill where it has not changed since, average cost and all. Where it has, the
 * lots go back at the price they came at.
 */
function without(position: Position, { fill, buyer, seller }: Stray): Position {
  const { amountLots, yesTick, buyer: bought } = fill;
  const isBuyer = position.accountId === bought;
  const by = isBuyer ? amountLots : lots(-amountLots);
  const before = { ...position, ...(isBuyer ? buyer : seller) };
  const back = traded(position, lots(-by), yesTick);
  const isAsLeft = isSame(beforeOf(position), beforeOf(traded(before, by, yesTick)));
  return isAsLeft ? { ...before, flowMicros: back.flowMicros } : back;
}

const isSame = (one: Stray["buyer"], other: Stray["buyer"]): boolean =>
  one.heldLots === other.heldLots &&
  one.costMicros === other.costMicros &&
  one.realisedMicros === other.realisedMicros;
