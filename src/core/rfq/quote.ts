// Quotes for requests: firm from the moment they are taken, bettered by their maker and never
// taken back.
// Invariant: a quote's cash is there as long as it is open; nobody quotes an owner of its own.
import { rfqQuoteId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { sameOwner } from "../account/owner.ts";
import type { CommandOf } from "../command.ts";
import { refuseStanding } from "../order/checks.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, available, emit, type Step } from "../step.ts";
import { isInAudience, refuseLegs, refuseOrders } from "./checks.ts";
import { endQuote } from "./end.ts";
import { refuseLimits } from "./limits.ts";
import { ordersOf } from "./orders.ts";
import { promisedWith } from "./promises.ts";
import { makerSide, type Rfq, type RfqQuote, reserveOf } from "./record.ts";

const LEAST_AFTER_CLOSE_MILLIS = 30_000;
const LONGEST_AFTER_CLOSE_MILLIS = 72 * 3_600_000;
const MOST_FOR_ONE = 50;
const MOST_OPEN = 20;

export function quoteRfq(step: Step, command: CommandOf<"QuoteRfq">): Rejection | undefined {
  const { state } = step;
  const accountId = actingAccount(step);
  const rfq = state.rfqs.get(command.rfqId);
  if (rfq === undefined || !isInAudience(state, rfq, accountId)) return reject("RFQ_NOT_FOUND");
  const ticks = everyLeg(rfq, command.ticks);
  const refused =
    (sameOwner(state, accountId, rfq.accountId) ? reject("RFQ_OWN") : undefined) ??
    refuseQuote(step, rfq, ticks, command.validUntilMillis) ??
    refuseCaps(step, rfq);
  if (refused !== undefined) return refused;
  const id = rfqQuoteId(`rqt-${state.rfqQuoteCount + 1}`);
  return take(step, rfq, {
    id,
    rfqId: rfq.id,
    accountId,
    ticks,
    validUntilMillis: command.validUntilMillis,
    reservedMicros: reserveOf(rfq, ticks),
    status: "open",
    ...(command.tellsName === true ? { tellsName: true } : {}),
  });
}

/** Better for the requester in a leg, worse in none, and good for as long at least. */
export function improveQuote(
  step: Step,
  command: CommandOf<"ImproveQuote">,
): Rejection | undefined {
  const { state } = step;
  const before = state.rfqQuotes.get(command.quoteId);
  if (before?.accountId !== actingAccount(step)) return reject("RFQ_QUOTE_NOT_FOUND");
  const rfq = state.rfqs.get(before.rfqId);
  invariant(rfq !== undefined, `request ${before.rfqId} is here`);
  if (before.status !== "open") return reject("RFQ_DONE", { status: before.status });
  const ticks = everyLeg(rfq, command.ticks);
  const validUntilMillis = command.validUntilMillis ?? before.validUntilMillis;
  const refused = refuseQuote(step, rfq, ticks, validUntilMillis);
  if (refused !== undefined) return refused;
  const better = ticks.map((tick, at) => {
    const more = tick - (before.ticks[at] ?? tick);
    return rfq.side === "BUY" ? -more : more;
  });
  if (better.some((one) => one < 0) || better.every((one) => one === 0)) {
    return reject("RFQ_NOT_BETTER", undefined, "prices");
  }
  if (validUntilMillis < before.validUntilMillis) {
    return reject("RFQ_NOT_BETTER", undefined, "validUntil");
  }
  const reservedMicros = reserveOf(rfq, ticks);
  return take(step, rfq, { ...before, ticks, validUntilMillis, reservedMicros }, before);
}

export function lapseQuote(step: Step, { quoteId }: CommandOf<"LapseQuote">): undefined {
  const quote = step.state.rfqQuotes.get(quoteId);
  invariant(quote !== undefined, `quote ${quoteId} is here to lapse`);
  endQuote(step, quote);
}

const everyLeg = ({ legs }: Rfq, ticks: readonly Tick[]): readonly Tick[] => {
  const [only] = ticks;
  return ticks.length === 1 && only !== undefined ? legs.map(() => only) : ticks;
};

function refuseQuote(
  step: Step,
  rfq: Rfq,
  ticks: readonly Tick[],
  validUntilMillis: number,
): Rejection | undefined {
  if (rfq.status !== "open") return reject("RFQ_DONE", { status: rfq.status });
  const beyond = validUntilMillis - rfq.closesAtMillis;
  const isTimely = beyond >= LEAST_AFTER_CLOSE_MILLIS && beyond <= LONGEST_AFTER_CLOSE_MILLIS;
  return (
    refuseStanding(step, step.state.account(actingAccount(step)), false) ??
    (isTimely ? undefined : reject("RFQ_TIMES", undefined, "validUntil")) ??
    (ticks.length === rfq.legs.length
      ? undefined
      : reject("RFQ_LEGS", { allowed: rfq.legs.length }, "prices")) ??
    refuseLegs(step, rfq.legs)
  );
}

/** One owner has one open quote for a request: nobody fills its places alone. */
function refuseCaps(step: Step, { id }: Rfq): Rejection | undefined {
  const { state } = step;
  const accountId = actingAccount(step);
  const all = [...(state.quotesForRfq.get(id) ?? [])];
  const isQuoted = all.some((quoteId) => {
    const quote = state.rfqQuotes.get(quoteId);
    return quote?.status === "open" && sameOwner(state, quote.accountId, accountId);
  });
  if (isQuoted) return reject("RFQ_QUOTED");
  if (all.length >= MOST_FOR_ONE) return reject("RFQ_CAP", { allowed: MOST_FOR_ONE });
  return (state.rfqQuotesOf.get(accountId)?.size ?? 0) >= MOST_OPEN
    ? reject("RFQ_CAP", { allowed: MOST_OPEN })
    : undefined;
}

/** In place of the one before, if there is one. */
function take(step: Step, rfq: Rfq, quote: RfqQuote, before?: RfqQuote): Rejection | undefined {
  const { state } = step;
  const account = state.account(quote.accountId);
  const orders = ordersOf(step, account, makerSide(rfq), rfq, quote.ticks);
  // Another price takes no more of a limit: the lots of a quote are those of its request.
  const refused =
    refuseOrders(step, account, orders) ??
    (before === undefined ? refuseLimits(step, account, orders) : undefined);
  if (refused !== undefined) return refused;
  const { exposures } = state;
  const then = exposures.lockedWith(account.id, promisedWith(state, rfq, quote, before));
  const more = micros(then - exposures.locked(account.id));
  const free = available(state, account.id);
  if (more > 0n && more > free) {
    return reject("INSUFFICIENT_BALANCE", { requiredMicros: more, availableMicros: free });
  }

  emit(step, { type: "RfqQuoteChanged", quote });
  return undefined;
}
