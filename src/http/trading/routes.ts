// The trading surface, all of it: what a key can ask for.
// Invariant: each endpoint of the surface is here once, with the permission its own file declares.
import type { Route } from "../route.ts";
import { auditExport } from "./audit-export.ts";
import { auditLogs } from "./audit-logs.ts";
import { auditStats } from "./audit-stats.ts";
import { auditVerify } from "./audit-verify.ts";
import { cancelAll } from "./cancel-all.ts";
import { cancelOrder } from "./cancel-order.ts";
import { createKey } from "./create-key.ts";
import { listKeys } from "./list-keys.ts";
import { placeBatch } from "./place-batch.ts";
import { placeOrder } from "./place-order.ts";
import type { TradingPorts } from "./ports.ts";
import { requestKyc } from "./request-kyc.ts";
import { revokeKey } from "./revoke-key.ts";
import { showKyc } from "./show-kyc.ts";
import { showKycLimits } from "./show-kyc-limits.ts";

export const tradingRoutes = (ports: TradingPorts): readonly Route[] => [
  requestKyc(ports),
  showKyc(ports),
  showKycLimits(ports),
  createKey(ports),
  listKeys(ports),
  revokeKey(),
  placeOrder(ports),
  placeBatch(ports),
  cancelOrder(),
  cancelAll(ports),
  auditLogs(ports),
  auditStats(ports),
  auditVerify(ports),
  auditExport(ports),
];
