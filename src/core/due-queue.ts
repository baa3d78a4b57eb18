// The queue of what falls due: a heap by moment, then by kind, then by subject.
// Invariant: the order of two items is the same on every node, whatever order they were put in.
import type { Command } from "./command.ts";
import { cancelAfterName, groupName } from "./names.ts";

export type DueCommand = Extract<
  Command,
  {
    type:
      | "ReportTrip"
      | "ApplyRules"
      | "ExpireOrder"
      | "ExpireMandate"
      | "CloseRfq"
      | "LapseQuote"
      | "FireCancelAfter"
      | "ReportMarginCall"
      | "CollectPayment"
      | "DefaultAcceptance"
      | "EndMarginCalls"
      | "CloseAuction"
      | "ExpireKyc"
      | "ExpireAccreditation"
      | "CloseTrading"
      | "LapseProposal"
      | "CarryOutWord"
      | "BeginFallback"
      | "CloseMarks"
      | "UpholdDispute"
      | "FinalizeMarket"
      | "AwaitRelease"
      | "CancelForRelease"
      | "EndWindow"
      | "EndAuction"
      | "ResumeMatching"
      | "Forget";
  }
>;

export interface DueItem {
  readonly atMillis: number;
  readonly command: DueCommand;
}

/** Items of one instant keep this order: what closes trading comes before what settles it. */
const precedence: readonly DueCommand["type"][] = [
  "ReportTrip",
  "ApplyRules",
  "ExpireOrder",
  "ExpireMandate",
  "CloseRfq",
  "LapseQuote",
  "FireCancelAfter",
  "ReportMarginCall",
  "CollectPayment",
  "DefaultAcceptance",
  "EndMarginCalls",
  "CloseAuction",
  "ExpireKyc",
  "ExpireAccreditation",
  "CloseTrading",
  "LapseProposal",
  "CarryOutWord",
  "BeginFallback",
  "CloseMarks",
  "UpholdDispute",
  "FinalizeMarket",
  "AwaitRelease",
  "CancelForRelease",
  "EndWindow",
  "EndAuction",
  "ResumeMatching",
  "Forget",
];

/** With fewer, looking for untrue ones is not worth it. */
const FEW_ITEMS = 1_024;

export class DueQueue {
  #heap: DueItem[] = [];
  /** The number of items left when the untrue ones were last dropped. */
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

/** Of a state that decides nothing: what falls due there comes as an entry. */
export class NothingDue extends DueQueue {
  override add(): void {}
}

export function isBefore(a: DueItem, b: DueItem): boolean {
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
    case "CarryOutWord":
      return command.proposalId;
    case "CloseAuction":
      return command.auctionId;
    case "ExpireMandate":
      return command.mandateId;
    case "CloseRfq":
      return command.rfqId;
    case "LapseQuote":
      return command.quoteId;
    case "ApplyRules":
      return command.announcementId;
    case "ReportTrip":
      return command.group === undefined
        ? command.accountId
        : groupName(command.accountId, command.group);
    case "ReportMarginCall":
    case "ExpireKyc":
    case "ExpireAccreditation":
      return command.accountId;
    case "CloseTrading":
    case "BeginFallback":
    case "CloseMarks":
    case "UpholdDispute":
    case "FinalizeMarket":
    case "ResumeMatching":
      return command.marketId;
    case "AwaitRelease":
    case "CancelForRelease":
    case "EndWindow":
    case "EndAuction":
      return command.index;
    case "EndMarginCalls":
    case "Forget":
      return "";
  }
}
