// The KYC record and its limits as the trading surface shows them.
// Invariant: limits are shown only while an approval is in force.
import { type Static, Type } from "typebox";
import { usdNumber } from "#base/money.ts";
import { type Account, type Kyc, kycTiers } from "#core/records.ts";
import type { Rules } from "#core/rules.ts";

export const KycTierName = Type.Enum([...kycTiers], {
  description: `one of ${kycTiers.join(", ")}`,
});

/** USD of coverage. */
export const KycLimitsRecord = Type.Object(
  {
    maxPosition: Type.Number(),
    maxDaily: Type.Number(),
    maxTotal: Type.Number(),
  },
  { title: "KycLimits" },
);

/** The rule an account is accredited under, and until when. */
const AccreditationRecord = Type.Object(
  {
    basis: Type.String(),
    evidenceId: Type.String(),
    expiresAt: Type.Integer({ description: "Unix seconds" }),
  },
  { title: "Accreditation" },
);

export const KycRecord = Type.Object(
  {
    status: Type.Enum(["none", "pending", "approved", "rejected", "expired"]),
    tier: Type.Enum(["none", ...kycTiers]),
    requestedTier: Type.Optional(KycTierName),
    sanctionsCleared: Type.Boolean(),
    pepScreened: Type.Boolean(),
    adverseMediaCleared: Type.Boolean(),
    countryCode: Type.Union([Type.String(), Type.Null()]),
    expiresAt: Type.Union([Type.Integer(), Type.Null()]),
    limits: Type.Union([KycLimitsRecord, Type.Null()]),
    provider: Type.Optional(Type.Enum(["manual", "sandbox"])),
    accreditation: Type.Optional(AccreditationRecord),
  },
  { title: "KycRecord" },
);

type Limited = Pick<Account, "kyc" | "caps">;

export const kycRecord = (account: Limited, rules: Rules): Static<typeof KycRecord> => ({
  ...recordOf(account.kyc),
  limits: limitsInForce(account, rules) ?? null,
});

const recordOf = (kyc: Kyc): Omit<Static<typeof KycRecord>, "limits"> => ({
  status: kyc.status,
  tier: kyc.tier,
  ...(kyc.requestedTier === null ? {} : { requestedTier: kyc.requestedTier }),
  sanctionsCleared: kyc.sanctionsCleared,
  pepScreened: kyc.pepScreened,
  adverseMediaCleared: kyc.adverseMediaCleared,
  countryCode: kyc.countryCode,
  expiresAt: kyc.expiresAtSeconds,
  ...(kyc.provider === null ? {} : { provider: kyc.provider }),
  ...accreditationShown(kyc),
});

/** Also one that has ended: `expiresAt` tells. */
function accreditationShown({ accreditation }: Kyc): {
  accreditation?: Static<typeof AccreditationRecord>;
} {
  if (accreditation === null) return {};
  const { basis, evidenceId, expiresAtSeconds } = accreditation;
  return { accreditation: { basis, evidenceId, expiresAt: expiresAtSeconds } };
}

/** Undefined unless the account is approved. */
export function limitsInForce(
  { kyc, caps }: Limited,
  rules: Rules,
): Static<typeof KycLimitsRecord> | undefined {
  if (kyc.status !== "approved" || kyc.tier === "none") return undefined;
  const limits = rules.tiers[kyc.tier];
  return {
    maxPosition: usdNumber(limits.maxPositionMicros),
    maxDaily: usdNumber(caps?.maxDailyMicros ?? limits.maxDailyMicros),
    maxTotal: usdNumber(limits.maxTotalMicros),
  };
}
