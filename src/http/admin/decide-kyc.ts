// POST /api/admin/accounts/:id/kyc: the operator's decision, with what the screening found.
// Invariant: only the decision is kept, never the person's data it rests on.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { refuse } from "../errors.ts";
import { admin, closed, type Route } from "../route.ts";
import { KycRecord, KycTierName, kycRecord } from "../trading/kyc-record.ts";

export const decideKyc = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/kyc",
    access: "operator",
    summary: "Approves or rejects an account",
    refusals: ["CONFLICT_OF_INTEREST", "ACCOUNT_NOT_FOUND", "KYC_TIER_MISSING", "KYC_NOT_CLEARED"],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      decision: Type.Enum(["approve", "reject"], { description: "approve or reject" }),
      tier: Type.Optional(KycTierName),
      countryCode: Type.Optional(
        Type.String({ pattern: "^[A-Z]{2}$", description: "two capital letters" }),
      ),
      sanctionsCleared: Type.Optional(Type.Boolean()),
      pepScreened: Type.Optional(Type.Boolean()),
      adverseMediaCleared: Type.Optional(Type.Boolean()),
      listVersion: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "text of 1 to 64 characters" }),
      ),
    }),
    data: KycRecord,
    toCommand: ({ params, body }) => {
      const account = ports.exchange.accounts.get(accountId(params.id));
      if (account === undefined) return refuse("ACCOUNT_NOT_FOUND");
      const { kyc } = account;
      // What is not said: an approval says that it was cleared, a rejection says nothing new.
      const isApproval = body.decision === "approve";
      return {
        command: {
          type: "DecideKyc",
          accountId: account.id,
          decision: body.decision,
          tier: body.tier ?? null,
          countryCode: body.countryCode ?? null,
          sanctionsCleared: body.sanctionsCleared ?? (isApproval || kyc.sanctionsCleared),
          pepScreened: body.pepScreened ?? (isApproval || kyc.pepScreened),
          adverseMediaCleared: body.adverseMediaCleared ?? (isApproval || kyc.adverseMediaCleared),
          listVersion: body.listVersion ?? null,
          provider: "manual",
        },
      };
    },
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "AccountChanged");
      invariant(changed !== undefined, "a decision changes its account");
      return { data: kycRecord(changed.account.kyc, ports.exchange.rules) };
    },
  });
