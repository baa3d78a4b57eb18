// Accepting a quote: buying the protection at once, and owing its premium as was chosen.
// Invariant: the seller is paid in full at the fill, however the buyer pays; what is lent is owed
// to the micro-dollar, and coverage is the same in every structure.
import { acceptanceId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { least } from "#base/least.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { monthsLaterMillis } from "#base/month.ts";
import type { Tick } from "#base/price.ts";
import { costOf, type Lots, lots } from "#base/quantity.ts";
import { mulDivDown } from "#base/rounding.ts";
import type { CommandOf } from "../command.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { feeOn, highestFeeBase } from "../margin/fee.ts";
import { enterOrders, judgeOrders } from "../order/place.ts";
import type { Account, Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, available, cashOf, emit, post, type Step } from "../step.ts";
import { refuseUnsecured } from "./financed.ts";
import { owedByOwner, unlentOf } from "./pool.ts";
import type { Payment, PremiumStructure } from "./records.ts";
import { carriedPayment, levelPayments } from "./schedule.ts";
import { creditLine, financingTerms } from "./terms.ts";

const WHOLE_BPS = 10_000n;

export function acceptQuote(step: Step, command: CommandOf<"AcceptQuote">): Rejection | undefined {
  const { order: input, listing, structure, referenceTick } = command;
  const account = step.state.account(actingAccount(step));
  const share = financedBps(structure);
  const worst = input.priceTick === null ? noMoney : costOf(input.amountLots, input.priceTick);
  // Of a price that is too dear for a loan that is said, and not that its own part lacks cash.
  const part = micros(mulDivDown(worst, share, WHOLE_BPS));
  const listings = listing === null ? [] : [listing];
  const judged = judgeOrders(step, [input], listings, { advanceMicros: part });
  // The price of an order is the limit of an acceptance.
  if ("code" in judged)
    return judged.field === "price" ? { ...judged, field: "limitPrice" } : judged;
  const [order] = judged.orders;
  invariant(order !== undefined, "an acceptance is one order");
  const markTick = step.state.markets.get(order.marketId)?.markTick ?? listing?.markTick;
  invariant(markTick !== undefined, "an order has a market, or lists it");
  const lentOn = (premium: Micros, filled: Lots): Micros =>
    least(micros(mulDivDown(premium, share, WHOLE_BPS)), costOf(filled, markTick));
  const advance = lentOn(worst, order.amountLots);
  const refusal =
    refuseTerms(step, structure) ??
    refuseDear(order, share, referenceTick) ??
    refuseUnsecured(step.state, order, advance) ??
    refuseCredit(step, account, advance) ??
    refuseOwnPart(step, account, order, advance);
  if (refusal !== undefined) return refusal;

  const id = acceptanceId(`acp-${step.state.acceptanceCount + 1}`);
  post(step, "lent", cashOf(account.id), advance, "advance", id);
  enterOrders(step, judged);
  const [premium, filledLots] = [premiumIn(step), filledIn(step)];
  // At the price and for the lots that were filled: no more than was advanced for all of them.
  const principal = lentOn(premium, filledLots);
  post(step, cashOf(account.id), "lent", micros(advance - principal), "advance-unused", id);
  const payments = principal === 0n ? [] : paymentsOf(step, structure, principal);
  emit(step, {
    type: "AcceptanceChanged",
    acceptance: {
      id,
      accountId: account.id,
      marketId: order.marketId,
      orderId: order.id,
      structure,
      filledLots,
      premiumMicros: premium,
      principalMicros: principal,
      payments,
      status: filledLots === 0n ? "not_filled" : payments.length === 0 ? "paid" : "current",
      createdAtMillis: step.nowMillis,
    },
  });
  return undefined;
}

/** The part of the premium that is lent. */
function financedBps(structure: PremiumStructure): bigint {
  switch (structure.kind) {
    case "in_full":
      return 0n;
    case "installments":
      return WHOLE_BPS - BigInt(structure.downPaymentBps);
    case "at_funding":
      return WHOLE_BPS;
  }
}

/** The rate is the one the buyer was shown: another one than today's is not agreed to unseen. */
function refuseTerms(step: Step, structure: PremiumStructure): Rejection | undefined {
  const terms = financingTerms;
  const off = (field: string, allowed: number) =>
    reject("FINANCING_TERMS", { allowed, limit: field }, field);
  switch (structure.kind) {
    case "in_full":
      return undefined;
    case "installments":
      if (structure.aprBps !== terms.aprBps) return off("aprBps", terms.aprBps);
      if (structure.downPaymentBps < terms.minDownPaymentBps) {
        return off("downPaymentBps", terms.minDownPaymentBps);
      }
      return structure.months > terms.maxMonths ? off("months", terms.maxMonths) : undefined;
    case "at_funding": {
      if (structure.aprBps !== terms.carryAprBps) return off("aprBps", terms.carryAprBps);
      const { fundsAtMillis } = structure;
      const latest = monthsLaterMillis(step.nowMillis, terms.maxMonths);
      const isOff = fundsAtMillis <= step.nowMillis || fundsAtMillis > latest;
      return isOff ? off("fundingAt", Math.floor(latest / 1000)) : undefined;
    }
  }
}

/**
 * Two accounts could set any price between them: a premium is financed at no more than the model
 * asks for the protection. The loan itself is at most what that is worth.
 */
function refuseDear(
  { priceTick }: Order,
  share: bigint,
  referenceTick: Tick | null | undefined,
): Rejection | undefined {
  if (share === 0n || (referenceTick != null && priceTick <= referenceTick)) return undefined;
  const details = referenceTick == null ? undefined : { allowedTick: referenceTick };
  return reject("FINANCING_PRICE", details, "limitPrice");
}

/** All accounts of an owner share one line, and all owners one pool. */
function refuseCredit(step: Step, account: Account, advance: Micros): Rejection | undefined {
  if (advance === 0n) return undefined;
  const { state } = step;
  const left = micros(creditLine(state.rules, account) - owedByOwner(state, account.id));
  if (advance > left) {
    return reject("FINANCING_LIMIT", {
      allowedMicros: left < 0n ? noMoney : left,
      requiredMicros: advance,
    });
  }
  const unlent = unlentOf(state);
  return advance > unlent
    ? reject("FINANCING_POOL", { allowedMicros: unlent, requiredMicros: advance })
    : undefined;
}

/**
 * The part that is not lent, and the fee, must be covered at any price the order fills at: a better
 * price can cost a higher fee, which no loan pays for.
 */
function refuseOwnPart(
  step: Step,
  account: Account,
  { amountLots, priceTick }: Order,
  advance: Micros,
): Rejection | undefined {
  if (advance === 0n) return undefined;
  const own = costOf(amountLots, priceTick) - advance;
  const required = micros(own + highestFee(step, account, amountLots, priceTick));
  const free = available(step.state, account.id);
  return required > free
    ? reject("INSUFFICIENT_BALANCE", { requiredMicros: required, availableMicros: free })
    : undefined;
}

const highestFee = ({ state }: Step, account: Account, amountLots: Lots, limit: Tick): Micros =>
  feeOn(highestFeeBase(amountLots, limit), accountTerms(state.rules, account).feeBps);

/** Every fill of the command is of its one order. */
function filledIn(step: Step): Lots {
  let filled = 0n;
  for (const event of step.events) if (event.type === "Filled") filled += event.fill.amountLots;
  return lots(filled);
}

function premiumIn(step: Step): Micros {
  let premium = 0n;
  for (const event of step.events) {
    if (event.type === "Filled") premium += costOf(event.fill.amountLots, event.fill.yesTick);
  }
  return micros(premium);
}

function paymentsOf(
  { nowMillis }: Step,
  structure: PremiumStructure,
  principal: Micros,
): readonly Payment[] {
  switch (structure.kind) {
    case "in_full":
      return [];
    case "installments": {
      const { months, aprBps } = structure;
      const due = Array.from({ length: months }, (_, at) => monthsLaterMillis(nowMillis, at + 1));
      return levelPayments(principal, aprBps, due);
    }
    case "at_funding":
      return [carriedPayment(principal, structure.aprBps, nowMillis, structure.fundsAtMillis)];
  }
}
