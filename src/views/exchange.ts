// The exchange as readers see it: the records of every durable entry, and nothing younger.
// Invariant: the view is the fold of the journal up to `sequence`, each entry folded exactly once.
import type {
  AcceptanceId,
  AccountId,
  KeyId,
  MarketId,
  NodeId,
  OrderId,
  ReleaseId,
} from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant, unreachable } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import type { Month } from "#base/month.ts";
import type { Acceptance } from "#core/acceptance/records.ts";
import { withAlert } from "#core/alerts.ts";
import { Book } from "#core/book/book.ts";
import { isOpen } from "#core/book/order.ts";
import { FIRST_VERSION } from "#core/decider.ts";
import type { Event, EventOf, LedgerName } from "#core/event.ts";
import { accountTerms } from "#core/kyc/tiers.ts";
import { dropListing, forgets, type Listings, putListing } from "#core/leaving.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { marketAfter } from "#core/market/after.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type {
  AcceptedRelease,
  Account,
  Alert,
  ChainPoint,
  Key,
  MakerProtection,
  Market,
  Order,
  Position,
  PublicKey,
  QuarantinedRelease,
} from "#core/records.ts";
import { foundingRules, type Rules } from "#core/rules.ts";
import type { HeldPlace } from "#core/settlement/held-place.ts";
import type { State } from "#core/state.ts";
import { countVolume, type DayVolume } from "#core/volume.ts";
import { GeoTree } from "#geo/tree.ts";
import { ChainPointsView } from "./chain-points.ts";
import { type ExchangeFacts, founded } from "./facts.ts";
import { gather, knownIn, listOf } from "./gather.ts";
import { Governance } from "./governance.ts";
import { OrdersView } from "./orders.ts";
import { isOfReleases, ReleaseRecords } from "./release-records.ts";

/** The singletons of the exchange, as far as readers are shown them. */
type MarketEvent = EventOf<"MarketChanged" | "MarketTraded" | "MarketMarked" | "Filled">;

export class ExchangeView {
  readonly #accounts = new Map<AccountId, Account>();
  readonly #accountsByAddress = new Map<string, AccountId>();
  readonly governance = new Governance(this);
  readonly #keys = new Map<KeyId, Key>();
  readonly #keysByDigest = new Map<string, KeyId>();
  readonly #keysByAccount = new Map<AccountId, KeyId[]>();
  readonly #publicKeysByDigest = new Map<string, PublicKey>();
  readonly #ledger = new Map<LedgerName, Micros>();
  readonly #markets = new Map<MarketId, Market>();
  /** Lower case database and frontend ids. */
  readonly #marketsByAnyId = new Map<string, MarketId>();
  #orders = new OrdersView();
  /** As the state has them, for the limit on them. */
  readonly #listings: Listings = { listings: new Map(), listingsOf: new Map(), idle: new Map() };
  readonly #acceptances = new Map<AcceptanceId, Acceptance>();
  readonly #acceptancesByAccount = new Map<AccountId, AcceptanceId[]>();
  readonly #positions = new Map<AccountId, Map<MarketId, Position>>();
  #fillCount = 0;
  readonly #makerProtections = new Map<AccountId, MakerProtection>();
  readonly #chainPoints = new ChainPointsView();
  readonly #ofReleases = new ReleaseRecords();
  readonly #books = new Map<MarketId, Book>();
  readonly #exposures = new Exposures();
  readonly #alerts = new Map<AccountId, readonly Alert[]>();
  readonly #dayVolumes = new Map<AccountId, DayVolume>();
  readonly #geo = GeoTree.builtIn();
  #facts: ExchangeFacts | undefined;
  #rules: Rules = foundingRules;
  #deciderVersion: number = FIRST_VERSION;
  #sequence: number | undefined;
  #timeMillis = 0;

