// The trading surface, all of it: what a key can ask for.
// Invariant: each endpoint of the surface is here once, with the permission its own file declares.
import type { Route } from "../route/route.ts";
import { acceptQuote, listAcceptances, payAcceptance, showAcceptance } from "./acceptances.ts";
import { amendOrder } from "./amend-order.ts";
import { listAuctions, placeBid, withdrawBid } from "./auctions.ts";
import { auditExport } from "./audit-export.ts";
import { auditLogs } from "./audit-logs.ts";
import { searchAudit } from "./audit-search.ts";
import { auditStats } from "./audit-stats.ts";
import { auditVerify } from "./audit-verify.ts";
import { cancelAfter } from "./cancel-after.ts";
import { cancelAll } from "./cancel-all.ts";
import { cancelOrder } from "./cancel-order.ts";
import { createKey } from "./create-key.ts";
import { estimateFee } from "./estimate-fee.ts";
import { listTiers, showTier } from "./liquidity-tiers.ts";
import { listAlerts } from "./list-alerts.ts";
import { listFills } from "./list-fills.ts";
import { listKeys } from "./list-keys.ts";
import { listLedger } from "./list-ledger.ts";
import { listOrders } from "./list-orders.ts";
import { listPositions } from "./list-positions.ts";
import {
  resetMakerProtection,
  setMakerProtection,
  showMakerProtection,
} from "./maker-protection.ts";
import {
  cancelMandate,
  cancelMandates,
  changeMandate,
  listMandates,
  lowerMandate,
  setMandate,
  showMandate,
  showMandateUsage,
} from "./mandates.ts";
import { showMarginHealth } from "./margin-health.ts";
import { giveMark, listMarks } from "./marks.ts";
import { massQuote } from "./mass-quote.ts";
import { groupRoutes } from "./order-groups.ts";
import { ordersByClientIdRoutes } from "./orders-by-client-id.ts";
import { streamOwnEvents } from "./own-stream.ts";
import { placeBatch } from "./place-batch.ts";
import { placeOrder } from "./place-order.ts";
import type { TradingPorts } from "./ports.ts";
import { previewAcceptance } from "./preview-acceptance.ts";
import { previewMarginOf } from "./preview-margin.ts";
import { previewOrder } from "./preview-order.ts";
import { requestKyc } from "./request-kyc.ts";
import { revokeKey } from "./revoke-key.ts";
import { rfqRoutes } from "./rfqs.ts";
import { listSettlements } from "./settlements.ts";
import { showAccount } from "./show-account.ts";
import { showKyc } from "./show-kyc.ts";
import { showKycLimits } from "./show-kyc-limits.ts";
import { showOrder } from "./show-order.ts";
import { showRequirements } from "./show-requirements.ts";
import { showStatement } from "./show-statement.ts";
import { validatePosition } from "./validate-position.ts";
import {
  listDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhookSecret,
  setWebhook,
  showWebhook,
} from "./webhooks.ts";

export const tradingRoutes = (ports: TradingPorts): readonly Route[] => [
  requestKyc(ports),
  showKyc(ports),
  showKycLimits(ports),
  createKey(ports),
  listKeys(ports),
  revokeKey(),
  placeOrder(ports),
  placeBatch(ports),
  massQuote(ports),
  previewOrder(ports),
  previewMarginOf(ports),
  amendOrder(),
  cancelOrder(),
  cancelAll(ports),
  cancelAfter(ports),
  showMakerProtection(ports),
  setMakerProtection(),
  resetMakerProtection(),
  ...groupRoutes(ports),
  listOrders(ports),
  showOrder(ports),
  ...ordersByClientIdRoutes(ports),
  listFills(ports),
  streamOwnEvents(ports),
  listPositions(ports),
  listLedger(ports),
  listSettlements(ports),
  showAccount(ports),
  showStatement(ports),
  listTiers(ports),
  showTier(ports),
  showRequirements(ports),
  validatePosition(ports),
  showMarginHealth(ports),
  estimateFee(ports),
  listAlerts(ports),
  acceptQuote(ports),
  previewAcceptance(ports),
  listAcceptances(ports),
  showAcceptance(ports),
  payAcceptance(),
  listAuctions(ports),
  placeBid(),
  withdrawBid(),
  listMarks(ports),
  giveMark(ports),
  listMandates(ports),
  showMandate(ports),
  showMandateUsage(ports),
  setMandate(ports),
  changeMandate(ports),
  lowerMandate(),
  cancelMandate(),
  cancelMandates(),
  ...rfqRoutes(ports),
  listWebhooks(ports),
  setWebhook(ports),
  showWebhook(ports),
  removeWebhook(),
  rotateWebhookSecret(ports),
  replayWebhook(ports),
  listDeliveries(ports),
  auditLogs(ports),
  searchAudit(ports),
  auditStats(ports),
  auditVerify(ports),
  auditExport(ports),
];
