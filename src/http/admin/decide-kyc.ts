// POST /api/admin/accounts/:id/kyc: the operator's decision, with what the screening found.
// Invariant: only the decision is kept, never the person's data it rests on.
import { type Static, Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Accreditation } from "#core/kyc/decision.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { KycRecord, KycTierName, kycRecord } from "../trading/kyc-record.ts";

const Text = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "text of 1 to 100 characters",
});

const Screening = Type.Optional(
  Type.Boolean({ description: "true or false; one that an approval leaves out is false" }),
);

const AccreditationBody = Type.Object(
  {
    basis: Text,
    evidenceId: Text,
    expiresAt: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 99_999_999_999,
        description: "Unix seconds, a whole number; with the approval when left out",
      }),
    ),
  },
  { title: "AccreditationInput", additionalProperties: false },
);

export const decideKyc = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/kyc",
    access: "admin:accounts",
    summary: "Approves or rejects an account",
    refusals: [
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      "KYC_TIER_MISSING",
      "KYC_NOT_CLEARED",
      "EXPIRY_PAST",
    ],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      decision: Type.Enum(["approve", "reject"], { description: "approve or reject" }),
      tier: Type.Optional(KycTierName),
      countryCode: Type.Optional(
        Type.String({ pattern: "^[A-Z]{2}$", description: "two capital letters" }),
      ),
      sanctionsCleared: Screening,
      pepScreened: Screening,
      adverseMediaCleared: Screening,
      listVersion: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "text of 1 to 64 characters" }),
      ),
      accreditation: Type.Optional(AccreditationBody),
    }),
    data: KycRecord,
    toCommand: ({ params, body }) => {
      const account = ports.exchange.accounts.get(accountId(params.id));
      if (account === undefined) return refuse("ACCOUNT_NOT_FOUND");
      const { kyc } = account;
      if (body.decision === "reject" && body.accreditation !== undefined) {
        return invalidField("accreditation", "goes with decision approve only");
      }
      // Nobody is cleared by silence: a screening that an approval leaves out counts as failed. A
      // rejection that leaves one out says nothing new about it.
      const known = body.decision === "approve" ? notScreened : kyc;
      return {
        command: {
          type: "DecideKyc",
          accountId: account.id,
          decision: body.decision,
          tier: body.tier ?? null,
          countryCode: body.countryCode ?? null,
          sanctionsCleared: body.sanctionsCleared ?? known.sanctionsCleared,
          pepScreened: body.pepScreened ?? known.pepScreened,
          adverseMediaCleared: body.adverseMediaCleared ?? known.adverseMediaCleared,
          listVersion: body.listVersion ?? null,
          provider: "manual",
          accreditation: given(body.accreditation),
        },
      };
    },
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "AccountChanged");
      invariant(changed !== undefined, "a decision changes its account");
      return { data: kycRecord(changed.account, ports.exchange.rules) };
    },
  });

const notScreened = { sanctionsCleared: false, pepScreened: false, adverseMediaCleared: false };

const given = (sent: Static<typeof AccreditationBody> | undefined): Accreditation | null =>
  sent === undefined
    ? null
    : {
        basis: sent.basis,
        evidenceId: sent.evidenceId,
        expiresAtSeconds: sent.expiresAt ?? null,
      };
