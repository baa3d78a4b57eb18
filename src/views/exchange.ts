// The exchange as readers see it: the state at the durable sequence, and what it is searched by.
// Invariant: each durable entry is folded exactly once, by the fold of the core.
import type {
  AcceptanceId,
  AccountId,
  AuctionId,
  KeyId,
  MandateId,
  MarketId,
  NodeId,
  PublicKeyId,
  ReleaseId,
  WebhookId,
} from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import type { Acceptance } from "#core/acceptance/records.ts";
import { passTime } from "#core/apply.ts";
import type { Book } from "#core/book/book.ts";
import type { Event, LedgerName } from "#core/event.ts";
import { storageOf } from "#core/exchange.ts";
import { fold } from "#core/fold.ts";
import {
  isTrading,
  type OfferedLevel,
  type OfferedMarket,
  offeredLevels,
} from "#core/mandate/offer.ts";
import { type Mandate, type MandateUse, useName } from "#core/mandate/record.ts";
import { type Bid, bidName, type DefaultAuction } from "#core/margin/auction-record.ts";
import { changedCounts } from "#core/market/open-count.ts";
import { clientOrderName } from "#core/names.ts";
import type { Orders } from "#core/order/pages.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { isRootOff } from "#core/person.ts";
import { readersState, stateOver } from "#core/readers-state.ts";
import type {
  AcceptedRelease,
  Account,
  Alert,
  ChainPoint,
  Key,
  Market,
  OperatorName,
  Order,
  Position,
  PublicKey,
  QuarantinedRelease,
} from "#core/records.ts";
import { isRfqEvent } from "#core/rfq/put-rfq.ts";
import type { Rules } from "#core/rules.ts";
import type { Announcement } from "#core/rules-change.ts";
import type { HeldPlace, Rename } from "#core/settlement/held-place.ts";
import { markName, type SealedMark } from "#core/settlement/mark-records.ts";
import type { Exchange, ExposureSums, State } from "#core/state.ts";
import { available } from "#core/step.ts";
import type { DayVolume } from "#core/volume.ts";
import type { Webhook } from "#core/webhook/record.ts";
import { firstFor, wordsAbout } from "#core/words/say.ts";
import { type Word, type WordCommand, wordKinds } from "#core/words/word.ts";
import { GeoTree } from "#geo/tree.ts";
import type { LimitRecords } from "./limits.ts";
import { RfqsView } from "./rfqs.ts";

export class ExchangeView {
  #state: State;
  #rfqs: RfqsView;
  #accountsByAddress = new Map<string, AccountId>();
  #keysByDigest = new Map<string, KeyId>();
  #publicKeysByDigest = new Map<string, PublicKeyId>();
  /** Lower case database and frontend ids. */
  #marketsByAnyId = new Map<string, MarketId>();
  #acceptancesByAccount = new Map<AccountId, Set<AcceptanceId>>();
  #chainPointsByPlace = new Map<string, ChainPoint>();
  #geo = GeoTree.builtIn();
  #sequence: number | undefined;

  private constructor(state: State) {
    this.#state = state;
    this.#rfqs = new RfqsView(state);
  }

  /** The view of a state in which everything is durable; nothing of it is shared but records. */
  static from(of: State): ExchangeView {
    const state = readersState(of);
    const view = new ExchangeView(state);
    for (const account of state.accounts.values()) view.#findAccount(account);
    for (const key of state.keys.values()) view.#keysByDigest.set(key.digest, key.id);
    for (const key of state.publicKeys.values()) view.#publicKeysByDigest.set(key.digest, key.id);
    for (const market of state.markets.values()) view.#findMarket(market);
    for (const acceptance of state.acceptances.values()) view.#findAcceptance(acceptance);
    for (const newest of state.chainPoints.values()) view.#findChainPoint(newest);
    for (const node of state.geo.values()) view.#geo.put(node);
    return view;
  }

