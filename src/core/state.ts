// The whole exchange in memory. Records are what is kept; the rest is drawn from them again.
// Invariant: State is a function of the journal; two nodes at one sequence hold equal records.

import type {
  AcceptanceId,
  AccountId,
  AnnouncementId,
  AuctionId,
  FillId,
  KeyId,
  MandateId,
  MarketId,
  NodeId,
  OrderId,
  ProposalId,
  PublicKeyId,
  ReleaseId,
  RfqId,
  RfqQuoteId,
  WebhookId,
} from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import type { Lots } from "#base/quantity.ts";
import { Debts } from "./acceptance/debts.ts";
import type { Acceptance } from "./acceptance/records.ts";
import type { MakerProtection, OrderGroup } from "./account/protection-record.ts";
import { Answers } from "./answers.ts";
import { Book } from "./book/book.ts";
import type { Stray } from "./busts/stray-record.ts";
import { ByAge } from "./by-age.ts";
import type { ClockKind } from "./command.ts";
import { DECIDER_VERSION } from "./decider.ts";
import { DueQueue } from "./due-queue.ts";
import type { LedgerName } from "./event.ts";
import { MandatesByPlace } from "./mandate/by-place.ts";
import type { Mandate, MandateUse } from "./mandate/record.ts";
import type { Bid, DefaultAuction } from "./margin/auction-record.ts";
import { Exposures } from "./margin/exposure.ts";
import { ExpectedPrints } from "./market/expected.ts";
import type { HeldMatching, ReleaseWindow } from "./market/window-times.ts";
import { positionName } from "./names.ts";
import { OrderPages } from "./order/pages.ts";
import type {
  AcceptedRelease,
  Account,
  Alert,
  CancelAfter,
  ChainPoint,
  GeoRecord,
  Key,
  Market,
  OperatorName,
  Order,
  Position,
  PublicKey,
  QuarantinedRelease,
} from "./records.ts";
import type { PromisedLots, Rfq, RfqGround, RfqQuote } from "./rfq/record.ts";
import { foundingRules, type Rules } from "./rules.ts";
import type { Announcement } from "./rules-change.ts";
import type { HeldPlace, Rename } from "./settlement/held-place.ts";
import type { SealedMark } from "./settlement/mark-records.ts";
import type { ShortLots } from "./settlement/short-lots.ts";
import type { DayVolume } from "./volume.ts";
import type { Webhook } from "./webhook/record.ts";
import type { FundingDay, Word } from "./words/word.ts";

/** Singletons of the exchange. */
export interface Exchange {
  readonly clock: ClockKind;
  readonly chainId: string;
  readonly halted: boolean;
  readonly haltReason: string;
  /** Sandbox: where the clock was set to. */
  readonly clockMillis: number;
  /** Present while the fund lacks so much that no order may add a short. */
  readonly fundShortMicros?: Micros;
  /** Present once two operators have switched root off; read it with `isRootOff`. */
  readonly rootOff?: true;
  /** Present while the leader's storage hides whether it is durable; an operator answers. */
  readonly managedStorage?: true;
}

/** The sums over what accounts hold and have open, whether drawn at every event or when asked. */
export type ExposureSums = Pick<Exposures, keyof Exposures>;

/** The parts that a state which decides draws at every event, and one for readers need not. */
type Drawn = Pick<State, "exposures" | "due">;

const forDeciding = (state: State): Drawn => ({
  exposures: new Exposures(
    (account) => state.marginQueue.add(account),
    () => state.openByState,
  ),
  due: new DueQueue(),
});

