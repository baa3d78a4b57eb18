// Everything that can be asked of the exchange, as data.
// Invariant: a command carries its time, actor and every id or mark it needs; `apply` adds none.
import type {
  AcceptanceId,
  AccountId,
  AnnouncementId,
  AuctionId,
  FillId,
  KeyId,
  MarketId,
  NodeId,
  OrderId,
  ProposalId,
  PublicKeyId,
  ReleaseId,
} from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import type { PrintValue } from "#base/print-value.ts";
import type { Lots } from "#base/quantity.ts";
import type { SharedMonth } from "#contract/same-series.ts";
import type { RiskTicks } from "#contract/scenarios.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { PremiumStructure } from "./acceptance/records.ts";
import type { CapsCommand } from "./account/caps-record.ts";
import type { GroupCommand } from "./account/protection-record.ts";
import type { KycDecision } from "./kyc/decision.ts";
import type { MandateCommand } from "./mandate/record.ts";
import type { Listing } from "./market/listing-record.ts";
import type { OrderName, OrderSelection } from "./order/named.ts";
import type { SentQuotes } from "./order/quoted.ts";
import type {
  GeoRecord,
  KycTier,
  Observation,
  OutcomeIndex,
  Permission,
  ReleaseFacts,
  ReleaseReason,
  Role,
  SelfTradePrevention,
  Side,
  TimeInForce,
} from "./records.ts";
import type { RejectionCode } from "./rejection.ts";
import type { RfqCommand } from "./rfq/record.ts";
import type { Rules } from "./rules.ts";
import type { RulesChange } from "./rules-change.ts";
import type { FallbackTaken } from "./settlement/fallback-step.ts";
import type { HeldPlaceFacts } from "./settlement/held-place.ts";
import type { WebhookCommand } from "./webhook/record.ts";

export type Actor =
  | { readonly type: "key"; readonly accountId: AccountId; readonly keyId: KeyId }
  /** The bootstrap operator, known by the admin secret. */
  | { readonly type: "root" }
  /** The exchange itself: what falls due. */
  | { readonly type: "system" };

export interface NewKey {
  readonly label: string;
  readonly prefix: string;
  readonly digest: string;
  readonly permissions: readonly Permission[];
  /** Null = the default: 600, or the maker's rate where that is lower. */
  readonly ratePerMinute: number | null;
  /** Null = none, or the maker's expiry where it has one. */
  readonly expiresAtSeconds: number | null;
}

interface NewPublicKey {
  readonly label: string;
  readonly digest: string;
  readonly scopes: readonly string[] | null;
  readonly ratePerMinute: number | null;
  readonly expiresAtSeconds: number | null;
}

export interface OrderInput {
  readonly marketId: MarketId;
  readonly outcomeIndex: OutcomeIndex;
  readonly side: Side;
  /** Null when the price sent is off the tick grid or outside 0.0001…0.9999. */
  readonly priceTick: Tick | null;
  readonly amountLots: Lots;
  readonly expirySeconds: number;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly clientOrderId: string | null;
  readonly selfTradePrevention: SelfTradePrevention;
  /** Cancelled when a release of its index is awaited; absent = it stays. */
  readonly cancelOnRelease?: true;
  /** Of the account's orders: it may have a protection of its own. */
  readonly group?: string;
}

export interface MarkUpdate {
  readonly marketId: MarketId;
  readonly markTick: Tick;
  readonly stressedTick: Tick;
  readonly riskTicks: RiskTicks;
}

/** The result of a later reading of an accepted release's file. */
interface LaterReading {
  readonly releaseId: ReleaseId;
  readonly firstPrints: number;
  readonly revisions: number;
  readonly unchanged: number;
  readonly rescaled: number;
  /** As `ReleaseFacts` has them, over what this reading brought. */
  readonly printsDigest: string;
  readonly latestDigest: string;
}

/** The rows of an accepted release's file for places that have become known since. */
export interface RereadRelease extends LaterReading {
  /** Regions that have a node now and were taken; the counts are of these only. */
  readonly matched: number;
  /** Regions that have a node now, and whose place is held; absent where there is none. */
  readonly held?: number;
}

