// The records the exchange keeps: plain, immutable data, replaced whole at every change.
// Invariant: a record holds no float, no clock reading of its own, nothing from outside a command.
import type {
  AccountId,
  FillId,
  KeyId,
  MandateId,
  MarketId,
  NodeId,
  OrderId,
  PublicKeyId,
  ReleaseId,
  RfqId,
} from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Micros } from "#base/money.ts";
import type { Month } from "#base/month.ts";
import type { Tick } from "#base/price.ts";
import type { ChainLevel, PrintValue } from "#base/print-value.ts";
import type { Lots } from "#base/quantity.ts";
import type { RiskTicks } from "#contract/scenarios.ts";
import type { Terms } from "#contract/terms.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { Caps } from "./account/caps-record.ts";
import type { InDefault } from "./margin/auction-record.ts";
import type { MarginCall } from "./margin/call-record.ts";
import type { Contribution, Trust } from "./margin/fund-record.ts";
import type { FarMedian, SettlingStep } from "./settlement/fallback-step.ts";
import type { MarkRound } from "./settlement/mark-records.ts";
import type { Reread } from "./settlement/reread-record.ts";

export type Role = "trader" | "auditor" | "operator";
export const roles = ["trader", "auditor", "operator"] as const;

/** The permissions a key of any account may hold; an account's first key holds all of them. */
export const permissions = [
  "read:markets",
  "read:portfolio",
  "create:orders",
  "cancel:orders",
  "read:oracle",
  "manage:custody",
] as const;

/** Permissions of operators' keys, each by itself; a key of no other account holds any. */
export const adminPermissions = [
  "admin:read",
  "admin:accounts",
  "admin:funding",
  "admin:releases",
  "admin:markets",
  "admin:settle",
  "admin:exchange",
] as const;
export type AdminPermission = (typeof adminPermissions)[number];
export type Permission = (typeof permissions)[number] | AdminPermission;

export const isAdminPermission = (permission: string): permission is AdminPermission =>
  permission.startsWith("admin:");

export const kycTiers = ["basic", "enhanced", "institutional"] as const;
export type KycTier = (typeof kycTiers)[number];
type KycStatus = "none" | "pending" | "approved" | "rejected" | "expired";

/** The accreditation that, beside KYC, lets an account trade and be funded, and its end. */
interface Accredited {
  /** The rule it rests on, in the operator's words. */
  readonly basis: string;
  /** Names the evidence, which is kept elsewhere. */
  readonly evidenceId: string;
  readonly expiresAtSeconds: number;
  /** Present once the journal has an entry for its end. */
  readonly ended?: true;
}

export interface Kyc {
  readonly status: KycStatus;
  readonly tier: KycTier | "none";
  /** Asked for and not yet decided, while an approved tier stays in force. */
  readonly requestedTier: KycTier | null;
  /** When the inquiry that waits was made; absent while none does. */
  readonly inquiredAtSeconds?: number;
  readonly sanctionsCleared: boolean;
  readonly pepScreened: boolean;
  readonly adverseMediaCleared: boolean;
  readonly countryCode: string | null;
  readonly listVersion: string | null;
  readonly provider: "manual" | "sandbox" | null;
  /** Names the personal data, which are kept elsewhere; null = none given, or erased. */
  readonly subjectId: string | null;
  /** True when the last decision followed no inquiry. */
  readonly decidedUnasked: boolean;
  readonly expiresAtSeconds: number | null;
  readonly accreditation: Accredited | null;
  /** The tier approved last, where `tier` is another: one asked for or refused. */
  readonly approvedTier?: KycTier | "none";
}

/** How well an account's shorts are covered, as it was judged last. */
export type MarginStatus = "healthy" | "warning" | "critical" | "liquidation";

export const alertTypes = [
  "margin_warning",
  "margin_critical",
  "margin_call",
  "liquidation",
  /** The positions of an account in default went to another, or came to this one. */
  "auction",
  "haircut",
  "payout",
  /** A print is 60 days late: the market is settled by a fallback of its terms. */
  "fallback",
  /** A change of the rules was announced that makes positions dearer, or was withdrawn. */
  "rules",
  "bust",
  /** The account's contribution to the fund bore a loss, or it was asked for an assessment. */
  "fund_loss",
  /** To operators: the fund is too small for the two weakest owners, and no short is added. */
  "fund_short",
  /** Nothing is sent to an address of the account any more. */
  "webhook",
] as const;
export type AlertType = (typeof alertTypes)[number];

