// The next thing to fall due, of all that waits for the clock.
// Invariant: an item stays until it is no longer true of the records, so nothing due is ever lost.

import { defaultMillis, owedOn } from "./acceptance/owed.ts";
import type { Acceptance } from "./acceptance/records.ts";
import { isOpen } from "./book/order.ts";
import type { Command, CommandOf } from "./command.ts";
import { type DueItem, isBefore } from "./due-queue.ts";
import { forgetsAtMillis } from "./leaving.ts";
import { fallbackAtMillis, isLive, upheldAtMillis } from "./market/life.ts";
import { isAwaiting, windowEndsAtMillis } from "./market/window-times.ts";
import { cancelAfterName, groupName } from "./names.ts";
import type { Account, Market, Order } from "./records.ts";
import type { State } from "./state.ts";
import { isLapsed, isToCarryOut } from "./words/say.ts";

/** The first thing fallen due at or before `nowMillis`, with the time it is to be applied at. */
export function nextDue(
  state: State,
  nowMillis: number,
): { readonly timeMillis: number; readonly command: Command } | undefined {
  const item = firstTrue(state);
  if (item === undefined || item.atMillis > nowMillis) return undefined;
  return { timeMillis: Math.max(item.atMillis, state.lastTimeMillis), command: item.command };
}

/** When to look again; undefined when nothing waits for the clock. */
export const nextDueMillis = (state: State): number | undefined => firstTrue(state)?.atMillis;

/** Items whose ground has gone (a cancelled order, a disputed market) are dropped unjournalled. */
function firstTrue(state: State): DueItem | undefined {
  state.due.dropUntrue((item) => isTrue(state, item));
  for (;;) {
    const item = state.due.first();
    if (item === undefined || isTrue(state, item)) {
      return earlier(earlier(item, forgetting(state)), earlier(expecting(state), clearing(state)));
    }
    state.due.dropFirst();
  }
}

/** Drawn from the oldest of what is to leave: an item for each order would be one more to keep. */
function forgetting(state: State): DueItem | undefined {
  const atMillis = forgetsAtMillis(state);
  return atMillis === undefined ? undefined : { atMillis, command: { type: "Forget" } };
}

/**
 * The print that is expected first, of an index whose window does not wait for it yet. The moment
 * passes by a newer print alone, so that one expected day opens one window. A window that is
 * overdue for an earlier day (a place that was let go brought that print) does not stand for it.
 */
function expecting(state: State): DueItem | undefined {
  let first: DueItem | undefined;
  for (const [index, atMillis] of state.expected.moments) {
    const window = state.windows.get(index);
    const isOfEarlier = window?.isOverdue === true && window.openedAtMillis < atMillis;
    if (window?.isExpected === true && !isOfEarlier) continue;
    first = earlier(first, { atMillis, command: { type: "AwaitRelease", index, releaseId: null } });
  }
  return first;
}

/** Orders that go when a release is awaited: drawn, since a window of many markets has as many. */
function clearing({ windows, releaseOrders }: State): DueItem | undefined {
  let first: DueItem | undefined;
  for (const [index, window] of windows) {
    if (!isAwaiting(window) || !releaseOrders.has(index)) continue;
    const command = { type: "CancelForRelease", index } as const;
    first = earlier(first, { atMillis: window.openedAtMillis, command });
  }
  return first;
}

const earlier = (first: DueItem | undefined, second: DueItem | undefined): DueItem | undefined =>
  first === undefined || (second !== undefined && isBefore(second, first)) ? second : first;

function isTrue(state: State, { atMillis, command }: DueItem): boolean {
  switch (command.type) {
    case "ExpireOrder":
      return openExpiry(state.orders.get(command.orderId)) === atMillis / 1000;
    case "FireCancelAfter":
      return firesAtSeconds(state, command) === atMillis / 1000;
    case "ReportTrip":
      return isUnreported(state, command, atMillis);
    case "ReportMarginCall":
      return unreportedMillis(state.account(command.accountId)) === atMillis;
    case "EndMarginCalls":
      return state.callsDue.has(atMillis);
    case "ExpireMandate":
    case "CloseRfq":
    case "LapseQuote":
      return isStanding(state, command, atMillis);
    case "CollectPayment": {
      // Of one that is behind, everything due is taken from whatever comes in.
      const { payments, status } = state.acceptance(command.acceptanceId);
      const isOpen = payments.some((one) => one.dueMillis === atMillis && owedOn(one) > 0n);
      return isOpen && status === "current";
    }
    case "DefaultAcceptance":
      return isInGrace(state.acceptance(command.acceptanceId), atMillis);
    case "ExpireKyc":
      return approvalEndsAtMillis(state.account(command.accountId)) === atMillis;
    case "ExpireAccreditation":
      return accreditationEndsAtMillis(state.account(command.accountId)) === atMillis;
    case "CloseTrading": {
      const market = state.markets.get(command.marketId);
      return market !== undefined && isLive(market.status) && !market.tradingClosed;
    }
    case "CarryOutWord": {
      const word = state.words.get(command.proposalId);
      return word !== undefined && isToCarryOut(state, word, atMillis);
    }
    case "LapseProposal": {
      const word = state.words.get(command.proposalId);
      return word !== undefined && isLapsed(state, word, atMillis);
    }
    case "ApplyRules":
    case "CloseAuction":
    case "CloseMarks":
      return isWaiting(state, command, atMillis);
    case "BeginFallback":
      return isUnprinted(state.markets.get(command.marketId), atMillis);
    case "UpholdDispute": {
      const dispute = state.markets.get(command.marketId)?.dispute ?? null;
      return dispute !== null && upheldAtMillis(dispute) === atMillis;
    }
    case "FinalizeMarket": {
      const market = state.markets.get(command.marketId);
      return (
        market?.status === "RESOLVED" &&
        market.dispute === null &&
        market.resolution?.disputeWindowEndsAtMillis === atMillis
      );
    }
    case "AwaitRelease":
    case "CancelForRelease":
    case "EndWindow":
    case "EndAuction":
      return isOfIndex(state, command, atMillis);
    case "ResumeMatching":
      return state.heldMatching.get(command.marketId)?.resumesAtMillis === atMillis;
    case "Forget":
      return forgetsAtMillis(state) === atMillis;
  }
}

