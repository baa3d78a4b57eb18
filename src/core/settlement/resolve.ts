// A market's end by its print: resolution, dispute, and the payment when the window is over.
// Invariant: longs are paid exactly what shorts give up; every payout is rounded once, down.
import type { AccountId, MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { least } from "#base/least.ts";
import { formatMicros, type Micros, micros, noMoney } from "#base/money.ts";
import { chainLevel } from "#base/print-value.ts";
import { type Lots, MICROS_PER_LOT, noLots } from "#base/quantity.ts";
import { mulDivDown } from "#base/rounding.ts";
import { FULL_PAYOUT_MILLIONTHS, type Settlement, settle } from "#contract/payoff.ts";
import { settled } from "../account/position.ts";
import type { CommandOf } from "../command.ts";
import { raiseAlert } from "../margin/alert.ts";
import { cancelMarketOrders } from "../market/cancel.ts";
import { DISPUTE_WINDOW_MILLIS, withoutVoidProposal } from "../market/life.ts";
import { isSecondPerson } from "../person.ts";
import type {
  AcceptedRelease,
  Dispute,
  Market,
  Observation,
  Position,
  Resolution,
} from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { cashOf, emit, GUARANTEE, marketAccount, operatorOf, post, type Step } from "../step.ts";
import { sharesOf } from "./shares.ts";

/** False when the print has no chain to settle on: the market waits for its fallback. */
export function resolveMarket(
  step: Step,
  id: MarketId,
  release: Omit<AcceptedRelease, "resolvedMarkets">,
  seen: Observation,
): boolean {
  const market = step.state.market(id);
  const settlement = settle(market.terms, seen);
  if (settlement === undefined) return false;

  cancelMarketOrders(step, id, "MARKET_CLOSED");
  putMarket(step, {
    ...withoutVoidProposal(step.state.market(id)),
    status: "RESOLVED",
    tradingClosed: true,
    resolution: {
      ...outcomeOf(settlement),
      releaseId: release.id,
      observedAtMillis: release.ingestedAtMillis,
      link: seen.link,
      resolvedAtMillis: step.nowMillis,
      disputeWindowEndsAtMillis: step.nowMillis + DISPUTE_WINDOW_MILLIS,
      finalizedAtMillis: null,
    },
  });
  return true;
}

const outcomeOf = (settlement: Settlement) => ({
  outcome: settlement.payoutMillionths > 0n ? ("YES" as const) : ("NO" as const),
  payoutMillionths: Number(settlement.payoutMillionths),
  settledValueE15: settlement.settledValueE15,
  comparisonValueE15: settlement.comparisonValueE15,
});

export const disputeMarket = (
  step: Step,
  command: CommandOf<"OpenDispute"> | CommandOf<"DecideDispute">,
): Rejection | undefined =>
  command.type === "OpenDispute" ? openDispute(step, command) : decideDispute(step, command);

function openDispute(step: Step, command: CommandOf<"OpenDispute">): Rejection | undefined {
  const market = step.state.markets.get(command.marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  const { resolution } = market;
  if (market.status !== "RESOLVED" || resolution === null) {
    return reject("DISPUTE_WINDOW_CLOSED", { status: market.status });
  }
  if (market.dispute !== null) return reject("DISPUTE_OPEN");
  const openedBy = operatorOf(step);
  if (!mayDispute(step, openedBy, market.id)) return reject("DISPUTE_NO_POSITION");

  const dispute: Dispute = {
    openedBy,
    reason: command.reason,
    evidence: command.evidence,
    openedAtMillis: step.nowMillis,
    remainingMillis: resolution.disputeWindowEndsAtMillis - step.nowMillis,
    proposal: null,
  };
  putMarket(step, { ...market, dispute });
  return undefined;
}

function mayDispute(step: Step, by: Dispute["openedBy"], market: MarketId): boolean {
  if (by === "root" || step.state.account(by).role === "operator") return true;
  return (step.state.position(by, market)?.heldLots ?? noLots) !== 0n;
}

/** Two different operators must say the same; until then each may change only its own word. */
function decideDispute(
  step: Step,
  { marketId, decision, valueE15 }: CommandOf<"DecideDispute">,
): Rejection | undefined {
  const market = step.state.markets.get(marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  const { dispute, resolution } = market;
  if (dispute === null || resolution === null) return reject("DISPUTE_NONE");
  const operator = operatorOf(step);
  const { proposal } = dispute;
  const agrees = proposal?.decision === decision && proposal.valueE15 === valueE15;
  const isSecond = proposal !== null && isSecondPerson(step.state, proposal.operator, operator);
  if (agrees && !isSecond) return reject("DISPUTE_SAME_OPERATOR");
  if (!agrees && isSecond) return reject("DISPUTE_DISAGREES");
  if (!agrees) {
    const proposed: Dispute["proposal"] = { operator, decision, valueE15 };
    putMarket(step, { ...market, dispute: { ...dispute, proposal: proposed } });
    return undefined;
  }

  const amended = decision === "amend" ? amend(market, resolution, valueE15) : resolution;
  const windowMillis = decision === "amend" ? DISPUTE_WINDOW_MILLIS : dispute.remainingMillis;
  putMarket(step, {
    ...market,
    dispute: null,
    resolution: { ...amended, disputeWindowEndsAtMillis: step.nowMillis + windowMillis },
  });
  return undefined;
}

/** The level a value would have on the link that settled; 0 is none, and nothing settles on it. */
export const amendedLevel = (
  { link }: Resolution,
  value: Observation["valueE15"],
): Observation["levelE12"] =>
  link === null ? null : chainLevel(link.levelE12, value, link.valueE15);

/** Settles anew on the value the provider first published, on the same link of the chain. */
function amend(market: Market, resolution: Resolution, value: Observation["valueE15"] | null) {
  invariant(value !== null, "an amendment carries its value");
  const levelE12 = amendedLevel(resolution, value);
  const settlement = settle(market.terms, { valueE15: value, levelE12 });
  invariant(settlement !== undefined, "a market that resolved once can be resolved again");
  return { ...resolution, ...outcomeOf(settlement) };
}

/** The window is over: positions pay, and the market is done. */
export function finalizeMarket(step: Step, id: MarketId): undefined {
  const market = step.state.market(id);
  const { resolution } = market;
  invariant(resolution !== null, `market ${id} resolved before it is finalized`);
  const shortfallMicros = payPositions(step, market, BigInt(resolution.payoutMillionths));
  putMarket(step, {
    ...market,
    status: "FINALIZED",
    shortfallMicros,
    resolution: { ...resolution, finalizedAtMillis: step.nowMillis },
  });
}

/**
 * Each long gets floor(face × fraction); shorts give up the sum of that, in proportion.
 * What the guarantee fund lacks for the shorts it took over is missing from all payouts, in
 * proportion, openly. Returns what was missing.
 */
function payPositions(step: Step, market: Market, fraction: bigint): Micros {
  const held = positionsIn(step, market.id);
  const clearing = marketAccount(market.id);
  const longs = held.filter(({ heldLots }) => heldLots > 0n);
  const due = longs.map(({ heldLots }) => payoutOf(heldLots, fraction));
  const owed = due.reduce((sum, payout) => sum + payout, 0n);
  const missing = collect(step, market.id, owed, held);
  const payouts = sharesOf(owed - missing, due);
  for (const [at, position] of longs.entries()) {
    const payout = micros(payouts[at] ?? 0n);
    post(step, clearing, cashOf(position.accountId), payout, "settlement", market.id);
    putPosition(step, settled(position, payout));
    warnOfHaircut(step, position.accountId, market, micros((due[at] ?? 0n) - payout));
  }
  return missing;
}

/**
 * Takes what shorts owe; returns what the guarantee fund lacks. An account can pay: the payout has
 * been its mark since the resolution, and whoever could not cover it was liquidated then.
 */
function collect(step: Step, id: MarketId, owed: bigint, held: readonly Position[]): Micros {
  const shorts = held.filter(({ heldLots }) => heldLots < 0n);
  const weights = shorts.map(({ heldLots }) => -heldLots);
  const shares = sharesOf(owed, weights);
  let lacking = noMoney;
  for (const [at, position] of shorts.entries()) {
    const { accountId } = position;
    const share = shares[at] ?? noMoney;
    const paid = least(share, step.state.balance(cashOf(accountId)));
    invariant(paid === share || accountId === GUARANTEE, `${accountId} can pay what it owes`);
    post(step, cashOf(accountId), marketAccount(id), paid, "settlement", id);
    putPosition(step, settled(position, micros(-paid)));
    lacking = micros(lacking + share - paid);
  }
  return lacking;
}

/** Somebody who is paid less than is due is told so, by how much. */
export function warnOfHaircut(step: Step, account: AccountId, market: Market, lacks: Micros): void {
  if (lacks <= 0n) return;
  const text = `lacks ${formatMicros(lacks)} USD: shorts and the guarantee fund could not pay all`;
  raiseAlert(step, account, "haircut", `What market ${market.frontendId} paid ${text}`);
}

const payoutOf = (held: Lots, fraction: bigint): bigint =>
  mulDivDown(held * MICROS_PER_LOT, fraction, FULL_PAYOUT_MILLIONTHS);

export function positionsIn(step: Step, id: MarketId): readonly Position[] {
  const positions: Position[] = [];
  for (const account of step.state.positionsByMarket.get(id) ?? []) {
    const position = step.state.position(account, id);
    if (position !== undefined) positions.push(position);
  }
  return positions;
}

export const putPosition = (step: Step, position: Position): void =>
  emit(step, { type: "PositionChanged", position });

const putMarket = (step: Step, market: Market): void =>
  emit(step, { type: "MarketChanged", market: { ...market, updatedAtMillis: step.nowMillis } });