  /** The view of a state in which everything is durable; nothing of it is shared. */
  static from(state: State): ExchangeView {
    const view = new ExchangeView();
    if (state.exchange !== undefined) {
      const { clock, chainId, halted, haltReason } = state.exchange;
      view.#facts = { clock, chainId, halted, haltReason };
    }
    view.#timeMillis = state.lastTimeMillis;
    view.#rules = state.rules;
    view.#deciderVersion = state.deciderVersion;
    for (const account of state.accounts.values()) view.#putAccount(account);
    for (const [id, alerts] of state.alerts) view.#alerts.set(id, alerts);
    for (const key of state.keys.values()) view.#putKey(key);
    for (const key of state.publicKeys.values()) view.#publicKeysByDigest.set(key.digest, key);
    view.governance.take(state);
    for (const [name, balance] of state.ledger) view.#ledger.set(name, balance);
    for (const market of state.markets.values()) view.#putMarket(market);
    view.#orders = OrdersView.from(state);
    for (const order of view.#orders.orders.values()) view.#standOrder(undefined, order);
    for (const [id, account] of state.listings) putListing(view.#listings, id, account);
    for (const position of state.positions.values()) view.#putPosition(position);
    view.#fillCount = state.fillCount;
    for (const [account, volume] of state.dayVolumes) view.#dayVolumes.set(account, volume);
    for (const one of state.makerProtections.values())
      view.#makerProtections.set(one.accountId, one);
    for (const acceptance of state.acceptances.values()) view.#putAcceptance(acceptance);
    for (const frontier of state.chainPoints.values()) view.#chainPoints.put(frontier);
    view.#ofReleases.copy(state);
    for (const node of state.geo.values()) view.#geo.put(node);
    return view;
  }

  /** Folds one durable entry; entries come in the order of the journal. */
  fold(entry: Entry): void {
    invariant(
      this.#sequence === undefined || entry.sequence === this.#sequence + 1,
      `entry ${entry.sequence} follows ${this.#sequence}`,
    );
    this.#sequence = entry.sequence;
    this.#timeMillis = entry.envelope.timeMillis;
    this.#orders.forgetSpentIds(this.#timeMillis);
    if (isRejected(entry.outcome)) return;
    for (const event of entry.outcome.events) this.#foldEvent(event);
  }

  #foldEvent(event: Event): void {
    if (isOfReleases(event)) {
      this.#ofReleases.fold(event);
      return;
    }
    switch (event.type) {
      case "Founded":
      case "HaltChanged":
      case "RulesChanged":
      case "RulesUpgraded":
        this.#foldExchange(event);
        return;
      case "RootSwitched":
      case "ProposalChanged":
        this.governance.fold(event);
        return;
      case "AccountChanged":
      case "KeyChanged":
      case "PublicKeyChanged":
        this.#foldAccess(event);
        return;
      case "Posted":
        this.#ledger.set(event.posting.from, event.fromMicros);
        this.#ledger.set(event.posting.to, event.toMicros);
        return;
      case "MarketChanged":
      case "MarketTraded":
      case "MarketMarked":
      case "Filled":
        this.#foldMarket(event);
        return;
      case "OrderChanged":
        this.#standOrder(this.#orders.put(event.order), event.order);
        return;
      case "OrdersForgotten":
      case "MarketListed":
      case "MarketsForgotten":
        this.#foldLeaving(event);
        return;
      case "AcceptanceChanged":
        this.#putAcceptance(event.acceptance);
        return;
      case "PositionChanged":
        this.#putPosition(event.position);
        return;
      case "ProtectionChanged":
        this.#makerProtections.set(event.protection.accountId, event.protection);
        return;
      case "FrontierMoved":
        this.#chainPoints.put(event.frontier);
        return;
      case "GeoLoaded":
        for (const node of event.nodes) this.#geo.put(node);
        return;
      case "AlertRaised":
        this.#putAlert(event.alert);
        return;
      // Levels, too: the book here is drawn from the orders themselves.
      case "LevelChanged":
      case "FundingCounted":
      case "GuaranteeFunded":
      case "Funded":
      case "CancelAfterChanged":
      case "ClockSet":
      case "RefusalRecorded":
        return;
      default:
        unreachable(event);
    }
  }

  #foldExchange(
    event: EventOf<"Founded" | "HaltChanged" | "RulesChanged" | "RulesUpgraded">,
  ): void {
    if (event.type === "Founded") {
      this.#facts = founded(event);
      this.#deciderVersion = event.version ?? FIRST_VERSION;
    } else if (event.type === "HaltChanged") {
      this.#facts = { ...this.facts, halted: event.halted, haltReason: event.reason };
    } else if (event.type === "RulesChanged") {
      this.#putRules(event.rules);
    } else {
      this.#deciderVersion = event.version;
      const kept = [...this.#acceptances.values()];
      for (const map of [this.#acceptances, this.#acceptancesByAccount]) map.clear();
      for (const acceptance of kept) this.#putAcceptance(acceptance);
    }
  }

  /** Folds accounts, and the keys that open them. */
  #foldAccess(event: EventOf<"AccountChanged" | "KeyChanged" | "PublicKeyChanged">): void {
    if (event.type === "AccountChanged") this.#putAccount(event.account);
    else if (event.type === "KeyChanged") this.#putKey(event.key);
    else this.#publicKeysByDigest.set(event.key.digest, event.key);
  }

  #foldLeaving(event: EventOf<"OrdersForgotten" | "MarketListed" | "MarketsForgotten">): void {
    if (event.type === "OrdersForgotten") {
      this.#orders.forget(event.orderIds, this.#timeMillis);
    } else if (event.type === "MarketListed") {
      putListing(this.#listings, event.marketId, event.accountId);
    } else {
      for (const id of event.marketIds) this.#forgetMarket(id);
    }
  }

  #putRules(rules: Rules): void {
    this.#rules = rules;
    for (const account of this.#accounts.values()) {
      this.#exposures.ratesChanged(account.id, accountTerms(rules, account));
    }
  }

  #putAccount(account: Account): void {
    this.#accounts.set(account.id, account);
    this.governance.putAccount(account);
    this.#accountsByAddress.set(account.address.toLowerCase(), account.id);
    this.#exposures.ratesChanged(account.id, accountTerms(this.#rules, account));
  }