function isStanding(
  { mandates, rfqs, rfqQuotes }: State,
  command: CommandOf<"ExpireMandate" | "CloseRfq" | "LapseQuote">,
  atMillis: number,
): boolean {
  if (command.type === "ExpireMandate") {
    return mandates.get(command.mandateId)?.expirySeconds === atMillis / 1000;
  }
  if (command.type === "CloseRfq") return rfqs.get(command.rfqId)?.status === "open";
  const quote = rfqQuotes.get(command.quoteId);
  return quote?.status === "open" && quote.validUntilMillis === atMillis;
}

const openExpiry = (order: Order | undefined): number | undefined =>
  order !== undefined && isOpen(order) ? order.expirySeconds : undefined;

function isOfIndex(
  { expected, releaseOrders, windows }: State,
  { type, index }: CommandOf<"AwaitRelease" | "CancelForRelease" | "EndWindow" | "EndAuction">,
  atMillis: number,
): boolean {
  if (type === "AwaitRelease") return expected.ofIndex(index) === atMillis;
  if (type === "CancelForRelease") return releaseOrders.has(index);
  const window = windows.get(index);
  if (window === undefined || isAwaiting(window) !== (type === "EndWindow")) return false;
  return windowEndsAtMillis(window) === atMillis;
}

const isWaiting = (
  { announcedRules, auctions, markets }: State,
  command: CommandOf<"ApplyRules" | "CloseAuction" | "CloseMarks">,
  atMillis: number,
): boolean => {
  if (command.type === "CloseMarks") {
    const market = markets.get(command.marketId);
    return market?.markRound?.closesAtMillis === atMillis && isLive(market.status);
  }
  if (command.type === "CloseAuction") return auctions.has(command.auctionId);
  return announcedRules.has(command.announcementId);
};

function isUnreported(
  { makerProtections, orderGroups }: State,
  { accountId, group }: CommandOf<"ReportTrip">,
  atMillis: number,
): boolean {
  const limits =
    group === undefined
      ? makerProtections.get(accountId)
      : orderGroups.get(groupName(accountId, group));
  return limits?.trippedAtMillis === atMillis && !limits.tripReported;
}

const firesAtSeconds = (state: State, command: CommandOf<"FireCancelAfter">): number | undefined =>
  state.cancelAfters.get(cancelAfterName(command.accountId, command.marketId))?.atSeconds;

const isInGrace = (acceptance: Acceptance, endsAtMillis: number): boolean =>
  acceptance.status === "overdue" && defaultMillis(acceptance) === endsAtMillis;

/** When a margin call began that has no entry of its own yet. */
const unreportedMillis = ({ marginCall }: Account): number | undefined =>
  marginCall?.reported === undefined ? marginCall?.calledAtMillis : undefined;

/** Live, and no fallback has begun: a market that nobody traded may have been listed anew. */
const isUnprinted = (market: Market | undefined, atMillis: number): boolean =>
  market !== undefined &&
  fallbackAtMillis(market.terms) === atMillis &&
  isLive(market.status) &&
  market.fallbackSinceMillis === undefined;

/** Undefined where no approval is in force. */
const approvalEndsAtMillis = ({ kyc }: Account): number | undefined =>
  kyc.status === "approved" ? (kyc.expiresAtSeconds ?? 0) * 1000 : undefined;

/** Undefined where none is in force. */
function accreditationEndsAtMillis({ kyc }: Account): number | undefined {
  const { status, accreditation } = kyc;
  if (status !== "approved" || accreditation == null) return undefined;
  return accreditation.ended === undefined ? accreditation.expiresAtSeconds * 1000 : undefined;
}
