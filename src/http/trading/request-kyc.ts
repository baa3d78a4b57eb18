// POST /api/kyc/inquiry: asks for a tier; the operator, or the sandbox's rule, decides.
// Invariant: an inquiry for a higher tier leaves an approval in force as it is.
import { invariant } from "#base/invariant.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { KycRecord, KycTierName, kycRecord } from "./kyc-record.ts";
import type { TradingPorts } from "./ports.ts";

export const requestKyc = (ports: Pick<TradingPorts, "view">): Route =>
  trading.write({
    method: "POST",
    url: "/api/kyc/inquiry",
    access: "manage:custody",
    summary: "Asks for a KYC tier",
    refusals: ["KYC_PENDING", "KYC_NOT_HIGHER"],
    params: nothing,
    body: closed({ tier: KycTierName }),
    data: KycRecord,
    toCommand: ({ body }) => ({ command: { type: "RequestKyc", tier: body.tier } }),
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "AccountChanged");
      invariant(changed !== undefined, "an inquiry changes its account");
      return { data: kycRecord(changed.account, ports.view.rules) };
    },
  });