  /** All of it anew, from a state in which everything up to `sequence` is durable. */
  redraw(of: State, sequence: number): void {
    const drawn = ExchangeView.from(of);
    this.#state = drawn.#state;
    this.#rfqs = drawn.#rfqs;
    this.#accountsByAddress = drawn.#accountsByAddress;
    this.#keysByDigest = drawn.#keysByDigest;
    this.#publicKeysByDigest = drawn.#publicKeysByDigest;
    this.#marketsByAnyId = drawn.#marketsByAnyId;
    this.#acceptancesByAccount = drawn.#acceptancesByAccount;
    this.#chainPointsByPlace = drawn.#chainPointsByPlace;
    this.#geo = drawn.#geo;
    this.#sequence = sequence;
  }

  /** Folds one durable entry; entries come in the order of the journal. */
  fold(entry: Entry): void {
    invariant(
      this.#sequence === undefined || entry.sequence === this.#sequence + 1,
      `entry ${entry.sequence} follows ${this.#sequence}`,
    );
    this.#sequence = entry.sequence;
    const { timeMillis } = entry.envelope;
    for (const event of isRejected(entry.outcome) ? [] : entry.outcome.events) {
      if (event.type === "MarketsForgotten") this.#loseMarkets(event.marketIds);
      else if (isRfqEvent(event)) this.#rfqs.take(event);
      fold(this.#state, event, timeMillis);
      this.#find(event);
    }
    passTime(this.#state, timeMillis);
  }

  #find(event: Event): void {
    switch (event.type) {
      case "AccountChanged":
        this.#findAccount(event.account);
        return;
      case "KeyChanged":
        this.#keysByDigest.set(event.key.digest, event.key.id);
        return;
      case "PublicKeyChanged":
        this.#publicKeysByDigest.set(event.key.digest, event.key.id);
        return;
      case "MarketChanged":
        this.#findMarket(event.market);
        return;
      case "AcceptanceChanged":
        this.#findAcceptance(event.acceptance);
        return;
      case "FrontierMoved":
        this.#findChainPoint(event.frontier);
        return;
      case "GeoLoaded":
        for (const node of event.nodes) this.#geo.put(node);
        return;
      default:
        return;
    }
  }

  #findAccount({ id, address }: Account): void {
    this.#accountsByAddress.set(address.toLowerCase(), id);
  }