export interface Alert {
  readonly id: string;
  readonly accountId: AccountId;
  readonly type: AlertType;
  readonly message: string;
  readonly atSeconds: number;
}

export interface Account {
  readonly id: AccountId;
  /** `0x` + 40 hex: the order's `maker`, the audit entry's `userId`. */
  readonly address: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMillis: number;
  /** The operator who opened it; read by `openerOf`. */
  readonly openedBy?: OperatorName;
  /** Of an operator's: the others who agreed to its opening, or were shown a key of it. */
  readonly vouchedBy?: readonly OperatorName[];
  /** The account its owner is named after; absent = itself. Read it with `ownerOf`. */
  readonly owner?: AccountId;
  /** The most its owner may owe for premiums; null = as the rules of its tier say. */
  readonly creditMicros: Micros | null;
  /** Limits of its own, in place of its tier's. */
  readonly caps?: Caps;
  /** By an operator, or by the exchange when it defaulted; an operator resumes it. */
  readonly halted: boolean;
  /** Of an operator's account that is halted: since when. */
  readonly haltedAtMillis?: number;
  readonly marginStatus: MarginStatus;
  /** Present while its margin status is `liquidation`, unless its positions are auctioned. */
  readonly marginCall?: MarginCall;
  /** Present from its default until its positions are gone and it owes the fund nothing. */
  readonly inDefault?: InDefault;
  /** Present while the guarantee fund has a contribution of it, or is owed an assessment. */
  readonly contribution?: Contribution;
  /** Present while the guarantee fund holds positions that were the account's. */
  readonly trust?: Trust;
  readonly kyc: Kyc;
}

/** A trading API key; the secret itself is never here, only its HMAC. */
export interface Key {
  readonly id: KeyId;
  readonly accountId: AccountId;
  readonly label: string;
  readonly prefix: string;
  /** HMAC-SHA-256 of the secret under the server's pepper, 64 hex. */
  readonly digest: string;
  readonly permissions: readonly Permission[];
  readonly ratePerMinute: number;
  readonly createdAtSeconds: number;
  readonly expiresAtSeconds: number | null;
  readonly revokedAtSeconds: number | null;
  /** The operator who was shown the secret; absent = nobody but the account, or its founder. */
  readonly shownTo?: OperatorName;
  /** Of a key with `shownTo`: when the first command was given with it; absent = none yet. */
  readonly usedAtSeconds?: number;
}

/** A key of the public data surface: it raises a rate and opens nothing. Only its HMAC is here. */
export interface PublicKey {
  readonly id: PublicKeyId;
  readonly label: string;
  /** HMAC-SHA-256 of the key under the server's pepper, 64 hex. */
  readonly digest: string;
  /** The scopes its holder was given it for; null when none were named. */
  readonly scopes: readonly string[] | null;
  /** Requests a minute; null = the surface's default. */
  readonly ratePerMinute: number | null;
  readonly createdAtSeconds: number;
  /** Null = never. */
  readonly expiresAtSeconds: number | null;
  readonly revokedAtSeconds: number | null;
}

export type Side = "BUY" | "SELL";
export type OutcomeIndex = 0 | 1;
export type TimeInForce = "GTC" | "GTD" | "IOC" | "FOK";
export type SelfTradePrevention = "cancel_incoming" | "cancel_resting" | "cancel_both";
export type OrderStatus = "OPEN" | "FILLED" | "PARTIALLY_FILLED" | "CANCELLED";
export type CancelReason =
  | "REQUESTED"
  | "EXPIRED"
  | "PAYMENT_DUE"
  | "MARKET_CLOSED"
  | "MARKET_VOID"
  | "KYC_INVALID"
  | "ACCOUNT_HALTED"
  | "ACCREDITATION_INVALID"
  /** The cash it reserved is no longer there. */
  | "MARGIN"
  | "LIQUIDATION"
  | "SELF_TRADE"
  | "POST_ONLY_WOULD_CROSS"
  | "UNFILLED_IMMEDIATE"
  | "FILL_OR_KILL"
  | "REDUCE_ONLY"
  | "CANCEL_AFTER"
  | "PROTECTION"
  | "RELEASE"
  /** Its account has traded all that its limit of a day allows. */
  | "DAILY_LIMIT";

