// Know-your-customer: inquiry, decision, expiry, and what each does to open orders.
// Invariant: an account that is no longer cleared has no open order after the same command, but
// those that can only reduce a position where its clearance has merely run out.
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { noKyc } from "../account/accounts.ts";
import type { CommandOf } from "../command.ts";
import { cancelAs, cancelOrdersOf } from "../market/cancel.ts";
import { type Account, type CancelReason, type Kyc, kycTiers } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, available, emit, type Step } from "../step.ts";
import type { Accreditation } from "./decision.ts";
import { approvedTier } from "./standing.ts";

const APPROVAL_SECONDS = 365 * 86_400;

/** An approval has to state each of them. */
const screenings = ["sanctionsCleared", "pepScreened", "adverseMediaCleared"] as const;

/** Lowest first. */
const ranks: readonly Kyc["tier"][] = kycTiers;

export function requestKyc(step: Step, { tier }: CommandOf<"RequestKyc">): Rejection | undefined {
  const account = step.state.account(actingAccount(step));
  const { kyc } = account;
  if (kyc.status === "pending" || kyc.requestedTier !== null) return reject("KYC_PENDING");
  const approved = kyc.status === "approved";
  if (approved && ranks.indexOf(tier) <= ranks.indexOf(kyc.tier)) {
    return reject("KYC_NOT_HIGHER", { status: kyc.tier }, "tier");
  }

  putKyc(
    step,
    account,
    approved
      ? { ...kyc, requestedTier: tier, inquiredAtSeconds: step.nowSeconds }
      : {
          ...noKyc,
          status: "pending",
          tier,
          inquiredAtSeconds: step.nowSeconds,
          subjectId: kyc.subjectId,
          approvedTier: kyc.status === "expired" ? approvedTier(kyc) : "none",
        },
  );
  return undefined;
}

/** Approval without an inquiry is the operator's right; the audit entry says there was none. */
export function decideKyc(step: Step, command: CommandOf<"DecideKyc">): Rejection | undefined {
  const account = step.state.accounts.get(command.accountId);
  if (account === undefined) return reject("ACCOUNT_NOT_FOUND");
  const { kyc } = account;
  const screening = {
    sanctionsCleared: command.sanctionsCleared,
    pepScreened: command.pepScreened,
    adverseMediaCleared: command.adverseMediaCleared,
    countryCode: command.countryCode ?? kyc.countryCode,
    listVersion: command.listVersion,
    provider: command.provider,
    subjectId: kyc.subjectId,
    decidedUnasked: kyc.status !== "pending" && kyc.requestedTier === null,
  };
  if (command.decision === "reject") {
    const onlyTheUpgrade = kyc.requestedTier !== null && command.sanctionsCleared;
    if (onlyTheUpgrade) {
      putKyc(step, account, withoutInquiry(kyc));
      return undefined;
    }
    const tier = kyc.requestedTier ?? kyc.tier;
    const refused: Kyc = {
      ...noKyc,
      ...screening,
      status: "rejected",
      tier,
      ...(tier === "none" ? {} : { approvedTier: "none" }),
    };
    putKyc(step, account, refused);
    cancelOrdersOf(step, account.id, null, "KYC_INVALID");
    return undefined;
  }
  const inquired = kyc.requestedTier ?? (kyc.tier === "none" ? null : kyc.tier);
  const tier = command.tier ?? inquired;
  if (tier === null) return reject("KYC_TIER_MISSING", undefined, "tier");
  const uncleared = screenings.filter((screening) => !command[screening]);
  if (uncleared.length > 0) {
    return reject("KYC_NOT_CLEARED", { status: uncleared.join(", ") }, uncleared[0]);
  }
  const { accreditation: given } = command;
  if (given?.expiresAtSeconds != null && given.expiresAtSeconds <= step.nowSeconds) {
    return reject("EXPIRY_PAST", undefined, "accreditation.expiresAt");
  }

  const expiresAtSeconds = step.nowSeconds + APPROVAL_SECONDS;
  putKyc(step, account, {
    ...screening,
    status: "approved",
    tier,
    requestedTier: null,
    expiresAtSeconds,
    accreditation: accreditationAfter(kyc, given, expiresAtSeconds),
  });
  // A lower tier pays higher fees: orders whose fee is no longer there cannot stand.
  if (available(step.state, account.id) < 0n) {
    cancelOrdersOf(step, account.id, null, "KYC_INVALID");
  }
  return undefined;
}

function accreditationAfter(
  before: Kyc,
  given: Accreditation | null,
  approvedUntil: number,
): Kyc["accreditation"] {
  if (given === null) return before.accreditation;
  const { expiresAtSeconds, ...evidence } = given;
  return { ...evidence, expiresAtSeconds: expiresAtSeconds ?? approvedUntil };
}

export function expireKyc(step: Step, { accountId: id }: CommandOf<"ExpireKyc">): undefined {
  const account = step.state.account(id);
  putKyc(step, account, { ...withoutInquiry(account.kyc), status: "expired" });
  cancelOpening(step, id, "KYC_INVALID");
}

export function expireAccreditation(
  step: Step,
  { accountId: id }: CommandOf<"ExpireAccreditation">,
): undefined {
  const account = step.state.account(id);
  const { kyc } = account;
  const { accreditation } = kyc;
  invariant(accreditation !== null, `the accreditation of ${id} is there to end`);
  putKyc(step, account, { ...kyc, accreditation: { ...accreditation, ended: true } });
  cancelOpening(step, id, "ACCREDITATION_INVALID");
}

/** The inquiry for a higher tier is over; the approved one stays. */
function withoutInquiry({ inquiredAtSeconds: _, ...kyc }: Kyc): Kyc {
  return { ...kyc, requestedTier: null };
}

/**
 * Cancels orders that may open or raise a position; an order that only brings one nearer to flat
 * stays.
 */
function cancelOpening(step: Step, id: AccountId, reason: CancelReason): void {
  for (const orderId of [...(step.state.openOrders.get(id) ?? [])]) {
    const order = step.state.order(orderId);
    if (!order.reduceOnly) cancelAs(step, order, reason);
  }
}

const putKyc = (step: Step, account: Account, kyc: Kyc): void =>
  emit(step, { type: "AccountChanged", account: { ...account, kyc } });
