// A request for quotes and its quotes in their places: who reserves what, and what falls due.
// Invariant: an account's reserve is the sum over its open quotes; a done request has none.

import type { RfqId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { dropOf, setOf } from "#base/set-of.ts";
import type { Event, EventOf } from "../event.ts";
import type { State } from "../state.ts";
import { countPromises } from "./promises.ts";
import { isDone, type Rfq, type RfqEvent, type RfqGround, type RfqQuote } from "./record.ts";

export const isRfqEvent = (event: Event): event is RfqEvent => rfqEvents.has(event.type);

const rfqEvents: ReadonlySet<Event["type"]> = new Set<RfqEvent["type"]>([
  "RfqOpened",
  "RfqAnnounced",
  "RfqEnded",
  "RfqQuoteChanged",
  "RfqQuoteEnded",
  "RfqsForgotten",
]);

export function foldRfq(state: State, event: RfqEvent, timeMillis: number): void {
  switch (event.type) {
    case "RfqOpened":
      state.rfqCount += 1;
      putRfq(state, event.rfq);
      return;
    case "RfqQuoteChanged":
      if (!state.rfqQuotes.has(event.quote.id)) state.rfqQuoteCount += 1;
      putQuote(state, event.quote);
      return;
    case "RfqQuoteEnded": {
      const quote = state.rfqQuotes.get(event.quoteId);
      invariant(quote !== undefined, `quote ${event.quoteId} is here`);
      putQuote(state, { ...quote, status: "lapsed" });
      return;
    }
    case "RfqEnded":
      endRfq(state, event, timeMillis);
      return;
    case "RfqsForgotten":
      for (const id of event.rfqIds) forgetRfq(state, id);
  }
}

function endRfq(state: State, { rfqId, status, quoteId }: EventOf<"RfqEnded">, timeMillis: number) {
  const rfq = state.rfqs.get(rfqId);
  invariant(rfq !== undefined, `request ${rfqId} is here`);
  if (status === "closed") {
    putRfq(state, { ...rfq, status });
    return;
  }
  for (const id of state.quotesForRfq.get(rfqId) ?? []) {
    const quote = state.rfqQuotes.get(id);
    if (quote?.status !== "open") continue;
    putQuote(state, { ...quote, status: id === quoteId ? "filled" : "ended" });
  }
  putRfq(state, { ...rfq, status, doneMillis: timeMillis });
}

/** The things that end a request when they stop: its account, and the markets and indexes of it. */
const groundsOf = ({ accountId, legs }: Rfq): ReadonlySet<RfqGround> =>
  new Set([accountId, ...legs.flatMap(({ listing }) => [listing.marketId, listing.terms.index])]);

function putRfq(state: State, rfq: Rfq): void {
  const { id, accountId, closesAtMillis, doneMillis, status } = rfq;
  // Those that are done stand last, in the order they were done: a snapshot keeps that too.
  if (doneMillis !== undefined) state.rfqs.delete(id);
  state.rfqs.set(id, rfq);
  setOf(state.rfqsOf, accountId).add(id);
  if (doneMillis !== undefined) {
    state.openRfqs.delete(id);
    for (const ground of groundsOf(rfq)) dropOf(state.openRfqsOn, ground, id);
    state.doneRfqs.set(id, doneMillis);
    return;
  }
  if (!state.openRfqs.has(id)) {
    for (const ground of groundsOf(rfq)) setOf(state.openRfqsOn, ground).add(id);
  }
  state.openRfqs.add(id);
  if (status !== "open") return;
  state.due.add({ atMillis: closesAtMillis, command: { type: "CloseRfq", rfqId: id } });
}

function putQuote(state: State, quote: RfqQuote): void {
  const { id, rfqId, accountId, status, validUntilMillis } = quote;
  const before = state.rfqQuotes.get(id);
  state.rfqQuotes.set(id, quote);
  setOf(state.quotesForRfq, rfqId).add(id);
  if (status === "open") setOf(state.rfqQuotesOf, accountId).add(id);
  else dropOf(state.rfqQuotesOf, accountId, id);
  const rfq = state.rfqs.get(rfqId);
  invariant(rfq !== undefined, `request ${rfqId} is here`);
  countPromises(state, rfq, before, quote);
  if (status !== "open" || before?.validUntilMillis === validUntilMillis) return;
  state.due.add({ atMillis: validUntilMillis, command: { type: "LapseQuote", quoteId: id } });
}

function forgetRfq(state: State, id: RfqId): void {
  const rfq = state.rfqs.get(id);
  invariant(rfq !== undefined && isDone(rfq), `request ${id} is done`);
  for (const quoteId of state.quotesForRfq.get(id) ?? []) state.rfqQuotes.delete(quoteId);
  state.quotesForRfq.delete(id);
  state.rfqs.delete(id);
  state.doneRfqs.delete(id);
  dropOf(state.rfqsOf, rfq.accountId, id);
}

/** From a snapshot, in its order. */
export function putRfqs(state: State, rfqs: readonly Rfq[], quotes: readonly RfqQuote[]): void {
  for (const rfq of rfqs) putRfq(state, rfq);
  for (const quote of quotes) putQuote(state, quote);
}
