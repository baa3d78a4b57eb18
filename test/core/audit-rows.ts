// Every command there is, with what the audit trail calls it, what it is about, and its details.
// Invariant: a row for every command; what is of an account names another than who gives it.
import { acceptanceId, keyId, nodeId, proposalId, publicKeyId, releaseId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import type { GeoRecord } from "#core/records.ts";
import { foundingRules } from "#core/rules.ts";
import { ofGroups, ofOrders } from "./audit-rows-of-orders.ts";
import { ofGovernance, type Row } from "./audit-rows-of-two.ts";
import { anna, bela, ownRows, type Stage } from "./audit-stage.ts";
import { publishMarks } from "./publish-marks.ts";
import { decision } from "./world.ts";

const texas: GeoRecord = {
  id: nodeId("state:tx"),
  level: "state",
  name: "Texas",
  stateCode: "TX",
  fips: "48",
  aliases: [],
  parentIds: [],
  housingUnits: 11_000_000,
  active: true,
  providerIds: ["zillow:54"],
};
const reason = "drill";
const maintenance = {
  work: "loss_accepted",
  subject: "entries 12 to 17",
  before: "17",
  after: "11",
  reason,
} as const;
const proposalOne = proposalId("prp-1");
const acceptanceOne = acceptanceId("acp-1");
const inFull = { kind: "in_full" } as const;
export const newKey = {
  label: "desk",
  prefix: "fp_test_aaaa",
  digest: "d1gest",
  permissions: ["read:markets"],
  ratePerMinute: 60,
  expiresAtSeconds: null,
} as const;

const ofAccounts = (): readonly Row[] => [
  [
    { type: "OpenAccount", name: "Bela", role: "trader", address: "0xb", key: newKey },
    "account.opened",
    "account",
    { name: "Bela", role: "trader", address: "0xb" },
  ],
  [
    {
      type: "OpenAccount",
      name: "Bela",
      role: "trader",
      address: "0xb",
      key: newKey,
      owner: anna,
    },
    "account.opened",
    "account",
    { name: "Bela", role: "trader", address: "0xb", owner: anna },
  ],
  [
    { type: "SetOwner", accountId: bela, owner: anna },
    "account.owner_set",
    bela,
    { accountId: bela, owner: anna },
  ],
  [
    { type: "SetFundingLimit", limitMicros: micros(2_500_000n) },
    "rules.funding_limit_set",
    "rules",
    { fundingLimit: "2.5" },
  ],
  [{ type: "SetRoot", on: false }, "root.switched", "root", { on: false }],
  [
    { type: "ConfirmProposal", proposalId: proposalOne, key: { prefix: "p", digest: "d" } },
    "proposal.confirmed",
    proposalOne,
    { proposalId: proposalOne },
  ],
  [
    { type: "WithdrawProposal", proposalId: proposalOne },
    "proposal.withdrawn",
    proposalOne,
    { proposalId: proposalOne },
  ],
  [
    { type: "LapseProposal", proposalId: proposalOne },
    "proposal.lapsed",
    proposalOne,
    { proposalId: proposalOne },
  ],
  [
    { type: "CarryOutWord", proposalId: proposalOne },
    "proposal.carried_out",
    proposalOne,
    { proposalId: proposalOne },
  ],
  [
    { type: "SetCredit", accountId: bela, creditMicros: micros(5_000_000n) },
    "account.credit_set",
    bela,
    { accountId: bela, line: "5" },
  ],
  [
    { type: "FundFinancing", amountMicros: micros(-5_000_000n), memo: "out" },
    "financing.funded",
    "financing",
    { amount: "-5", memo: "out" },
  ],
  [
    { type: "CreateKey", key: newKey },
    "key.created",
    "key",
    { label: "desk", permissions: ["read:markets"] },
  ],
  [{ type: "RevokeKey", keyId: keyId("key-9") }, "key.revoked", "key-9", { keyId: "key-9" }],
  [
    { type: "IssueKey", accountId: bela, key: newKey },
    "key.issued",
    "key",
    { label: "desk", permissions: ["read:markets"] },
  ],
  [{ type: "RevokeKeys", accountId: bela }, "key.all_revoked", bela, { accountId: bela }],
  [
    {
      type: "IssuePublicKey",
      key: {
        label: "site",
        digest: "d1gest",
        scopes: ["a"],
        ratePerMinute: 9,
        expiresAtSeconds: 5,
      },
    },
    "public_key.issued",
    "public key",
    { label: "site", scopes: ["a"], rateLimit: 9, expiresAt: 5 },
  ],
  [
    { type: "RevokePublicKey", publicKeyId: publicKeyId("pub-1") },
    "public_key.revoked",
    "pub-1",
    { publicKeyId: "pub-1" },
  ],
  [{ type: "RequestKyc", tier: "basic" }, "kyc.requested", "kyc", { tier: "basic" }],
  [
    decision(bela, "approve", "basic", true),
    "kyc.decided",
    bela,
    {
      accountId: bela,
      decision: "approve",
      tier: "basic",
      countryCode: "US",
      sanctionsCleared: true,
      pepScreened: true,
      adverseMediaCleared: true,
      listVersion: "test",
      provider: "manual",
      accreditation: { basis: "test", evidenceId: "ev-1", expiresAtSeconds: null },
      withoutInquiry: false,
    },
  ],
];

const ofPersons = ({ amountMicros }: Stage): readonly Row[] => [
  [{ type: "KeepSubject", subjectId: "sub-1" }, "kyc.subject_given", "kyc", { subjectId: "sub-1" }],
  [{ type: "ReadSubject", accountId: bela }, "kyc.subject_read", bela, { accountId: bela }],
  [{ type: "EraseSubject", accountId: bela }, "kyc.subject_erased", bela, { accountId: bela }],
  [{ type: "ExpireKyc", accountId: bela }, "kyc.expired", bela, { accountId: bela }],
  [
    { type: "ExpireAccreditation", accountId: bela },
    "accreditation.expired",
    bela,
    { accountId: bela },
  ],
  [
    { type: "FundAccount", accountId: bela, amountMicros, memo: "wire 7" },
    "account.funded",
    bela,
    { amount: "12.345678", memo: "wire 7" },
  ],
  [
    { type: "HaltAccount", accountId: bela, reason },
    "account.halted",
    bela,
    { accountId: bela, reason },
  ],
  [
    { type: "ResumeAccount", accountId: bela, reason: null },
    "account.resumed",
    bela,
    { accountId: bela, reason: null },
  ],
];

const ofSafeguards = ({ marketId }: Stage): readonly Row[] => [
  [
    { type: "SetCancelAfter", seconds: 9, marketId: null },
    "cancel_after.set",
    "orders",
    { seconds: 9, marketId: null },
  ],
  [
    { type: "SetCancelAfter", seconds: 0, marketId },
    "cancel_after.set",
    marketId,
    { seconds: 0, marketId },
  ],
  [
    { type: "FireCancelAfter", accountId: bela, marketId },
    "cancel_after.fired",
    marketId,
    { accountId: bela, marketId },
  ],
  [
    { type: "FireCancelAfter", accountId: bela, marketId: null },
    "cancel_after.fired",
    "orders",
    { accountId: bela, marketId: null },
  ],
  [
    { type: "SetProtection", withinSeconds: 60, maxLots: lots(250n), maxFills: null },
    "protection.set",
    "protection",
    { withinSeconds: 60, maxContracts: "2.5", maxFills: null },
  ],
  [{ type: "ResetProtection" }, "protection.reset", "protection", {}],
  [{ type: "ReportTrip", accountId: bela }, "protection.tripped", "protection", {}],
  ...ofGroups(),
  [{ type: "ReportMarginCall", accountId: bela }, "margin.called", bela, {}],
  [{ type: "EndMarginCalls" }, "margin.calls_ended", "margin", {}],
  ...ownRows,
];

const ofAcceptances = ({ input, shown }: Stage): readonly Row[] => [
  [
    {
      type: "AcceptQuote",
      order: input,
      listing: null,
      structure: inFull,
      referenceTick: input.priceTick,
    },
    "quote.accepted",
    "quote",
    { ...shown, structure: inFull, referencePrice: 0.045 },
  ],
  [
    { type: "PayAcceptance", acceptanceId: acceptanceOne, through: 2 },
    "payment.made",
    "acp-1",
    { acceptanceId: "acp-1", through: 2 },
  ],
  [
    { type: "CollectPayment", acceptanceId: acceptanceOne },
    "payment.due",
    "acp-1",
    { acceptanceId: "acp-1" },
  ],
  [
    { type: "DefaultAcceptance", acceptanceId: acceptanceOne },
    "payment.defaulted",
    "acp-1",
    { acceptanceId: "acp-1" },
  ],
];

const uphold = {
  type: "DecideDispute",
  decision: "uphold",
  valueE15: null,
  evidence: null,
} as const;

const ofMarkets = ({ marketId, listing, valueE15 }: Stage): readonly Row[] => [
  [
    { type: "ListMarket", listing, frontendId: "mkt-007" },
    "market.listed",
    marketId,
    { frontendId: "mkt-007" },
  ],
  [{ type: "PauseMarket", marketId, reason }, "market.paused", marketId, { marketId, reason }],
  [{ type: "ResumeMarket", marketId, reason }, "market.resumed", marketId, { marketId, reason }],
  [
    { type: "CancelMarket", marketId, reason },
    "market.cancelled",
    marketId,
    { marketId, reason, carriedOut: false },
  ],
  [
    { type: "WithdrawVoid", marketId, reason },
    "market.void_withdrawn",
    marketId,
    { marketId, reason },
  ],
  [{ type: "CloseTrading", marketId }, "market.closed", marketId, { marketId }],
  [{ type: "BeginFallback", marketId }, "market.fallback_begun", marketId, { marketId }],
  [
    { type: "SettleByFallback", marketId, reason, taken: { step: "void" }, ground: [] },
    "market.fallback_taken",
    marketId,
    { marketId, reason, step: "void" },
  ],
  [{ type: "FinalizeMarket", marketId }, "market.finalized", marketId, { marketId }],
  [
    publishMarks([{ marketId, markTick: listing.markTick, stressedTick: listing.stressedTick }]),
    "market.marks_published",
    "marks",
    { markets: 1 },
  ],
  [
    { type: "OpenDispute", marketId, reason, evidence: null },
    "dispute.opened",
    marketId,
    { marketId, reason, evidence: null },
  ],
  [
    { type: "DecideDispute", marketId, decision: "amend", valueE15, evidence: "page 3" },
    "dispute.decided",
    marketId,
    { decision: "amend", value: "301000.5", evidence: "page 3" },
  ],
  [
    { type: "DecideDispute", marketId, decision: "uphold", valueE15: null, evidence: null },
    "dispute.decided",
    marketId,
    { decision: "uphold", value: null, evidence: null },
  ],
  [
    { ...uphold, marketId, revisedIn: releaseId("rel-9") },
    "dispute.decided",
    marketId,
    { decision: "uphold", value: null, evidence: null, revisedIn: "rel-9" },
  ],
  [{ type: "UpholdDispute", marketId }, "dispute.lapsed", marketId, { marketId }],
  [
    { type: "AwaitRelease", index: "zhvi", releaseId: releaseId("rel-9") },
    "release.awaited",
    "rel-9",
    { index: "zhvi", releaseId: "rel-9" },
  ],
  [
    { type: "ForgetAwaited", index: "zhvi", releaseId: releaseId("rel-9") },
    "release.forgotten",
    "rel-9",
    { index: "zhvi", releaseId: "rel-9" },
  ],
  [{ type: "EndWindow", index: "zhvi" }, "release.overdue", "zhvi", { index: "zhvi" }],
  [{ type: "EndAuction", index: "zhvi" }, "auction.ended", "zhvi", { index: "zhvi" }],
  [
    { type: "CancelForRelease", index: "zhvi" },
    "order.release_cancelled",
    "zhvi",
    { index: "zhvi" },
  ],
  [
    { type: "OpenWindow", index: "zhvi", reason: "the page is out" },
    "release.called",
    "zhvi",
    { index: "zhvi", reason: "the page is out" },
  ],
  [{ type: "ResumeMatching", marketId }, "market.matched", marketId, { marketId }],
];

const releaseShown = {
  provider: "zillow",
  index: "zhvi",
  level: "state",
  sha256: "2",
  firstPrints: 1,
  lastMonth: "2024-11",
};
const vacancies = { type: "RereadReleases", index: "vacancy", level: "state" } as const;

const ofReleases = ({ accept, release }: Stage): readonly Row[] => [
  [accept, "release.accepted", release.id, releaseShown],
  [
    { type: "QuarantineRelease", release, reasons: [{ code: "A", message: "B" }] },
    "release.quarantined",
    release.id,
    { ...releaseShown, reasons: [{ code: "A", message: "B" }] },
  ],
  [
    { type: "ApproveRelease", releaseId: release.id },
    "release.approved",
    release.id,
    { releaseId: release.id },
  ],
  [
    { type: "RejectRelease", releaseId: release.id, reason },
    "release.rejected",
    release.id,
    { releaseId: release.id, reason },
  ],
  [
    { type: "ApprovePlace", releaseId: release.id, nodeId: texas.id },
    "place.approved",
    texas.id,
    { releaseId: release.id, nodeId: texas.id },
  ],
  [
    { type: "ReleasePlace", releaseId: release.id, nodeId: texas.id, readings: [] },
    "place.released",
    texas.id,
    { releaseId: release.id, prints: [] },
  ],
  [
    { type: "RejectPlace", releaseId: release.id, nodeId: texas.id, reason, readings: [] },
    "place.rejected",
    texas.id,
    { releaseId: release.id, reason, prints: [] },
  ],
  [
    { ...vacancies, releases: [], newest: [] },
    "release.reread",
    "vacancy state",
    { releases: [], places: 0 },
  ],
  [
    { ...vacancies, index: "weather", variable: "precipitation", releases: [], newest: [] },
    "release.reread",
    "weather state precipitation",
    { releases: [], places: 0 },
  ],
  [
    { type: "LoadGeo", nodes: [texas], sha256: "ab" },
    "geo.loaded",
    "geo",
    { nodes: 1, sha256: "ab" },
  ],
  [
    { type: "LoadGeo", nodes: [], sha256: "ab", rereadDue: [release.id] },
    "geo.loaded",
    "geo",
    { nodes: 0, sha256: "ab", rereadDue: [release.id] },
  ],
];

const ofTheExchange = ({ amountMicros }: Stage): readonly Row[] => [
  [
    { type: "Genesis", clock: "sandbox", chainId: "test", rules: foundingRules, version: 1 },
    "exchange.founded",
    "exchange",
    { clock: "sandbox", chainId: "test" },
  ],
  [{ type: "UpgradeRules", version: 2 }, "rules.upgraded", "rules", { version: 2 }],
  [{ type: "BeginTerm", storage: "managed" }, "term.begun", "exchange", { storage: "managed" }],
  [
    { type: "FundGuarantee", amountMicros, memo: null },
    "guarantee.funded",
    "guarantee",
    { amount: "12.345678", memo: null },
  ],
  [{ type: "Forget" }, "state.forgotten", "exchange", {}],
  [{ type: "HaltExchange", reason }, "exchange.halted", "exchange", { reason }],
  [{ type: "ResumeExchange", reason }, "exchange.resumed", "exchange", { reason }],
  [
    { type: "SetClock", toMillis: Date.UTC(2025, 0, 2, 3, 4, 5) },
    "clock.set",
    "exchange",
    { setTo: "2025-01-02T03:04:05.000Z" },
  ],
  [{ type: "RecordMaintenance", ...maintenance }, "maintenance.recorded", "exchange", maintenance],
  [
    { type: "RecordRefusal", code: "PERMISSION_DENIED", operation: "POST /orders", count: 3 },
    "access.refused",
    "POST /orders",
    { code: "PERMISSION_DENIED", operation: "POST /orders", count: 3 },
  ],
];

export const rowsOf = (on: Stage): readonly Row[] => [
  ...ofAccounts(),
  ...ofPersons(on),
  ...ofOrders(on),
  ...ofSafeguards(on),
  ...ofAcceptances(on),
  ...ofMarkets(on),
  ...ofReleases(on),
  ...ofTheExchange(on),
  ...ofGovernance(),
];