  #findMarket({ id, frontendId }: Market): void {
    this.#marketsByAnyId.set(id.toLowerCase(), id);
    this.#marketsByAnyId.set(frontendId.toLowerCase(), id);
  }

  #loseMarkets(ids: readonly MarketId[]): void {
    for (const id of ids) {
      this.#marketsByAnyId.delete(id.toLowerCase());
      this.#marketsByAnyId.delete(this.#state.market(id).frontendId.toLowerCase());
    }
  }

  /** The journal alone has those that filled nothing. */
  #findAcceptance({ id, accountId }: Acceptance): void {
    if (!this.#state.acceptances.has(id)) return;
    const mine = this.#acceptancesByAccount.get(accountId) ?? new Set();
    this.#acceptancesByAccount.set(accountId, mine.add(id));
  }

  /** Of a place with several series, the newest month wins. */
  #findChainPoint(newest: ChainPoint): void {
    const { index, nodeId, month } = newest;
    const name = `${index}|${nodeId}`;
    const before = this.#chainPointsByPlace.get(name);
    if (before === undefined || before.month <= month) this.#chainPointsByPlace.set(name, newest);
  }

  /** A state over this one, which must not be folded on meanwhile: to leave no trace in it. */
  over(): State {
    return stateOver(this.#state);
  }

  get rfqs(): RfqsView {
    return this.#rfqs;
  }

  /** Undefined before the first entry was folded since the view was made. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  /** Engine time of the newest entry, milliseconds since 1970. */
  get timeMillis(): number {
    return this.#state.lastTimeMillis;
  }

  get facts(): Pick<Exchange, "clock" | "chainId" | "halted" | "haltReason"> {
    const { exchange } = this.#state;
    invariant(exchange !== undefined, "the first entry founds the exchange");
    const { clock, chainId, halted, haltReason } = exchange;
    return { clock, chainId, halted, haltReason };
  }

  /** The rules of each tier: its limits, fees and margin. */
  get rules(): Rules {
    return this.#state.rules;
  }

  /** Changes of the rules that wait for their day, the oldest first. */
  get announcedRules(): Iterable<Announcement> {
    return this.#state.announcedRules.values();
  }

  /** Whether the guarantee fund lacks so much that no order may add a short. */
  get isFundShort(): boolean {
    return this.#state.exchange?.fundShortMicros !== undefined;
  }

  get storage() {
    return storageOf(this.#state);
  }

  isRootOff(nowSeconds: number): boolean {
    return isRootOff(this.#state, this.#state.exchange?.rootOff === true, nowSeconds);
  }

  /** Open words that no record of its own shows, oldest first. */
  get proposals(): readonly Word[] {
    return [...this.#state.words.values()].filter(
      ({ command }) => wordKinds[command.type].isOfRecord === undefined,
    );
  }

  /** Open words about this subject, oldest first. */
  wordsAbout(subject: string): readonly Word[] {
    return wordsAbout(this.#state, subject);
  }

  /** Whether a word of this person would be the second, and decide. */
  isSecond(command: WordCommand, by: OperatorName): boolean {
    const nowMillis = this.#state.lastTimeMillis;
    const moment = { state: this.#state, nowMillis, nowSeconds: Math.floor(nowMillis / 1000) };
    return firstFor(moment, command, by) !== undefined;
  }

  get accounts(): ReadonlyMap<AccountId, Account> {
    return this.#state.accounts;
  }

  /** Matched without regard to case. */
  accountByAddress(address: string): Account | undefined {
    const id = this.#accountsByAddress.get(address.toLowerCase());
    return id === undefined ? undefined : this.accounts.get(id);
  }

  get keys(): ReadonlyMap<KeyId, Key> {
    return this.#state.keys;
  }

  /** `digest`: HMAC-SHA-256 of the secret. */
  keyByDigest(digest: string): Key | undefined {
    const id = this.#keysByDigest.get(digest);
    return id === undefined ? undefined : this.keys.get(id);
  }

  /** A key of the public surface; `digest`: HMAC-SHA-256 of the key. */
  publicKeyByDigest(digest: string): PublicKey | undefined {
    const id = this.#publicKeysByDigest.get(digest);
    return id === undefined ? undefined : this.#state.publicKeys.get(id);
  }

  /** In the order they were issued, revoked ones too. */
  get publicKeys(): readonly PublicKey[] {
    return [...this.#state.publicKeys.values()];
  }

  /** In the order they were made, revoked ones too. */
  get ties(): ReadonlyMap<AccountId, ReadonlySet<KeyId>> {
    return this.#state.ties;
  }

  keysOf(account: AccountId): readonly Key[] {
    return this.#state.keysOf(account);
  }

  get markets(): ReadonlyMap<MarketId, Market> {
    return this.#state.markets;
  }

  /** By database id or frontend id, without regard to case. */
  marketByAnyId(text: string): Market | undefined {
    const id = this.#marketsByAnyId.get(text.toLowerCase());
    return id === undefined ? undefined : this.markets.get(id);
  }

  /** Open, and done so shortly ago that they have not left the state. */
  get orders(): Orders {
    return this.#state.orders;
  }

  /** In no order that matters; never more than the cap. */
  openOrdersOf(account: AccountId): readonly Order[] {
    return gather(this.#state.openOrders.get(account), this.orders);
  }

  get openOrderCount(): number {
    return this.#state.openOrders.values().reduce((count, { size }) => count + size, 0);
  }

  /** Of an order that is still here. */
  orderByClientId(account: AccountId, clientOrderId: string): Order | undefined {
    const id = this.#state.clientOrderIds.get(clientOrderName(account, clientOrderId));
    return id === undefined ? undefined : this.orders.get(id);
  }

  /** Where the next order and fill are numbered from. */
  get marks(): Pick<State, "orderCount" | "lastRank" | "fillCount"> {
    const { orderCount, lastRank, fillCount } = this.#state;
    return { orderCount, lastRank, fillCount };
  }

  /** Coverage filled on the day of its newest fill; undefined before the first. */
  dayVolume(account: AccountId): DayVolume | undefined {
    return this.#state.dayVolumes.get(account);
  }

  /** All that was ever traded in a market, and the contracts that are held in it. */
  traded(market: MarketId): { readonly volume: Lots; readonly openInterest: Lots } {
    return {
      volume: this.#state.marketVolumes.get(market) ?? noLots,
      openInterest: this.#state.openInterest.get(market) ?? noLots,
    };
  }

  /** Of defaults, those that run. */
  get auctions(): ReadonlyMap<AuctionId, DefaultAuction> {
    return this.#state.auctions;
  }

  /** An account's own bid: nobody is shown another's. */
  bidOf(account: AccountId, auction: AuctionId): Bid | undefined {
    return this.#state.bids.get(bidName({ accountId: account, auctionId: auction }));
  }

  /** An account's own mark of a market that is settled in cash. */
  markOf(accountId: AccountId, marketId: MarketId): SealedMark | undefined {
    return this.#state.marks.get(markName({ accountId, marketId }));
  }

  /** In the order they were made. */
  acceptancesOf(account: AccountId): readonly Acceptance[] {
    return gather(this.#acceptancesByAccount.get(account), this.#state.acceptances);
  }

  position(account: AccountId, market: MarketId): Position | undefined {
    return this.#state.position(account, market);
  }

  /** Accounts with a position in the market; flat ones too, while it keeps them. */
  holdersOf(market: MarketId): Iterable<AccountId> {
    return this.#state.positionsByMarket.get(market) ?? [];
  }

  /** Flat ones too, while their market keeps them. */
  positionsOf(account: AccountId): readonly Position[] {
    const markets = this.#state.marketsHeldBy.get(account) ?? [];
    return [...markets].flatMap((market) => this.position(account, market) ?? []);
  }

  /** Of accounts: how fast their orders may be filled, and what they have traded today. */
  get limits(): LimitRecords {
    return this.#state;
  }

  balance(name: LedgerName): Micros {
    return this.#state.balance(name);
  }

  get ledger(): ReadonlyMap<LedgerName, Micros> {
    return this.#state.ledger;
  }

  cash(account: AccountId): Micros {
    return this.balance(`cash:${account}`);
  }

  /** Cash that is neither owed, nor margin, nor reserved for open orders. */
  available(account: AccountId): Micros {
    return available(this.#state, account);
  }

  /** The newest of an account, oldest first. */
  alertsOf(account: AccountId): readonly Alert[] {
    return this.#state.alerts.get(account) ?? [];
  }

  get exposures(): Pick<
    ExposureSums,
    "locked" | "cover" | "totals" | "totalsWith" | "shortTotals" | "shorts" | "byColumn"
  > {
    return this.#state.exposures;
  }

  /** Of an account, the oldest first. */
  mandatesOf(account: AccountId): readonly Mandate[] {
    return gather(this.#state.mandatesOf.get(account), this.#state.mandates);
  }

  get webhooks(): ReadonlyMap<WebhookId, Webhook> {
    return this.#state.webhooks;
  }

  /** Of an account, the oldest first. */
  webhooksOf(account: AccountId): readonly Webhook[] {
    return gather(this.#state.webhooksOf.get(account), this.#state.webhooks);
  }

  /** The lots it has traded, in every market that is not final; the market traded first, first. */
  usesOf(mandate: MandateId): readonly MandateUse[] {
    const { marketsUsedBy, mandateUses } = this.#state;
    const names = [...(marketsUsedBy.get(mandate) ?? [])].map((market) => useName(mandate, market));
    return names.flatMap((name) => mandateUses.get(name) ?? []);
  }

  /** Whether any account has a mandate: without one nobody asks what mandates give. */
  get hasMandates(): boolean {
    return this.#state.mandates.size > 0;
  }

  /** The levels of mandates that an order would meet now, best first, at most so much of each. */
  offeredLevels(
    market: OfferedMarket,
    incomingBuysYes: boolean,
    most: Lots,
    nowMillis: number,
  ): Iterable<OfferedLevel> {
    const moment = { state: this.#state, nowMillis, nowSeconds: Math.floor(nowMillis / 1000) };
    return offeredLevels(moment, market, incomingBuysYes, most);
  }

  /** The lots that an order to buy so many would get now, and the highest price in it. */
  buys(
    market: OfferedMarket,
    wanted: Lots,
    nowMillis: number,
  ): { readonly tick: Tick; readonly lots: Lots } | undefined {
    if (!isTrading(this.#state, market)) return undefined;
    const offered = this.offeredLevels(market, true, wanted, nowMillis);
    const resting = this.#state.books.get(market.id)?.asks() ?? [];
    const asks = [...resting, ...offered].sort((a, b) => a.tick - b.tick);
    let [tick, bought]: [Tick | undefined, bigint] = [undefined, 0n];
    for (const ask of asks) {
      if (bought >= wanted) break;
      tick = ask.tick;
      bought += ask.lots;
    }
    return tick === undefined ? undefined : { tick, lots: lots(bought < wanted ? bought : wanted) };
  }

  book(market: MarketId): Book {
    return this.#state.book(market);
  }

  /** The newest first print of each series, by `chainPointName`. */
  get chainPoints(): ReadonlyMap<string, ChainPoint> {
    return this.#state.chainPoints;
  }

  /** The newest first print of a node, whichever series it is of. */
  chainPoint(index: string, node: NodeId): ChainPoint | undefined {
    return this.#chainPointsByPlace.get(`${index}|${node}`);
  }

  /** In the order they were accepted. */
  get releases(): ReadonlyMap<ReleaseId, AcceptedRelease> {
    return this.#state.releases;
  }

  /** Held back by the gate, or rejected; for operators only. */
  get quarantine(): ReadonlyMap<ReleaseId, QuarantinedRelease> {
    return this.#state.quarantine;
  }

  /** Undecided ones, by `heldName`; for operators only. */
  get heldPlaces(): ReadonlyMap<string, HeldPlace> {
    return this.#state.heldPlaces;
  }

  /** Maps of regions that two people accepted, in that order. */
  get renames(): ReadonlyMap<string, Rename> {
    return this.#state.renames;
  }

  /** The indices that wait for a release and its marks, and the orders held meanwhile. */
  get waiting(): Pick<State, "windows" | "heldMatching"> {
    return this.#state;
  }

  /** A release was accepted, and matching waits for its marks. */
  get areMarksDue(): boolean {
    return [...this.#state.windows.values()].some(({ marksAfter }) => marksAfter !== null);
  }

  /** Rules ask about shares, and in some market more or less is open than at the last marks. */
  get isCountDue(): boolean {
    return changedCounts(this.#state, this.#state.rules).markets.length > 0;
  }

  /** The built-in places and everything loaded. */
  get geo(): GeoTree {
    return this.#geo;
  }
}

/** In the order of the ids; one without a record is left out. */
const gather = <Id, Item>(
  ids: Iterable<Id> | undefined,
  items: { get(id: Id): Item | undefined },
): readonly Item[] => [...(ids ?? [])].flatMap((id) => items.get(id) ?? []);
