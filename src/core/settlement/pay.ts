// The payment of a resolved market when its window is over.
// Invariant: longs are paid exactly what shorts give up, in full wherever the guarantee fund can
// pay for its shorts of the whole release; else none of the release's claims is.
import type { MarketId, ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { atLeastZero, type Micros, micros, noMoney } from "#base/money.ts";
import { settled } from "../account/position.ts";
import { fundNeeds } from "../margin/guarantee.ts";
import { drawFor } from "../margin/waterfall.ts";
import { cashOf, marketAccount, post, type Step } from "../step.ts";
import { settleCut } from "./cut.ts";
import { dueIn, putFinal, resolutionOf } from "./due.ts";
import { putPosition, tellPaid } from "./holders.ts";

/** The window is over: positions pay, and the market is done. */
export function finalizeMarket(step: Step, id: MarketId): undefined {
  const resolution = resolutionOf(step.state.market(id));
  drawForRelease(step, resolution.releaseId);
  if (isCut(step, resolution.releaseId)) settleCut(step, resolution.releaseId);
  else payInFull(step, id);
}

/** The layers of the fund bear the payouts that are beyond what it was paid for its shorts. */
function drawForRelease(step: Step, release: ReleaseId): void {
  const amountMicros = lackingFor(step, release);
  if (amountMicros !== 0n) drawFor(step, { release, amountMicros });
}

/** The guarantee fund cannot pay for all its shorts of the release, or could not before. */
const isCut = (step: Step, release: ReleaseId): boolean =>
  step.state.releases.get(release)?.claims !== undefined || lackingFor(step, release) > 0n;

function lackingFor({ state }: Step, release: ReleaseId): Micros {
  const { resolved, beside } = fundNeeds(state, release);
  const lacking = resolved + beside - state.balance("guarantee");
  return resolved > 0n ? atLeastZero(lacking) : noMoney;
}

function payInFull(step: Step, id: MarketId): void {
  const clearing = marketAccount(id);
  const { market, claims, payers } = dueIn(step, id);
  for (const { position, micros: paid } of payers) {
    const { accountId } = position;
    invariant(paid <= step.state.balance(cashOf(accountId)), `${accountId} can pay what it owes`);
    post(step, cashOf(accountId), clearing, paid, "settlement", id);
    putPosition(step, settled(position, micros(-paid)));
  }
  for (const { position, micros: due } of claims) {
    post(step, clearing, cashOf(position.accountId), due, "settlement", id);
    putPosition(step, settled(position, due));
  }
  putFinal(step, market, noMoney);
  const told = claims.map(({ position: { accountId }, micros: paidMicros }) => ({
    accountId,
    marketId: id,
    paidMicros,
    lacksMicros: noMoney,
  }));
  tellPaid(step, told);
}
