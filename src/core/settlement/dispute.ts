// Disputes: a bond taken, the clock of the window stopped, and two people's decision or ten days.
// Invariant: a bond leaves `bonds` when its dispute ends; no dispute holds a market up for ever.
import type { MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { chainLevel } from "#base/print-value.ts";
import { MICROS_PER_LOT } from "#base/quantity.ts";
import { mulDivUp } from "#base/rounding.ts";
import { settle } from "#contract/payoff.ts";
import type { CommandOf } from "../command.ts";
import { refuseCalled } from "../margin/call.ts";
import { DISPUTE_WINDOW_MILLIS } from "../market/life.ts";
import { isSecondPerson } from "../person.ts";
import type { Dispute, Market, Observation, OperatorName, Resolution } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { available, cashOf, operatorOf, positionOf, post, type Step } from "../step.ts";
import { say } from "../words/say.ts";
import { reopen } from "./fallback.ts";
import { outcomeOf, putMarket } from "./resolve.ts";

/** The least a dispute's bond is. */
const LEAST_BOND = micros(100_000_000n);
/** Of the coverage of the position. */
const BOND_PERCENT = 1n;

export function openDispute(step: Step, command: CommandOf<"OpenDispute">): Rejection | undefined {
  const { state } = step;
  const market = state.markets.get(command.marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  const { resolution } = market;
  if (market.status !== "RESOLVED" || resolution === null) {
    return reject("DISPUTE_WINDOW_CLOSED", { status: market.status });
  }
  if (market.dispute !== null) return reject("DISPUTE_OPEN");
  const openedBy = operatorOf(step);
  const bondMicros = bondFor(step, openedBy, market.id);
  if (bondMicros === undefined) return reject("DISPUTE_NO_POSITION");
  const { disputedBy = [] } = resolution;
  if (disputedBy.some((before) => !isSecondPerson(state, before, openedBy))) {
    return reject("DISPUTE_REPEATED");
  }
  const unpaid = takeBond(step, openedBy, bondMicros, market.id);
  if (unpaid !== undefined) return unpaid;

  const dispute: Dispute = {
    openedBy,
    reason: command.reason,
    evidence: command.evidence,
    openedAtMillis: step.nowMillis,
    remainingMillis: resolution.disputeWindowEndsAtMillis - step.nowMillis,
    bondMicros,
  };
  const disputed = { ...resolution, disputedBy: [...disputedBy, openedBy] };
  putMarket(step, { ...market, dispute, resolution: disputed });
  return undefined;
}

/**
 * A hundredth of the coverage, rounded up, at least 100 USD; undefined of a trader without a
 * position. An operator has none, and may see a wrong print all the same.
 */
function bondFor(step: Step, by: OperatorName, market: MarketId): Micros | undefined {
  if (by === "root" || step.state.account(by).role === "operator") return LEAST_BOND;
  const { heldLots } = positionOf(step.state, by, market);
  if (heldLots === 0n) return undefined;
  const coverage = (heldLots < 0n ? -heldLots : heldLots) * MICROS_PER_LOT;
  const part = micros(mulDivUp(coverage, BOND_PERCENT, 100n));
  return part > LEAST_BOND ? part : LEAST_BOND;
}

/** Of cash that is free, while no margin is called for. Root has none. */
function takeBond(
  step: Step,
  by: OperatorName,
  bond: Micros,
  market: MarketId,
): Rejection | undefined {
  const { state } = step;
  const called = by === "root" ? undefined : refuseCalled(state.account(by));
  if (called !== undefined) return called;
  const free = by === "root" ? noMoney : available(state, by);
  if (by === "root" || bond > free) {
    return reject("INSUFFICIENT_BALANCE", {
      limit: "disputeBond",
      requiredMicros: bond,
      availableMicros: free,
    });
  }

  post(step, cashOf(by), "bonds", bond, "bond", market);
  return undefined;
}

/** Two different people must say the same, the evidence included. */
export function decideDispute(
  step: Step,
  { revisedIn, ...command }: CommandOf<"DecideDispute">,
): Rejection | undefined {
  const { state } = step;
  const { marketId, decision, valueE15 } = command;
  const market = state.markets.get(marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  const { dispute, resolution } = market;
  if (dispute === null || resolution === null) return reject("DISPUTE_NONE");
  if (revisedIn !== undefined) {
    return reject("DISPUTE_AMEND_REVISION", { release: revisedIn }, "value");
  }
  if (resolution.fallback !== undefined && valueE15 !== null) {
    return reject("DISPUTE_AMEND_FALLBACK", undefined, "value");
  }
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  if (decision === "amend") amend(step, market, { dispute, resolution }, valueE15);
  else uphold(step, market, { dispute, resolution });
  return undefined;
}

/** Two people did not decide it in time. */
export function upholdUndecided(
  step: Step,
  { marketId: id }: CommandOf<"UpholdDispute">,
): undefined {
  const market = step.state.market(id);
  const { dispute, resolution } = market;
  invariant(dispute !== null && resolution !== null, `market ${id} is disputed`);
  uphold(step, market, { dispute, resolution });
}

interface Disputed {
  readonly dispute: Dispute;
  readonly resolution: Resolution;
}

/** The bond goes to the guarantee fund, and the rest of the window runs. */
function uphold(step: Step, market: Market, { dispute, resolution }: Disputed): void {
  post(step, "bonds", "guarantee", dispute.bondMicros, "bond-forfeited", market.id);
  const disputeWindowEndsAtMillis = step.nowMillis + dispute.remainingMillis;
  putMarket(step, {
    ...market,
    dispute: null,
    resolution: { ...resolution, disputeWindowEndsAtMillis },
  });
}

/**
 * Settles anew on the value the provider first published, on the same link of the chain: a new
 * resolution, with a window of its own, that everybody may dispute again. Of a fallback it is the
 * step that is undone.
 */
function amend(
  step: Step,
  market: Market,
  { dispute, resolution }: Disputed,
  value: Observation["valueE15"] | null,
): void {
  if (resolution.fallback === undefined) settleAnew(step, market, resolution, value);
  else reopen(step, market, resolution);
  giveBack(step, dispute, market.id);
}

function settleAnew(
  step: Step,
  market: Market,
  resolution: Resolution,
  value: Observation["valueE15"] | null,
): void {
  invariant(value !== null, "an amendment carries its value");
  const levelE12 = amendedLevel(resolution, value);
  const settlement = settle(market.terms, { valueE15: value, levelE12 });
  invariant(settlement !== undefined, "a market that resolved once can be resolved again");
  const { disputedBy: _disputedBy, ...rest } = resolution;
  const disputeWindowEndsAtMillis = step.nowMillis + DISPUTE_WINDOW_MILLIS;
  putMarket(step, {
    ...market,
    dispute: null,
    resolution: { ...rest, ...outcomeOf(settlement), disputeWindowEndsAtMillis },
  });
}

function giveBack(step: Step, dispute: Dispute, id: MarketId): void {
  const { openedBy, bondMicros } = dispute;
  invariant(openedBy !== "root", "root has no cash for a bond, and so disputes nothing");
  post(step, "bonds", cashOf(openedBy), bondMicros, "bond-returned", id);
}

/** The level a value would have on the link that settled; 0 is none, and nothing settles on it. */
export const amendedLevel = (
  { link }: Resolution,
  value: Observation["valueE15"],
): Observation["levelE12"] =>
  link === null ? null : chainLevel(link.levelE12, value, link.valueE15);
