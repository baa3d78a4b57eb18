// What readers see of the exchange: the records of every durable entry, and nothing younger.
// Invariant: the view is the fold of the journal up to `sequence`, each entry folded exactly once.
import {
  type AcceptanceId,
  type AccountId,
  type KeyId,
  type MarketId,
  type NodeId,
  type OrderId,
  orderId,
  orderNumber,
  type ReleaseId,
} from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant, unreachable } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import type { Month } from "#base/month.ts";
import type { Acceptance } from "#core/acceptance/records.ts";
import { withAlert } from "#core/alerts.ts";
import { Book } from "#core/book/book.ts";
import { isOpen } from "#core/book/order.ts";
import type { ClockKind } from "#core/command.ts";
import type { Event, EventOf, LedgerName } from "#core/event.ts";
import { accountTerms } from "#core/kyc/tiers.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type {
  AcceptedRelease,
  Account,
  Alert,
  Frontier,
  HeldPlace,
  Key,
  Market,
  Order,
  Position,
  Protection,
  PublicKey,
  QuarantinedRelease,
} from "#core/records.ts";
import { foundingRules, type Rules } from "#core/rules.ts";
import { frontierName, type State } from "#core/state.ts";
import { countVolume, type DayVolume } from "#core/volume.ts";
import { GeoTree } from "#geo/tree.ts";
import { isOfReleases, ReleaseRecords } from "./release-records.ts";

/** The singletons of the exchange, as far as readers are shown them. */
interface ExchangeFacts {
  readonly clock: ClockKind;
  readonly chainId: string;
  readonly halted: boolean;
  readonly haltReason: string;
}

