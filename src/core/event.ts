// An event is the record after a change: a fold is "put the record in its place".
// Invariant: events alone rebuild every balance, order, position and market that was ever shown.

import type {
  AccountId,
  AuctionId,
  KeyId,
  MarketId,
  NodeId,
  OrderId,
  ReleaseId,
} from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";
import type { Acceptance } from "./acceptance/records.ts";
import type { MakerProtection, OrderGroup } from "./account/protection-record.ts";
import type { BookLevel } from "./book/order.ts";
import type { Stray } from "./busts/stray-record.ts";
import type { ClockKind, MarkUpdate } from "./command.ts";
import type { LeftByKey } from "./keys/left-record.ts";
import type { Mandate, MandateUse } from "./mandate/record.ts";
import type { Bid, DefaultAuction } from "./margin/auction-record.ts";
import type { DrawnLoss } from "./margin/fund-record.ts";
import type { HeldMatching, ReleaseWindow } from "./market/window-times.ts";
import type { QuoteSide } from "./order/quoted.ts";
import type {
  AcceptedRelease,
  Account,
  Alert,
  ChainPoint,
  Fill,
  GeoRecord,
  Key,
  Market,
  Order,
  Position,
  PublicKey,
  QuarantinedRelease,
} from "./records.ts";
import type { Rejection } from "./rejection.ts";
import type { RfqEvent } from "./rfq/record.ts";
import type { Rules } from "./rules.ts";
import type { Announcement } from "./rules-change.ts";
import type { HeldPlace } from "./settlement/held-place.ts";
import type { SealedMark } from "./settlement/mark-records.ts";
import type { StorageKind } from "./storage-kind.ts";
import type { WebhookEvent } from "./webhook/record.ts";
import type { FundingDay, Word } from "./words/word.ts";

/** Names of the ledger's own accounts; a trader's cash is `cash:<account id>`. */
export type LedgerName =
  | `cash:${AccountId}`
  | "external"
  | "fees"
  | "guarantee"
  /** The exchange's own layer of the fund: the first loss beyond the defaulter's own. */
  | "exchange-layer"
  /** An account's own part of the fund. */
  | `contribution:${AccountId}`
  /** Bonds of disputes, held until the disputes are decided. */
  | "bonds"
  /** The pool premiums are lent from: its capital, less what was written off. */
  | "financing"
  /** The part of the pool that is lent stands here below zero. */
  | "lent"
  | "interest"
  | `market:${MarketId}`
  /** Of a release whose claims were cut: what is kept for its disputed markets. */
  | `claims:${ReleaseId}`;

export const postingReasons = [
  "deposit",
  "withdrawal",
  "premium",
  "fee",
  "fee-share",
  "settlement",
  /** The last micro-dollars that cut claims could not be paid, or no longer need. */
  "claims-left",
  "void",
  "void-shortfall",
  /** The guarantee fund, or who bids for it, is paid for a short it takes over. */
  "takeover",
  /** It is paid beyond the marks of the shorts it took over. */
  "liquidation",
  /** The fund gives back what positions it took over brought beyond their payouts. */
  "takeover-returned",
  /** An account in default gives the fund back an amount that it bore. */
  "default-debt",
  /** An account's part of the fund is asked for, or given back. */
  "contribution",
  "contribution-returned",
  /** A layer bears a loss of the fund; an account is asked for its contribution once more. */
  "fund-loss",
  "assessment",
  /** Lent for a premium; and what of it the fill did not need. */
  "advance",
  "advance-unused",
  "installment",
  "interest",
  /** Of a dispute: taken, given back by an amendment, or gone to the guarantee fund. */
  "bond",
  "bond-returned",
  "bond-forfeited",
  /** Of a busted fill: back to whoever paid it. */
  "bust",
  /** Principal that will not come back, borne by the pool; and what comes back of it after all. */
  "write-off",
  "recovery",
] as const;
export type PostingReason = (typeof postingReasons)[number];

