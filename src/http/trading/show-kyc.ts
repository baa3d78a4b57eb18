// GET /api/kyc/status: the account's KYC record.
// Invariant: shows the caller's own account, whatever else is sent.
import { nothing, type Route, trading } from "../route/route.ts";
import { KycRecord, kycRecord } from "./kyc-record.ts";
import type { TradingPorts } from "./ports.ts";

export const showKyc = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: "/api/kyc/status",
    access: "read:portfolio",
    summary: "The account's KYC record",
    params: nothing,
    query: nothing,
    data: KycRecord,
    read: ({ caller }) => ({ data: kycRecord(caller.account, ports.view.rules) }),
  });
