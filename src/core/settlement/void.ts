// Voiding a market: every account's net cash flow in it, fees included, is reversed exactly.
// Invariant: what an account no longer has is paid by the guarantee fund, or refunds shrink openly.
import type { AccountId, MarketId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { atLeastZero, type Micros, micros, noMoney } from "#base/money.ts";
import { unwindAcceptances } from "../acceptance/collect.ts";
import { reversed, undone } from "../account/position.ts";
import { spareOfFund } from "../margin/guarantee.ts";
import { microsUp } from "../margin/requirement.ts";
import { cancelMarketOrders } from "../market/cancel.ts";
import type { Position } from "../records.ts";
import { cashOf, emit, GUARANTEE, marketAccount, positionOf, post, type Step } from "../step.ts";
import { positionsIn, putPosition, warnOfHaircut } from "./holders.ts";
import { sharesOf } from "./shares.ts";

export function voidMarket(step: Step, id: MarketId, reason: string): undefined {
  cancelMarketOrders(step, id, "MARKET_VOID");
  const positions = positionsIn(step, id);
  // Positions close first, so that what they held back is there to be given back.
  for (const position of positions) putPosition(step, undone(position));
  collect(step, id, positions);
  const shortfallMicros = refund(step, id, positions);
  unwindAcceptances(step, id);
  emit(step, {
    type: "MarketChanged",
    market: {
      ...step.state.market(id),
      status: "CANCELLED",
      tradingClosed: true,
      reason,
      shortfallMicros,
      resolution: null,
      dispute: null,
      updatedAtMillis: step.nowMillis,
    },
  });
}

/** Takes back the fees and what accounts gained; the fund covers what an account no longer has. */
function collect(step: Step, id: MarketId, positions: readonly Position[]): void {
  const clearing = marketAccount(id);
  const market = step.state.market(id);
  post(step, "fees", clearing, market.houseFeesMicros, "void", id);
  const fund = spareOfFund(step.state);
  post(step, "guarantee", clearing, least(market.fundFeesMicros, fund), "void", id);
  for (const { accountId, flowMicros } of positions) {
    if (flowMicros <= 0n) continue;
    const taken = least(flowMicros, spareOf(step, accountId));
    post(step, cashOf(accountId), clearing, taken, "void", id);
    giveBack(step, id, accountId, micros(-taken));
    const missing = micros(flowMicros - taken);
    const covered = least(missing, spareOfFund(step.state));
    post(step, "guarantee", clearing, covered, "void-shortfall", id);
  }
}

/** Gives back what accounts paid, or its part of what was collected; returns what is missing. */
function refund(step: Step, id: MarketId, positions: readonly Position[]): Micros {
  const clearing = marketAccount(id);
  const collected = step.state.balance(clearing);
  const payers = positions.filter(({ flowMicros }) => flowMicros < 0n);
  const owed = payers.reduce((sum, { flowMicros }) => sum - flowMicros, 0n);
  const weights = payers.map(({ flowMicros }) => -flowMicros);
  const shares = sharesOf(collected, weights);
  for (const [at, { accountId, flowMicros }] of payers.entries()) {
    const share = shares[at] ?? noMoney;
    post(step, clearing, cashOf(accountId), share, "void", id);
    giveBack(step, id, accountId, share);
    warnOfHaircut(step, accountId, [{ marketId: id }], micros(-flowMicros - share));
  }
  return micros(owed - collected);
}

const giveBack = (step: Step, id: MarketId, account: AccountId, cash: Micros): void =>
  putPosition(step, reversed(positionOf(step.state, account, id), cash));

/**
 * Cash that covers no position elsewhere, what a void of another market would take back included:
 * this one is certain. Of the fund's, what no known payout needs.
 */
function spareOf({ state }: Step, account: AccountId): Micros {
  if (account === GUARANTEE) return spareOfFund(state);
  const { liabilityParts, initialParts } = state.exposures.shortTotals(account);
  const cover = microsUp(liabilityParts + initialParts);
  return atLeastZero(state.balance(cashOf(account)) - cover);
}
