// What each operation is called in the reference, and the task it belongs to: chosen by hand, since
// generated clients name their methods and files after them.
// Invariant: a row for every route; a name, once published, stays.

export const tags = [
  {
    name: "Orders",
    description: "Place, preview, change and cancel orders; fills; accepted quotes",
  },
  { name: "Markets", description: "Markets, their books, trades, resolutions and disputes" },
  { name: "Quotes", description: "Reference prices of protection" },
  { name: "Index data", description: "Index values and first prints" },
  { name: "Releases", description: "Providers' publications: taken in, held, approved, compared" },
  { name: "Places", description: "Search and hierarchy of places" },
  { name: "Account", description: "Cash, positions, margin, limits and statements of one's own" },
  { name: "Keys", description: "Trading keys and public keys" },
  { name: "KYC", description: "Inquiries, their decisions, and personal data" },
  { name: "Audit", description: "The hash-chained trail: read, count, verify, export" },
  {
    name: "Operation",
    description: "Status, time, limits; halts, rules and funds of the operator",
  },
] as const;

type Tag = (typeof tags)[number]["name"];

interface Named {
  readonly operationId: string;
  readonly tag: Tag;
}

const of = (tag: Tag, rows: Readonly<Record<string, string>>): readonly [string, Named][] =>
  Object.entries(rows).map(([place, operationId]) => [place, { operationId, tag }]);

