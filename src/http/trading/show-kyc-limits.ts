// GET /api/kyc/limits: what the approved tier allows, in USD of coverage.
// Invariant: without an approval in force every limit is zero.
import { nothing, type Route, trading } from "../route/route.ts";
import { KycLimitsRecord, limitsInForce } from "./kyc-record.ts";
import type { TradingPorts } from "./ports.ts";

const none = { maxPosition: 0, maxDaily: 0, maxTotal: 0 };

export const showKycLimits = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: "/api/kyc/limits",
    access: "read:portfolio",
    summary: "Shows what the approved tier allows, in USD of coverage",
    params: nothing,
    query: nothing,
    data: KycLimitsRecord,
    read: ({ caller }) => ({ data: limitsInForce(caller.account, ports.view.rules) ?? none }),
  });