export class ExchangeView {
  readonly #accounts = new Map<AccountId, Account>();
  readonly #accountsByAddress = new Map<string, AccountId>();
  readonly #keys = new Map<KeyId, Key>();
  readonly #keysByDigest = new Map<string, KeyId>();
  readonly #keysByAccount = new Map<AccountId, KeyId[]>();
  readonly #publicKeysByDigest = new Map<string, PublicKey>();
  readonly #ledger = new Map<LedgerName, Micros>();
  readonly #markets = new Map<MarketId, Market>();
  /** Lower case database and frontend ids. */
  readonly #marketsByAnyId = new Map<string, MarketId>();
  readonly #orders = new Map<OrderId, Order>();
  /** In the order they arrived, as the open ones. */
  readonly #ordersByAccount = new Map<AccountId, OrderId[]>();
  readonly #openOrders = new Map<AccountId, Set<OrderId>>();
  readonly #acceptances = new Map<AcceptanceId, Acceptance>();
  readonly #acceptancesByAccount = new Map<AccountId, AcceptanceId[]>();
  readonly #positions = new Map<AccountId, Map<MarketId, Position>>();
  #fillCount = 0;
  #lastRank = 0;
  readonly #protections = new Map<AccountId, Protection>();
  readonly #frontiers = new Map<string, Frontier>();
  readonly #frontiersBySeries = new Map<string, Frontier>();
  readonly #ofReleases = new ReleaseRecords();
  readonly #books = new Map<MarketId, Book>();
  readonly #exposures = new Exposures();
  readonly #alerts = new Map<AccountId, readonly Alert[]>();
  readonly #dayVolumes = new Map<AccountId, DayVolume>();
  readonly #geo = GeoTree.builtIn();
  #facts: ExchangeFacts | undefined;
  #rules: Rules = foundingRules;
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
    for (const account of state.accounts.values()) view.#putAccount(account);
    for (const [id, alerts] of state.alerts) view.#alerts.set(id, alerts);
    for (const key of state.keys.values()) view.#putKey(key);
    for (const key of state.publicKeys.values()) view.#publicKeysByDigest.set(key.digest, key);
    for (const [name, balance] of state.ledger) view.#ledger.set(name, balance);
    for (const market of state.markets.values()) view.#putMarket(market);
    for (const order of state.orders.values()) view.#putOrder(order);
    for (const position of state.positions.values()) view.#putPosition(position);
    view.#fillCount = state.fillCount;
    for (const [account, volume] of state.dayVolumes) view.#dayVolumes.set(account, volume);
    for (const one of state.protections.values()) view.#protections.set(one.accountId, one);
    for (const acceptance of state.acceptances.values()) view.#putAcceptance(acceptance);
    for (const frontier of state.frontiers.values()) view.#putFrontier(frontier);
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
        this.#facts = founded(event);
        return;
      case "HaltChanged":
        this.#facts = { ...this.facts, halted: event.halted, haltReason: event.reason };
        return;
      case "RulesChanged":
        this.#putRules(event.rules);
        return;
      case "AccountChanged":
        this.#putAccount(event.account);
        return;
      case "KeyChanged":
        this.#putKey(event.key);
        return;
      case "PublicKeyChanged":
        this.#publicKeysByDigest.set(event.key.digest, event.key);
        return;
      case "Posted":
        this.#post(event);
        return;
      case "MarketChanged":
        this.#putMarket(event.market);
        return;
      case "OrderChanged":
        this.#putOrder(event.order);
        return;
      case "AcceptanceChanged":
        this.#putAcceptance(event.acceptance);
        return;
      case "PositionChanged":
        this.#putPosition(event.position);
        return;
      case "ProtectionChanged":
        this.#protections.set(event.protection.accountId, event.protection);
        return;
      case "FrontierMoved":
        this.#putFrontier(event.frontier);
        return;
      case "GeoLoaded":
        for (const node of event.nodes) this.#geo.put(node);
        return;
      case "AlertRaised":
        this.#putAlert(event.alert);
        return;
      case "Filled":
        this.#fillCount += 1;
        countVolume(this.#dayVolumes, event.fill);
        return;
      // Levels, too: the book here is drawn from the orders themselves.
      case "LevelChanged":
      case "GuaranteeFunded":
      case "Funded":
      case "CancelAfterChanged":
      case "ClockSet":
      case "RefusalRecorded":
      case "RulesUpgraded":
        return;
      default:
        unreachable(event);
    }
  }

  #putRules(rules: Rules): void {
    this.#rules = rules;
    for (const account of this.#accounts.values()) {
      this.#exposures.ratesChanged(account.id, accountTerms(rules, account));
    }
  }

  #post({ posting, fromMicros, toMicros }: EventOf<"Posted">): void {
    this.#ledger.set(posting.from, fromMicros);
    this.#ledger.set(posting.to, toMicros);
  }

  #putAccount(account: Account): void {
    this.#accounts.set(account.id, account);
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

  #putOrder(order: Order): void {
    const before = this.#orders.get(order.id);
    if (before === undefined) listOf(this.#ordersByAccount, order.accountId).push(order.id);
    this.#orders.set(order.id, order);
    const open = this.#openOrders.get(order.accountId) ?? new Set();
    if (isOpen(order)) this.#openOrders.set(order.accountId, open.add(order.id));
    else open.delete(order.id);
    this.#lastRank = Math.max(this.#lastRank, order.rank);
    this.#exposures.orderChanged(before, order);
    if (isOpen(order) || (before !== undefined && isOpen(before))) {
      this.book(order.marketId).put(order, before);
    }
  }

  #putAcceptance(acceptance: Acceptance): void {
    const { id, accountId } = acceptance;
    if (!this.#acceptances.has(id)) listOf(this.#acceptancesByAccount, accountId).push(id);
    this.#acceptances.set(id, acceptance);
  }

  #putPosition(position: Position): void {
    const held = this.#positions.get(position.accountId) ?? new Map<MarketId, Position>();
    this.#positions.set(position.accountId, held.set(position.marketId, position));
    this.#exposures.positionChanged(position);
  }

  #putFrontier(frontier: Frontier): void {
    const { index, nodeId, month } = frontier;
    this.#frontiersBySeries.set(frontierName(index, nodeId, month), frontier);
    const name = `${index}|${nodeId}`;
    if ((this.#frontiers.get(name)?.month ?? frontier.month) > frontier.month) return;
    this.#frontiers.set(name, frontier);
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

  /** What each tier may do, pays and posts. */
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

  get orders(): ReadonlyMap<OrderId, Order> {
    return this.#orders;
  }

  /** Open and done, in the order they arrived. */
  ordersOf(account: AccountId): Order[] {
    return gather(this.#ordersByAccount.get(account), this.#orders);
  }

  /** Those that arrived before the order of this number, newest first. */
  *ordersBelow(account: AccountId, number: number): Generator<Order> {
    const ids = this.#ordersByAccount.get(account) ?? [];
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (orderNumber(this.#orderAt(ids, middle).id) < number) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= 0; at -= 1) yield this.#orderAt(ids, at);
  }

  #orderAt(ids: readonly OrderId[], at: number): Order {
    const order = this.#orders.get(ids[at] ?? orderId(""));
    invariant(order !== undefined, "an account's order is an order");
    return order;
  }

  /** The open ones of them; there are never more than the cap. */
  openOrdersBelow(account: AccountId, number: number): readonly Order[] {
    return gather([...(this.#openOrders.get(account) ?? [])], this.#orders)
      .filter(({ id }) => orderNumber(id) < number)
      .sort((a, b) => orderNumber(b.id) - orderNumber(a.id));
  }

  /** In no order that matters. */
  openOrdersOf(account: AccountId): readonly Order[] {
    return gather([...(this.#openOrders.get(account) ?? [])], this.#orders);
  }

  /** Where the next order and fill are numbered from. */
  get marks(): {
    readonly orderCount: number;
    readonly fillCount: number;
    readonly lastRank: number;
  } {
    return {
      orderCount: this.#orders.size,
      fillCount: this.#fillCount,
      lastRank: this.#lastRank,
    };
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
  protection(account: AccountId): Protection | undefined {
    return this.#protections.get(account);
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
    "locked" | "totals" | "totalsWith" | "coverageWith" | "shortTotals" | "shorts"
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
  frontierFor(index: IndexKind, node: NodeId, month: Month): Frontier | undefined {
    return this.#frontiersBySeries.get(frontierName(index, node, month));
  }

  /** The newest first print of a node, whichever series it is of. */
  frontier(index: string, node: NodeId): Frontier | undefined {
    return this.#frontiers.get(`${index}|${node}`);
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

  /** Which indices wait for a release and its marks, and what is held meanwhile. */
  get waiting(): Pick<ReleaseRecords, "windows" | "heldMatching" | "areMarksDue"> {
    return this.#ofReleases;
  }

  /** The built-in places and everything loaded. */
  get geo(): GeoTree {
    return this.#geo;
  }
}

const founded = ({ clock, chainId }: EventOf<"Founded">): ExchangeFacts => ({
  clock,
  chainId,
  halted: false,
  haltReason: "",
});

function listOf<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const existing = lists.get(key);
  if (existing !== undefined) return existing;
  const fresh: V[] = [];
  lists.set(key, fresh);
  return fresh;
}

const gather = <Id, Item>(ids: readonly Id[] | undefined, items: ReadonlyMap<Id, Item>): Item[] =>
  (ids ?? []).flatMap((id) => items.get(id) ?? []);