/** Double entry: `amountMicros` > 0 leaves one ledger account and enters the other. */
interface Posting {
  readonly from: LedgerName;
  readonly to: LedgerName;
  readonly amountMicros: Micros;
  readonly reason: PostingReason;
  /** The order, fill or market it belongs to. */
  readonly reference: string;
}

export type Event =
  | { readonly type: "MarkGiven"; readonly mark: SealedMark }
  | {
      readonly type: "Founded";
      readonly clock: ClockKind;
      readonly chainId: string;
      /** As in the command. */
      readonly version: number;
    }
  | { readonly type: "RulesUpgraded"; readonly version: number }
  | { readonly type: "TermBegun"; readonly storage: StorageKind }
  | { readonly type: "RulesChanged"; readonly rules: Rules }
  /** It waits for its day; or it is over, and how. */
  | {
      readonly type: "RulesAnnounced";
      readonly announcement: Announcement;
      readonly status: "announced" | "in_force" | "withdrawn";
    }
  | { readonly type: "AccountChanged"; readonly account: Account }
  | { readonly type: "KeyChanged"; readonly key: Key }
  | { readonly type: "PublicKeyChanged"; readonly key: PublicKey }
  /** The first command was given with a key that an operator was shown. */
  | {
      readonly type: "KeyUsed";
      readonly keyId: KeyId;
      readonly accountId: AccountId;
      readonly atSeconds: number;
    }
  /** Something that a revoked key, shown to an operator, may have made: it stands, or ended. */
  | ({ readonly type: "KeyLeft"; readonly stands: boolean } & LeftByKey)
  /** With what the posting left on both, so that a ledger can be read from any entry on. */
  | {
      readonly type: "Posted";
      readonly posting: Posting;
      readonly fromMicros: Micros;
      readonly toMicros: Micros;
    }
  /**
   * The balance after a deposit or withdrawal: its answer, the same however late it is asked again.
   */
  | {
      readonly type: "Funded";
      readonly accountId: AccountId;
      readonly cashMicros: Micros;
      readonly availableMicros: Micros;
    }
  /** The balance of the guarantee fund, or of the exchange's layer, after a deposit. */
  | { readonly type: "GuaranteeFunded"; readonly balanceMicros: Micros }
  /** A loss of the fund, and what each layer bears of it: together they are the loss. */
  | { readonly type: "LossDrawn"; readonly loss: DrawnLoss }
  | { readonly type: "AlertRaised"; readonly alert: Alert }
  | { readonly type: "MarketChanged"; readonly market: Market }
  /** Once an order that traded, after its fills: what it changed of the market. */
  | {
      readonly type: "MarketTraded";
      readonly marketId: MarketId;
      /** In YES terms. */
      readonly lastTick: Tick;
      readonly houseFeesMicros: Micros;
      readonly fundFeesMicros: Micros;
    }
  | ({ readonly type: "MarketMarked" } & MarkUpdate)
  /** With marks: the contracts open now, of markets and states that had others before. */
  | {
      readonly type: "OpenCounted";
      readonly markets: readonly { readonly marketId: MarketId; readonly openLots: Lots }[];
      readonly states: readonly { readonly stateId: NodeId; readonly openLots: Lots }[];
    }
  | { readonly type: "OrderChanged"; readonly order: Order }
  /** Of a mass quote: the quote at this place rests nothing; null = no side of it is at fault. */
  | {
      readonly type: "QuoteRefused";
      readonly index: number;
      readonly side: QuoteSide | null;
      readonly rejection: Rejection;
    }
  /** Of a batch whose orders are judged alone: the one at this place was not placed. */
  | { readonly type: "OrderRefused"; readonly index: number; readonly rejection: Rejection }
  /** They are done, and from here on only the journal has them. */
  | { readonly type: "OrdersForgotten"; readonly orderIds: readonly OrderId[] }
  /** An account's order has listed the market that was told just before. */
  | {
      readonly type: "MarketListed";
      readonly marketId: MarketId;
      readonly accountId: AccountId;
    }
  /** Listed by orders and never traded; an order may list them again. */
  | { readonly type: "MarketsForgotten"; readonly marketIds: readonly MarketId[] }
  /** Drawn from the orders, once a level that a command touched, after all else it did. */
  | { readonly type: "LevelChanged"; readonly level: BookLevel }
  | { readonly type: "AuctionOpened"; readonly auction: DefaultAuction }
  /** Its bids are gone with it. Null = all its positions have been settled meanwhile. */
  | {
      readonly type: "AuctionEnded";
      readonly auctionId: AuctionId;
      readonly accountId: AccountId;
      readonly takenBy: "bidder" | "fund" | null;
      readonly paidMicros: Micros;
    }
  | {
      readonly type: "BidChanged";
      readonly bid: Bid;
      readonly status: "placed" | "withdrawn";
    }
  | {
      readonly type: "MandateChanged";
      readonly mandate: Mandate;
      readonly status: "set" | "cancelled" | "expired";
    }
  /** Its use of a market after a fill. */
  | { readonly type: "MandateUsed"; readonly use: MandateUse; readonly accountId: AccountId }
  | RfqEvent
  | WebhookEvent
  | { readonly type: "Filled"; readonly fill: Fill }
  /** The fill was off the reference: it may be busted while its window lasts. */
  | { readonly type: "FillStrayed"; readonly stray: Stray }
  | { readonly type: "FillBusted"; readonly fill: Fill }
  | { readonly type: "AcceptanceChanged"; readonly acceptance: Acceptance }
  | { readonly type: "PositionChanged"; readonly position: Position }
  | {
      readonly type: "CancelAfterChanged";
      readonly accountId: AccountId;
      readonly marketId: MarketId | null;
      /** Null = disarmed. */
      readonly atSeconds: number | null;
    }
  | { readonly type: "ProtectionChanged"; readonly protection: MakerProtection }
  /** Null = it has no limits any more, and has not tripped. */
  | {
      readonly type: "GroupChanged";
      readonly accountId: AccountId;
      readonly group: string;
      readonly limits: OrderGroup | null;
    }
  | { readonly type: "FrontierMoved"; readonly frontier: ChainPoint }
  /** It leaves the quarantine, where it was there. */
  | { readonly type: "ReleaseAccepted"; readonly release: AcceptedRelease }
  /** An accepted release whose file is due to be read again, or was. */
  | { readonly type: "ReleaseChanged"; readonly release: AcceptedRelease }
  | { readonly type: "QuarantineChanged"; readonly release: QuarantinedRelease }
  /** A place that is held, from now on or still; or, once it is decided, as it was held last. */
  | {
      readonly type: "HeldPlaceChanged";
      readonly place: HeldPlace;
      readonly status: "held" | "released" | "rejected";
    }
  /** Null = it is over. */
  | {
      readonly type: "WindowChanged";
      readonly index: IndexKind;
      readonly window: ReleaseWindow | null;
    }
  | {
      readonly type: "MatchingChanged";
      readonly marketId: MarketId;
      readonly held: HeldMatching | null;
    }
  | { readonly type: "GeoLoaded"; readonly nodes: readonly GeoRecord[] }
  /** It waits for a second word; or it is over, and by whose. */
  | {
      readonly type: "WordChanged";
      readonly word: Word;
      readonly status: "open" | "confirmed" | "withdrawn" | "replaced" | "lapsed";
    }
  /** The total an operator has funded alone in a day, after one more. */
  | { readonly type: "FundingCounted"; readonly funding: FundingDay }
  | { readonly type: "RootSwitched"; readonly on: boolean }
  /** The cash that the fund and its layers lack of the two weakest owners' losses; 0 = none. */
  | { readonly type: "CoverJudged"; readonly lackingMicros: Micros }
  | { readonly type: "HaltChanged"; readonly halted: boolean; readonly reason: string }
  | { readonly type: "ClockSet"; readonly toMillis: number }
  | { readonly type: "RefusalRecorded"; readonly operation: string; readonly count: number }
  | { readonly type: "MaintenanceRecorded"; readonly work: string; readonly subject: string };

export type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;
