// Cash settlement: the weighted median of the model's value and the sealed marks of sellers without
// a stake, who weigh by what they have been short for 30 days.
// Invariant: an owner counts once, for a third at most, and the value is one that the model or a
// seller named; marks of less than half the weight move it no further than the rest say.
import { afterBusinessDay } from "#base/business-days.ts";
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { Baseline } from "#contract/terms.ts";
import { accountsOfOwner, ownerOf } from "../account/owner.ts";
import type { CommandOf } from "../command.ts";
import { refuseUncleared } from "../kyc/standing.ts";
import { raiseAlert } from "../margin/alert.ts";
import { refuseCalled } from "../margin/call.ts";
import { isLive } from "../market/life.ts";
import { chainPointName } from "../names.ts";
import { hasStake } from "../person.ts";
import type { Market } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, emit, GUARANTEE, type Step } from "../step.ts";
import { positionsIn } from "./holders.ts";
import { FEWEST_MARKS, type SealedMark } from "./mark-records.ts";
import { putMarket, resolveAs } from "./resolve.ts";
import { heldShort } from "./short-lots.ts";
import { type WeighedMark, weighMarks } from "./weigh-marks.ts";

/** Two people have called it: sellers have three business days. */
export function openMarks(step: Step, market: Market): void {
  const { nowMillis } = step;
  const closesAtMillis = afterBusinessDay(afterBusinessDay(afterBusinessDay(nowMillis)));
  putMarket(step, { ...market, markRound: { openedAtMillis: nowMillis, closesAtMillis } });
  const until = `${new Date(closesAtMillis).toISOString().slice(0, 19)}Z`;
  const text =
    `Market ${market.frontendId} is settled in cash: sellers without a position in it mark it ` +
    `until ${until}, unless its print comes first`;
  for (const { accountId, heldLots } of positionsIn(step, market.id)) {
    if (heldLots !== 0n && accountId !== GUARANTEE) raiseAlert(step, accountId, "fallback", text);
  }
}

/** In place of the account's mark before, if it gave one. */
export function giveMark(step: Step, command: CommandOf<"GiveMark">): Rejection | undefined {
  const { state } = step;
  const market = state.markets.get(command.marketId);
  if (market?.markRound === undefined || !isLive(market.status)) return reject("MARKS_NOT_OPEN");
  const accountId = actingAccount(step);
  const refused =
    refuseMarker(step, market, accountId) ??
    (state.exchange?.halted === true ? reject("EXCHANGE_HALTED") : undefined);
  if (refused !== undefined) return refused;

  const { marketId, valueTicks } = command;
  emit(step, {
    type: "MarkGiven",
    mark: { marketId, accountId, valueTicks, sequence: step.sequence },
  });
  return undefined;
}

/** Refuses a mark now; at the close it is left out for the same reasons. */
function refuseMarker(step: Step, market: Market, id: AccountId): Rejection | undefined {
  const { state } = step;
  const account = state.account(id);
  const uncleared = refuseUncleared(step, account);
  if (uncleared !== undefined) return uncleared;
  if (account.halted) return reject("ACCOUNT_HALTED");
  if (hasStake(state, id, market.id)) return reject("CONFLICT_OF_INTEREST");
  if (!isSeller(state, id)) return reject("MARK_NOT_SELLER");
  return refuseCalled(account);
}

/** It is short in a market that is open. */
function isSeller(state: State, id: AccountId): boolean {
  for (const market of state.marketsHeldBy.get(id) ?? []) {
    const isOpen = isLive(state.market(market).status);
    if (isOpen && (state.position(id, market)?.heldLots ?? 0n) < 0n) return true;
  }
  return false;
}

/** With fewer than three owners' marks that weigh something the market waits for a step again. */
export function closeMarks(step: Step, { marketId }: CommandOf<"CloseMarks">): undefined {
  const { markRound: _over, ...market } = step.state.market(marketId);
  const marks = countedMarks(step, market);
  putMarket(step, market);
  if (marks.length < FEWEST_MARKS) return;

  const { index, nodeId, measurementMonth } = market.terms;
  const newest = step.state.chainPoints.get(chainPointName(index, nodeId, measurementMonth));
  invariant(newest !== undefined, `${nodeId} was printed`);
  const { month, valueE15, releaseId } = newest;
  const modelTicks = market.markTick;
  const weighed = weighMarks(modelTicks, marks);
  const print = { month, valueE15 };
  const fallback = { step: "cash" as const, modelTicks, ...weighed, print };
  const release = step.state.release(releaseId);
  const settlement = {
    payoutMillionths: BigInt(weighed.valueTicks) * MILLIONTHS_A_TICK,
    settledValueE15: valueE15,
    comparisonValueE15: comparedWith(market.terms.baseline) ?? valueE15,
  };
  resolveAs(step, marketId, { release, link: null, settlement, fallback });
  const resolvedMarkets = [...release.resolvedMarkets, marketId];
  emit(step, { type: "ReleaseChanged", release: { ...release, resolvedMarkets } });
}

const MILLIONTHS_A_TICK = 100n;

const comparedWith = (baseline: Baseline | null) => baseline?.valueE15;

/** The newest mark of each owner that may still give one and weighs something; the lowest first. */
function countedMarks(step: Step, market: Market): readonly WeighedMark[] {
  const byOwner = new Map<AccountId, SealedMark>();
  for (const name of step.state.marksIn.get(market.id) ?? []) {
    const mark = step.state.marks.get(name);
    if (mark === undefined) continue;
    if (refuseMarker(step, market, mark.accountId) !== undefined) continue;
    const owner = ownerOf(step.state, mark.accountId);
    const other = byOwner.get(owner);
    if (other === undefined || other.sequence < mark.sequence) byOwner.set(owner, mark);
  }
  return [...byOwner]
    .map(([owner, { valueTicks }]) => ({ valueTicks, shortLots: ownerHeldShort(step, owner) }))
    .filter(({ shortLots }) => shortLots > 0n)
    .sort((a, b) => a.valueTicks - b.valueTicks || compareLots(a.shortLots, b.shortLots));
}

const compareLots = (a: Lots, b: Lots): number => (a < b ? -1 : Number(a > b));

/** In all its accounts together. */
function ownerHeldShort({ state, nowMillis }: Step, owner: AccountId): Lots {
  const held = accountsOfOwner(state, owner).map((id) => heldShort(state.shorts, id, nowMillis));
  return lots(held.reduce((sum, one) => sum + one, 0n));
}
