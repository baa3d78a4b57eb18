// Cash settlement: the weighted median of the model's value and the sealed marks of sellers without
// a stake, who weigh by what they have been short for 30 days.
// Invariant: an owner counts once, for a third at most, and the value is one that the model or a
// seller named; marks of less than half the weight move it no further than the rest say.
import { afterBusinessDay } from "#base/business-days.ts";
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { TICKS_PER_USD } from "#base/price.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { Baseline } from "#contract/terms.ts";
import { accountsOfOwner, ownerOf } from "../account/owner.ts";
import type { CommandOf } from "../command.ts";
import { refuseUncleared } from "../kyc/standing.ts";
import { raiseAlert } from "../margin/alert.ts";
import { refuseCalled } from "../margin/call.ts";
import { spreadTicks } from "../margin/columns.ts";
import { isLive } from "../market/life.ts";
import { chainPointName } from "../names.ts";
import { hasStake } from "../person.ts";
import type { Market } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, emit, GUARANTEE, type Step } from "../step.ts";
import type { CashSettled } from "./fallback-step.ts";
import { positionsIn } from "./holders.ts";
import { FEWEST_MARKS, type SealedMark } from "./mark-records.ts";
import { putMarket, resolveAs } from "./resolve.ts";
import { heldShort } from "./short-lots.ts";
import { type WeighedMark, weighMarks } from "./weigh-marks.ts";

/** Two people have called it: sellers have three business days. */
export function openMarks(step: Step, market: Market): void {
  const { nowMillis } = step;
  const closesAtMillis = afterBusinessDay(afterBusinessDay(afterBusinessDay(nowMillis)));
  const { farMedian: _passedOver, ...called } = market;
  putMarket(step, { ...called, markRound: { openedAtMillis: nowMillis, closesAtMillis } });
  const until = `${new Date(closesAtMillis).toISOString().slice(0, 19)}Z`;
  const text =
    `Market ${market.frontendId} is settled in cash: sellers without a position in it mark it ` +
    `until ${until}, unless its print comes first`;
  tellHolders(step, market, text);
}

function tellHolders(step: Step, { id }: Market, text: string): void {
  for (const { accountId, heldLots } of positionsIn(step, id)) {
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
  const counted = countedMarks(step, market);
  putMarket(step, market);
  if (counted.length < FEWEST_MARKS) return;

  const { markTick: modelTicks, stressedTick } = market;
  const found = { modelTicks, ...weighMarks(modelTicks, counted) };
  const off = Math.abs(found.valueTicks - modelTicks);
  if (off > FAR_HALF_WIDTHS * spreadTicks(modelTicks, stressedTick)) keepFar(step, market, found);
  else settleAt(step, market, found);
}

/** So many half-widths of the model's band a median may be from the model. */
const FAR_HALF_WIDTHS = 3;
const DECIDED_WITHIN_MILLIS = 10 * DAY_MILLIS;

type Found = Omit<CashSettled, "step" | "print">;

/** Two people settle on it, or after ten days call for marks again. */
function keepFar(step: Step, market: Market, found: Found): void {
  const againAtMillis = step.nowMillis + DECIDED_WITHIN_MILLIS;
  putMarket(step, { ...market, farMedian: { ...found, againAtMillis } });
  const [value, model] = [found.valueTicks, found.modelTicks].map((one) => one / TICKS_PER_USD);
  const text =
    `The marks of market ${market.frontendId} came to ${value}, far from the model's ${model}: ` +
    "two people decide whether it is settled so, unless its print comes first";
  tellHolders(step, market, text);
}

/** Two people have said so. */
export function settleFar(step: Step, market: Market): void {
  invariant(market.farMedian !== undefined, `${market.id} has a median to settle on`);
  const { againAtMillis: _passed, ...found } = market.farMedian;
  settleAt(step, market, found);
}

function settleAt(step: Step, { id, terms }: Market, found: Found): void {
  const { baseline, index, nodeId, measurementMonth } = terms;
  const newest = step.state.chainPoints.get(chainPointName(index, nodeId, measurementMonth));
  invariant(newest !== undefined, `${nodeId} was printed`);
  const { month, valueE15, releaseId } = newest;
  const fallback = { step: "cash" as const, ...found, print: { month, valueE15 } };
  const release = step.state.release(releaseId);
  const settlement = {
    payoutMillionths: BigInt(found.valueTicks) * MILLIONTHS_A_TICK,
    settledValueE15: valueE15,
    comparisonValueE15: comparedWith(baseline) ?? valueE15,
  };
  resolveAs(step, id, { release, link: null, settlement, fallback });
  const resolvedMarkets = [...release.resolvedMarkets, id];
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
