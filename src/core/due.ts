// What falls due by the clock: a heap of moments, each naming the command that is then to be given.
// Invariant: an item stays until it is no longer true of the records, so nothing due is ever lost.

import { defaultMillis, owedOn } from "./acceptance/owed.ts";
import { isOpen } from "./book/order.ts";
import type { Command } from "./command.ts";
import { forgetsAtMillis } from "./leaving.ts";
import { isLive, lapsesAtMillis, upheldAtMillis } from "./market/life.ts";
import { holdsMatching, windowEndsAtMillis } from "./market/window-times.ts";
import type { Account } from "./records.ts";
import { cancelAfterName, type State } from "./state.ts";

export type DueCommand = Extract<
  Command,
  {
    type:
      | "ReportTrip"
      | "ExpireOrder"
      | "FireCancelAfter"
      | "CollectPayment"
      | "DefaultAcceptance"
      | "ExpireKyc"
      | "ExpireAccreditation"
      | "CloseTrading"
      | "LapseVoid"
      | "LapseProposal"
      | "VoidUnpublished"
      | "UpholdDispute"
      | "FinalizeMarket"
      | "AwaitRelease"
      | "EndWindow"
      | "ResumeMatching"
      | "Forget";
  }
>;

interface DueItem {
  readonly atMillis: number;
  readonly command: DueCommand;
}

/** Items of one instant keep this order: what closes trading comes before what settles it. */
const precedence: readonly DueCommand["type"][] = [
  "ReportTrip",
  "ExpireOrder",
  "FireCancelAfter",
  "CollectPayment",
  "DefaultAcceptance",
  "ExpireKyc",
  "ExpireAccreditation",
  "CloseTrading",
  "LapseVoid",
  "LapseProposal",
  "VoidUnpublished",
  "UpholdDispute",
  "FinalizeMarket",
  "AwaitRelease",
  "EndWindow",
  "ResumeMatching",
  "Forget",
];

/** With fewer, looking for untrue ones is not worth it. */
const FEW_ITEMS = 1_024;

export class DueQueue {
  #heap: DueItem[] = [];
  /** What was left when the untrue ones were last dropped. */
  #left = 0;

  add(item: DueItem): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#before(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /**
   * An order that expires in a hundred years and is cancelled today would leave its item here for a
   * hundred years: once most of the heap may be such, those are dropped.
   */
  dropUntrue(isTrue: (item: DueItem) => boolean): void {
    if (this.#heap.length < 2 * this.#left + FEW_ITEMS) return;
    const all = this.#heap;
    this.#heap = [];
    for (const item of all) if (isTrue(item)) this.add(item);
    this.#left = this.#heap.length;
  }

  get size(): number {
    return this.#heap.length;
  }

  first(): DueItem | undefined {
    return this.#heap[0];
  }

  dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      let least = at;
      if (this.#before(left, least)) least = left;
      if (this.#before(left + 1, least)) least = left + 1;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  /** Beyond the end there is nothing that could be. */
  #before(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    return first !== undefined && second !== undefined && isBefore(first, second);
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}

function isBefore(a: DueItem, b: DueItem): boolean {
  if (a.atMillis !== b.atMillis) return a.atMillis < b.atMillis;
  const rank = precedence.indexOf(a.command.type) - precedence.indexOf(b.command.type);
  if (rank !== 0) return rank < 0;
  const [first, second] = [subject(a.command), subject(b.command)];
  if (first.length !== second.length) return first.length < second.length;
  return first < second;
}

function subject(command: DueCommand): string {
  switch (command.type) {
    case "ExpireOrder":
      return command.orderId;
    case "FireCancelAfter":
      return cancelAfterName(command.accountId, command.marketId);
    case "CollectPayment":
    case "DefaultAcceptance":
      return command.acceptanceId;
    case "LapseProposal":
      return command.proposalId;
    case "ReportTrip":
    case "ExpireKyc":
    case "ExpireAccreditation":
      return command.accountId;
    case "CloseTrading":
    case "LapseVoid":
    case "VoidUnpublished":
    case "UpholdDispute":
    case "FinalizeMarket":
    case "ResumeMatching":
      return command.marketId;
    case "AwaitRelease":
    case "EndWindow":
      return command.index;
    case "Forget":
      return "";
  }
}

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
      return earlier(earlier(item, forgetting(state)), expecting(state));
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

const earlier = (first: DueItem | undefined, second: DueItem | undefined): DueItem | undefined =>
  first === undefined || (second !== undefined && isBefore(second, first)) ? second : first;

function isTrue(state: State, { atMillis, command }: DueItem): boolean {
  switch (command.type) {
    case "ExpireOrder": {
      const order = state.orders.get(command.orderId);
      return order !== undefined && isOpen(order) && order.expirySeconds * 1000 === atMillis;
    }
    case "FireCancelAfter": {
      const { accountId, marketId } = command;
      const armed = state.cancelAfters.get(cancelAfterName(accountId, marketId));
      return armed !== undefined && armed.atSeconds * 1000 === atMillis;
    }
    case "ReportTrip": {
      const protection = state.protections.get(command.accountId);
      return protection?.trippedAtMillis === atMillis && !protection.tripReported;
    }
    case "CollectPayment": {
      // Of one that is behind, everything due is taken from whatever comes in.
      const { payments, status } = state.acceptance(command.acceptanceId);
      const isOpen = payments.some((one) => one.dueMillis === atMillis && owedOn(one) > 0n);
      return isOpen && status === "current";
    }
    case "DefaultAcceptance": {
      const acceptance = state.acceptance(command.acceptanceId);
      return acceptance.status === "overdue" && defaultMillis(acceptance) === atMillis;
    }
    case "ExpireKyc":
      return approvalEndsAtMillis(state.account(command.accountId)) === atMillis;
    case "ExpireAccreditation":
      return accreditationEndsAtMillis(state.account(command.accountId)) === atMillis;
    case "CloseTrading": {
      const market = state.markets.get(command.marketId);
      return market !== undefined && isLive(market.status) && !market.tradingClosed;
    }
    case "LapseVoid": {
      const voidProposal = state.markets.get(command.marketId)?.voidProposal;
      return voidProposal !== undefined && lapsesAtMillis(voidProposal) === atMillis;
    }
    case "LapseProposal":
      return state.proposals.has(command.proposalId);
    case "VoidUnpublished": {
      const market = state.markets.get(command.marketId);
      return market !== undefined && isLive(market.status);
    }
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
      return state.expected.ofIndex(command.index) === atMillis;
    case "EndWindow": {
      const window = state.windows.get(command.index);
      return (
        window !== undefined && holdsMatching(window) && windowEndsAtMillis(window) === atMillis
      );
    }
    case "ResumeMatching":
      return state.heldMatching.get(command.marketId)?.resumesAtMillis === atMillis;
    case "Forget":
      return forgetsAtMillis(state) === atMillis;
  }
}

/** Undefined where no approval is in force. */
const approvalEndsAtMillis = ({ kyc }: Account): number | undefined =>
  kyc.status === "approved" ? (kyc.expiresAtSeconds ?? 0) * 1000 : undefined;

/** Undefined where none is in force. */
function accreditationEndsAtMillis({ kyc }: Account): number | undefined {
  const { status, accreditation } = kyc;
  if (status !== "approved" || accreditation == null) return undefined;
  return accreditation.ended === undefined ? accreditation.expiresAtSeconds * 1000 : undefined;
}
