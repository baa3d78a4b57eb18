// Accepting a quote: all legs are filled in one command, or none.
// Invariant: nothing here asks the maker again: a quote that is open is filled at its price, unless
// a rule of the exchange forbids the trade to everybody.
import { orderId } from "#base/ids.ts";
import { tradeBlock } from "../book/match.ts";
import type { CommandOf } from "../command.ts";
import { listByOrder } from "../market/listing.ts";
import { refuseBalance, refuseStanding } from "../order/checks.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import { refuseLegs, refuseOrders } from "./checks.ts";
import { refuseLimits } from "./limits.ts";
import { freshIn, ordersOf } from "./orders.ts";
import { isDone, makerSide, type Rfq, type RfqQuote } from "./record.ts";

export function acceptRfq(
  step: Step,
  { rfqId, quoteId }: CommandOf<"AcceptRfq">,
): Rejection | undefined {
  const { state } = step;
  const rfq = state.rfqs.get(rfqId);
  const quote = state.rfqQuotes.get(quoteId);
  if (rfq?.accountId !== actingAccount(step)) return reject("RFQ_NOT_FOUND");
  if (quote?.rfqId !== rfqId) return reject("RFQ_QUOTE_NOT_FOUND");
  if (isDone(rfq)) return reject("RFQ_DONE", { status: rfq.status });
  if (quote.status !== "open") return reject("RFQ_DONE", { status: quote.status });
  const refused = refuseStanding(step, state.account(rfq.accountId), false);
  if (refused !== undefined) return refused;
  const stopped = refuseLegs(step, rfq.legs) ?? refuseTrade(step, rfq, quote);
  if (stopped !== undefined) return stopped;

  const { accountId } = rfq;
  emit(step, { type: "RfqEnded", rfqId, accountId, status: "filled", quoteId });
  fillAll(step, rfq, quote);
  return undefined;
}

function refuseTrade(step: Step, rfq: Rfq, quote: RfqQuote): Rejection | undefined {
  const { state } = step;
  const account = state.account(rfq.accountId);
  const fresh = freshIn(step, rfq);
  const orders = ordersOf(step, account, rfq.side, rfq, quote.ticks);
  const maker = state.account(quote.accountId);
  return (
    refuseOrders(step, account, orders) ??
    refuseOrders(step, maker, ordersOf(step, maker, makerSide(rfq), rfq, quote.ticks)) ??
    refuseLimits(step, account, orders) ??
    refuseBalance(step, account.id, { orders, fresh })
  );
}

function fillAll(step: Step, rfq: Rfq, { accountId, ticks }: RfqQuote): void {
  const { state } = step;
  const taking = ordersOf(step, state.account(rfq.accountId), rfq.side, rfq, ticks);
  const making = ordersOf(step, state.account(accountId), makerSide(rfq), rfq, ticks);
  for (const [at, { listing }] of rfq.legs.entries()) {
    const [taker, maker] = [taking[at], making[at]];
    if (taker === undefined || maker === undefined) continue;
    if (!state.markets.has(listing.marketId)) listByOrder(step, listing, rfq.accountId);
    const next = state.orderCount + 1;
    tradeBlock(
      step,
      { ...taker, id: orderId(`ord-${next + 1}`) },
      { ...maker, id: orderId(`ord-${next}`) },
    );
  }
}