export class State {
  exchange: Exchange | undefined;
  /** Of the rules that decided the last entry, and decide the next (`decider.ts`). */
  deciderVersion: number = DECIDER_VERSION;
  /** The founding ones until the first entry says which they are. */
  rules: Rules = foundingRules;
  /** Changes of the rules that wait for their day; the oldest first. */
  readonly announcedRules = new Map<AnnouncementId, Announcement>();
  lastTimeMillis = 0;
  fillCount = 0;
  alertCount = 0;
  readonly accounts = new Map<AccountId, Account>();
  readonly keys = new Map<KeyId, Key>();
  /** Of one person where two have to say the same; open ones, the oldest first. */
  readonly words = new Map<ProposalId, Word>();
  /** One an operator: the newest day. */
  readonly fundings = new Map<OperatorName, FundingDay>();
  readonly publicKeys = new Map<PublicKeyId, PublicKey>();
  /** Of revoked keys that an operator was shown: what they may have made and still stands. */
  readonly leftByKeys = new Map<KeyId, Set<string>>();
  readonly ledger = new Map<LedgerName, Micros>();
  readonly markets = new Map<MarketId, Market>();
  readonly orders = new OrderPages();
  /** Fills that may be busted now; the oldest first. */
  readonly strays = new Map<FillId, Stray>();
  /** By `positionName`; flat positions stay until their market ends, for the void. */
  readonly positions = new Map<string, Position>();
  readonly dayVolumes = new Map<AccountId, DayVolume>();
  /** All that was ever traded in a market, since the exchange counts it; absent = nothing. */
  readonly marketVolumes = new Map<MarketId, Lots>();
  /** Open at the last marks in all markets of a state that waited for prints; absent = none. */
  readonly openByState = new Map<NodeId, Lots>();
  /** Armed ones, by `cancelAfterName`. */
  readonly cancelAfters = new Map<string, CancelAfter>();
  readonly makerProtections = new Map<AccountId, MakerProtection>();
  /** By `groupName`: groups of orders that have limits, or have tripped. */
  readonly orderGroups = new Map<string, OrderGroup>();
  /** By `chainPointName`. */
  readonly chainPoints = new Map<string, ChainPoint>();
  readonly releases = new Map<ReleaseId, AcceptedRelease>();
  /** Held back or rejected; a release that is accepted is no longer here. */
  readonly quarantine = new Map<ReleaseId, QuarantinedRelease>();
  /** Undecided ones, by `heldName`. */
  readonly heldPlaces = new Map<string, HeldPlace>();
  /** By series, place and new id, in the order they were accepted. */
  readonly renames = new Map<string, Rename>();
  readonly windows = new Map<IndexKind, ReleaseWindow>();
  readonly heldMatching = new Map<MarketId, HeldMatching>();
  readonly geo = new Map<string, GeoRecord>();
  /** Of each account the newest, oldest first. */
  readonly alerts = new Map<AccountId, readonly Alert[]>();
  /** That run. */
  readonly auctions = new Map<AuctionId, DefaultAuction>();
  /** By `bidName`, of auctions that run. */
  readonly bids = new Map<string, Bid>();
  /** Of rounds that run, by `markName`. */
  readonly marks = new Map<string, SealedMark>();
  readonly shorts = new Map<AccountId, ShortLots>();
  /** How many auctions there have been. */
  auctionCount = 0;
  readonly mandates = new Map<MandateId, Mandate>();
  /** By `useName`, of mandates that are here and markets that are not final. */
  readonly mandateUses = new Map<string, MandateUse>();
  /** How many mandates there have been. */
  mandateCount = 0;
  /** Open ones, and those that were done in the last day; in the order they were opened. */
  readonly rfqs = new Map<RfqId, Rfq>();
  /** Of the requests that are here. */
  readonly rfqQuotes = new Map<RfqQuoteId, RfqQuote>();
  /** How many requests, and how many quotes, there have been. */
  rfqCount = 0;
  rfqQuoteCount = 0;
  readonly webhooks = new Map<WebhookId, Webhook>();
  readonly acceptances = new Map<AcceptanceId, Acceptance>();
  /** When each done order that is still here was done; the oldest first. */
  readonly done: Map<OrderId, number> = new ByAge();
  /** By `clientOrderName`: of orders that left before their id is free again; the oldest first. */
  readonly spentIds: Map<string, number> = new ByAge();
  /** The account that listed a market by an order, while the market has no position. */
  readonly listings = new Map<MarketId, AccountId>();
  /** Listings without an open order, and since when; the longest first. */
  readonly idle: Map<MarketId, number> = new ByAge();
  /** The highest `mkt-NNN` of a market that was forgotten: no other market gets it. */
  retiredNumber = 0;
  readonly answers = new Answers();