export interface Order {
  readonly id: OrderId;
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly clientOrderId: string | null;
  /** As it was sent: 0 is YES, 1 is NO. */
  readonly outcomeIndex: OutcomeIndex;
  readonly side: Side;
  readonly priceTick: Tick;
  readonly amountLots: Lots;
  readonly filledLots: Lots;
  readonly status: OrderStatus;
  readonly cancelReason: CancelReason | null;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  /** It may only bring the position nearer to flat. */
  readonly reduceOnly: boolean;
  readonly selfTradePrevention: SelfTradePrevention;
  /** 0 = until cancelled. */
  readonly expirySeconds: number;
  readonly createdAtMillis: number;
  /** The time in price-time priority; an amendment that loses its place takes a new one. */
  readonly rank: number;
  /** Of an order that the exchange gave for a mandate: it is filled as it comes. */
  readonly mandateId?: MandateId;
  readonly rfqId?: RfqId;
  readonly cancelOnRelease?: true;
  readonly group?: string;
}

/** A dead man's switch: what an account has open is cancelled unless it is set again in time. */
export interface CancelAfter {
  readonly accountId: AccountId;
  /** Null = in every market. */
  readonly marketId: MarketId | null;
  readonly atSeconds: number;
}

export interface Fill {
  readonly id: FillId;
  readonly marketId: MarketId;
  /** In YES terms, at the resting order's price. */
  readonly yesTick: Tick;
  readonly amountLots: Lots;
  readonly takerOrderId: OrderId;
  readonly makerOrderId: OrderId;
  /** The account that ends with more YES. */
  readonly buyer: AccountId;
  readonly seller: AccountId;
  readonly takerBuysYes: boolean;
  readonly timeMillis: number;
  readonly rfqId?: RfqId;
}

export interface Position {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Positive is YES held, negative is YES sold short (NO held). */
  readonly heldLots: Lots;
  /** The cost of the held lots at their average: above zero paid when long, below received. */
  readonly costMicros: Micros;
  /** Gain of what was closed or settled, against its cost; fees are apart. */
  readonly realisedMicros: Micros;
  /** Net cash this account has had from the market, fees included: what a void reverses. */
  readonly flowMicros: Micros;
  /** Present while its market has paid less than is due. */
  readonly claim?: Claims;
}

/** The amount due at settlement, and the part of it that has been paid. */
interface Claims {
  readonly dueMicros: Micros;
  readonly paidMicros: Micros;
}

export type MarketStatus = "ACTIVE" | "PAUSED" | "RESOLVED" | "CANCELLED" | "FINALIZED";

export interface Resolution {
  readonly outcome: "YES" | "NO";
  readonly payoutMillionths: number;
  readonly settledValueE15: PrintValue;
  readonly comparisonValueE15: PrintValue;
  readonly releaseId: ReleaseId;
  /** When the settling release was ingested. */
  readonly observedAtMillis: number;
  /** Where the chain of the settling print hangs; null when it has no link. */
  readonly link: Link | null;
  readonly resolvedAtMillis: number;
  readonly disputeWindowEndsAtMillis: number;
  readonly finalizedAtMillis: number | null;
  /** Each once; an amended resolution begins without. Absent while there is none. */
  readonly disputedBy?: readonly OperatorName[];
  /** Present where no print of its own settled the market. */
  readonly fallback?: SettlingStep;
}

export interface Dispute {
  readonly openedBy: AccountId | "root";
  readonly reason: string;
  readonly evidence: string | null;
  readonly openedAtMillis: number;
  /** The time left of the window when the dispute stopped its clock. */
  readonly remainingMillis: number;
  /** The bond it holds in `bonds`. */
  readonly bondMicros: Micros;
}

export interface Market {
  readonly id: MarketId;
  readonly frontendId: string;
  readonly terms: Terms;
  readonly termsHash: string;
  readonly status: MarketStatus;
  /** True from the end of the measurement month on. */
  readonly tradingClosed: boolean;
  readonly markTick: Tick;
  /** The mark after the model's 99 % adverse next print, of this place alone. */
  readonly stressedTick: Tick;
  readonly riskTicks: RiskTicks;
  /** Contracts held as YES when marks were last published; absent = none then. */
  readonly markedOpenLots?: Lots;
  /** The places that its place lies in, coarsest first, as they were at its listing. */
  readonly within: readonly NodeId[];
  /** Last trade in YES terms. */
  readonly lastTick: Tick | null;
  /** Present while the last trade is newer than the mark. */
  readonly tradedSinceMark?: true;
  /** Taker fees of this market's trades: the exchange's share and the guarantee fund's. */
  readonly houseFeesMicros: Micros;
  readonly fundFeesMicros: Micros;
  readonly createdAtMillis: number;
  readonly updatedAtMillis: number;
  readonly reason: string | null;
  /** The amount that payouts, or the refunds of a void, lacked: a reduction all of them bore. */
  readonly shortfallMicros: Micros;
  readonly resolution: Resolution | null;
  readonly dispute: Dispute | null;
  /** Since when its print is so late that a fallback is to be taken; absent until then. */
  readonly fallbackSinceMillis?: number;
  readonly markRound?: MarkRound;
  readonly farMedian?: FarMedian;
}