/** The rows of a release for a place that was held, once the place was decided. */
export interface PlaceReading extends LaterReading {
  readonly observations: readonly Observation[];
}

/** A held place, and the release from which on it is. */
export interface HeldFrom extends HeldPlaceFacts {
  readonly releaseId: ReleaseId;
}

/** Files of the series from the release on that held a place, read for this place. */
interface PlaceDecision {
  readonly releaseId: ReleaseId;
  readonly nodeId: NodeId;
  /** In the order the releases were accepted; those without the place's region are left out. */
  readonly readings: readonly PlaceReading[];
  /** Present where validation holds the place again, in the release after these. */
  readonly heldAnew?: HeldFrom;
}

/** The newest first print of a place that has become known, and whose it is. */
export interface NewestPrint extends Observation {
  readonly releaseId: ReleaseId;
}

export type ClockKind = "real" | "sandbox";

type PlainCommand =
  | {
      readonly type: "Genesis";
      readonly clock: ClockKind;
      readonly chainId: string;
      readonly rules: Rules;
      /** Of the rules that decide from here on (`decider.ts`). */
      readonly version: number;
    }
  /** From here on rules of this version decide; entries before it stay as they were decided. */
  | { readonly type: "UpgradeRules"; readonly version: number }
  | { readonly type: "BeginTerm"; readonly storage: "checked" | "managed" }
  /** The values that are named; what makes positions dearer is announced, by two people. */
  | { readonly type: "SetRules"; readonly rules: RulesChange }
  | { readonly type: "WithdrawRules"; readonly announcementId: AnnouncementId }
  | {
      readonly type: "OpenAccount";
      readonly name: string;
      readonly role: Role;
      readonly address: string;
      readonly key: NewKey;
      /** An account whose owner is this one's too; absent = its own. */
      readonly owner?: AccountId;
    }
  /** The second person's word, by the id of the first: what it said is carried out. */
  | {
      readonly type: "ConfirmProposal";
      readonly proposalId: ProposalId;
      /** Of the key that it makes, if it makes one: the secret is shown to this person. */
      readonly key: Pick<NewKey, "prefix" | "digest">;
    }
  | { readonly type: "WithdrawProposal"; readonly proposalId: ProposalId }
  /** The amount that one operator can fund alone in a day. */
  | { readonly type: "SetFundingLimit"; readonly limitMicros: Micros }
  /** Whether the admin secret is an operator, beside the operators' keys. */
  | { readonly type: "SetRoot"; readonly on: boolean }
  /** The account passes to the owner of the account named. */
  | { readonly type: "SetOwner"; readonly accountId: AccountId; readonly owner: AccountId }
  | { readonly type: "CreateKey"; readonly key: NewKey }
  | { readonly type: "RevokeKey"; readonly keyId: KeyId }
  /** By an operator, for an account whose keys are lost or stolen. */
  | { readonly type: "IssueKey"; readonly accountId: AccountId; readonly key: NewKey }
  | { readonly type: "RevokeKeys"; readonly accountId: AccountId }
  | { readonly type: "IssuePublicKey"; readonly key: NewPublicKey }
  | { readonly type: "RevokePublicKey"; readonly publicKeyId: PublicKeyId }
  | { readonly type: "RequestKyc"; readonly tier: KycTier }
  | ({ readonly type: "DecideKyc" } & KycDecision)
  /** The account has given personal data, kept outside under this id, in place of any before. */
  | { readonly type: "KeepSubject"; readonly subjectId: string }
  /** An operator looks at an account's personal data: an entry, so that it is known. */
  | { readonly type: "ReadSubject"; readonly accountId: AccountId }
  | { readonly type: "EraseSubject"; readonly accountId: AccountId }
  | {
      readonly type: "FundAccount";
      readonly accountId: AccountId;
      /** Negative = withdrawal. */
      readonly amountMicros: Micros;
      readonly memo: string | null;
    }
  | {
      readonly type: "FundGuarantee";
      /** Present of a deposit into the exchange's own layer. */
      readonly layer?: "exchange";
      /** Above zero. */
      readonly amountMicros: Micros;
      readonly memo: string | null;
    }
  /** The pool that premiums are lent from; negative = taken out of what is not lent. */
  | {
      readonly type: "FundFinancing";
      readonly amountMicros: Micros;
      readonly memo: string | null;
    }
  /** Null = as the rules of its tier say. */
  | {
      readonly type: "SetCredit";
      readonly accountId: AccountId;
      readonly creditMicros: Micros | null;
    }
  | CapsCommand
  | { readonly type: "HaltAccount"; readonly accountId: AccountId; readonly reason: string | null }
  | {
      readonly type: "ResumeAccount";
      readonly accountId: AccountId;
      readonly reason: string | null;
    }
  | { readonly type: "HaltExchange"; readonly reason: string }
  | { readonly type: "ResumeExchange"; readonly reason: string }
  | { readonly type: "PlaceOrder"; readonly order: OrderInput; readonly listing: Listing | null }
  | {
      readonly type: "PlaceBatch";
      readonly orders: readonly OrderInput[];
      readonly listings: readonly Listing[];
      /** True: each order is judged alone; absent: all are placed, or none. */
      readonly each?: true;
    }
  | (SentQuotes & { readonly listings: readonly Listing[] })
  /** A null field stays as it is. */
  | ({
      readonly type: "AmendOrder";
      /** A null tick is a price off the grid or out of range. */
      readonly price: { readonly tick: Tick | null } | null;
      /** The new total, what is filled included. */
      readonly amountLots: Lots | null;
      readonly expirySeconds: number | null;
    } & OrderName)
  /** Buys protection at once, at the order's price or better, and owes the premium as chosen. */
  | {
      readonly type: "AcceptQuote";
      readonly order: OrderInput;
      readonly listing: Listing | null;
      readonly structure: PremiumStructure;
      /** The reference limit price of this moment: no dearer premium is lent. Null = none known. */
      readonly referenceTick: Tick | null;
    }
  /** Pays all that is open up to and with a payment of the schedule. */
  | {
      readonly type: "PayAcceptance";
      readonly acceptanceId: AcceptanceId;
      readonly through: number;
    }
  | ({ readonly type: "CancelOrder" } & OrderName)
  | {
      readonly type: "CancelAll";
      readonly marketId: MarketId | null;
      /** Absent = all. */
      readonly only?: OrderSelection;
    }
  | {
      readonly type: "SetCancelAfter";
      /** 0 = disarm. */
      readonly seconds: number;
      readonly marketId: MarketId | null;
    }
  | {
      readonly type: "SetProtection";
      /** 0 = off. */
      readonly withinSeconds: number;
      readonly maxLots: Lots | null;
      readonly maxFills: number | null;
    }
  | { readonly type: "ResetProtection" }
  | GroupCommand
  | {
      readonly type: "ListMarket";
      readonly listing: Listing;
      /** Null = the next free `mkt-NNN`. */
      readonly frontendId: string | null;
    }
  | { readonly type: "PauseMarket"; readonly marketId: MarketId; readonly reason: string }
  | { readonly type: "ResumeMarket"; readonly marketId: MarketId; readonly reason: string }
  /** A void takes two people who say it. */
  | { readonly type: "CancelMarket"; readonly marketId: MarketId; readonly reason: string }
  /** Takes two people: the first step of the terms' fallbacks that applies. */
  | {
      readonly type: "SettleByFallback";
      readonly marketId: MarketId;
      readonly reason: string;
      readonly taken: FallbackTaken;
      /** The prints that the step was drawn on (`groundOf`). */
      readonly ground: readonly number[];
    }
  /** The worth of YES in a market that is settled in cash, in ticks. */
  | { readonly type: "GiveMark"; readonly marketId: MarketId; readonly valueTicks: number }
  | { readonly type: "CloseMarks"; readonly marketId: MarketId }
  /** Takes two people: undoes a fill off the reference while its window lasts. */
  | { readonly type: "BustFill"; readonly fillId: FillId; readonly reason: string }
  | { readonly type: "WithdrawVoid"; readonly marketId: MarketId; readonly reason: string }
  /** `seenReleases`: of how many the marks know; absent = of all. */
  | {
      readonly type: "PublishMarks";
      readonly marks: readonly MarkUpdate[];
      readonly seenReleases?: number;
      /** The version of the list of scenarios. */
      readonly scenarios: number;
    }
  /** A new file of the index was seen; null = its print is expected, and no file was seen. */
  | {
      readonly type: "AwaitRelease";
      readonly index: IndexKind;
      readonly releaseId: ReleaseId | null;
    }
  /** The file that was seen is no release: it was refused. */
  | { readonly type: "ForgetAwaited"; readonly index: IndexKind; readonly releaseId: ReleaseId }
  | {
      readonly type: "LoadGeo";
      readonly nodes: readonly GeoRecord[];
      readonly sha256: string;
      /** Releases with regions that may have a node now; absent where there is none. */
      readonly rereadDue?: readonly ReleaseId[];
    }
  | {
      readonly type: "AcceptRelease";
      readonly release: ReleaseFacts;
      readonly observations: readonly Observation[];
      /** Places that validation holds back; absent where there is none. */
      readonly heldPlaces?: readonly HeldPlaceFacts[];
      /** Present as the second operator's word for a release that is held, which accepts it. */
      readonly fromQuarantine?: true;
    }
  /** All releases due of one series of files, in one entry, so that no place is half known. */
  | {
      readonly type: "RereadReleases";
      readonly index: IndexKind;
      readonly level: string;
      readonly variable?: WeatherVariable;
      /** In the order they were accepted. */
      readonly releases: readonly RereadRelease[];
      readonly newest: readonly NewestPrint[];
      readonly heldPlaces?: readonly HeldFrom[];
    }
  /** Validation held the file back; sent again for one that is held, its approval starts anew. */
  | {
      readonly type: "QuarantineRelease";
      readonly release: ReleaseFacts;
      readonly reasons: readonly ReleaseReason[];
      /** Prints that markets wait for; absent where there is none. */
      readonly awaited?: readonly Observation[];
    }
  /** The first operator's word for a quarantined release. */
  | { readonly type: "ApproveRelease"; readonly releaseId: ReleaseId }
  | { readonly type: "RejectRelease"; readonly releaseId: ReleaseId; readonly reason: string }
  /**
   * The first operator's word that the provider goes on with a place under another id, from this
   * release on; the second releases the place. `shared`: the two years up to its newest print.
   */
  | {
      readonly type: "RenamePlace";
      readonly releaseId: ReleaseId;
      readonly nodeId: NodeId;
      readonly from: string;
      readonly to: string;
      readonly shared: readonly SharedMonth[];
      /** Present where the file itself says that the region was called so before. */
      readonly isNoted?: true;
      /** The prints that the release has for the place under the new id. */
      readonly observations: readonly Observation[];
    }
  /** The first operator's word for a place that is held from this release on. */
  | { readonly type: "ApprovePlace"; readonly releaseId: ReleaseId; readonly nodeId: NodeId }
  /** The second operator's word: the place's prints count as if it had never been held. */
  | ({ readonly type: "ReleasePlace" } & PlaceDecision)
  /** The release does not count for the place; those after it do. */
  | ({ readonly type: "RejectPlace"; readonly reason: string } & PlaceDecision)
  | {
      readonly type: "OpenDispute";
      readonly marketId: MarketId;
      readonly reason: string;
      readonly evidence: string | null;
    }
  | {
      readonly type: "DecideDispute";
      readonly marketId: MarketId;
      readonly decision: "uphold" | "amend";
      readonly valueE15: PrintValue | null;
      readonly evidence: string | null;
      /** The release that carries the value as a revision, as the prints have it: it is refused. */
      readonly revisedIn?: ReleaseId;
    }
  /** Sandbox only: the time the exchange's clock is to stand at. */
  | { readonly type: "SetClock"; readonly toMillis: number }
  /** An attempt refused before it could become a command, kept for the audit. */
  | {
      readonly type: "RecordRefusal";
      readonly code: RejectionCode;
      readonly operation: string;
      /** How many alike were folded into this entry. */
      readonly count: number;
    }
  /** Work on the node's own files that the trail has to tell of. */
  | {
      readonly type: "RecordMaintenance";
      readonly work: "loss_accepted" | "secret_changed" | "clock_accepted";
      /** The file, or the entries. */
      readonly subject: string;
      readonly before: string;
      readonly after: string;
      readonly reason: string;
    }
  | { readonly type: "ApplyRules"; readonly announcementId: AnnouncementId }
  | { readonly type: "ExpireOrder"; readonly orderId: OrderId }
  | {
      readonly type: "FireCancelAfter";
      readonly accountId: AccountId;
      readonly marketId: MarketId | null;
    }
  /** An entry of its own for a protection that tripped in somebody else's command. */
  | { readonly type: "ReportTrip"; readonly accountId: AccountId; readonly group?: string }
  /** An entry of its own for a margin call that somebody else's command, or a mark, began. */
  | { readonly type: "ReportMarginCall"; readonly accountId: AccountId }
  /** For the positions of a defaulter: this much of its cash is to come with them. */
  | {
      readonly type: "PlaceBid";
      readonly auctionId: AuctionId;
      readonly amountMicros: Micros;
    }
  | { readonly type: "WithdrawBid"; readonly auctionId: AuctionId }
  | MandateCommand
  | RfqCommand
  | WebhookCommand
  | { readonly type: "CloseAuction"; readonly auctionId: AuctionId }
  /** Of every call whose time is over. */
  | { readonly type: "EndMarginCalls" }
  | { readonly type: "CollectPayment"; readonly acceptanceId: AcceptanceId }
  | { readonly type: "DefaultAcceptance"; readonly acceptanceId: AcceptanceId }
  | { readonly type: "ExpireKyc"; readonly accountId: AccountId }
  | { readonly type: "ExpireAccreditation"; readonly accountId: AccountId }
  | { readonly type: "CloseTrading"; readonly marketId: MarketId }
  /** A word that no second person said in time, or whose giver has no key for it any more. */
  | { readonly type: "LapseProposal"; readonly proposalId: ProposalId }
  /** Root's opening of an operator's account, a day after too few people were left for two words. */
  | { readonly type: "CarryOutWord"; readonly proposalId: ProposalId }
  /** The print of a market is 60 days late. */
  | { readonly type: "BeginFallback"; readonly marketId: MarketId }
  /** Of a dispute that two people did not decide in time. */
  | { readonly type: "UpholdDispute"; readonly marketId: MarketId }
  | { readonly type: "FinalizeMarket"; readonly marketId: MarketId }
  /** Nothing came in ten days. */
  | { readonly type: "EndWindow"; readonly index: IndexKind }
  /** The auctions of an index's markets end now. */
  | { readonly type: "EndAuction"; readonly index: IndexKind }
  | { readonly type: "CancelForRelease"; readonly index: IndexKind }
  | { readonly type: "OpenWindow"; readonly index: IndexKind; readonly reason: string }
  | { readonly type: "ResumeMatching"; readonly marketId: MarketId }
  /** Records that have been done, or idle, for a day leave the state. */
  | { readonly type: "Forget" };

/** `expiresAfterMillis`: refused, not carried out, where the sequencer's time is later. */
export type Command = PlainCommand & { readonly expiresAfterMillis?: number };

export type CommandType = Command["type"];
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>;

/** Where an answer is found again: one key within one caller's own space. */
export interface Idempotency {
  readonly key: string;
  /** HMAC-SHA-256 over method, path and body, 64 hex. */
  readonly digest: string;
}

/** A command in its place: the sequencer gives time and order before the core decides. */
export interface Envelope {
  readonly timeMillis: number;
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly idempotency: Idempotency | null;
  readonly command: Command;
}