/** By method and url of the route. */
export const operations: ReadonlyMap<string, Named> = new Map([
  ...of("Orders", {
    "POST /api/trading/orders": "placeOrder",
    "POST /api/trading/orders/batch": "placeOrders",
    "POST /api/trading/orders/preview": "previewOrders",
    "PATCH /api/trading/orders/:orderId": "amendOrder",
    "DELETE /api/trading/orders/:orderId": "cancelOrder",
    "POST /api/trading/orders/cancel-all": "cancelAllOrders",
    "POST /api/trading/cancel-after": "cancelOrdersAfter",
    "GET /api/trading/orders": "listOrders",
    "GET /api/trading/orders/:orderId": "getOrder",
    "GET /api/trading/fills": "listFills",
    "GET /api/trading/protection": "getProtection",
    "POST /api/trading/protection": "setProtection",
    "POST /api/trading/protection/reset": "resetProtection",
    "POST /api/trading/acceptances": "acceptQuote",
    "GET /api/trading/acceptances": "listAcceptances",
    "GET /api/trading/acceptances/:acceptanceId": "getAcceptance",
    "POST /api/trading/acceptances/:acceptanceId/payments": "payAcceptance",
  }),
  ...of("Markets", {
    "GET /api/markets": "listMarkets",
    "GET /api/markets/:id": "getMarket",
    "GET /api/markets/:id/resolution": "getResolution",
    "GET /api/markets/:id/book": "getBook",
    "GET /api/markets/:id/trades": "listTrades",
    "GET /api/stream": "streamEvents",
    "POST /api/markets/:id/disputes": "openDispute",
    "GET /api/trading/certificates/:marketId": "getCertificate",
    "POST /api/admin/markets": "createMarket",
    "POST /api/admin/markets/:id/pause": "pauseMarket",
    "POST /api/admin/markets/:id/resume": "resumeMarket",
    "POST /api/admin/markets/:id/cancel": "cancelMarket",
    "GET /api/admin/markets/:id": "getMarketForOperators",
    "POST /api/admin/markets/:id/cancel-withdrawal": "withdrawMarketCancel",
    "POST /api/admin/markets/:id/dispute-decision": "decideDispute",
  }),
  ...of("Quotes", { "GET /api/quotes": "getQuote" }),
  ...of("Index data", {
    "GET /api/index/:nodeId": "getIndexValue",
    "GET /api/index": "listIndexValues",
    "GET /api/index/:nodeId/prints": "listPrints",
  }),
  ...of("Releases", {
    "GET /api/releases": "listReleases",
    "GET /api/releases/:id": "getRelease",
    "POST /api/admin/releases": "ingestRelease",
    "GET /api/admin/releases": "listAllReleases",
    "GET /api/admin/releases/:id": "getAnyRelease",
    "POST /api/admin/releases/:id/approve": "approveRelease",
    "POST /api/admin/releases/:id/reject": "rejectRelease",
    "GET /api/admin/releases/:id/diff": "compareReleases",
    "GET /api/admin/held-places": "listHeldPlaces",
    "POST /api/admin/releases/:id/places/:nodeId/approve": "approvePlace",
    "POST /api/admin/releases/:id/places/:nodeId/reject": "rejectPlace",
  }),
  ...of("Places", {
    "GET /api/geo/search": "searchPlaces",
    "GET /api/geo/:id": "getPlace",
    "POST /api/admin/geo": "loadPlaces",
  }),
  ...of("Account", {
    "GET /api/trading/account": "getOwnAccount",
    "GET /api/trading/positions": "listPositions",
    "GET /api/trading/ledger": "listLedger",
    "GET /api/trading/statement": "getStatement",
    "GET /api/liquidity/tiers": "listTiers",
    "GET /api/liquidity/tiers/:tier": "getTier",
    "GET /api/liquidity/requirements/:metricType": "getRequirements",
    "POST /api/liquidity/validate-position": "validatePosition",
    "GET /api/liquidity/margin-health": "getMarginHealth",
    "GET /api/liquidity/fee-estimate": "estimateFee",
    "GET /api/liquidity/alerts": "listAlerts",
    "POST /api/admin/accounts": "openAccount",
    "GET /api/admin/accounts": "listAccounts",
    "GET /api/admin/accounts/:id": "getAccount",
    "POST /api/admin/accounts/:id/funding": "fundAccount",
    "POST /api/admin/accounts/:id/owner": "setAccountOwner",
    "POST /api/admin/accounts/:id/credit": "setAccountCredit",
    "POST /api/admin/accounts/:id/keys": "issueAccountKey",
    "DELETE /api/admin/accounts/:id/keys": "revokeAccountKeys",
    "POST /api/admin/accounts/:id/halt": "haltAccount",
    "POST /api/admin/accounts/:id/resume": "resumeAccount",
  }),
  ...of("Keys", {
    "POST /api/trading/keys": "createKey",
    "GET /api/trading/keys": "listKeys",
    "DELETE /api/trading/keys/:keyId": "revokeKey",
    "POST /api/dev/api-keys": "issuePublicKey",
    "GET /api/dev/api-keys": "listPublicKeys",
    "DELETE /api/dev/api-keys/:id": "revokePublicKey",
  }),
  ...of("KYC", {
    "POST /api/kyc/inquiry": "requestKyc",
    "GET /api/kyc/status": "getKyc",
    "GET /api/kyc/limits": "getKycLimits",
    "POST /api/kyc/subject": "sendSubject",
    "POST /api/admin/accounts/:id/kyc": "decideKyc",
    "POST /api/admin/accounts/:id/subject/read": "readSubject",
    "DELETE /api/admin/accounts/:id/subject": "eraseSubject",
  }),
  ...of("Audit", {
    "GET /api/audit/logs": "listAuditEntries",
    "GET /api/audit/stats": "getAuditStats",
    "GET /api/audit/verify": "verifyAudit",
    "GET /api/audit/export": "exportAudit",
    "GET /api/checkpoint": "getCheckpoint",
    "GET /api/log": "getLog",
    "GET /api/log/inclusion/:sequence": "proveInclusion",
    "GET /api/log/consistency": "proveConsistency",
  }),
  ...of("Operation", {
    "GET /api/status": "getStatus",
    "GET /api/health/live": "getLiveness",
    "GET /api/health/ready": "getReadiness",
    "GET /api/time": "getTime",
    "GET /api/limits": "getLimits",
    "POST /api/admin/halt": "haltExchange",
    "POST /api/admin/resume": "resumeExchange",
    "POST /api/admin/clock": "setClock",
    "GET /api/admin/rules": "getRules",
    "POST /api/admin/rules": "setRules",
    "GET /api/admin/refusals": "countRefusals",
    "GET /api/admin/financing": "getFinancingPool",
    "POST /api/admin/financing": "fundFinancingPool",
    "GET /api/admin/guarantee": "getGuaranteeFund",
    "POST /api/admin/guarantee": "fundGuarantee",
  }),
]);