/** A chain link: the newest chained month before a print, as the print's own release gives it. */
export interface Link {
  readonly month: Month;
  readonly valueE15: PrintValue;
  readonly levelE12: ChainLevel;
}

/** The newest first print of a series of a node: what a contract listed now starts from. */
export interface ChainPoint {
  readonly index: IndexKind;
  readonly nodeId: NodeId;
  readonly month: Month;
  readonly valueE15: PrintValue;
  readonly levelE12: ChainLevel | null;
  readonly releaseId: ReleaseId;
  /** Months inside the series' history that no release has carried yet. */
  readonly gaps: readonly Month[];
}

/** A first print as a release brings it. */
export interface Observation {
  readonly nodeId: NodeId;
  readonly month: Month;
  readonly valueE15: PrintValue;
  /** Null when no month before it is both in the chain and in this release. */
  readonly levelE12: ChainLevel | null;
  readonly link: Link | null;
  /** History that was there in the node's first release: a baseline perhaps, never a settlement. */
  readonly backfill: boolean;
  /** For a backfill: the months its history skips. */
  readonly gaps: readonly Month[];
}

/** The journal's record of a release: enough to know its bytes and everything drawn from them. */
export interface ReleaseFacts {
  readonly id: ReleaseId;
  readonly provider: string;
  readonly index: IndexKind;
  readonly level: string;
  /** Present of an index whose provider has a file for each thing it measures: weather. */
  readonly variable?: WeatherVariable;
  readonly publishedAtMillis: number;
  readonly sha256: string;
  readonly rows: number;
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  readonly firstPrints: number;
  readonly revisions: number;
  readonly unchanged: number;
  readonly rescaled: number;
  readonly unmatched: number;
  /** Regions whose place is held, from this release on or from one before; absent = none. */
  readonly held?: number;
  readonly methodologyVersion: string;
  /** Present where this release is made by another method than the one before it. */
  readonly methodologyChange?: "detected" | "declared";
  /** SHA-256 over every first print drawn from the file and the places they are of, as stored. */
  readonly printsDigest: string;
  /** SHA-256 over the newest values as stored then. */
  readonly latestDigest: string;
}

export interface AcceptedRelease extends ReleaseFacts {
  readonly ingestedAtMillis: number;
  readonly resolvedMarkets: readonly MarketId[];
  /** Present while unmatched regions may have a node now: its file is to be read again. */
  readonly rereadDue?: true;
  /** Oldest first; absent while there is none. */
  readonly rereads?: readonly Reread[];
  /** Present once the claims on its markets were cut: all of them, of the markets that ended. */
  readonly claims?: Claims;
  /** Present where validation held it back: why, and which two operators released it. */
  readonly clearance?: {
    readonly reasons: readonly ReleaseReason[];
    readonly approvedBy: readonly OperatorName[];
  };
}

/** An operator's account, or the bootstrap operator. */
export type OperatorName = AccountId | "root";

/** Why validation held a release back: a code, and a sentence with its figures. */
export interface ReleaseReason {
  readonly code: string;
  readonly message: string;
}

/** A release that validation held back: it settles nothing and shows nothing. */
export interface QuarantinedRelease extends ReleaseFacts {
  readonly status: "quarantined" | "rejected";
  readonly ingestedAtMillis: number;
  readonly reasons: readonly ReleaseReason[];
  readonly rejection: { readonly by: OperatorName; readonly reason: string } | null;
  /** Prints that markets waited for when it was held; absent = none. */
  readonly awaited?: readonly Observation[];
}

export interface GeoRecord {
  readonly id: NodeId;
  readonly level: "state" | "county" | "city" | "neighborhood" | "zip";
  readonly name: string;
  readonly stateCode: string;
  readonly fips: string | null;
  readonly aliases: readonly string[];
  readonly parentIds: readonly NodeId[];
  readonly housingUnits: number;
  readonly active: boolean;
  /** `zillow:9` … */
  readonly providerIds: readonly string[];
}
