// Know-your-customer: inquiry, decision, expiry, and what each does to open orders.
// Invariant: an account that is no longer cleared has no open order after the same command.
import type { AccountId } from "#base/ids.ts";
import { noKyc } from "../account/accounts.ts";
import type { CommandOf } from "../command.ts";
import { cancelOrdersOf } from "../market/cancel.ts";
import { type Account, type Kyc, kycTiers } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, available, emit, type Step } from "../step.ts";

const APPROVAL_SECONDS = 365 * 86_400;

export const isApproved = (kyc: Kyc, nowSeconds: number): boolean =>
  kyc.status === "approved" && kyc.expiresAtSeconds !== null && kyc.expiresAtSeconds > nowSeconds;

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
      ? { ...kyc, requestedTier: tier }
      : { ...noKyc, status: "pending", tier, subjectId: kyc.subjectId },
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
      putKyc(step, account, { ...kyc, requestedTier: null });
      return undefined;
    }
    const tier = kyc.requestedTier ?? kyc.tier;
    const refused: Kyc = { ...noKyc, ...screening, status: "rejected", tier };
    putKyc(step, account, refused);
    cancelOrdersOf(step, account.id, null, "KYC_INVALID");
    return undefined;
  }
  const inquired = kyc.requestedTier ?? (kyc.tier === "none" ? null : kyc.tier);
  const tier = command.tier ?? inquired;
  if (tier === null) return reject("KYC_TIER_MISSING", undefined, "tier");
  const cleared = command.sanctionsCleared && command.pepScreened && command.adverseMediaCleared;
  if (!cleared) return reject("KYC_NOT_CLEARED", undefined, "decision");

  putKyc(step, account, {
    ...screening,
    status: "approved",
    tier,
    requestedTier: null,
    expiresAtSeconds: step.nowSeconds + APPROVAL_SECONDS,
  });
  // A lower tier pays higher fees: orders whose fee is no longer there cannot stand.
  if (available(step.state, account.id) < 0n) {
    cancelOrdersOf(step, account.id, null, "KYC_INVALID");
  }
  return undefined;
}

export function expireKyc(step: Step, id: AccountId): undefined {
  const account = step.state.account(id);
  putKyc(step, account, { ...account.kyc, status: "expired", requestedTier: null });
  cancelOrdersOf(step, id, null, "KYC_INVALID");
}

const putKyc = (step: Step, account: Account, kyc: Kyc): void =>
  emit(step, { type: "AccountChanged", account: { ...account, kyc } });