  // Drawn from the records above; never stored, never hashed.
  readonly books = new Map<MarketId, Book>();
  /** Accounts whose cash or margin the present command changed; empty between commands. */
  readonly marginQueue = new Set<AccountId>();
  readonly exposures: ExposureSums;
  readonly debts = new Debts();
  readonly due: DueQueue;
  readonly expected = new ExpectedPrints();
  readonly marketsByFrontendId = new Map<string, MarketId>();
  /** Open markets by what they wait for: `index|node|month`. */
  readonly awaiting = new Map<string, Set<MarketId>>();
  readonly positionsByMarket = new Map<MarketId, Set<AccountId>>();
  /** Contracts held as YES, and so by others as NO; absent = none. */
  readonly openInterest = new Map<MarketId, Lots>();
  readonly marketsHeldBy = new Map<AccountId, Set<MarketId>>();
  readonly mandatesOf = new Map<AccountId, Set<MandateId>>();
  readonly mandatesByPlace = new MandatesByPlace();
  readonly mandatesUsedIn = new Map<MarketId, Set<MandateId>>();
  readonly marketsUsedBy = new Map<MandateId, Set<MarketId>>();
  /** Names of bids, and of sealed marks. */
  readonly bidsIn = new Map<AuctionId, Set<string>>();
  readonly marksIn = new Map<MarketId, Set<string>>();
  /** Of the uses: by mandate, and by `stateUseName`; absent = none. */
  readonly mandateSums = new Map<string, Lots>();
  readonly openRfqs = new Set<RfqId>();
  /** Open ones, by each thing that ends them when it stops. */
  readonly openRfqsOn = new Map<RfqGround, Set<RfqId>>();
  /** When each request that is done was done; the oldest first. */
  readonly doneRfqs: Map<RfqId, number> = new ByAge();
  readonly rfqsOf = new Map<AccountId, Set<RfqId>>();
  readonly quotesForRfq = new Map<RfqId, Set<RfqQuoteId>>();
  /** Open ones. */
  readonly rfqQuotesOf = new Map<AccountId, Set<RfqQuoteId>>();
  /** Of the legs of its open quotes; absent = none. */
  readonly quotedLots = new Map<AccountId, Lots>();
  /** Of the same, by market; and the cash that these quotes hold back. Absent = none. */
  readonly promisedLots = new Map<AccountId, Map<MarketId, PromisedLots>>();
  readonly reservedMicros = new Map<AccountId, Micros>();
  readonly webhooksOf = new Map<AccountId, Set<WebhookId>>();
  readonly operators = new Set<AccountId>();
  /** Words by what they are about (`subjectOf`). */
  readonly wordsOn = new Map<string, Set<ProposalId>>();
  /** Accounts in a margin call, by when it is due. */
  readonly callsDue = new Map<number, Set<AccountId>>();
  readonly accountsByOwner = new Map<AccountId, Set<AccountId>>();
  readonly openOrders = new Map<AccountId, Set<OrderId>>();
  /** Open ones that go when a release of their index is awaited. */
  readonly releaseOrders = new Map<IndexKind, Set<OrderId>>();
  /** Open orders of groups, by `groupName`. */
  readonly groupOrders = new Map<string, Set<OrderId>>();
  /** Groups in use. */
  readonly groupsOf = new Map<AccountId, Set<string>>();
  /** Open reduce-only orders, by `positionName`. */
  readonly reduceOnlyOrders = new Map<string, Set<OrderId>>();
  /** The highest rank any order has had, also one that has left. */
  lastRank = 0;
  /** How many orders there have been, with those that have left. */
  orderCount = 0;
  /** How many acceptances there have been, with those that are only in the journal. */
  acceptanceCount = 0;
  readonly listingsOf = new Map<AccountId, Set<MarketId>>();
  readonly keysByAccount = new Map<AccountId, Set<KeyId>>();
  /** Keys that make the operator who was shown them one person with their account. */
  readonly ties = new Map<AccountId, Set<KeyId>>();
  /** The accounts that such a key makes the person's who was shown it. */
  readonly tiedTo = new Map<OperatorName, Set<AccountId>>();
  /** Of the orders that are here, by `clientOrderName`. */
  readonly clientOrderIds = new Map<string, OrderId>();

  constructor(drawn: (state: State) => Drawn = forDeciding) {
    const { exposures, due } = drawn(this);
    this.exposures = exposures;
    this.due = due;
  }

  balance(name: LedgerName): Micros {
    return this.ledger.get(name) ?? noMoney;
  }

  account(id: AccountId): Account {
    const account = this.accounts.get(id);
    invariant(account !== undefined, `account ${id} is known`);
    return account;
  }

  keysOf(id: AccountId): readonly Key[] {
    return [...(this.keysByAccount.get(id) ?? [])].flatMap((key) => this.keys.get(key) ?? []);
  }

  market(id: MarketId): Market {
    const market = this.markets.get(id);
    invariant(market !== undefined, `market ${id} is known`);
    return market;
  }

  /** One that was accepted. */
  release(id: ReleaseId): AcceptedRelease {
    const release = this.releases.get(id);
    invariant(release !== undefined, `release ${id} is accepted`);
    return release;
  }

  order(id: OrderId): Order {
    const order = this.orders.get(id);
    invariant(order !== undefined, `order ${id} is known`);
    return order;
  }

  acceptance(id: AcceptanceId): Acceptance {
    const acceptance = this.acceptances.get(id);
    invariant(acceptance !== undefined, `acceptance ${id} is known`);
    return acceptance;
  }

  book(id: MarketId): Book {
    const existing = this.books.get(id);
    if (existing !== undefined) return existing;
    const book = new Book();
    this.books.set(id, book);
    return book;
  }

  position(account: AccountId, market: MarketId): Position | undefined {
    return this.positions.get(positionName(account, market));
  }
}

/** Sum over the ledger; zero, always. */
export function ledgerTotal(state: State): Micros {
  let total = 0n;
  for (const balance of state.ledger.values()) total += balance;
  return micros(total);
}