  #putAlert(alert: Alert): void {
    this.#alerts.set(alert.accountId, withAlert(this.alertsOf(alert.accountId), alert));
  }

  #putKey(key: Key): void {
    if (!this.#keys.has(key.id)) listOf(this.#keysByAccount, key.accountId).push(key.id);
    this.#keys.set(key.id, key);
    this.#keysByDigest.set(key.digest, key.id);
  }

  #putMarket(market: Market): void {
    this.#markets.set(market.id, market);
    this.#marketsByAnyId.set(market.id.toLowerCase(), market.id);
    this.#marketsByAnyId.set(market.frontendId.toLowerCase(), market.id);
    this.#exposures.marketChanged(market);
  }

  #foldMarket(event: MarketEvent): void {
    if (event.type === "Filled") {
      this.#fillCount += 1;
      countVolume(this.#dayVolumes, event.fill);
    } else if (event.type === "MarketChanged") this.#putMarket(event.market);
    else
      this.#putMarket(marketAfter(knownIn(this.#markets, event.marketId), event, this.#timeMillis));
  }

  #standOrder(before: Order | undefined, order: Order): void {
    this.#exposures.orderChanged(before, order);
    if (isOpen(order) || (before !== undefined && isOpen(before))) {
      this.book(order.marketId).put(order, before);
    }
  }

  #forgetMarket(id: MarketId): void {
    const market = knownIn(this.#markets, id);
    dropListing(this.#listings, id);
    this.#exposures.forgetMarket(id);
    this.#books.delete(id);
    this.#markets.delete(id);
    this.#marketsByAnyId.delete(id.toLowerCase());
    this.#marketsByAnyId.delete(market.frontendId.toLowerCase());
  }

  #putAcceptance(acceptance: Acceptance): void {
    // The journal alone has those that filled nothing.
    if (acceptance.status === "not_filled" && forgets(this)) return;
    const { id, accountId } = acceptance;
    if (!this.#acceptances.has(id)) listOf(this.#acceptancesByAccount, accountId).push(id);
    this.#acceptances.set(id, acceptance);
  }

  #putPosition(position: Position): void {
    const held = this.#positions.get(position.accountId) ?? new Map<MarketId, Position>();
    this.#positions.set(position.accountId, held.set(position.marketId, position));
    this.#exposures.positionChanged(position);
    dropListing(this.#listings, position.marketId);
  }

  /** Undefined before the first entry was folded since the view was made. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  /** Engine time of the newest entry, milliseconds since 1970. */
  get timeMillis(): number {
    return this.#timeMillis;
  }

  get facts(): ExchangeFacts {
    invariant(this.#facts !== undefined, "the first entry founds the exchange");
    return this.#facts;
  }

  /** The rules of each tier: its limits, fees and margin. */
  get rules(): Rules {
    return this.#rules;
  }

  get accounts(): ReadonlyMap<AccountId, Account> {
    return this.#accounts;
  }

  /** Matched without regard to case. */
  accountByAddress(address: string): Account | undefined {
    const id = this.#accountsByAddress.get(address.toLowerCase());
    return id === undefined ? undefined : this.#accounts.get(id);
  }

  get keys(): ReadonlyMap<KeyId, Key> {
    return this.#keys;
  }

  /** `digest`: HMAC-SHA-256 of the secret. */
  keyByDigest(digest: string): Key | undefined {
    const id = this.#keysByDigest.get(digest);
    return id === undefined ? undefined : this.#keys.get(id);
  }

  /** A key of the public surface; `digest`: HMAC-SHA-256 of the key. */
  publicKeyByDigest(digest: string): PublicKey | undefined {
    return this.#publicKeysByDigest.get(digest);
  }

  /** In the order they were issued, revoked ones too. */
  get publicKeys(): readonly PublicKey[] {
    return [...this.#publicKeysByDigest.values()];
  }

  /** In the order they were made, revoked ones too. */
  keysOf(account: AccountId): Key[] {
    return gather(this.#keysByAccount.get(account), this.#keys);
  }

  get markets(): ReadonlyMap<MarketId, Market> {
    return this.#markets;
  }

  /** By database id or frontend id, without regard to case. */
  marketByAnyId(text: string): Market | undefined {
    const id = this.#marketsByAnyId.get(text.toLowerCase());
    return id === undefined ? undefined : this.#markets.get(id);
  }

  /** Open, and done so shortly ago that they have not left the state. */
  get orders(): ReadonlyMap<OrderId, Order> {
    return this.#orders.orders;
  }

  /** Of one account, or by a reference of its own. */
  get ordersBy(): Pick<OrdersView, "of" | "openOf" | "openBelow" | "byClientId" | "spentIds"> {
    return this.#orders;
  }

  /** Markets the account's orders listed and nobody has traded. */
  listingsOf(account: AccountId): ReadonlySet<MarketId> {
    return this.#listings.listingsOf.get(account) ?? new Set();
  }

  /** Of the rules that decided the newest entry. */
  get deciderVersion(): number {
    return this.#deciderVersion;
  }

  /** Where the next order and fill are numbered from. */
  get marks(): {
    readonly orderCount: number;
    readonly fillCount: number;
    readonly lastRank: number;
  } {
    return { ...this.#orders.marks, fillCount: this.#fillCount };
  }

  /** Coverage filled on the day of its newest fill; undefined before the first. */
  dayVolume(account: AccountId): DayVolume | undefined {
    return this.#dayVolumes.get(account);
  }

  /** In the order they were made. */
  acceptancesOf(account: AccountId): Acceptance[] {
    return gather(this.#acceptancesByAccount.get(account), this.#acceptances);
  }

  position(account: AccountId, market: MarketId): Position | undefined {
    return this.#positions.get(account)?.get(market);
  }

  /** Flat ones too, while their market keeps them. */
  positionsOf(account: AccountId): Position[] {
    return [...(this.#positions.get(account)?.values() ?? [])];
  }

  /** Undefined while the account has never set one. */
  makerProtection(account: AccountId): MakerProtection | undefined {
    return this.#makerProtections.get(account);
  }

  balance(name: LedgerName): Micros {
    return this.#ledger.get(name) ?? noMoney;
  }

  get ledger(): ReadonlyMap<LedgerName, Micros> {
    return this.#ledger;
  }

  cash(account: AccountId): Micros {
    return this.balance(`cash:${account}`);
  }

  /** Cash that is neither owed, nor margin, nor reserved for open orders. */
  available(account: AccountId): Micros {
    return micros(this.cash(account) - this.#exposures.locked(account));
  }

  /** The newest of an account, oldest first. */
  alertsOf(account: AccountId): readonly Alert[] {
    return this.#alerts.get(account) ?? [];
  }

  get exposures(): Pick<
    Exposures,
    "locked" | "cover" | "totals" | "totalsWith" | "coverageWith" | "shortTotals" | "shorts"
  > {
    return this.#exposures;
  }

  book(market: MarketId): Book {
    const existing = this.#books.get(market);
    if (existing !== undefined) return existing;
    const book = new Book();
    this.#books.set(market, book);
    return book;
  }

  /** The newest first print of the series that a print of the month would be of. */
  chainPointFor(index: IndexKind, node: NodeId, month: Month): ChainPoint | undefined {
    return this.#chainPoints.ofSeries(index, node, month);
  }

  /** The newest first print of a node, whichever series it is of. */
  chainPoint(index: string, node: NodeId): ChainPoint | undefined {
    return this.#chainPoints.ofPlace(index, node);
  }

  /** In the order they were accepted. */
  get releases(): ReadonlyMap<ReleaseId, AcceptedRelease> {
    return this.#ofReleases.releases;
  }

  /** Held back by the gate, or rejected; for operators only. */
  get quarantine(): ReadonlyMap<ReleaseId, QuarantinedRelease> {
    return this.#ofReleases.quarantine;
  }

  /** Undecided ones, by `heldPlaceName`; for operators only. */
  get heldPlaces(): ReadonlyMap<string, HeldPlace> {
    return this.#ofReleases.heldPlaces;
  }

  /** The indices that wait for a release and its marks, and the orders held meanwhile. */
  get waiting(): Pick<ReleaseRecords, "windows" | "heldMatching" | "areMarksDue"> {
    return this.#ofReleases;
  }

  /** The built-in places and everything loaded. */
  get geo(): GeoTree {
    return this.#geo;
  }
}
