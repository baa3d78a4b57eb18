// A market's end by its print: resolution and dispute. Payment, when the window is over, is apart.
// Invariant: a market resolves once; only a dispute changes what it resolved to.
import type { MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { chainLevel } from "#base/print-value.ts";
import { noLots } from "#base/quantity.ts";
import { type Settlement, settle } from "#contract/payoff.ts";
import type { CommandOf, Observation } from "../command.ts";
import { cancelMarketOrders } from "../market/cancel.ts";
import { DISPUTE_WINDOW_MILLIS, withoutVoidProposal } from "../market/life.ts";
import { isSecondPerson } from "../person.ts";
import type { AcceptedRelease, Dispute, Market, Resolution } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, operatorOf, type Step } from "../step.ts";

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

const putMarket = (step: Step, market: Market): void =>
  emit(step, { type: "MarketChanged", market: { ...market, updatedAtMillis: step.nowMillis } });
