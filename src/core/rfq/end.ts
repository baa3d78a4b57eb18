// The ends of quotes and of requests for quotes, other than a trade.
// Invariant: no maker ends a quote of its own: it stands until its time, or until something ends
// it that is in nobody's hand.
import type { AccountId } from "#base/ids.ts";
import type { EventOf } from "../event.ts";
import { emit, type Step } from "../step.ts";
import type { Rfq, RfqQuote } from "./record.ts";

export function endRfq(
  step: Step,
  { id: rfqId, accountId }: Rfq,
  status: EventOf<"RfqEnded">["status"],
): void {
  emit(step, { type: "RfqEnded", rfqId, accountId, status, quoteId: null });
}

/** A request that takes no quotes any more is over with the last it had. */
export function endQuote(step: Step, { id: quoteId, rfqId, accountId }: RfqQuote): void {
  const { state } = step;
  emit(step, { type: "RfqQuoteEnded", quoteId, accountId });
  const rfq = state.rfqs.get(rfqId);
  if (rfq?.status === "closed" && !hasQuotes(step, rfq)) endRfq(step, rfq, "expired");
}

export const hasQuotes = ({ state }: Pick<Step, "state">, { id }: Rfq): boolean =>
  [...(state.quotesForRfq.get(id) ?? [])].some(
    (quoteId) => state.rfqQuotes.get(quoteId)?.status === "open",
  );

/** All of an account, the oldest first. */
export function lapseQuotesOf(step: Step, id: AccountId): void {
  for (const quoteId of [...(step.state.rfqQuotesOf.get(id) ?? [])]) {
    const quote = step.state.rfqQuotes.get(quoteId);
    if (quote?.status === "open") endQuote(step, quote);
  }
}
